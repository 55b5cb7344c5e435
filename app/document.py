"""The open graph, its undo history, its file, and the one signal that says it changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtGui import QUndoStack

from app.commands import ChangeGraph
from core.graph import Graph, diff

#: Ids of the instances that were opened to get to a level, from the outside in.
Place = tuple[str, ...]


class Editable(Protocol):
    """What views need of a document, or of the level of it that is shown."""

    graph: Graph

    @property
    def changed(self) -> SignalInstance:
        """The graph changed; carries the ``GraphDiff``."""

    @property
    def replaced(self) -> SignalInstance:
        """Another graph is shown; comes before its ``changed``."""

    def edit(self, text: str, after: Graph, *, merge: str = "") -> None:
        """Make ``after`` the graph, as one undoable action called ``text``."""

    def edit_whole(self, text: str, change: Callable[[Graph], Graph]) -> None:
        """Edit the document itself, whatever level of it is shown."""

    def preview(self, graph: Graph) -> None:
        """Show a graph that is no edit yet, as while a slider is dragged."""

    def end_preview(self) -> None:
        """Show again what was there before the previews, if there were any."""


class Document(QObject):
    """Owns the graph. Views read ``graph``, ask for edits with ``edit``, and follow ``changed``.

    Attributes:
        graph: what is shown now.
        undo_stack: the edits made since the graph was opened.
        path: the file it was read from or saved to; None while it has none.
        name: what it is called while it has no file.

    Signals:
        changed: the graph changed; carries the ``GraphDiff``. Follows every edit, undo and redo.
        replaced: another graph was opened; comes before its ``changed``.
        revisited: an edit was undone or redone that was made at this level (Place).
        file_changed: ``path`` or ``modified`` changed.
    """

    changed = Signal(object)
    replaced = Signal()
    revisited = Signal(object)
    file_changed = Signal()

    def __init__(
        self, graph: Graph | None = None, parent: QObject | None = None, name: str = "Untitled"
    ) -> None:
        super().__init__(parent)
        self.graph = graph or Graph()
        self.path: Path | None = None
        self.name = name
        self._before: Graph | None = None  # what a preview hides
        self.undo_stack = QUndoStack(self)
        self.undo_stack.cleanChanged.connect(self.file_changed)

    @property
    def modified(self) -> bool:
        """Whether something would be lost by closing now."""
        return not self.undo_stack.isClean()

    @property
    def title(self) -> str:
        """The file's name without its ending, or what it is called without one."""
        return self.path.stem if self.path else self.name

    @property
    def is_untouched(self) -> bool:
        """Whether it is a new, empty graph: another one may take its place."""
        is_empty = not (self.graph.nodes or self.graph.frames or self.graph.runs)
        return is_empty and self.path is None and not self.undo_stack.count()

    def is_in(self, path: Path) -> bool:
        """Whether this is the document in that file, by whatever way the path leads to it."""
        return self.path is not None and self.path.resolve() == path.resolve()

    def edit(self, text: str, after: Graph, *, merge: str = "", place: Place | None = None) -> None:
        """Make ``after`` the graph, as one undoable action called ``text``.

        Consecutive edits with the same non-empty ``merge`` become one action. An edit that changes
        nothing does not exist. After previews the action begins with the graph before them.
        ``place`` is the level of the document at which it can be seen.
        """
        before = self.graph if self._before is None else self._before
        if self.is_same(before, after):
            self.end_preview()
        else:
            self.undo_stack.push(ChangeGraph(self, text, before, after, merge, place))

    def edit_whole(self, text: str, change: Callable[[Graph], Graph]) -> None:
        """Make what ``change`` makes of the graph the graph."""
        self.edit(text, change(self.graph))

    def preview(self, graph: Graph) -> None:
        """Show a graph that is no edit yet, as while a slider is dragged.

        ``edit`` makes an action of it and of all previews before, ``end_preview`` takes it back.
        """
        before = self.graph if self._before is None else self._before
        self.show(graph)
        self._before = before

    def end_preview(self) -> None:
        """Show again what was there before the previews, if there were any."""
        if self._before is not None:
            self.show(self._before)

    def set_graph(self, graph: Graph, path: Path | None = None, name: str = "") -> None:
        """Open another graph. Call it with a graph that was read completely, never half of one."""
        self.undo_stack.clear()
        self._before = None
        self.path = path
        self.name = name or self.name
        before, self.graph = self.graph, graph
        self.replaced.emit()
        self.changed.emit(diff(before, graph))
        self.file_changed.emit()

    def set_saved(self, path: Path) -> None:
        """Note that the graph as it is now is in the file at ``path``."""
        self.path = path
        self.undo_stack.setClean()
        self.file_changed.emit()

    def show(self, graph: Graph) -> None:
        """Put ``graph`` in place and tell the views. Only commands call this."""
        self._before = None
        before, self.graph = self.graph, graph
        self.changed.emit(diff(before, graph))

    def revisit(self, place: Place | None) -> None:
        """Say where what was undone or redone can be seen. Only commands call this."""
        if place is not None:
            self.revisited.emit(place)

    @staticmethod
    def is_same(before: Graph, after: Graph) -> bool:
        """Whether nothing that can be seen or saved differs."""
        if before is after:
            return True
        change = diff(before, after)
        return not (
            change.affects_values
            or change.nodes_moved
            or change.nodes_renamed
            or change.wires_rerouted
            or change.frames_changed
            or change.runs_changed
            or change.functions_changed
        )
