"""The painted half of the canvas: shows news of a graph, and repaints what they change.

Nothing here knows of the mouse or the keyboard.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.canvas.curves import Floats, Ints
from app.canvas.format import Shown
from app.canvas.geometry import Point
from app.canvas.layers import Layers
from app.canvas.lifted import NOTHING_LIFTED, Lifted
from app.canvas.picture import Change
from app.canvas.regions import logical
from app.theme import Theme
from core.graph import Graph, GraphDiff
from core.moments import Moment
from core.session import Snapshot
from core.trace import Trace

#: Milliseconds that the minimap may lag behind what is played.
_MINIMAP_TIME = 120
#: Milliseconds between two pictures of a fading node.
_FADE_FRAME = 16
#: More moving wires than this are not asked where they are: all is painted again.
_MANY = 2000


class Surface(Layers):
    """Shows a graph, its values, and gradients flowing through it."""

    def __init__(self, theme: Theme | None = None, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._carried: tuple[str, ...] = ()
        self._fade_timer = QTimer(self, interval=_FADE_FRAME)
        self._fade_timer.timeout.connect(self._on_fading)
        self._minimap_due = QTimer(self, singleShot=True, interval=_MINIMAP_TIME)
        self._minimap_due.timeout.connect(
            lambda: self.update(self._overlays.minimap_rect(self._size()))
        )

    # -- what is shown ------------------------------------------------------------------------

    def show_graph(self, graph: Graph, diff: GraphDiff | None = None) -> None:
        """Show a graph: a new one, or the next version after ``diff``."""
        self._put_back()
        self._settle.stop()  # an edit is seen at once, be it in the middle of zooming
        self._apply(self._picture.show_graph(graph, diff))

    def show_snapshot(self, snapshot: Snapshot | None) -> None:
        """Show values, errors, saved values and gradients."""
        self._apply(self._picture.show_snapshot(snapshot))

    def show_working(self, node: str | None) -> None:
        """Mark the node that is being computed; None: none."""
        self._apply(self._picture.show_working(node))

    def show_failure(self, failure: tuple[str, str] | None) -> None:
        """Mark the node at which the last action stopped, with why; None: it did not."""
        self._apply(self._picture.show_failure(failure))

    def show_trace(self, trace: Trace | None) -> None:
        """The backward that the coming moments are of: how many contributions to expect where."""
        self._apply(self._picture.show_trace(trace))

    def show_starts(self, starts: Mapping[str, Shown | None] | None) -> None:
        """Where the next backward starts (ids), with what was given; None: as the runs do."""
        self._apply(self._picture.show_starts(starts))

    def show_moment(self, moment: Moment | None) -> None:
        """Show what can be seen of a trace now; None shows none."""
        self._apply(self._picture.show_moment(moment))

    def set_theme(self, theme: Theme) -> None:
        """Change all colours."""
        self._theme = theme
        self._static.forget_sprites()
        self.update()

    def set_reduced_motion(self, reduced: bool) -> None:
        """Light wires up instead of letting pulses travel."""
        self._pulses.reduced_motion = reduced
        self._pulses.follow(self._picture)
        self._pulse_region = None
        self.update()

    def set_overlays(self, *, minimap: bool | None = None, legend: bool | None = None) -> None:
        """Show or hide the panels that float over the canvas."""
        overlays = self._overlays
        overlays.shows_minimap = overlays.shows_minimap if minimap is None else minimap
        overlays.shows_legend = overlays.shows_legend if legend is None else legend
        self.update()

    # -- what must be painted again -----------------------------------------------------------

    def _apply(self, change: Change) -> None:
        """Repaint what changed: still parts by their boxes, moving ones by their region."""
        if change.everything:
            self._static.forget()
            self._overlays.forget()
            self._fades.settle()
        elif change.nodes or change.wires:
            self._begin_fades(change.nodes)
            row = self._picture.geometry.row
            nodes = np.array([row[node] for node in change.nodes], dtype=np.intp)
            self._mark(nodes, np.array(list(change.wires), dtype=np.intp))
            self._mark_boxes(change.gone)
            self._overlays.forget()
            if not self._minimap_due.isActive():
                self._minimap_due.start()
        self._pulses.follow(self._picture)
        if change.everything:
            self._pulse_region = None
            self.update()
        else:
            self._update_pulses()

    def _begin_fades(self, nodes: frozenset[str]) -> None:
        if self._pulses.reduced_motion or self._carried or not self.isVisible():
            self._fades.settle()
            return
        self._fades.begin(nodes, self._picture, self._static.sprites, self._view)
        if self._fades and not self._fade_timer.isActive():
            self._fade_timer.start()

    def _on_fading(self) -> None:
        region = self._fades.region(self._picture, self._view)
        self._fades.advance()
        if not self._fades:
            self._fade_timer.stop()
        self.update(logical(region, self._view.dpr))

    def _update_pulses(self) -> None:
        before = self._pulse_region
        now = self._pulses.region(self._picture, self._view, self._device_size(), self._theme)
        now = now if now is None else logical(now, self._view.dpr)
        self._pulse_region = now
        if before is None or now is None:
            self.update()
        else:
            self.update(before.united(now))

    def _mark(self, nodes: Ints, wires: Ints) -> None:
        """Nodes and wires (rows) look different where they are now."""
        self._mark_boxes(self._picture.geometry.painted_boxes(nodes, wires))

    def _mark_boxes(self, boxes: Floats) -> None:
        """Parts of the scene (n, 4) look different."""
        self.update(logical(self._static.mark(boxes), self._view.dpr))

    # -- dragging -----------------------------------------------------------------------------

    def preview_moves(self, positions: Mapping[str, Point]) -> None:
        """Show nodes elsewhere without an edit; an empty mapping puts them back."""
        if self._carried != tuple(positions):
            self._put_back()
            self._lift(tuple(positions))
        if not positions:
            return
        self._update_lifted()
        self._picture.geometry.move(positions)
        self._update_lifted()

    def _lift(self, nodes: tuple[str, ...]) -> None:
        """Take nodes and their wires out of the still layer, to paint them apart."""
        self._settle.stop()
        geometry = self._picture.geometry
        rows = [geometry.row[node] for node in nodes]
        lifted = Lifted(np.array(rows, dtype=np.intp), geometry.wires_at(rows))
        self._carried, self._static.lifted = nodes, lifted
        self._mark(lifted.nodes, lifted.wires)

    def _put_back(self) -> None:
        lifted, nodes = self._static.lifted, self._picture.graph.nodes
        if not lifted:
            return
        self._update_lifted()
        self._picture.geometry.move({node: nodes[node].pos for node in self._carried})
        self._carried, self._static.lifted = (), NOTHING_LIFTED
        self._mark(lifted.nodes, lifted.wires)

    def _update_lifted(self) -> None:
        lifted = self._static.lifted
        if len(lifted.wires) > _MANY:
            self.update()
            return
        boxes = self._picture.geometry.painted_boxes(lifted.nodes, lifted.wires)
        self.update(logical(self._static.pixels(boxes), self._view.dpr))
