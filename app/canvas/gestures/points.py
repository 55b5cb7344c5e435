"""Moving the points that a wire is led through."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QMouseEvent

from app import wire_edits
from app.canvas.editor import CanvasEditor
from app.canvas.gestures.base import HandGesture
from app.canvas.hit import PORT_REACH
from app.canvas.previews import GhostState
from app.edits import Edit


class DragPoint(HandGesture):
    """Moves a reroute point of a wire; dropped on a neighbouring one, or on an end, it is gone."""

    def __init__(self, editor: CanvasEditor, event: QMouseEvent, wire: str, index: int) -> None:
        super().__init__(editor, event)
        self._wire = editor.document.graph.wires[wire]
        self._index = index
        geometry = self.canvas.geometry_arrays
        start = geometry.output_pos(self._wire.source, self._wire.output)
        end = geometry.input_pos(self._wire.target, self._wire.port)
        stops = [start, *self._wire.points, end]
        self._neighbours = (stops[index], stops[index + 2])
        self.canvas.select([wire])

    def drag(self, event: QMouseEvent) -> None:
        state: GhostState = "free" if self._is_gone(event) else "fits"
        self.canvas.preview_wire(self._neighbours[0], self.place(event), state)

    def release(self, event: QMouseEvent) -> None:
        self.canvas.preview_wire(None)
        self.end()
        if not self.moved:
            return
        graph = self.editor.document.graph
        if self._is_gone(event):
            self.editor.make(wire_edits.without_point(graph, self._wire.id, self._index))
            return
        points = list(self._wire.points)
        points[self._index] = self.place(event)
        self.editor.make(Edit("Move a reroute point", graph.with_points(self._wire.id, points)))

    def cancel(self) -> None:
        self.canvas.preview_wire(None)

    def _is_gone(self, event: QMouseEvent) -> bool:
        places = (self.canvas.to_screen(QPointF(*stop)) for stop in self._neighbours)
        gaps = (place - event.position() for place in places)
        return any(max(abs(gap.x()), abs(gap.y())) <= PORT_REACH for gap in gaps)
