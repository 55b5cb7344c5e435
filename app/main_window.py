"""The window: puts the parts together and connects them. What they do is in the parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import QMainWindow

from app.actions import Actions
from app.closing import Closer
from app.dialogs import Dialogs
from app.docks import Docks, focus_next
from app.document import Document
from app.examples import examples
from app.headline import Headline, MessagesButton
from app.looks import Looks, chosen_theme
from app.menu_bar import fill_menu_bar
from app.opening import Opener, dropped_files
from app.panels.command_palette import CommandPalette
from app.panels.finder import Finder
from app.panels.palette import Palette, PalettePopup
from app.settings import Settings
from app.tabs import Tabs
from app.windows import Windows
from app.workspace import Workspace
from core.errors import PullbackError

_SIZE = (1500, 920)
#: About what a title bar takes of the height of a screen.
_TITLE_BAR = 40
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
        self.theme = chosen_theme(self.settings.theme)
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
        self.messages_button = MessagesButton()
        self.menuBar().setCornerWidget(self.messages_button)
        self.looks = Looks(self)
        self.closer = Closer(self)
        self.headline = Headline(self)
        self.setCentralWidget(self.tabs)
        fill_menu_bar(
            self, self.action_table, self.opener, self.settings, self.docks.docks, self.tabs
        )
        self.addActions(self.action_table.in_context("window"))
        self._connect()
        self.tabs.add()
        self.setAcceptDrops(True)
        screen = self.screen().availableSize() - QSize(0, _TITLE_BAR)
        self.resize(QSize(*_SIZE).boundedTo(screen))
        self._restore()
        self.looks.dress()
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
        dialogs, headline, closer = Dialogs(self), self.headline, self.closer
        for signal, slots in (
            (self.tabs.added, [lambda workspace: self._adopt(workspace, dialogs)]),
            (
                self.tabs.switched,
                [
                    lambda workspace: self.docks.show(workspace.panels),
                    lambda _: headline.show_all(),
                    lambda workspace: workspace.canvas.setFocus(),
                ],
            ),
            (self.tabs.removed, [lambda workspace: self.docks.remove(workspace.panels)]),
            (self.tabs.close_asked, [closer.close_tab]),
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
            (self.messages_button.clicked, [lambda: self.docks.toggle("messages")]),
        ):
            for slot in slots:
                signal.connect(slot)
        self.action_table.connect(
            {
                "new": self.tabs.add,
                "new_window": self._open_window,
                "open": self.opener.ask,
                "close_tab": closer.close_current,
                "close_others": closer.close_others,
                "close_window": self.close,
                "quit": self.windows.close_all,
                "find": dialogs.open_finder,
                "connect": dialogs.open_connector,
                "next_tab": lambda: self.tabs.step(1),
                "previous_tab": lambda: self.tabs.step(-1),
                "next_panel": self._go_to_next_panel,
                "commands": dialogs.open_commands,
                "keys": dialogs.show_keys,
                "about": dialogs.show_about,
                **self.looks.handlers(),
            }
        )
        self.action_table.route(lambda name: self.current.handlers[name]())

    def _adopt(self, workspace: Workspace, dialogs: Dialogs) -> None:
        """Connect what a graph wants from the window it is in."""
        headline = self.headline
        self.docks.add(workspace.panels)
        workspace.canvas.addActions(self.action_table.in_context("canvas"))
        workspace.page.addActions(self.action_table.in_context("playback"))
        if self.looks.is_large:
            workspace.page.set_large(True)
        for signal, slot in (
            (workspace.dock_asked, self.docks.bring_up),
            (workspace.level.moved, headline.show_functions),
            (workspace.level.changed, headline.follow_functions),
            (workspace.document.file_changed, headline.show_file),
            (workspace.document.undo_stack.indexChanged, headline.show_history),
            (workspace.messages.counted, lambda _: headline.show_messages()),
            (workspace.canvas.menu_requested, dialogs.open_menu),
            (workspace.editor.palette_asked, dialogs.open_palette),
            (workspace.editor.space_tapped, self._tap_space),
        ):
            signal.connect(slot)

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

    # -- coming and going ----------------------------------------------------------------------

    def _open_window(self) -> None:
        window = MainWindow(self.windows)
        window.move(self.pos() + _CASCADE)
        window.show()

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
        if not self.closer.may_close_all():
            event.ignore()
            return
        if self.looks.is_large:
            self.docks.bring_back()
        self.settings.keep_window_state(self.saveGeometry(), self.saveState())
        self.tabs.close_all()
        self.windows.remove(self)
        event.accept()
