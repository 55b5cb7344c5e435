"""Where one is inside of functions, and the way back: a row of buttons over the canvas."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.icons import icon
from app.panels.widgets import clear_layout
from app.theme import Theme

#: Names longer than this are cut in the middle.
_MOST_LETTERS = 24


class Breadcrumb(QFrame):
    """Hidden at the top of a document, where there is no way back.

    Signals:
        chosen: the user wants to be this deep: 0 is the document itself.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._names: tuple[str, ...] = ()
        self.setObjectName("breadcrumb")
        self.setAccessibleName("Where you are")
        self.buttons: list[QPushButton] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(6, 4, 10, 4)
        self._row.setSpacing(2)
        self.hide()
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        border, text, muted = theme.border.name(), theme.text.name(), theme.text_muted.name()
        self.setStyleSheet(
            f"#breadcrumb {{ background: {theme.surface.name()}; border: 1px solid {border};"
            " border-radius: 10px; }"
            f"#breadcrumb QPushButton {{ border: none; background: transparent; color: {muted};"
            " padding: 4px 7px; border-radius: 6px; }"
            f"#breadcrumb QPushButton:hover {{ background: {border}; color: {text}; }}"
            f"#breadcrumb QPushButton:disabled {{ color: {text}; font-weight: 600; }}"
            f"#breadcrumb QLabel {{ color: {muted}; }}"
        )
        self._fill()

    def show_names(self, names: tuple[str, ...]) -> None:
        """Show the levels on the way here, the last one being where one is."""
        if names != self._names:
            self._names = names
            self._fill()
        self.setVisible(len(names) > 1)
        self._row.activate()
        self.adjustSize()

    def _fill(self) -> None:
        clear_layout(self._row)
        self.buttons = []
        widgets: list[QWidget] = []
        for depth, name in enumerate(self._names):
            if depth:
                widgets.append(QLabel("›"))
            button = QPushButton(_shortened(name))
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setEnabled(depth < len(self._names) - 1)
            button.setToolTip(
                "Go up (U, or Esc with nothing selected)" if button.isEnabled() else ""
            )
            button.clicked.connect(lambda _on=False, d=depth: self.chosen.emit(d))
            if not depth:
                button.setIcon(icon("chevron-left", self._theme.text_muted))
            widgets.append(button)
            self.buttons.append(button)
        for widget in widgets:
            self._row.addWidget(widget)
            widget.show()  # at once, not when the layout comes to it


def _shortened(name: str) -> str:
    if len(name) <= _MOST_LETTERS:
        return name
    half = _MOST_LETTERS // 2 - 1
    return f"{name[:half]}…{name[-half:]}"
