"""The window: puts the parts together and connects them. What they do is in the parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QMainWindow

from app.actions import Actions
from app.catalog import function_entries
from app.dialogs import Dialogs
from app.docks import Docks, focus_next
from app.document import Document
from app.examples import examples
from app.menu_bar import fill_menu_bar
from app.opening import Opener, dropped_files
from app.panels.command_palette import CommandPalette
from app.panels.finder import Finder
from app.panels.palette import Palette, PalettePopup
from app.panels.widgets import IconButton
from app.settings import CHOICES, Settings
from app.tabs import Tabs
from app.theme import apply_theme, dark, light
from app.windows import Windows
from app.workspace import Workspace
from core.errors import PullbackError
from core.graph import GraphDiff

_SIZE = (1500, 920)
#: How far a further window lies off the one it was opened from.
_CASCADE = QPoint(32, 32)


class MainWindow(QMainWindow):
    """A window of the program: tabs of graphs, and around them the panels of the one shown.

    Args:
        windows: the windows of the program, this one to be among them.
    """

    def __init__(self, windows: Windows) -> None:
        super().__init__()
        self.windows = windows
        windows.add(self)
        self.settings = Settings()
        self.theme = light() if self.settings.theme == "light" else dark()
        apply_theme(_application(), self.theme)
        self.action_table = Actions(self, self.settings)
        self.palette_panel = Palette(self.theme)
        self.popup = PalettePopup(self.theme, self)
        hint = "Find a node by name, operation, value or error"
        self.finder = Finder(hint, self.theme, self)
        self.connector = Finder("Connect to: type a node or a port", self.theme, self)
        self.commands = CommandPalette(self.theme, self)
        self.tabs = Tabs(self._make_workspace, self.theme)
        self.opener = Opener(self.tabs, windows, self.settings)
        self.docks = Docks(self, self.palette_panel)
        self.message_button = IconButton("circle-alert", "Show what is wrong")
        self.message_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.message_button.setFixedHeight(24)  # or the menu's words would lie off their middle
        self.message_button.setStyleSheet("padding: 1px 8px;")
        self.menuBar().setCornerWidget(self.message_button)
        self.setCentralWidget(self.tabs)
        fill_menu_bar(self, self.action_table, self.opener, self.settings, self.docks.docks)
        self.addActions(self.action_table.in_context("window"))
        self._connect()
        self.tabs.add()
        self.setAcceptDrops(True)
        self.resize(*_SIZE)
        self._restore()
        self.dress()
        self.current.canvas.setFocus()

    @property
    def current(self) -> Workspace:
        """The graph whose tab is shown, with all that is its own."""
        return self.tabs.current

    def start(self, paths: Sequence[Path] = ()) -> None:
        """Show the files asked for; on the first start an example; else an empty graph."""
        shipped = examples()
        if paths:
            self.opener.open_all(paths)
        elif self.settings.is_first_start() and shipped:
            self.opener.open_copy(shipped[0])

    def report(self, error: PullbackError) -> None:
        """Show an error that belongs to no node."""
        self.current.messages.add(error)

    # -- parts ---------------------------------------------------------------------------------

    def _make_workspace(self, name: str) -> Workspace:
        find_entry, is_taken = self.palette_panel.entry, self.windows.has
        document = Document(name=name)
        return Workspace(document, self.settings, self.theme, find_entry, is_taken, self.tabs)

    def _connect(self) -> None:
        dialogs = Dialogs(self)
        for signal, slots in (
            (self.tabs.added, [lambda workspace: self._adopt(workspace, dialogs)]),
            (
                self.tabs.switched,
                [
                    lambda workspace: self.docks.show(workspace.panels),
                    lambda _: self._show_file(),
                    lambda _: self._show_history(),
                    lambda _: self._show_message_count(),
                    lambda _: self._show_functions(),
                    lambda workspace: workspace.canvas.setFocus(),
                ],
            ),
            (self.tabs.removed, [lambda workspace: self.docks.remove(workspace.panels)]),
            (self.tabs.close_asked, [self.close_tab]),
            (self.tabs.menu_asked, [dialogs.open_tab_menu]),
            (self.opener.failed, [self.report]),
            (self.opener.noted, [self.report]),
            (self.palette_panel.chosen, [lambda entry: self.current.editor.add_in_view(entry)]),
            (self.palette_panel.delete_asked, [lambda i: self.current.delete_function(i)]),
            (self.popup.chosen, [lambda entry: self.current.editor.add_chosen(entry)]),
            (self.popup.dismissed, [lambda: self.current.editor.forget_place()]),
            (self.commands.chosen, [dialogs.do_command]),
            (self.finder.found, [lambda node: self.current.show_node(node)]),
            (self.connector.found, [lambda ends: self.current.editor.connect_ports(*ends)]),
            (self.message_button.clicked, [lambda: self.docks.toggle("messages")]),
        ):
            for slot in slots:
                signal.connect(slot)
        self.action_table.connect(
            {
                "new": self.tabs.add,
                "new_window": self._open_window,
                "open": self.opener.ask,
                "close_tab": lambda: self.close_tab(self.current),
                "close_others": self._close_others,
                "close_window": self.close,
                "quit": self.windows.close_all,
                "find": dialogs.open_finder,
                "connect": dialogs.open_connector,
                "next_tab": lambda: self.tabs.step(1),
                "previous_tab": lambda: self.tabs.step(-1),
                **{name: partial(self._switch, name) for name in CHOICES},
                "light_theme": self._switch_theme,
                "projector": self._switch_projector,
                "full_screen": self._switch_full_screen,
                "next_panel": self._go_to_next_panel,
                "commands": dialogs.open_commands,
                "keys": dialogs.show_keys,
                "about": dialogs.show_about,
            }
        )
        self.action_table.route(lambda name: self.current.handlers[name]())

    def _adopt(self, workspace: Workspace, dialogs: Dialogs) -> None:
        """Connect what a graph wants from the window it is in."""
        self.docks.add(workspace.panels)
        workspace.canvas.addActions(self.action_table.in_context("canvas"))
        workspace.page.addActions(self.action_table.in_context("playback"))
        for signal, slot in (
            (workspace.dock_asked, self.docks.bring_up),
            (workspace.level.moved, self._show_functions),
            (workspace.level.changed, self._follow_functions),
            (workspace.document.file_changed, self._show_file),
            (workspace.document.undo_stack.indexChanged, self._show_history),
            (workspace.messages.counted, lambda _: self._show_message_count()),
            (workspace.canvas.menu_requested, dialogs.open_menu),
            (workspace.editor.palette_asked, dialogs.open_palette),
            (workspace.editor.space_tapped, self._tap_space),
        ):
            signal.connect(slot)

    # -- news of the graph that is shown -------------------------------------------------------

    def _show_file(self) -> None:
        document = self.current.document
        self.setWindowTitle(f"{document.title}[*] — Pullback")
        self.setWindowModified(document.modified)

    def _follow_functions(self, diff: GraphDiff) -> None:
        if diff.functions_changed:
            self._show_functions()

    def _show_functions(self) -> None:
        """Offer the functions of the document that is shown."""
        self.palette_panel.show_functions(function_entries(self.current.level.graph))

    def _show_history(self) -> None:
        stack = self.current.document.undo_stack
        for name, can, text in (
            ("undo", stack.canUndo(), stack.undoText()),
            ("redo", stack.canRedo(), stack.redoText()),
        ):
            action = self.action_table[name]
            action.setEnabled(can)
            action.setText(f"{name.capitalize()} {text}".strip())

    def _show_message_count(self) -> None:
        count = self.current.messages.total
        self.message_button.setText(f" {count}")
        self.message_button.setVisible(count > 0)
        if not count:
            self.docks["messages"].hide()

    # -- keys ----------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter or Esc that no field wanted for itself: done with it, back to the canvas."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.current.canvas.setFocus()
        else:
            super().keyPressEvent(event)

    def _tap_space(self) -> None:
        """Space plays and pauses, unless the user gave that to another key."""
        if QKeySequence(Qt.Key.Key_Space) in self.action_table["play"].shortcuts():
            self.current.timeline.play_or_run()

    def _go_to_next_panel(self) -> None:
        current = self.current
        focus_next([current.canvas, self.palette_panel.search_field, *current.panels.values()])

    # -- looks ---------------------------------------------------------------------------------

    def dress(self) -> None:
        """Put on the theme that the settings say, and tick the other choices."""
        self.theme = light() if self.settings.theme == "light" else dark()
        apply_theme(_application(), self.theme)
        for part in (
            self.action_table, self.tabs, self.palette_panel, self.popup, self.finder,
            self.connector, self.commands, self.message_button,
        ):  # fmt: skip
            part.set_theme(self.theme)
        self.action_table["light_theme"].setChecked(not self.theme.is_dark)
        self.show_choices()

    def _switch_theme(self) -> None:
        self.settings.theme = "light" if self.action_table["light_theme"].isChecked() else "dark"
        self.windows.dress()

    def show_choices(self) -> None:
        """Tick what the settings say is on."""
        for name in CHOICES:
            self.action_table[name].setChecked(self.settings.is_chosen(name))

    def _switch(self, choice: str) -> None:
        self.settings.choose(choice, self.action_table[choice].isChecked())
        for window in self.windows:
            window.show_choices()

    def _switch_projector(self) -> None:
        """Everything to the canvas, as large as it goes; and back to where all was."""
        on = self.action_table["projector"].isChecked()
        self.docks.hide_all() if on else self.docks.bring_back()
        for workspace in self.tabs:
            workspace.page.set_large(on)

    def _switch_full_screen(self) -> None:
        full = self.action_table["full_screen"].isChecked()
        self.showFullScreen() if full else self.showNormal()

    # -- coming and going ----------------------------------------------------------------------

    def _open_window(self) -> None:
        window = MainWindow(self.windows)
        window.move(self.pos() + _CASCADE)
        window.show()

    def close_tab(self, workspace: Workspace) -> None:
        """Close a tab, unless it has changes to keep. Without tabs there is no window."""
        if len(self.tabs) == 1 and len(self.windows) > 1:
            self.close()
        elif self._may_close(workspace):
            if len(self.tabs) == 1:
                self.tabs.add()
            self.tabs.remove(workspace)

    def _close_others(self) -> None:
        """Close all tabs but the one shown, until the user keeps one."""
        kept = self.current
        if all(self._may_close(other) for other in self.tabs if other is not kept):
            for other in self.tabs:
                if other is not kept:
                    self.tabs.remove(other)
        self.tabs.show_workspace(kept)

    def _may_close(self, workspace: Workspace) -> bool:
        if workspace.document.modified:
            self.tabs.show_workspace(workspace)
        return workspace.saver.may_close()

    def _restore(self) -> None:
        geometry, state = self.settings.window_state()
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
            self.restoreState(state)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.settings.window_state()[1].isEmpty():
            self.docks.set_first_sizes()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.opener.open_dropped(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not all(self._may_close(workspace) for workspace in self.tabs):
            event.ignore()
            return
        if self.action_table["projector"].isChecked():
            self.docks.bring_back()
        self.settings.keep_window_state(self.saveGeometry(), self.saveState())
        self.tabs.close_all()
        self.windows.remove(self)
        event.accept()


def _application() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app
