"""What opens over a window and goes again: palette, finder, menus, dialogs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QPointF
from PySide6.QtWidgets import QMessageBox

from app import __version__
from app.canvas.hit import Hit
from app.catalog import function_entries
from app.command_list import command_list
from app.context_menu import context_menu, tab_menu
from app.edits import WireEnd, fits
from app.keys_dialog import KeysDialog
from app.panels.choices import node_choices, port_choices
from app.panels.command_rows import Command

if TYPE_CHECKING:
    from app.main_window import MainWindow


class Dialogs(QObject):
    """Opens them, for the tab that is shown."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def open_palette(self, pos: QPoint, end: WireEnd | None) -> None:
        """Offer what could be joined to the open end of a wire."""
        functions = function_entries(self._window.current.level.graph)
        self._window.popup.palette_list.show_functions(functions)
        self._window.popup.open_at(pos, lambda entry: fits(entry, end))

    def open_menu(self, hit: Hit | None, _place: QPointF, pos: QPoint) -> None:
        """Show the menu of what was hit."""
        window = self._window
        if window.current.canvas.gesture is None:  # Ctrl+right-drag is the knife
            context_menu(hit, window.action_table, window).popup(pos)

    def open_tab_menu(self, pos: QPoint) -> None:
        """Show what can be done with the current tab."""
        tab_menu(self._window.action_table, self._window).popup(pos)

    def open_finder(self) -> None:
        """Find a node by name, operation, value, or what is wrong with it."""
        workspace = self._window.current
        choices = node_choices(workspace.document.graph, workspace.evaluator.snapshot)
        self._window.finder.open_at(self._corner(), choices)

    def open_connector(self) -> None:
        """Draw a wire without the mouse: from the selected node to a port that is typed."""
        workspace = self._window.current
        selected = workspace.editor.selected_nodes
        if len(selected) == 1:
            choices = port_choices(workspace.level.graph, selected[0])
            self._window.connector.open_at(self._corner(), choices)

    def _corner(self) -> QPoint:
        return self._window.current.canvas.mapToGlobal(QPoint(16, 16))

    def open_commands(self) -> None:
        """Offer everything that can be done."""
        window = self._window
        recent = window.settings.recent_commands()
        window.commands.open(command_list(window.action_table, window.docks, window.tabs, recent))

    def do_command(self, command: Command) -> None:
        """Do what was chosen from the list, and remember it."""
        self._window.settings.note_command(command.id)
        command.action.trigger()

    def show_keys(self) -> None:
        """Show all keys, to be changed."""
        window = self._window
        KeysDialog(window.action_table, window.settings, window).exec()
        for other in window.windows:
            other.action_table.load_keys()

    def show_about(self) -> None:
        """Say what this is."""
        QMessageBox.about(
            self._window,
            "About Pullback",
            f"<b>Pullback {__version__}</b><p>See gradients flow: build a computation graph, run"
            " backward, watch every vector-Jacobian product.</p>",
        )
