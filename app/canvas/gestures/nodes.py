"""Moving nodes with the mouse: a preview while it moves, one edit when it lets go."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPalette, QPen

from app import edits
from app.canvas.editor import CanvasEditor
from app.canvas.gestures.base import has
from app.canvas.gestures.snapped import SnappedGesture
from app.canvas.hit import WIRE_REACH, Hit, wire_near
from app.canvas.metrics import NODE_RADIUS
from app.canvas.painting import draw_rects, fill_round, stroke_round
from app.canvas.snapping import Snap
from app.colors import faded
from app.edits import Edit

#: More outlines than this are drawn without round corners, in one go.
_MOST_ROUND = 200


class DragNodes(SnappedGesture):
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

    def drag(self, event: QMouseEvent) -> None:
        self.follow(event)
        if self._copies:
            self.canvas.update()
            return
        graph = self.editor.document.graph
        self.canvas.preview_moves(edits.moved(graph, self._nodes, self.shift))
        inserted = self._inserted(event)
        self.canvas.point_at(inserted[0] if inserted else None)

    def start_snapping(self) -> Snap | None:
        if not self._nodes:
            return None
        row = self.canvas.geometry_arrays.row
        return Snap(self.canvas, np.array([row[i] for i in self._nodes]))

    def paint(self, painter: QPainter) -> None:
        super().paint(painter)
        if self._copies and self.moved:
            self._paint_copies(painter)

    def _paint_copies(self, painter: QPainter) -> None:
        """Where the copies will be: the nodes themselves stay."""
        geometry, view = self.canvas.geometry_arrays, self.canvas.view
        boxes = geometry.node_boxes(np.array([geometry.row[i] for i in self._nodes], dtype=np.intp))
        boxes += np.array([*self.shift, *self.shift])
        boxes = boxes * view.scale - (view.x, view.y, view.x, view.y)
        rects = np.column_stack([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]]) / view.dpr
        color = self.canvas.palette().color(QPalette.ColorRole.Highlight)
        pen, fill = QPen(color, 1.5), faded(color, 0.18)
        if len(rects) > _MOST_ROUND:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(color, 0))
            painter.setBrush(fill)
            draw_rects(painter, rects)
            return
        for rect in rects.tolist():
            fill_round(painter, QRectF(*rect), NODE_RADIUS * view.zoom, fill)
            stroke_round(painter, QRectF(*rect), NODE_RADIUS * view.zoom, pen)

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
        self.follow(event)
        if self._copies:
            return edits.duplicate(graph, self._nodes, self.shift)
        inserted = self._inserted(event)
        return inserted[1] if inserted else edits.move(graph, self._nodes, self.shift)

    def _inserted(self, event: QMouseEvent) -> tuple[Hit, Edit] | None:
        """The wire that one loose node lies on, and the edit that also inserts it there."""
        if len(self._nodes) != 1 or has(event, Qt.KeyboardModifier.ShiftModifier):
            return None
        (node,), graph = self._nodes, self.editor.document.graph
        if graph.wires_into(node) or graph.wires_from(node):
            return None
        width, height = self.editor.sizes()[node]
        left, top = graph.nodes[node].pos
        x, y = left + self.shift[0] + width / 2, top + self.shift[1] + height / 2
        geometry, zoom = self.canvas.geometry_arrays, self.canvas.view.zoom
        wire = wire_near(geometry, x, y, max(WIRE_REACH, 40 * zoom) / zoom)
        if wire is None:
            return None
        edit = edits.insert(edits.move(graph, [node], self.shift).graph, node, wire.id)
        return None if edit is None else (wire, edit)
