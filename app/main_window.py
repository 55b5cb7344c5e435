"""The window: puts the parts together and connects them. What they do is in the parts."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QTabBar,
    QTabWidget,
    QWidget,
)

from app.actions import Actions
from app.canvas.canvas import Canvas
from app.canvas.editor import CanvasEditor
from app.canvas.gestures import gestures_for
from app.canvas.keyboard import Keyboard
from app.canvas_area import CanvasArea
from app.conductor import Conductor
from app.document import Document
from app.evaluator import Evaluator
from app.examples import examples
from app.importing import ValueFiles
from app.menu_bar import fill_menu_bar
from app.panels.backward_panel import BackwardPanel
from app.panels.finder import Finder
from app.panels.inspector import Inspector
from app.panels.messages import Messages
from app.panels.palette import Palette, PalettePopup
from app.panels.timeline import Timeline
from app.panels.values import ValuesPanel
from app.panels.widgets import IconButton
from app.playback import Player
from app.saving import ENDING, Files
from app.settings import Settings
from app.theme import apply_theme, dark, light
from app.value_on_node import ValueOnNode
from core.errors import PullbackError
from core.graph import Forward, ZeroGrad

_SIZE = (1500, 920)
#: Palette and inspector in a wide and in a narrow window, messages.
_WIDE, _NARROW, _BOTTOM = (250, 310), (190, 260), 150
_NARROW_WINDOW = 1200


class MainWindow(QMainWindow):
    """The program's one window.

    Attributes:
        threads_ended: False when it was closed while the engine was inside a NumPy call that
            cannot be interrupted.
    """

    def __init__(self) -> None:
        super().__init__()
        self.settings = Settings()
        self.theme = light() if self.settings.theme == "light" else dark()
        apply_theme(_application(), self.theme)
        self.threads_ended = True
        self._before_projector = QByteArray()
        self.document = Document(parent=self)
        self.evaluator = Evaluator(self.document, self)
        self.player = Player(self)
        self.files = Files(self.document, self.settings, self)
        self.action_table = Actions(self, self.settings)
        self.canvas = Canvas(self.theme)
        self.timeline = Timeline(self.player)
        self.palette_panel = Palette(self.theme)
        self.inspector = Inspector(self.document, self.theme)
        self.backward = BackwardPanel(self.document, self.theme)
        self.messages = Messages(self.theme)
        self.values = ValuesPanel(self.theme)
        self.popup = PalettePopup(self.theme, self)
        self.finder = Finder(self.theme, self)
        self.editor = CanvasEditor(self.canvas, self.document, self.palette_panel.entry)
        self.value_on_node = ValueOnNode(self.document, self.canvas)
        self.value_files = ValueFiles(self.editor, self)
        self.keyboard = Keyboard(self.editor)
        self.canvas.gesture_factory = gestures_for(self.editor)
        self.canvas_area = CanvasArea(self.canvas, self.timeline)
        self.setCentralWidget(self.canvas_area)
        self._add_docks()
        self._add_actions()
        self._connect()
        self.setAcceptDrops(True)
        self.resize(*_SIZE)
        self._restore()
        self._dress()
        self._show_file()
        self._show_history()
        self.player.set_reduced_motion(self.settings.reduced_motion)
        self.canvas.setFocus()

    def start(self, path: Path | None) -> None:
        """Show the file asked for; on the first start an example; else an empty graph."""
        shipped = examples()
        if path is not None:
            self.files.open_path(path)
        elif self.settings.is_first_start() and shipped:
            self.files.open_path(shipped[0], keep_path=False)
        else:
            self.evaluator.evaluate()

    def report(self, error: PullbackError) -> None:
        """Show an error that belongs to no node."""
        self.messages.add(error)

    # -- parts ---------------------------------------------------------------------------------

    def _add_docks(self) -> None:
        area = Qt.DockWidgetArea
        self._stale_tabs_timer = QTimer(self)
        self._stale_tabs_timer.setSingleShot(True)
        self._stale_tabs_timer.setInterval(0)
        self._stale_tabs_timer.timeout.connect(self._hide_stale_tab_bars)
        self.docks = {
            "palette": self._dock("Operations", self.palette_panel, area.LeftDockWidgetArea),
            "inspector": self._dock("Inspector", self.inspector, area.RightDockWidgetArea),
            "backward": self._dock("Backward", self.backward, area.RightDockWidgetArea),
            "messages": self._dock("Messages", self.messages, area.BottomDockWidgetArea),
            "values": self._dock("Values", self.values, area.BottomDockWidgetArea),
        }
        self.setTabPosition(area.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.tabifyDockWidget(self.docks["inspector"], self.docks["backward"])
        self.tabifyDockWidget(self.docks["messages"], self.docks["values"])
        for name in ("inspector", "backward", "messages", "values"):
            self.docks[name].setTitleBarWidget(QWidget())  # their tabs say it
        for name in ("messages", "values"):
            self.docks[name].hide()
        self.docks["backward"].raise_()
        for dock in self.docks.values():
            dock.visibilityChanged.connect(lambda _: self._stale_tabs_timer.start())
        self.message_button = IconButton("circle-alert", "Show what is wrong")
        self.message_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.message_button.setFixedHeight(24)  # or the menu's words would lie off their middle
        self.message_button.setStyleSheet("padding: 1px 8px;")
        self.message_button.clicked.connect(self._toggle_messages)
        self.menuBar().setCornerWidget(self.message_button)
        self.setCorner(Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, area.RightDockWidgetArea)

    def _dock(self, heading: str, panel: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(heading, self)
        dock.setObjectName(heading)
        dock.setWidget(panel)
        dock.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetMovable)
        self.addDockWidget(area, dock)
        return dock

    def _add_actions(self) -> None:
        table = self.action_table
        fill_menu_bar(self, table, self.files, self.settings, self.docks)
        self.addActions(table.in_context("window"))
        self.canvas.addActions(table.in_context("canvas"))
        self.canvas_area.addActions(table.in_context("playback"))

    def _connect(self) -> None:
        document, evaluator, player, canvas, conduct = (
            self.document, self.evaluator, self.player, self.canvas, Conductor(self)
        )  # fmt: skip
        for signal, slots in (
            (document.file_changed, [self._show_file]),
            (document.replaced, [player.clear, self.messages.clear_failures]),
            (document.changed, [conduct.follow_edit]),
            (document.undo_stack.indexChanged, [self._show_history]),
            (
                evaluator.evaluated,
                [
                    canvas.show_snapshot,
                    self.inspector.show_snapshot,
                    self.backward.show_snapshot,
                    self.messages.show_snapshot,
                    self.values.show_snapshot,
                ],
            ),
            (evaluator.traced, [conduct.play_trace]),
            (evaluator.performed, [self.backward.note_performed]),
            (evaluator.ran, [conduct.play_run]),
            (evaluator.restarted, [player.clear, self.backward.forget_history]),
            (evaluator.failed, [conduct.show_failure]),
            (evaluator.busy, [self.canvas_area.show_busy]),
            (player.options_changed, [conduct.follow_player_options]),
            (player.loaded, [canvas.show_trace, self.inspector.show_trace]),
            (
                player.moved,
                [canvas.show_moment, self.inspector.show_moment, self.values.show_moment],
            ),
            (
                canvas.selected,
                [self.inspector.select, self.values.select, conduct.follow_selection],
            ),
            (canvas.menu_requested, [conduct.open_menu]),
            (self.editor.refused, [self.messages.add]),
            (self.editor.palette_asked, [conduct.open_palette]),
            (self.editor.field_asked, [conduct.edit_first_field]),
            (self.editor.value_asked, [self.value_on_node.open]),
            (self.editor.files_dropped, [self.value_files.drop]),
            (self.value_files.failed, [self.messages.add]),
            (self.value_files.reading, [self.canvas_area.show_reading]),
            (self.editor.space_tapped, [conduct.tap_space]),
            (self.inspector.source_asked, [conduct.show_node]),
            (self.backward.action_asked, [evaluator.perform]),
            (self.backward.starts_changed, [canvas.show_starts]),
            (self.backward.restart_asked, [evaluator.restart]),
            (self.backward.run_asked, [evaluator.run]),
            (self.messages.node_asked, [conduct.show_node]),
            (self.messages.way_chosen, [conduct.take_way_out]),
            (self.messages.counted, [self._show_message_count]),
            (self.messages.failed, [lambda: self.raise_dock("messages")]),
            (self.timeline.backward_asked, [conduct.run_backward]),
            (self.palette_panel.chosen, [self.editor.add_in_view]),
            (self.popup.chosen, [self.editor.add_chosen]),
            (self.popup.dismissed, [self.editor.forget_place]),
            (self.finder.found, [conduct.show_node]),
            (self.files.failed, [self.messages.add]),
        ):
            for slot in slots:
                signal.connect(slot)
        self.action_table.connect(
            {
                "new": self.files.new,
                "open": self.files.open,
                "import_values": self.value_files.ask,
                "save": self.files.save,
                "save_as": self.files.save_as,
                "quit": self.close,
                "undo": document.undo_stack.undo,
                "redo": document.undo_stack.redo,
                "find": conduct.open_finder,
                "light_theme": self._switch_theme,
                "projector": self._switch_projector,
                "full_screen": self._switch_full_screen,
                "next_panel": conduct.go_to_next_panel,
                "edit_first": conduct.edit_first_field,
                "rename": conduct.edit_name,
                "use_as_roots": conduct.start_at_selection,
                "backward": conduct.run_backward,
                "restart": evaluator.restart,
                "forward": lambda: evaluator.perform(Forward()),
                "zero_grad": lambda: evaluator.perform(ZeroGrad()),
                "cancel": evaluator.cancel,
                "play": self.timeline.play_or_run,
                "step": player.step,
                "step_back": player.step_back,
                "to_start": player.to_start,
                "to_end": player.to_end,
                "keys": conduct.show_keys,
                "about": conduct.show_about,
                **self.keyboard.handlers(),
            }
        )

    def _show_history(self) -> None:
        stack = self.document.undo_stack
        for name, can, text in (
            ("undo", stack.canUndo(), stack.undoText()),
            ("redo", stack.canRedo(), stack.redoText()),
        ):
            action = self.action_table[name]
            action.setEnabled(can)
            action.setText(f"{name.capitalize()} {text}".strip())

    def raise_dock(self, name: str) -> None:
        """Show a dock, in front of those it shares its place with."""
        self.docks[name].show()
        self.docks[name].raise_()

    def _hide_stale_tab_bars(self) -> None:
        """WORKAROUND: Qt leaves the tab bars of docks that were tabbed and hidden on the window."""
        kind = Qt.FindChildOption.FindDirectChildrenOnly
        shown = [dock for dock in self.docks.values() if dock.isVisible()]
        for bar in self.findChildren(QTabBar, options=kind):
            titles = {bar.tabText(i) for i in range(bar.count())}
            used = any(
                dock.windowTitle() in titles and (dock.x(), dock.width()) == (bar.x(), bar.width())
                for dock in shown
            )
            if not used:
                bar.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter or Esc that no field wanted for itself: done with it, back to the canvas."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.canvas.setFocus()
        else:
            super().keyPressEvent(event)

    def _toggle_messages(self) -> None:
        dock = self.docks["messages"]
        dock.hide() if dock.isVisible() else self.raise_dock("messages")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.settings.window_state()[1].isEmpty():
            widths = _WIDE if self.width() >= _NARROW_WINDOW else _NARROW
            sides = [self.docks["palette"], self.docks["backward"]]
            self.resizeDocks(sides, list(widths), Qt.Orientation.Horizontal)
            self.resizeDocks([self.docks["messages"]], [_BOTTOM], Qt.Orientation.Vertical)

    # -- looks ---------------------------------------------------------------------------------

    def _switch_theme(self) -> None:
        self.settings.theme = "light" if self.action_table["light_theme"].isChecked() else "dark"
        self._dress()

    def _switch_projector(self) -> None:
        """Everything to the canvas, as large as it goes; and back to where all was."""
        if self.action_table["projector"].isChecked():
            self._before_projector = self.saveState()
            for dock in self.docks.values():
                dock.hide()
        else:
            self.restoreState(self._before_projector)
        self.canvas_area.set_large(self.action_table["projector"].isChecked())

    def _switch_full_screen(self) -> None:
        full = self.action_table["full_screen"].isChecked()
        self.showFullScreen() if full else self.showNormal()

    def _dress(self) -> None:
        """Put on the theme and the size that the settings say."""
        self.theme = light() if self.settings.theme == "light" else dark()
        apply_theme(_application(), self.theme)
        for part in (
            self.action_table, self.canvas, self.timeline, self.palette_panel, self.inspector,
            self.backward, self.messages, self.values, self.popup, self.finder,
            self.message_button, self.canvas_area,
        ):  # fmt: skip
            part.set_theme(self.theme)
        self.action_table["light_theme"].setChecked(not self.theme.is_dark)

    def _show_file(self) -> None:
        self.setWindowTitle(f"{self.document.title}[*] — Pullback")
        self.setWindowModified(self.document.modified)

    def _show_message_count(self, count: int) -> None:
        self.message_button.setText(f" {count}")
        self.message_button.setVisible(count > 0)
        if not count:
            self.docks["messages"].hide()

    # -- coming and going ----------------------------------------------------------------------

    def _restore(self) -> None:
        geometry, state = self.settings.window_state()
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
            self.restoreState(state)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped_file(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = _dropped_file(event)
        if path is not None:
            self.files.open_path(path)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.files.may_discard():
            event.ignore()
            return
        self.player.pause()
        if self.action_table["projector"].isChecked():
            self.restoreState(self._before_projector)
        self.settings.keep_window_state(self.saveGeometry(), self.saveState())
        self.threads_ended = self.evaluator.close()
        event.accept()


def _application() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app


def _dropped_file(event: QDropEvent) -> Path | None:
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return next((path for path in paths if path.suffix == ENDING), None)
