"""What follows when a function is opened or left: canvas and panels show the level one is at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.canvas.format import Shown
from app.canvas.view import View
from app.document import Place
from core.errors import PullbackError
from core.session import Snapshot

if TYPE_CHECKING:
    from app.workspace import Workspace


class Descender(QObject):
    """Hands the parts that show one level what there is at that level, and keeps their views."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._here: Place = ()
        self._views: dict[Place, View] = {}
        self._starts: Mapping[str, Shown | None] | None = None
        self._failure: PullbackError | None = None

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the values and gradients of this level."""
        workspace = self._workspace
        seen = workspace.level.seen(snapshot)
        for part in (workspace.canvas, workspace.inspector, workspace.values):
            part.show_snapshot(seen)

    def show_starts(self, starts: Mapping[str, Shown | None] | None) -> None:
        """Mark where backward starts: outside of all functions."""
        self._starts = starts
        self._workspace.canvas.show_starts({} if self._here else starts)

    def show_working(self, node_id: str | None) -> None:
        """Mark the node that is being computed, or the function it lies in."""
        here = None if node_id is None else self._workspace.level.here(node_id)
        self._workspace.canvas.show_working(here)

    def show_failure(self, error: PullbackError) -> None:
        """Mark the node at which an action stopped, until anything is computed again."""
        self._failure = error
        self._mark_failure()

    def forget_failure(self) -> None:
        """What stopped the last action is not known to stop the next."""
        if self._failure is not None:
            self._failure = None
            self._workspace.canvas.show_failure(None)

    def show_names(self) -> None:
        """Say where one is."""
        self._workspace.breadcrumb.show_names(self._workspace.level.names)

    def go_to_depth(self, depth: int) -> None:
        """Go back up to where there are ``depth`` functions around."""
        self._workspace.level.go_to(self._here[:depth])

    def keep_view(self) -> None:
        """Remember what is looked at, for coming back; ids mean other nodes elsewhere."""
        self._views[self._here] = self._workspace.canvas.view
        self._workspace.canvas.select(())

    def follow(self) -> None:
        """Show everything as it is at the level one has come to."""
        self.show_names()
        workspace, before = self._workspace, self._here
        here = self._here = workspace.level.path
        if here == before:
            return
        if here in self._views:
            workspace.canvas.set_view(self._views[here])
        if workspace.evaluator.snapshot is not None:
            self.show_snapshot(workspace.evaluator.snapshot)
        self.show_starts(self._starts)
        self._mark_failure()
        workspace.player.set_place(workspace.level.place)
        is_up = len(here) < len(before) and before[: len(here)] == here
        if is_up and before[len(here)] in workspace.level.graph.nodes:
            workspace.canvas.select([before[len(here)]])
        workspace.canvas.setFocus()  # so that keys go on working here

    def _mark_failure(self) -> None:
        error, level = self._failure, self._workspace.level
        here = level.here(error.node) if error is not None and error.node is not None else None
        if error is None or here is None or here not in level.graph.nodes:
            self._workspace.canvas.show_failure(None)
            return
        what = error.what.removeprefix(f"'{level.graph.nodes[here].name}': ")
        self._workspace.canvas.show_failure((here, what))
