"""Drawing a wire: from an output, from an input, or by picking up the end of one that is there."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent

from app import edits
from app.canvas.editor import CanvasEditor
from app.canvas.gestures.base import HandGesture, has
from app.canvas.hit import DROP_REACH, Hit
from app.canvas.previews import GhostState, PortKey
from app.edits import Edit, Point, WireEnd
from core.graph import Graph, Wire, input_ports, output_ports


class DragWire(HandGesture):
    """Owns the mouse until the loose end of a wire is dropped.

    A press and a release at the same place leave the wire hanging at the mouse: the next press
    drops it. Dropped on nothing, it asks for a node to end at; with Shift it only lets go.

    Args:
        end: the end that is fixed.
        picked_up: the wire whose other end was taken off, if it was.
    """

    def __init__(
        self,
        editor: CanvasEditor,
        event: QMouseEvent,
        end: WireEnd,
        picked_up: Wire | None = None,
    ) -> None:
        super().__init__(editor, event)
        self._end = end
        self._picked_up = picked_up
        self._graph = editor.document.graph
        self._reasons = _reasons(self._graph, end)
        self._wanted: Literal["input", "output"] = "input" if end.is_output else "output"
        self.canvas.preview_ports(self._reasons, self._wanted)
        self._show(event.position())

    def move(self, event: QMouseEvent) -> None:
        super().move(event)
        self._show(event.position())

    def release(self, event: QMouseEvent) -> None:
        if self.moved:
            self._drop(event)
        # else the wire hangs at the mouse until the next press

    def press(self, event: QMouseEvent) -> None:
        if event.position() != self.start and event.button() == Qt.MouseButton.LeftButton:
            self.moved = True  # its release drops it

    def cancel(self) -> None:
        self.canvas.preview_ports(None)
        self.canvas.preview_wire(None)

    # ------------------------------------------------------------------------------------------

    def _show(self, pos: QPointF) -> None:
        target = self._target(pos)
        state: GhostState = "free"
        place = self.canvas.to_scene(pos)
        loose: Point = (place.x(), place.y())
        if target is not None:
            geometry = self.canvas.geometry_arrays
            find = geometry.input_pos if self._end.is_output else geometry.output_pos
            refused = self._reasons.get((target.id, target.port)) is not None
            state = "refused" if refused else "fits"
            loose = find(target.id, target.port)
        fixed = self._fixed()
        start, end = (fixed, loose) if self._end.is_output else (loose, fixed)
        self.canvas.preview_wire(start, end, state)
        self.canvas.point_at(target)

    def _fixed(self) -> Point:
        geometry = self.canvas.geometry_arrays
        find = geometry.output_pos if self._end.is_output else geometry.input_pos
        return find(self._end.node, self._end.port)

    def _target(self, pos: QPointF) -> Hit | None:
        """The port that a drop here would join: one near the mouse, else a free one of the node."""
        hit = self.canvas.hit(pos, DROP_REACH, wires=False)
        if hit is None or hit.kind in ("frame", "corner"):
            return None
        if hit.kind == self._wanted:
            return hit
        node = self._graph.nodes[hit.id]
        if self._end.is_output:
            wired = self._graph.wires_into(node.id)
            free = [port for port in input_ports(node, self._graph) if port not in wired]
            return Hit("input", node.id, free[0]) if free else None
        return Hit("output", node.id, output_ports(node, self._graph)[0])

    def _drop(self, event: QMouseEvent) -> None:
        target = self._target(event.position())
        self.canvas.preview_ports(None)
        self.canvas.point_at(None)
        only_lets_go = has(event, Qt.KeyboardModifier.ShiftModifier)
        if target is None and not only_lets_go:
            self.end()
            self._let_go()
            self.editor.ask_at(self.canvas.to_scene(event.position()), self._end)
            return
        self.canvas.preview_wire(None)
        self.end()
        if target is None:
            self._let_go()
        elif not self._is_back(target):
            self.editor.attempt(lambda: self._joined(target))

    def _is_back(self, target: Hit) -> bool:
        """Whether a picked-up end was put back where it was."""
        old = self._picked_up
        return old is not None and (old.target, old.port) == (target.id, target.port)

    def _let_go(self) -> None:
        if self._picked_up is not None:
            self.editor.make(edits.delete(self._graph, (), [self._picked_up.id]))

    def _joined(self, target: Hit) -> Edit:
        graph = self._graph
        if self._picked_up is not None:
            graph = graph.without(wires=[self._picked_up.id])
        if self._end.is_output:
            return edits.connect(graph, self._end.node, self._end.port, target.id, target.port)
        return edits.connect(graph, target.id, target.port, self._end.node, self._end.port)


def _reasons(graph: Graph, end: WireEnd) -> dict[PortKey, str | None]:
    """For each port that a wire could end at: None, or why it may not. One walk for them all."""
    if end.is_output:
        refused = graph.refusals(end.node, end.port)
        return {
            (node.id, port): refused.get(node.id)
            for node in graph.nodes.values()
            for port in input_ports(node, graph)
        }
    name = graph.nodes[end.node].name
    loops = {
        i: f"'{graph.nodes[i].name}' depends on '{name}': this would close a loop."
        for i in graph.descendants(end.node)
    }
    loops[end.node] = "A node cannot feed itself."
    return {
        (node.id, port): loops.get(node.id)
        for node in graph.nodes.values()
        for port in output_ports(node, graph)
    }
