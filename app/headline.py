"""What a window says of the graph whose tab is shown: title, history, functions, what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from app.catalog import function_entries
from app.panels.widgets import IconButton
from core.graph import GraphDiff

if TYPE_CHECKING:
    from app.main_window import MainWindow


class MessagesButton(IconButton):
    """Counts what is wrong, at the end of the menu bar; hidden while nothing is."""

    def __init__(self) -> None:
        super().__init__("circle-alert", "Show what is wrong")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFixedHeight(24)  # or the menu's words would lie off their middle
        self.setStyleSheet("padding: 1px 8px;")

    def show_count(self, count: int) -> None:
        """Show how many messages there are."""
        self.setText(f" {count}")
        self.setVisible(count > 0)


class Headline:
    """Brings them up to date."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def show_all(self) -> None:
        """Another tab is shown."""
        self.show_file()
        self.show_history()
        self.show_messages()
        self.show_functions()

    def show_file(self) -> None:
        """The file, and whether there are changes to save."""
        document = self._window.current.document
        self._window.setWindowTitle(f"{document.title}[*] — Pullback")
        self._window.setWindowModified(document.modified)

    def show_history(self) -> None:
        """What can be undone and done again."""
        stack = self._window.current.document.undo_stack
        for name, can, text in (
            ("undo", stack.canUndo(), stack.undoText()),
            ("redo", stack.canRedo(), stack.redoText()),
        ):
            action = self._window.action_table[name]
            action.setEnabled(can)
            action.setText(f"{name.capitalize()} {text}".strip())

    def show_messages(self) -> None:
        """How many messages there are; without one their panel makes room."""
        count = self._window.current.messages.total
        self._window.messages_button.show_count(count)
        if not count:
            self._window.docks["messages"].hide()

    def show_functions(self) -> None:
        """Offer the functions of the document in the palette."""
        functions = function_entries(self._window.current.level.graph)
        self._window.palette_panel.show_functions(functions)

    def follow_functions(self, diff: GraphDiff) -> None:
        """Offer others after an edit of them."""
        if diff.functions_changed:
            self.show_functions()
