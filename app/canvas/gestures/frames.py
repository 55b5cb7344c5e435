"""Moving and resizing frames and comments with the mouse."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QMouseEvent

from app import edits, frame_edits
from app.canvas.editor import CanvasEditor
from app.canvas.gestures.base import HandGesture
from app.canvas.gestures.snapped import SnappedGesture
from app.canvas.metrics import HEADER_HEIGHT
from app.canvas.snapping import Snap
from app.edits import Edit


class DragFrame(SnappedGesture):
    """Moves a frame with everything in it: nodes, their wires' points, and other frames."""

    def __init__(self, editor: CanvasEditor, event: QMouseEvent, frame: str) -> None:
        super().__init__(editor, event)
        graph = editor.document.graph
        self._frame = graph.frames[frame]
        self._nodes = [node.id for node in graph.nodes.values() if self._frame.holds(node)]
        self.canvas.select([frame])

    def start_snapping(self) -> Snap:
        x, y, width, height = self._frame.rect
        row = self.canvas.geometry_arrays.row
        rows = np.array([row[i] for i in self._nodes], dtype=np.intp)
        return Snap(self.canvas, rows, (x, y, x + width, y + height))

    def drag(self, event: QMouseEvent) -> None:
        self.follow(event)
        graph = self.editor.document.graph
        self.canvas.preview_moves(edits.moved(graph, self._nodes, self.shift))
        self.canvas.preview_rect(QRectF(*self._frame.rect).translated(*self.shift))

    def release(self, event: QMouseEvent) -> None:
        self.cancel()
        self.end()
        if self.moved:
            self.follow(event)
            graph = self.editor.document.graph
            self.editor.make(frame_edits.move_frame(graph, self._frame.id, self.shift))

    def cancel(self) -> None:
        self.canvas.preview_moves({})
        self.canvas.preview_rect(None)


class ResizeFrame(HandGesture):
    """Drags the lower right corner of a frame or a comment."""

    def __init__(self, editor: CanvasEditor, event: QMouseEvent, frame: str) -> None:
        super().__init__(editor, event)
        self._frame = editor.document.graph.frames[frame]
        self.canvas.select([frame])

    def _rect(self, event: QMouseEvent) -> tuple[float, float, float, float]:
        x, y, width, height = self._frame.rect
        dx, dy = self.offset(event)
        return (x, y, max(width + dx, frame_edits.SMALLEST_FRAME), max(height + dy, HEADER_HEIGHT))

    def drag(self, event: QMouseEvent) -> None:
        self.canvas.preview_rect(QRectF(*self._rect(event)))

    def release(self, event: QMouseEvent) -> None:
        self.canvas.preview_rect(None)
        self.end()
        if self.moved:
            graph = self.editor.document.graph
            after = graph.with_frame_changed(self._frame.id, rect=self._rect(event))
            self.editor.make(Edit(f"Resize {frame_edits.frame_words(self._frame)}", after))

    def cancel(self) -> None:
        self.canvas.preview_rect(None)
