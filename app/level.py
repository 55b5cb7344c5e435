"""What of a document is shown: its own graph, or the inside of a function that was opened.

Functions are opened through an instance, so that there are values to see, and into any depth. What
is edited there is the definition: every instance follows.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.document import Document, Place
from core.errors import EditRefusedError
from core.graph import CALL, Graph, GraphDiff, closed, diff, opened
from core.session import Snapshot


class Level(QObject):
    """Looks to its views as a document does: read ``graph``, ask with ``edit``, follow ``changed``.

    Attributes:
        document: what it is a level of.
        path: ids of the instances that were opened, from the outside in; empty at the top.
        graph: the graph of this level.

    Signals:
        changed: the graph of this level changed; carries the ``GraphDiff``.
        replaced: another graph is shown; comes before its ``changed``.
        leaving: another level is about to be shown.
        moved: ``path`` changed, or the name of something on it.
    """

    changed = Signal(object)
    replaced = Signal()
    leaving = Signal()
    moved = Signal()

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document = document
        self.path: Place = ()
        self.graph = document.graph
        document.replaced.connect(self._on_replaced)
        document.changed.connect(self._on_changed)
        document.revisited.connect(self.go_to)

    @property
    def place(self) -> str:
        """The path as the engine has it in ids of nodes: ``"n7/n12"``; "" at the top."""
        return "/".join(self.path)

    @property
    def names(self) -> tuple[str, ...]:
        """What to call the levels on the way here: the document, then the instances."""
        names, graph = [self.document.title], self.document.graph
        for call_id in self.path:
            call = graph.nodes[call_id]
            names.append(call.name)
            graph = call.params["function"].body
        return tuple(names)

    def edit(self, text: str, after: Graph, *, merge: str = "") -> None:
        """Make ``after`` the graph of this level; see ``Document.edit``.

        Raises:
            EditRefusedError: if a function would need itself, or have no result any more.
        """
        if self.path:
            after = closed(self.document.graph, after)
        merge = merge and f"{self.place} {merge}"  # ids mean other nodes at other levels
        self.document.edit(text, after, merge=merge, place=self.path)

    def edit_whole(self, text: str, change: Callable[[Graph], Graph]) -> None:
        """Edit the document itself, such as another function of it."""
        self.document.edit_whole(text, change)

    def preview(self, graph: Graph) -> None:
        """Show a graph of this level that is no edit yet; see ``Document.preview``."""
        self.document.preview(closed(self.document.graph, graph) if self.path else graph)

    def end_preview(self) -> None:
        """Show again what was there before the previews, if there were any."""
        self.document.end_preview()

    # -- in and out ------------------------------------------------------------------------------

    def open(self, call_id: str) -> None:
        """Go into an instance of this level."""
        self.go_to((*self.path, call_id))

    def leave(self) -> None:
        """Go one level up; at the top there is none."""
        self.go_to(self.path[:-1])

    def go_to(self, path: Place) -> None:
        """Go to another level, or as near to it as there is something."""
        path, graph = _walk(self.document.graph, path)
        if path != self.path:
            self._switch(path, graph)

    def seen(self, snapshot: Snapshot) -> Snapshot:
        """A snapshot of the document, as it is at this level."""
        return snapshot.inside(self.place, self.graph)

    def here(self, node_id: str) -> str | None:
        """The node of this level that ``"n7/n3"`` is, or lies in; None for nodes elsewhere."""
        start = f"{self.place}/" if self.path else ""
        return node_id[len(start) :].partition("/")[0] if node_id.startswith(start) else None

    # ------------------------------------------------------------------------------------------

    def _switch(self, path: Place, graph: Graph) -> None:
        self.leaving.emit()
        before, self.graph, self.path = self.graph, graph, path
        self.replaced.emit()
        self.changed.emit(diff(before, graph))
        self.moved.emit()

    def _on_replaced(self) -> None:
        self.graph, self.path = self.document.graph, ()
        self.replaced.emit()
        self.moved.emit()

    def _on_changed(self, change: GraphDiff) -> None:
        path, graph = _walk(change.after, self.path)
        if path != self.path:  # what was open is gone
            self._switch(path, graph)
            return
        before, self.graph = self.graph, graph
        self.changed.emit(diff(before, graph) if path else change)
        if path:
            self.moved.emit()


def _walk(graph: Graph, path: Place) -> tuple[Place, Graph]:
    """As far along a path as there are instances, and the graph there."""
    here, reached = graph, []
    for call_id in path:
        call = here.nodes.get(call_id)
        if call is None or call.op != CALL:
            break
        here = opened(graph, call.params["function"].id)
        reached.append(call_id)
    return tuple(reached), here


def only_at_the_top(what: str) -> EditRefusedError:
    """Why something cannot be done inside of a function."""
    return EditRefusedError(
        f"{what} only outside of functions.", next_step="Go up (U), or make it a result."
    )
