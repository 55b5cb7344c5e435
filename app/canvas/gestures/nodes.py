"""Moving nodes and frames with the mouse: a preview while it moves, one edit when it lets go."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPalette, QPen

from app import edits
from app.canvas.editor import CanvasEditor
from app.canvas.gestures.base import HandGesture, has
from app.canvas.hit import WIRE_REACH, Hit, wire_near
from app.canvas.metrics import HEADER_HEIGHT, NODE_RADIUS
from app.canvas.painting import fill_round, stroke_round
from app.canvas.snapping import Guide, Snap, paint_guides
from app.colors import faded
from app.edits import Edit, Point
from core.graph import Graph


class DragNodes(HandGesture):
    """Moves the selected nodes; with Alt their copies. They snap, unless Ctrl is down.

    A click selects, with Shift adds, with Ctrl takes away. A loose node dropped on a wire is
    inserted there, unless Shift is down.
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
        self._offset: Point = (0.0, 0.0)

    def drag(self, event: QMouseEvent) -> None:
        graph, guides = self.editor.document.graph, self._guides
        self._offset = self._snapped(event)
        if not self._copies:
            self.canvas.preview_moves(_moved(graph, self._nodes, self._offset))
            inserted = self._inserted(event)
            self.canvas.point_at(inserted[0] if inserted else None)
        if self._copies or guides != self._guides:
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
        if self._copies and self.moved:
            self._paint_copies(painter)

    def _paint_copies(self, painter: QPainter) -> None:
        """Where the copies will be: the nodes themselves stay."""
        color = self.canvas.palette().color(QPalette.ColorRole.Highlight)
        graph, sizes, zoom = self.editor.document.graph, self.editor.sizes(), self.canvas.view.zoom
        for i, (x, y) in _moved(graph, self._nodes, self._offset).items():
            corner = self.canvas.to_screen(QPointF(x, y))
            rect = QRectF(corner, QSizeF(*sizes[i]) * zoom)
            fill_round(painter, rect, NODE_RADIUS * zoom, faded(color, 0.18))
            stroke_round(painter, rect, NODE_RADIUS * zoom, QPen(color, 1.5))

    def release(self, event: QMouseEvent) -> None:
        self.canvas.preview_moves({})
        self.end()
        modifiers = Qt.KeyboardModifier
        if self.moved:
            self.editor.make(self._edit(event))
            self.canvas.point_at(None)
        elif self._was_selected and event.modifiers() == modifiers.NoModifier:
            self.canvas.select([self._node])

    def cancel(self) -> None:
        self.canvas.preview_moves({})
        self.canvas.point_at(None)

    def _edit(self, event: QMouseEvent) -> Edit | None:
        if not self._nodes:
            return None
        graph = self.editor.document.graph
        self._offset = self._snapped(event)
        if self._copies:
            return edits.duplicate(graph, self._nodes, self._offset)
        inserted = self._inserted(event)
        return inserted[1] if inserted else edits.move(graph, self._nodes, self._offset)

    def _inserted(self, event: QMouseEvent) -> tuple[Hit, Edit] | None:
        """The wire that one loose node lies on, and the edit that also inserts it there."""
        if len(self._nodes) != 1 or has(event, Qt.KeyboardModifier.ShiftModifier):
            return None
        (node,), graph = self._nodes, self.editor.document.graph
        if graph.wires_into(node) or graph.wires_from(node):
            return None
        width, height = self.editor.sizes()[node]
        left, top = graph.nodes[node].pos
        x, y = left + self._offset[0] + width / 2, top + self._offset[1] + height / 2
        geometry, zoom = self.canvas.geometry_arrays, self.canvas.view.zoom
        wire = wire_near(geometry, x, y, max(WIRE_REACH, 40 * zoom) / zoom)
        if wire is None:
            return None
        edit = edits.insert(edits.move(graph, [node], self._offset).graph, node, wire.id)
        return None if edit is None else (wire, edit)


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
            after = edits.move(graph, self._nodes, (dx, dy)).graph
            after = after.with_frame_changed(self._frame.id, rect=(x + dx, y + dy, width, height))
            self.editor.make(Edit(f"Move {edits.frame_words(self._frame)}", after))

    def cancel(self) -> None:
        self.canvas.preview_moves({})


class ResizeFrame(HandGesture):
    """Drags the lower right corner of a frame or a comment."""

    def __init__(self, editor: CanvasEditor, event: QMouseEvent, frame: str) -> None:
        super().__init__(editor, event)
        self._frame = editor.document.graph.frames[frame]
        self.canvas.select([frame])

    def _rect(self, event: QMouseEvent) -> tuple[float, float, float, float]:
        x, y, width, height = self._frame.rect
        dx, dy = self.offset(event)
        return (x, y, max(width + dx, edits.SMALLEST_FRAME), max(height + dy, HEADER_HEIGHT))

    def drag(self, event: QMouseEvent) -> None:
        self.canvas.preview_rect(QRectF(*self._rect(event)))

    def release(self, event: QMouseEvent) -> None:
        self.canvas.preview_rect(None)
        self.end()
        if self.moved:
            graph = self.editor.document.graph
            after = graph.with_frame_changed(self._frame.id, rect=self._rect(event))
            self.editor.make(Edit(f"Resize {edits.frame_words(self._frame)}", after))

    def cancel(self) -> None:
        self.canvas.preview_rect(None)


def _moved(graph: Graph, nodes: list[str], by: Point) -> dict[str, Point]:
    """Where nodes are after they were moved."""
    return {i: (graph.nodes[i].pos[0] + by[0], graph.nodes[i].pos[1] + by[1]) for i in nodes}
