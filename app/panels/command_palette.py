"""Every action in one list, found by a few letters: nobody has to know its menu or its key."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QListView, QWidget

from app.fuzzy import match
from app.icons import icon
from app.panels.command_rows import FOUND_ROLE, Command, CommandModel, CommandPainter, Found
from app.panels.popup import Popup
from app.panels.widgets import column, muted
from app.theme import Theme

_SIZE = (560, 440)
_MARGIN = 16
_LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class CommandPalette(Popup):
    """A field over the list. Enter runs, Esc or a click outside closes; the focus goes back.

    Signals:
        chosen: the user wants this ``Command`` done; it can be.
    """

    chosen = Signal(object)

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__("command-palette", window)
        self._window = window
        self._commands: Sequence[Command] = ()
        self.field = QLineEdit()
        self.field.setPlaceholderText("What do you want to do?")
        self.field.setAccessibleName("Find a command")
        self._search_icon = self.field.addAction(
            icon("search", theme.text_faint), QLineEdit.ActionPosition.LeadingPosition
        )
        self.model = CommandModel()
        self._rows = CommandPainter(theme)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(self._rows)
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the field has it, and moves the list
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName("Commands")
        self._nothing = muted("There is no such command.")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = column(self, spacing=8, margin=10)
        layout.addWidget(self.field)
        layout.addWidget(self.list, stretch=1)
        layout.addWidget(self._nothing, stretch=1)
        self.field.textChanged.connect(self._refresh)
        self.field.installEventFilter(self)
        self.list.clicked.connect(self._choose)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        super().set_theme(theme)
        self._rows.theme = theme
        self._search_icon.setIcon(icon("search", theme.text_faint, self.devicePixelRatioF()))

    def open(self, commands: Sequence[Command]) -> None:
        """Open over the head of the window; with nothing typed they stand as they are given."""
        self._commands = commands
        self.field.clear()
        self._refresh()
        place = self._window.contentsRect()
        self.resize(min(_SIZE[0], place.width() - 2 * _MARGIN), min(_SIZE[1], place.height() - 80))
        corner = place.topLeft()
        corner.setX(place.center().x() - self.width() // 2)
        corner.setY(place.top() + 3 * _MARGIN)
        self.move(self._window.mapToGlobal(corner))
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The arrow keys move the list, and Enter runs."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.list.currentIndex())
                return True
            if event.key() in _LIST_KEYS:
                self.list.event(event)
                return True
        return super().eventFilter(watched, event)

    def _refresh(self) -> None:
        query = self.field.text()
        found = [(place, _found(command, query)) for place, command in enumerate(self._commands)]
        ranked = sorted((-score, place, row) for place, (score, row) in found if row is not None)
        self.model.show_rows([row for _, _, row in ranked])
        self.list.setVisible(bool(ranked))
        self._nothing.setVisible(not ranked)
        self.list.setCurrentIndex(self.model.index(0))

    def _choose(self, index: QModelIndex) -> None:
        found: Found | None = index.data(FOUND_ROLE)
        if found is not None and not found.command.why_not:
            self.hide()
            self.chosen.emit(found.command)


def _found(command: Command, query: str) -> tuple[float, Found | None]:
    """How well a command fits, by its name or, less well, by its menu and name."""
    if not query.strip():
        return 0.0, Found(command)
    by_name = match(query, command.text)
    if by_name is not None:
        return by_name.score + 1.0, Found(command, by_name.letters)
    shift = len(command.where) + 1
    by_menu = match(query, f"{command.where} {command.text}")
    if by_menu is None:
        return 0.0, None
    return by_menu.score, Found(command, tuple(i - shift for i in by_menu.letters if i >= shift))
