"""A value that follows the hand: shown, computed and replayed while it is dragged.

Nothing queues up: the next value is taken when the one before has been answered, and then it is
the newest. What was done since the last start (a backward, a run) is done again with every value,
so that gradients follow, too.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.document import Editable
from app.evaluator import Evaluator
from app.playback import Player
from app.sliding import Array, Slide
from app.value_edits import with_value
from core.errors import PullbackError
from core.graph import Action, GraphDiff, Run
from core.session import ActionResult, RunResult


class LiveEdit(QObject):
    """Follows slides: a preview for each value, one edit at the end, none after Esc.

    Signals:
        failed: what was done before cannot be done with the value that was let go (PullbackError).
    """

    failed = Signal(object)

    def __init__(self, document: Editable, evaluator: Evaluator, player: Player) -> None:
        super().__init__(evaluator)
        self._document = document
        self._evaluator = evaluator
        self._player = player
        self._actions: list[Action] = []
        self._wanted: tuple[str, Array] | None = None
        self._is_dragging = False
        self._awaits_replay = False
        evaluator.idled.connect(self._on_idled)

    @property
    def is_replaying(self) -> bool:
        """Whether what the player shows is about to be replaced by the same of the new value."""
        return self._can_replay and (self._is_dragging or self._awaits_replay)

    @property
    def _can_replay(self) -> bool:
        return bool(self._actions) and self._player.trace is not None

    # -- what was done since the last start ----------------------------------------------------

    def note_performed(self, result: ActionResult) -> None:
        """An action was done: it is part of what is replayed."""
        if result.error is None:
            self._actions.append(result.action)

    def note_ran(self, result: RunResult) -> None:
        """A run started fresh: it is what is replayed."""
        self._actions = [done.action for done in result.results if done.error is None]

    def forget(self) -> None:
        """A fresh start was made, or another graph was opened."""
        self._actions = []
        self._wanted = None
        self._is_dragging = self._awaits_replay = False

    def follow_edit(self, diff: GraphDiff) -> None:
        """Actions may be about nodes that are gone."""
        if diff.nodes_removed:
            self._actions = []

    # -- the hand ------------------------------------------------------------------------------

    def slide(self, slide: Slide) -> None:
        """Follow a slider."""
        if slide.phase == "cancel" or slide.array is None:
            self._end_with(None)
        elif slide.phase == "drag":
            self._is_dragging = True
            self._wanted = (slide.node, slide.array)
            self._go_on()
        else:
            self._end_with(slide)

    def _on_idled(self) -> None:
        self._awaits_replay = False
        self._go_on()

    def _go_on(self) -> None:
        """Take the newest value, if the one before has been answered."""
        if self._wanted is None or not self._evaluator.is_idle:
            return
        (node_id, array), self._wanted = self._wanted, None
        node = self._document.graph.nodes.get(node_id)
        if node is not None:
            after = with_value(self._document.graph, node, array)
            if after is not self._document.graph:
                self._document.preview(after)
                self._replay()

    def _end_with(self, slide: Slide | None) -> None:
        """Let go: with one edit, or with everything as it was before."""
        self._wanted = None
        shown = self._document.graph
        if slide is None:
            self._document.end_preview()
        elif slide.node in shown.nodes and slide.array is not None:
            node = shown.nodes[slide.node]
            after = with_value(shown, node, slide.array)
            self._document.edit(f"Set {node.name}", after, merge=slide.merge)
        if self._document.graph is not shown:
            self._replay()
        self._is_dragging = False

    # -- replaying -----------------------------------------------------------------------------

    def _replay(self) -> None:
        if self._can_replay:
            self._awaits_replay = True
            self._evaluator.replay(Run("live", tuple(self._actions)))

    def show_replay(self, result: RunResult) -> None:
        """What was done before, done again."""
        traces = [r.trace for r in result.results if r.trace is not None and r.trace.steps]
        error: PullbackError | None = next((r.error for r in result.results if r.error), None)
        if traces:
            self._player.refresh(*traces)
        if error is not None:
            self._player.mark_stale()
            if not self._is_dragging:
                self.failed.emit(error)
