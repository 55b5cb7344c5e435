"""One open graph with everything that is its own: engine, player, canvas and panels, connected.

A tab shows a workspace. Nothing in it knows of other tabs or of the window; what it wants from the
window it says by a signal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.arranger import Arranger
from app.canvas.canvas import Canvas
from app.canvas.editor import CanvasEditor
from app.canvas.gestures import gestures_for
from app.canvas.keyboard import Keyboard
from app.canvas_area import CanvasArea
from app.catalog import Entry
from app.conductor import Conductor
from app.descender import Descender
from app.document import Document
from app.evaluator import Evaluator
from app.importing import ValueFiles
from app.level import Level
from app.live import LiveEdit
from app.models import ModelExport
from app.panels.backward_panel import BackwardPanel
from app.panels.breadcrumb import Breadcrumb
from app.panels.code import CodePanel
from app.panels.inspector import Inspector
from app.panels.messages import Messages
from app.panels.progress_pill import ProgressPill
from app.panels.timeline import Timeline
from app.panels.values import ValuesPanel
from app.pictures import PictureExport, Shown
from app.playback import Player
from app.saving import Saver
from app.settings import Settings
from app.theme import Theme
from app.value_on_node import ValueOnNode
from core.graph import Forward, ZeroGrad


class Workspace(QObject):
    """Makes the parts of one open graph and connects them. What they do is in the parts.

    Args:
        find_entry: the entry of the palette with a key, for rows dropped on the canvas.
        is_taken: whether a file is open in some tab.

    Attributes:
        page: what fills the tab.
        panels: what the docks show while the tab is the current one, by the dock's name.
        handlers: what to do here for an action of the table.
        show_node: goes to a node (its id, or "n7/n3") and brings it into view.
        delete_function: takes a function (its id) out of the document.

    Signals:
        dock_asked: bring a dock into view (its name).
    """

    dock_asked = Signal(str)

    def __init__(
        self,
        document: Document,
        settings: Settings,
        theme: Theme,
        find_entry: Callable[[str], Entry | None],
        is_taken: Callable[[Path], bool],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        document.setParent(self)
        self.document = document
        self.level = Level(document, self)
        self.settings = settings
        self.evaluator = Evaluator(document, self)
        self.player = Player(self)
        self.live = LiveEdit(self.level, self.evaluator, self.player)
        self.canvas = Canvas(theme)
        self.timeline = Timeline(self.player)
        self.inspector = Inspector(self.level, theme)
        self.backward = BackwardPanel(document, theme)
        self.messages = Messages(theme)
        self.values = ValuesPanel(theme)
        self.code = CodePanel(document, theme, self.backward.action_if_any)
        self.editor = CanvasEditor(self.canvas, self.level, find_entry)
        self.value_on_node = ValueOnNode(self.level, self.canvas)
        self.editor.snaps = partial(settings.is_chosen, "snaps")
        self.canvas.navigation.wheel_pans = partial(settings.is_chosen, "wheel_pans")
        self.keyboard = Keyboard(self.editor)
        self.arranger = Arranger(self.editor)
        self.layout_progress = ProgressPill()
        self.canvas.gesture_factory = gestures_for(self.editor)
        self.breadcrumb = Breadcrumb(theme)
        self.page = CanvasArea(self.canvas, self.timeline, self.layout_progress, self.breadcrumb)
        self.value_files = ValueFiles(self.editor, self.page)
        self.saver = Saver(document, settings, self.page, is_taken)
        self.model_export = ModelExport(document, settings, self.page)
        self.picture_export = PictureExport(document, settings, self.page, self._shown)
        self.panels: Mapping[str, QWidget] = {
            "inspector": self.inspector,
            "backward": self.backward,
            "messages": self.messages,
            "values": self.values,
            "code": self.code,
        }
        self._is_shown = False
        self._plays_when_shown = False
        conduct = Conductor(self)
        self.show_node = conduct.show_inner_node
        self.delete_function = conduct.delete_function
        self.handlers = self._handlers(conduct)
        self._connect(conduct)
        self.set_theme(theme)
        self.evaluator.evaluate()

    def _shown(self) -> Shown:
        snapshot = self.evaluator.snapshot
        return Shown(
            self.canvas.picture.graph,
            None if snapshot is None else self.level.seen(snapshot),
            self.player.trace,
            self.player.moment,
            self.backward.action_if_any(),
            self._theme,
        )

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        for part in (
            self.canvas, self.timeline, self.inspector, self.backward, self.messages, self.values,
            self.page, self.layout_progress, self.breadcrumb, self.code,
        ):  # fmt: skip
            part.set_theme(theme)

    def set_shown(self, shown: bool) -> None:
        """The tab came to the front, or went behind another: nothing plays unseen."""
        self._is_shown = shown
        if shown:
            self.player.set_reduced_motion(self.settings.reduced_motion)
            if self._plays_when_shown:
                self.player.play()
        else:
            self._plays_when_shown = self.player.is_playing
            self.player.pause()

    def play(self) -> None:
        """Play what is loaded, once it can be seen."""
        if self._is_shown:
            self.player.play()
        else:
            self._plays_when_shown = True

    def ask_for_dock(self, name: str) -> None:
        """Bring a dock into view; behind another tab it would show what is not asked about."""
        if self._is_shown:
            self.dock_asked.emit(name)

    def close(self) -> None:
        """End the engine's thread and let everything go."""
        self.player.pause()
        self.value_files.stop()
        self.model_export.stop()
        self.picture_export.stop()
        self.code.stop()
        self.arranger.cancel()
        self.evaluator.close()
        self.document.undo_stack.clear()  # while those who listen to it are alive
        for widget in (self.page, *self.panels.values()):
            widget.deleteLater()
        self.deleteLater()

    # ------------------------------------------------------------------------------------------

    def _connect(self, conduct: Conductor) -> None:
        document, evaluator, player, canvas, live, level = (
            self.document, self.evaluator, self.player, self.canvas, self.live, self.level
        )  # fmt: skip
        descend = Descender(self)
        for signal, slots in (
            (document.replaced, [player.clear, self.messages.clear_failures, live.forget]),
            (document.changed, [conduct.follow_edit, live.follow_edit]),
            (
                evaluator.evaluated,
                [
                    descend.forget_failure,
                    descend.show_snapshot,
                    self.backward.show_snapshot,
                    self.messages.show_snapshot,
                    self.code.show_snapshot,
                ],
            ),
            (level.leaving, [descend.keep_view]),
            (level.moved, [descend.follow]),
            (document.file_changed, [descend.show_names]),
            (self.breadcrumb.chosen, [descend.go_to_depth]),
            (self.editor.function_asked, [level.open]),
            (self.editor.leave_asked, [level.leave]),
            (evaluator.traced, [conduct.play_trace]),
            (
                evaluator.performed,
                [self.backward.note_performed, live.note_performed, conduct.note_performed],
            ),
            (evaluator.ran, [conduct.play_run, live.note_ran]),
            (evaluator.replayed, [live.show_replay]),
            (evaluator.restarted, [player.clear, self.backward.forget_history, live.forget]),
            (evaluator.failed, [conduct.show_failure, descend.show_failure]),
            (evaluator.busy, [self.page.show_busy]),
            (evaluator.working, [descend.show_working]),
            (player.options_changed, [conduct.follow_player_options]),
            (player.loaded, [canvas.show_trace, self.inspector.show_trace]),
            (
                player.moved,
                [canvas.show_moment, self.inspector.show_moment, self.values.show_moment],
            ),
            (
                canvas.selected,
                [
                    self.inspector.select,
                    self.values.select,
                    conduct.select_in_code,
                    conduct.follow_selection,
                ],
            ),
            (self.editor.refused, [self.messages.add]),
            (self.editor.field_asked, [conduct.edit_first_field]),
            (self.editor.value_asked, [self.value_on_node.open]),
            (self.editor.files_dropped, [self.value_files.drop]),
            (self.value_files.failed, [self.messages.add]),
            (self.value_files.reading, [self.page.show_reading]),
            (self.model_export.failed, [self.messages.add]),
            (self.model_export.busy, [self.page.show_writing]),
            (self.picture_export.failed, [self.messages.add]),
            (self.picture_export.busy, [self.page.show_writing]),
            (self.inspector.source_asked, [conduct.show_node]),
            (self.inspector.slid, [live.slide]),
            (self.inspector.function_asked, [level.open]),
            (self.inspector.flatten_asked, [self.keyboard.flatten]),
            (self.value_on_node.slid, [live.slide]),
            (live.failed, [self.messages.add]),
            (self.backward.action_asked, [evaluator.perform]),
            (self.backward.starts_changed, [descend.show_starts]),
            (self.backward.action_changed, [self.code.refresh]),
            (self.code.node_asked, [conduct.show_node_of_code]),
            (self.backward.restart_asked, [evaluator.restart]),
            (self.backward.run_asked, [evaluator.run]),
            (self.messages.node_asked, [conduct.show_inner_node]),
            (self.messages.way_chosen, [conduct.take_way_out]),
            (self.messages.failed, [conduct.show_messages]),
            (self.saver.failed, [self.messages.add]),
            (self.timeline.backward_asked, [conduct.run_backward]),
            (self.arranger.started, [conduct.show_layout]),
            (self.arranger.ended, [self.layout_progress.end]),
            (self.arranger.refused, [self.messages.add]),
            (self.layout_progress.cancelled, [self.arranger.cancel]),
        ):
            for slot in slots:
                signal.connect(slot)

    def _handlers(self, conduct: Conductor) -> Mapping[str, Callable[[], object]]:
        evaluator, player = self.evaluator, self.player
        return {
            "export_picture": self.picture_export.ask,
            "export_model": self.model_export.ask,
            "import_values": self.value_files.ask,
            "save": self.saver.save,
            "save_as": self.saver.save_as,
            "undo": self.document.undo_stack.undo,
            "redo": self.document.undo_stack.redo,
            "edit_first": conduct.edit_first_field,
            "rename": conduct.edit_name,
            "use_as_roots": conduct.start_at_selection,
            "backward": conduct.run_backward,
            "restart": evaluator.restart,
            "forward": lambda: evaluator.perform(Forward()),
            "zero_grad": lambda: evaluator.perform(ZeroGrad()),
            "cancel": conduct.stop,
            "arrange": self.arranger.arrange_all,
            "arrange_selection": self.arranger.arrange_selection,
            "play": self.timeline.play_or_run,
            "step": player.step,
            "step_back": player.step_back,
            "to_start": player.to_start,
            "to_end": player.to_end,
            **self.keyboard.handlers(),
        }
