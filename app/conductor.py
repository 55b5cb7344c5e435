"""What happens across parts: a trace arrives and is played, an error leads to its node.

Parts never call each other. Where more is needed than handing a signal on, it is a method here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from app import __version__
from app.canvas.hit import Hit
from app.context_menu import context_menu
from app.edits import WireEnd, first_output, fits
from app.keys_dialog import KeysDialog
from app.panels.messages import FORWARD, RETAIN
from core.errors import PullbackError
from core.graph import Forward, GraphDiff
from core.session import RunResult
from core.trace import Trace

if TYPE_CHECKING:
    from app.main_window import MainWindow


class Conductor(QObject):
    """Slots that need more than one part of the window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    # -- the engine and the player -------------------------------------------------------------

    def follow_edit(self, diff: GraphDiff) -> None:
        """A trace of the graph before the edit stays playable, and says so."""
        if diff.affects_values:
            self._window.player.mark_stale()

    def play_trace(self, trace: Trace) -> None:
        """Play a backward as soon as it is there."""
        if trace.steps:  # else it was refused at once: there is nothing to play
            self._window.player.add(trace)
            self._window.player.play()

    def play_run(self, result: RunResult) -> None:
        """Play all backwards of a run, one after the other."""
        window = self._window
        window.backward.forget_history()
        traces = [r.trace for r in result.results if r.trace is not None and r.trace.steps]
        window.player.load(*traces)
        window.player.play()

    def show_failure(self, error: PullbackError) -> None:
        """Say what could not be done, and point at the node."""
        window = self._window
        window.messages.add(error)
        if error.node is not None and error.node in window.document.graph.nodes:
            window.canvas.select([error.node])

    def follow_player_options(self) -> None:
        """Keep the choice of motion, and show it."""
        window = self._window
        window.settings.reduced_motion = window.player.reduced_motion
        window.canvas.set_reduced_motion(window.player.reduced_motion)

    def run_backward(self) -> None:
        """Run backward; when a cotangent is missing, bring its field into view."""
        window = self._window
        if window.backward.roots.is_missing:
            window.raise_dock("backward")
        window.backward.run_backward()

    def take_way_out(self, name: str) -> None:
        """Repair an error in one click."""
        window = self._window
        if name == RETAIN.name:
            window.backward.retain_graph.setChecked(True)
            window.evaluator.restart()
            window.backward.run_backward()
        elif name == FORWARD.name:
            window.evaluator.perform(Forward())

    # -- the selection -------------------------------------------------------------------------

    def follow_selection(self, ids: frozenset[str]) -> None:
        """A click on the canvas brings the inspector up; keys and errors leave things alone."""
        if ids and QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            self._window.raise_dock("inspector")

    def show_node(self, node: str) -> None:
        """Select a node and bring it into view."""
        window = self._window
        if node in window.document.graph.nodes:
            window.canvas.select([node])
            window.canvas.reveal(node)
            window.canvas.setFocus()

    def start_at_selection(self) -> None:
        """Make the selected nodes the roots of backward."""
        window = self._window
        graph, chosen = window.document.graph, window.editor.selected_nodes
        if chosen:
            window.backward.set_roots((i, first_output(graph, i)) for i in chosen)
            window.raise_dock("backward")

    def edit_first_field(self) -> None:
        """Put the cursor into the first field of what is selected."""
        if not self._window.inspector.is_empty:
            self._window.raise_dock("inspector")
            self._window.inspector.edit_first_field()

    def edit_name(self) -> None:
        """Put the cursor into the name of what is selected."""
        if not self._window.inspector.is_empty:
            self._window.raise_dock("inspector")
            self._window.inspector.edit_name()

    # -- what opens ----------------------------------------------------------------------------

    def open_palette(self, pos: QPoint, end: WireEnd | None) -> None:
        """Offer what could be joined to the open end of a wire."""
        self._window.popup.open_at(pos, lambda entry: fits(entry, end))

    def open_menu(self, hit: Hit | None, _place: QPointF, pos: QPoint) -> None:
        """Show the menu of what was hit."""
        window = self._window
        if window.canvas.gesture is None:  # Ctrl+right-drag is the knife
            context_menu(hit, window.action_table, window).popup(pos)

    def open_finder(self) -> None:
        """Find a node by name."""
        window = self._window
        corner = window.canvas.mapToGlobal(QPoint(16, 16))
        window.finder.open_at(corner, window.document.graph)

    def show_keys(self) -> None:
        """Show all keys, to be changed."""
        window = self._window
        KeysDialog(window.action_table, window.settings, window).exec()

    def show_about(self) -> None:
        """Say what this is."""
        QMessageBox.about(
            self._window,
            "About Pullback",
            f"<b>Pullback {__version__}</b><p>See gradients flow: build a computation graph, run"
            " backward, watch every vector-Jacobian product.</p>",
        )

    # -- keys ----------------------------------------------------------------------------------

    def tap_space(self) -> None:
        """Space plays and pauses, unless the user gave that to another key."""
        window = self._window
        if QKeySequence(Qt.Key.Key_Space) in window.action_table["play"].shortcuts():
            window.timeline.play_or_run()

    def go_to_next_panel(self) -> None:
        """Move the focus from panel to panel; Tab belongs to the canvas."""
        window = self._window
        stops: list[QWidget] = [
            window.canvas, window.palette_panel.search_field, window.inspector, window.backward,
            window.messages, window.values,
        ]  # fmt: skip
        stops = [stop for stop in stops if not stop.visibleRegion().isEmpty()]
        focus = QApplication.focusWidget()
        inside = [i for i, stop in enumerate(stops) if focus and stop.isAncestorOf(focus)]
        here = inside[0] if inside else stops.index(focus) if focus in stops else -1
        target = stops[(here + 1) % len(stops)]
        if target.focusPolicy() == Qt.FocusPolicy.NoFocus:
            target = target.nextInFocusChain() or target
        target.setFocus(Qt.FocusReason.TabFocusReason)
