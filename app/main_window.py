"""The window: puts the parts together and connects them. What they do is in the parts."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QPoint, QPointF, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QMenu,
    QMessageBox,
    QTabWidget,
    QWidget,
)

from app import __version__
from app.actions import ACTIONS, MENUS, Actions
from app.canvas.canvas import Canvas
from app.canvas.editor import CanvasEditor
from app.canvas.gestures import gestures_for
from app.canvas.hit import Hit
from app.canvas.keyboard import Keyboard
from app.canvas_area import CanvasArea
from app.context_menu import context_menu
from app.document import Document
from app.edits import WireEnd, first_output, fits
from app.evaluator import Evaluator
from app.examples import examples, title
from app.keys_dialog import KeysDialog
from app.panels.backward_panel import BackwardPanel
from app.panels.finder import Finder
from app.panels.inspector import Inspector
from app.panels.messages import FORWARD, RETAIN, Messages
from app.panels.palette import Palette, PalettePopup
from app.panels.timeline import Timeline
from app.panels.values import ValuesPanel
from app.panels.widgets import IconButton
from app.playback import Player
from app.saving import ENDING, Files
from app.settings import Settings
from app.theme import apply_theme, dark, light
from core.errors import PullbackError
from core.graph import Forward, GraphDiff, ZeroGrad
from core.session import RunResult
from core.trace import Trace

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
        menus = {name: self.menuBar().addMenu(name) for name in MENUS}
        groups: dict[str, int] = {}
        for spec in ACTIONS:
            if spec.menu:
                if groups.setdefault(spec.menu, spec.group) != spec.group:
                    menus[spec.menu].addSeparator()
                groups[spec.menu] = spec.group
                menus[spec.menu].addAction(table[spec.id])
        self.addActions(table.in_context("window"))
        self.canvas.addActions(table.in_context("canvas"))
        self.canvas_area.addActions(table.in_context("playback"))
        self._recent = QMenu("Open recent", self)
        self._recent.aboutToShow.connect(self._fill_recent)
        self._examples = QMenu("Examples", self)
        for path in examples():
            entry = self._examples.addAction(title(path))
            entry.triggered.connect(
                lambda _on=False, p=path: self.files.open_path(p, keep_path=False)
            )
        menus["File"].insertMenu(table["save"], self._recent)
        menus["File"].insertMenu(table["save"], self._examples)
        menus["View"].addSeparator()
        for dock in self.docks.values():
            menus["View"].addAction(dock.toggleViewAction())

    def _connect(self) -> None:
        document, evaluator, player, canvas = (
            self.document, self.evaluator, self.player, self.canvas
        )  # fmt: skip
        for signal, slots in (
            (document.file_changed, [self._show_file]),
            (document.replaced, [player.clear, self.messages.clear_failures]),
            (document.changed, [self._on_changed]),
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
            (evaluator.traced, [self._on_traced]),
            (evaluator.performed, [self.backward.note_performed]),
            (evaluator.ran, [self._on_ran]),
            (evaluator.restarted, [player.clear, self.backward.forget_history]),
            (evaluator.failed, [self._on_failed]),
            (evaluator.busy, [self.canvas_area.show_busy]),
            (player.options_changed, [self._on_player_options]),
            (player.loaded, [canvas.show_trace, self.inspector.show_trace]),
            (
                player.moved,
                [canvas.show_moment, self.inspector.show_moment, self.values.show_moment],
            ),
            (canvas.selected, [self.inspector.select, self.values.select, self._on_selected]),
            (canvas.menu_requested, [self._open_menu]),
            (self.editor.refused, [self.messages.add]),
            (self.editor.palette_asked, [self._open_palette]),
            (self.editor.field_asked, [self._edit_first]),
            (self.editor.space_tapped, [self._on_space]),
            (self.inspector.source_asked, [self._show_node]),
            (self.backward.action_asked, [evaluator.perform]),
            (self.backward.starts_changed, [canvas.show_starts]),
            (self.backward.restart_asked, [evaluator.restart]),
            (self.backward.run_asked, [evaluator.run]),
            (self.messages.node_asked, [self._show_node]),
            (self.messages.way_chosen, [self._take_way_out]),
            (self.messages.counted, [self._show_message_count]),
            (self.messages.failed, [lambda: self._raise("messages")]),
            (self.timeline.backward_asked, [self._run_backward]),
            (self.palette_panel.chosen, [self.editor.add_in_view]),
            (self.popup.chosen, [self.editor.add_chosen]),
            (self.popup.dismissed, [self.editor.forget_place]),
            (self.finder.found, [self._show_node]),
            (self.files.failed, [self.messages.add]),
        ):
            for slot in slots:
                signal.connect(slot)
        self.action_table.connect(
            {
                "new": self.files.new,
                "open": self.files.open,
                "save": self.files.save,
                "save_as": self.files.save_as,
                "quit": self.close,
                "undo": document.undo_stack.undo,
                "redo": document.undo_stack.redo,
                "find": self._open_finder,
                "light_theme": self._switch_theme,
                "projector": self._switch_projector,
                "full_screen": self._switch_full_screen,
                "next_panel": self._go_to_next_panel,
                "edit_first": self._edit_first,
                "rename": self._rename,
                "use_as_roots": self._use_as_roots,
                "backward": self._run_backward,
                "restart": evaluator.restart,
                "forward": lambda: evaluator.perform(Forward()),
                "zero_grad": lambda: evaluator.perform(ZeroGrad()),
                "cancel": evaluator.cancel,
                "play": self.timeline.play_or_run,
                "step": player.step,
                "step_back": player.step_back,
                "to_start": player.to_start,
                "to_end": player.to_end,
                "keys": self._show_keys,
                "about": self._show_about,
                **self.keyboard.handlers(),
            }
        )

    # -- what is too small for a part of its own -----------------------------------------------

    def _on_changed(self, diff: GraphDiff) -> None:
        if diff.affects_values:
            self.player.mark_stale()

    def _show_history(self) -> None:
        stack = self.document.undo_stack
        for name, can, text in (
            ("undo", stack.canUndo(), stack.undoText()),
            ("redo", stack.canRedo(), stack.redoText()),
        ):
            action = self.action_table[name]
            action.setEnabled(can)
            action.setText(f"{name.capitalize()} {text}".strip())

    def _on_traced(self, trace: Trace) -> None:
        if trace.steps:  # else it was refused at once: there is nothing to play
            self.player.add(trace)
            self.player.play()

    def _on_failed(self, error: PullbackError) -> None:
        self.messages.add(error)
        if error.node is not None and error.node in self.document.graph.nodes:
            self.canvas.select([error.node])

    def _on_ran(self, result: RunResult) -> None:
        self.backward.forget_history()
        traces = [r.trace for r in result.results if r.trace is not None and r.trace.steps]
        self.player.load(*traces)
        self.player.play()

    def _on_player_options(self) -> None:
        self.settings.reduced_motion = self.player.reduced_motion
        self.canvas.set_reduced_motion(self.player.reduced_motion)

    def _take_way_out(self, name: str) -> None:
        if name == RETAIN.name:
            self.backward.retain_graph.setChecked(True)
            self.evaluator.restart()
            self.backward.run_backward()
        elif name == FORWARD.name:
            self.evaluator.perform(Forward())

    def _open_palette(self, pos: QPoint, end: WireEnd | None) -> None:
        self.popup.open_at(pos, lambda entry: fits(entry, end))

    def _open_menu(self, hit: Hit | None, _place: QPointF, pos: QPoint) -> None:
        if self.canvas.gesture is None:  # Ctrl+right-drag is the knife
            context_menu(hit, self.action_table, self).popup(pos)

    def _on_space(self) -> None:
        if QKeySequence(Qt.Key.Key_Space) in self.action_table["play"].shortcuts():
            self.timeline.play_or_run()

    def _on_selected(self, ids: frozenset[str]) -> None:
        if ids and _application().mouseButtons() != Qt.MouseButton.NoButton:
            self._raise("inspector")

    def _show_node(self, node: str) -> None:
        if node in self.document.graph.nodes:
            self.canvas.select([node])
            self.canvas.reveal(node)
            self.canvas.setFocus()

    def _open_finder(self) -> None:
        corner = self.canvas.mapToGlobal(QPoint(16, 16))
        self.finder.open_at(corner, self.document.graph)

    def _show_keys(self) -> None:
        KeysDialog(self.action_table, self.settings, self).exec()

    def _show_about(self) -> None:
        QMessageBox.about(
            self,
            "About Pullback",
            f"<b>Pullback {__version__}</b><p>See gradients flow: build a computation graph, run"
            " backward, watch every vector-Jacobian product.</p>",
        )

    def _use_as_roots(self) -> None:
        graph, chosen = self.document.graph, self.editor.selected_nodes
        if chosen:
            self.backward.set_roots((i, first_output(graph, i)) for i in chosen)
            self._raise("backward")

    def _run_backward(self) -> None:
        if self.backward.roots.is_missing:
            self._raise("backward")
        self.backward.run_backward()

    def _edit_first(self) -> None:
        if not self.inspector.is_empty:
            self._raise("inspector")
            self.inspector.edit_first_field()

    def _rename(self) -> None:
        if not self.inspector.is_empty:
            self._raise("inspector")
            self.inspector.edit_name()

    def _toggle_messages(self) -> None:
        dock = self.docks["messages"]
        dock.hide() if dock.isVisible() else self._raise("messages")

    def _raise(self, name: str) -> None:
        self.docks[name].show()
        self.docks[name].raise_()

    def _go_to_next_panel(self) -> None:
        stops: list[QWidget] = [
            self.canvas, self.palette_panel.search_field, self.inspector, self.backward,
            self.messages, self.values,
        ]  # fmt: skip
        stops = [stop for stop in stops if not stop.visibleRegion().isEmpty()]
        focus = _application().focusWidget()
        inside = [i for i, stop in enumerate(stops) if focus and stop.isAncestorOf(focus)]
        here = inside[0] if inside else stops.index(focus) if focus in stops else -1
        target = stops[(here + 1) % len(stops)]
        if target.focusPolicy() == Qt.FocusPolicy.NoFocus:
            target = target.nextInFocusChain() or target
        target.setFocus(Qt.FocusReason.TabFocusReason)

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

    def _fill_recent(self) -> None:
        self._recent.clear()
        for path in self.settings.recent():
            entry = self._recent.addAction(path.name)
            entry.setToolTip(str(path))
            entry.triggered.connect(lambda _on=False, p=path: self.files.open_path(p))
        if self._recent.isEmpty():
            self._recent.addAction("Nothing yet").setEnabled(False)

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
