"""Arranging nodes: at once when they are few, in a process of its own when they are many."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject, Signal

from app.arranging import Plan
from app.canvas.editor import CanvasEditor
from app.layout_process import LayoutProcess
from core.errors import EditRefusedError, PullbackError
from core.topology import Layout

#: Up to this many nodes take less than half a second here and now.
AT_ONCE = 500
#: What a large layout takes: seconds for ten thousand nodes, growing with this power.
_SECONDS, _POWER = 5.0, 1.5


def expected_seconds(nodes: int) -> float:
    """About how long a layout takes: for a progress bar, as graphlay tells nothing meanwhile."""
    return float(_SECONDS * (nodes / 10_000) ** _POWER)


class Arranger(QObject):
    """Lays nodes out for an editor; one layout at a time.

    Signals:
        started: a process began to lay out this many nodes.
        ended: it is over: done, cancelled or failed.
        refused: the nodes could not be arranged (PullbackError).
    """

    started = Signal(int)
    ended = Signal()
    refused = Signal(object)

    def __init__(self, editor: CanvasEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self._plan: Plan | None = None
        self._process: LayoutProcess | None = None
        editor.document.replaced.connect(self.cancel)

    @property
    def is_running(self) -> bool:
        """Whether a process is laying nodes out."""
        return self._process is not None

    def arrange_all(self) -> None:
        """Arrange every node but the pinned ones."""
        self._arrange(None)

    def arrange_selection(self) -> None:
        """Arrange the selected nodes among the others, which stay."""
        selected = self._editor.selected_nodes
        if len(selected) > 1:
            self._arrange(selected)

    def cancel(self) -> None:
        """Give up the layout under way; nothing has moved yet."""
        process, self._process = self._process, None
        if process is not None:
            process.stop()
            self.ended.emit()

    def _arrange(self, nodes: Collection[str] | None) -> None:
        self.cancel()
        editor = self._editor
        self._plan = plan = Plan.of(editor.document.graph, editor.sizes(), nodes)
        if len(plan.task.sizes) <= AT_ONCE:
            self._finish(plan.task.solve())
            return
        self._process = LayoutProcess(plan.task, self)
        self._process.solved.connect(self._on_solved)
        self._process.failed.connect(self._on_failed)
        self.started.emit(len(plan.task.sizes))

    def _on_solved(self, found: Layout) -> None:
        self.cancel()
        self._finish(found)

    def _on_failed(self, words: str) -> None:
        self.cancel()
        self.refused.emit(
            EditRefusedError(
                f"The layout broke down: {words}.",
                next_step="Nothing was moved. Arrange fewer nodes at a time.",
            )
        )

    def _finish(self, found: Layout) -> None:
        editor, plan = self._editor, self._plan
        assert plan is not None
        try:
            edit = plan.edit(editor.document.graph, editor.sizes(), found)
        except PullbackError as error:
            self.refused.emit(error)
            return
        is_whole = len(plan.nodes) == len(plan.graph.nodes)
        editor.rearrange(edit, show_all=is_whole)
