"""What lists to choose from open in, over their window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.theme import Theme


class Popup(QFrame):
    """A frame that Esc or a click outside closes; the window then has its focus again.

    Args:
        name: the object name, for its style.
    """

    def __init__(self, name: str, window: QWidget) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self._over = window
        self.setObjectName(name)

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self.setStyleSheet(
            f"#{self.objectName()} {{ background: {theme.surface.name()};"
            f" border: 1px solid {theme.border.name()}; }}"
        )

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # Not every window system gives the focus back by itself. Whatever had it may be gone since.
        window = self._over.window()
        window.activateWindow()
        focus = window.focusWidget()
        if focus is not None:
            focus.setFocus(Qt.FocusReason.PopupFocusReason)
