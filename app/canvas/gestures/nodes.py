"""Moving nodes and frames with the mouse: a preview while it moves, one edit when it lets go."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QPainter

from app import edits
from app.canvas.editor import CanvasEditor
from app.canvas.gestures.base import HandGesture, has
from app.canvas.hit import WIRE_REACH, wire_near
from app.canvas.snapping import Guide, Snap, paint_guides
from app.edits import Edit, Point
from core.graph import Graph


class DragNodes(HandGesture):
    """Moves the selected nodes; with Alt their copies. They snap, unless Ctrl is down.

    A click selects, with Shift adds, with Ctrl takes away. One node dropped on a wire is inserted
    there, unless Shift is down.
    """

    def __init__(self, editor: CanvasEditor, event: QMouseEvent, node: str) -> None:
        super().__init__(editor, event)
        self._node = node
        self._copies = has(event, Qt.KeyboardModifier.AltModifier)
        self._was_selected = node in self.canvas.selection
        if has(event, Qt.KeyboardModifier.ControlModifier):
            self.canvas.select([node], "toggle")
        elif has(event, Qt.KeyboardModifier.ShiftModifier):
            self.canvas.select([node], "add")
        elif not self._was_selected:
            self.canvas.select([node])
        self._nodes = editor.selected_nodes
        self._snaps = editor.snaps()
        self._snap: Snap | None = None
        self._guides: tuple[Guide, ...] = ()

    def drag(self, event: QMouseEvent) -> None:
        graph = self.editor.document.graph
        guides = self._guides
        self.canvas.preview_moves(_moved(graph, self._nodes, self._snapped(event)))
        if guides != self._guides:
            self.canvas.update()

    def _snapped(self, event: QMouseEvent) -> Point:
        """How far the nodes go."""
        offset = self.offset(event)
        self._guides = ()
        if not self._snaps or has(event, Qt.KeyboardModifier.ControlModifier):
            return offset
        if self._snap is None and self._nodes:
            row = self.canvas.geometry_arrays.row
            self._snap = Snap(self.canvas, np.array([row[i] for i in self._nodes]))
        if self._snap is not None:
            offset, self._guides = self._snap(offset, self.canvas.view.zoom)
        return offset

    def paint(self, painter: QPainter) -> None:
        paint_guides(painter, self.canvas, self._guides)

    def release(self, event: QMouseEvent) -> None:
        self.canvas.preview_moves({})
        self.end()
        modifiers = Qt.KeyboardModifier
        if self.moved:
            self.editor.make(self._edit(event))
        elif self._was_selected and event.modifiers() == modifiers.NoModifier:
            self.canvas.select([self._node])

    def cancel(self) -> None:
        self.canvas.preview_moves({})

    def _edit(self, event: QMouseEvent) -> Edit | None:
        if not self._nodes:
            return None
        graph, by = self.editor.document.graph, self._snapped(event)
        if self._copies:
            return edits.duplicate(graph, self._nodes, by)
        moved = edits.move(graph, self._nodes, by)
        if len(self._nodes) == 1 and not has(event, Qt.KeyboardModifier.ShiftModifier):
            return self._inserted(moved) or moved
        return moved

    def _inserted(self, moved: Edit) -> Edit | None:
        """The edit that also puts a loose node into the wire it was dropped on."""
        (node,) = self._nodes
        graph = moved.graph
        if graph.wires_into(node) or graph.wires_from(node):
            return None
        width, height = self.editor.sizes()[node]
        x, y = graph.nodes[node].pos
        geometry, zoom = self.canvas.geometry_arrays, self.canvas.view.zoom
        wire = wire_near(geometry, x + width / 2, y + height / 2, max(WIRE_REACH, 40 * zoom) / zoom)
        return edits.insert(graph, node, wire.id) if wire is not None else None


class DragFrame(HandGesture):
    """Moves a frame with everything in it."""

    def __init__(self, editor: CanvasEditor, event: QMouseEvent, frame: str) -> None:
        super().__init__(editor, event)
        graph = editor.document.graph
        self._frame = graph.frames[frame]
        self._nodes = [node.id for node in graph.nodes.values() if self._frame.holds(node)]
        self.canvas.select([frame])

    def drag(self, event: QMouseEvent) -> None:
        graph = self.editor.document.graph
        self.canvas.preview_moves(_moved(graph, self._nodes, self.offset(event)))

    def release(self, event: QMouseEvent) -> None:
        self.canvas.preview_moves({})
        self.end()
        if self.moved:
            graph = self.editor.document.graph
            x, y, width, height = self._frame.rect
            dx, dy = self.offset(event)
            after = graph.moved(_moved(graph, self._nodes, (dx, dy)))
            after = after.with_frame_changed(self._frame.id, rect=(x + dx, y + dy, width, height))
            self.editor.make(Edit(f"Move {self._frame.title}", after))

    def cancel(self) -> None:
        self.canvas.preview_moves({})


def _moved(graph: Graph, nodes: list[str], by: Point) -> dict[str, Point]:
    """Where nodes are after they were moved."""
    return {i: (graph.nodes[i].pos[0] + by[0], graph.nodes[i].pos[1] + by[1]) for i in nodes}


class DragPoint(HandGesture):
    """Moves a reroute point of a wire; dropped on a neighbouring one it is gone."""

    def __init__(self, editor: CanvasEditor, event: QMouseEvent, wire: str, index: int) -> None:
        super().__init__(editor, event)
        self._wire = editor.document.graph.wires[wire]
        self._index = index
        self.canvas.select([wire])

    def drag(self, event: QMouseEvent) -> None:
        before = self._wire.points[self._index - 1 : self._index]
        geometry = self.canvas.geometry_arrays
        start = before[0] if before else geometry.output_pos(self._wire.source, self._wire.output)
        self.canvas.preview_wire(start, self.place(event), "fits")

    def release(self, event: QMouseEvent) -> None:
        self.canvas.preview_wire(None)
        self.end()
        if self.moved:
            points = list(self._wire.points)
            points[self._index] = self.place(event)
            graph = self.editor.document.graph
            self.editor.make(Edit("Move a reroute point", graph.with_points(self._wire.id, points)))

    def cancel(self) -> None:
        self.canvas.preview_wire(None)


def point_near(graph: Graph, wire: str, place: QPointF, reach: float) -> int | None:
    """Index of the reroute point of a wire that is within ``reach`` scene units of a place."""
    for i, (x, y) in enumerate(graph.wires[wire].points):
        if abs(x - place.x()) <= reach and abs(y - place.y()) <= reach:
            return i
    return None
