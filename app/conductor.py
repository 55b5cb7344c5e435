"""What happens across the parts of one graph: a trace is played, an error leads to its node.

Parts never call each other. Where more is needed than handing a signal on, it is a method here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

from app.arranger import expected_seconds
from app.edits import first_output
from app.level import only_at_the_top
from app.panels.messages import FORWARD, RETAIN
from core.errors import PullbackError
from core.graph import Forward, GraphDiff, without_function
from core.graph.actions import retaining
from core.session import ActionResult, RunResult
from core.trace import Trace

if TYPE_CHECKING:
    from app.workspace import Workspace


class Conductor(QObject):
    """Slots that need more than one part of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._failures: list[PullbackError] = []  # of the engine, shown
        self._stopped: RunResult | None = None  # the run that an error ended, if that came last

    # -- the engine and the player -------------------------------------------------------------

    def follow_edit(self, diff: GraphDiff) -> None:
        """A trace of the graph before the edit stays playable, and says so; live ones follow."""
        if diff.affects_values and not self._workspace.live.is_replaying:
            self._workspace.player.mark_stale()

    def play_trace(self, trace: Trace) -> None:
        """Play a backward as soon as it is there; what was in the way of it no longer is."""
        if trace.error is None:
            for error in self._failures:
                self._workspace.messages.dismiss(error)
            self._failures.clear()
        if trace.steps:  # else it was refused at once: there is nothing to play
            self._workspace.player.add(trace)
            self._workspace.play()

    def play_run(self, result: RunResult) -> None:
        """Play all backwards of a run, one after the other."""
        workspace = self._workspace
        workspace.backward.forget_history()
        traces = [r.trace for r in result.results if r.trace is not None and r.trace.steps]
        workspace.player.load(*traces)
        workspace.play()
        self._stopped = result if any(r.error for r in result.results) else None

    def note_performed(self, _result: ActionResult) -> None:
        """A single action was done: errors are its own, and no run's."""
        self._stopped = None

    def show_failure(self, error: PullbackError) -> None:
        """Say what could not be done, and point at the node."""
        workspace = self._workspace
        workspace.messages.add(error)
        self._failures.append(error)
        place, _, node = (error.node or "").rpartition("/")
        if place == workspace.level.place and node in workspace.level.graph.nodes:
            workspace.canvas.select([node])

    def show_messages(self) -> None:
        """Bring what went wrong into view."""
        self._workspace.ask_for_dock("messages")

    def follow_player_options(self) -> None:
        """Keep the choice of motion, and show it."""
        workspace = self._workspace
        reduced = workspace.player.reduced_motion
        if reduced != workspace.canvas.pulses.reduced_motion:
            workspace.settings.reduced_motion = reduced
            workspace.canvas.set_reduced_motion(reduced)

    def run_backward(self) -> None:
        """Run backward; when a cotangent is missing, bring its field into view."""
        workspace = self._workspace
        if workspace.backward.roots.is_missing:
            workspace.ask_for_dock("backward")
        workspace.backward.run_backward()

    def stop(self) -> None:
        """Give up what takes its time: an evaluation, a layout."""
        self._workspace.evaluator.cancel()
        self._workspace.arranger.cancel()

    def show_layout(self, nodes: int) -> None:
        """Say that many nodes are being laid out."""
        workspace = self._workspace
        workspace.layout_progress.begin(f"Arranging {nodes:,} nodes", expected_seconds(nodes))
        workspace.page.place_pill()

    def take_way_out(self, name: str) -> None:
        """Repair an error in one click."""
        workspace = self._workspace
        if name == RETAIN.name and self._stopped is not None:
            self._retain_in_run(self._stopped)
        elif name == RETAIN.name:
            workspace.backward.retain_graph.setChecked(True)
            workspace.evaluator.restart()
            workspace.backward.run_backward()
        elif name == FORWARD.name:
            workspace.evaluator.perform(Forward())

    def _retain_in_run(self, stopped: RunResult) -> None:
        """Let the backwards before the one that stopped retain, and play the run again."""
        workspace = self._workspace
        graph = workspace.document.graph
        run = next((run for run in graph.runs if run.name == stopped.name), None)
        if run is not None:
            run = retaining(run, len(stopped.results) - 1)
            workspace.document.edit(f"Retain the graph in {run.name}", graph.with_run(run))
            workspace.backward.show_run(run)
            workspace.evaluator.run(run)

    # -- the selection -------------------------------------------------------------------------

    def follow_selection(self, ids: frozenset[str]) -> None:
        """A click on the canvas brings the inspector up; keys and errors leave things alone."""
        is_clicked = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        if ids and is_clicked and not self._workspace.code.isVisible():  # which follows, too
            self._workspace.ask_for_dock("inspector")

    def show_node(self, node: str) -> None:
        """Select a node of the level that is shown and bring it into view."""
        workspace = self._workspace
        if node in workspace.level.graph.nodes:
            workspace.canvas.select([node])
            workspace.canvas.reveal(node, closely=True)
            workspace.canvas.setFocus()

    def show_inner_node(self, node: str) -> None:
        """Go to a node wherever it is: ``n3`` of instance ``n7`` is ``n7/n3``."""
        *path, last = node.split("/")
        self._workspace.level.go_to(tuple(path))
        self.show_node(last)

    def delete_function(self, function_id: str) -> None:
        """Take a function that nothing uses out of the document."""
        workspace = self._workspace
        name = workspace.document.graph.functions[function_id].name
        try:
            workspace.level.edit_whole(
                f"Delete {name}", lambda whole: without_function(whole, function_id)
            )
        except PullbackError as error:
            workspace.messages.add(error)

    def show_node_of_code(self, node: str) -> None:
        """Select a node of the document's own graph, which the code is of; the keys stay there."""
        workspace = self._workspace
        workspace.level.go_to(())
        if node in workspace.document.graph.nodes:
            workspace.canvas.select([node])
            workspace.canvas.reveal(node)

    def select_in_code(self, ids: frozenset[str]) -> None:
        """Mark what is selected in the code; what is inside a function is its instance there."""
        path = self._workspace.level.path
        self._workspace.code.select(frozenset(path[:1]) if path else ids)

    def start_at_selection(self) -> None:
        """Make the selected nodes the roots of backward."""
        workspace = self._workspace
        graph, chosen = workspace.level.graph, workspace.editor.selected_nodes
        if chosen and workspace.level.path:
            workspace.messages.add(only_at_the_top("Backward can start"))
        elif chosen:
            workspace.backward.set_roots((i, first_output(graph, i)) for i in chosen)
            workspace.ask_for_dock("backward")

    def edit_first_field(self) -> None:
        """Put the cursor into the first field of what is selected."""
        if not self._workspace.inspector.is_empty:
            self._workspace.ask_for_dock("inspector")
            self._workspace.inspector.edit_first_field()

    def edit_name(self) -> None:
        """Put the cursor into the name of what is selected."""
        if not self._workspace.inspector.is_empty:
            self._workspace.ask_for_dock("inspector")
            self._workspace.inspector.edit_name()
