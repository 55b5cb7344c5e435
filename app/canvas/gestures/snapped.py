"""Gestures that move things, which come to rest on the grid or in line with others."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent, QPainter

from app.canvas.editor import CanvasEditor
from app.canvas.gestures.base import HandGesture, has
from app.canvas.snapping import Guide, Snap, paint_guides
from app.edits import Point


class SnappedGesture(HandGesture):
    """Knows how far what it moves goes, and shows the lines it is then on. Ctrl: freely."""

    def __init__(self, editor: CanvasEditor, event: QMouseEvent) -> None:
        super().__init__(editor, event)
        self.shift: Point = (0.0, 0.0)
        self._snaps = editor.snaps()
        self._snap: Snap | None = None
        self._guides: tuple[Guide, ...] = ()

    def start_snapping(self) -> Snap | None:
        """What is moved, asked for when it begins to move; None: nothing that could snap."""
        return None

    def follow(self, event: QMouseEvent) -> None:
        """Set ``shift``: how far from where it was, in scene units."""
        before, self._guides = self._guides, ()
        self.shift = self.offset(event)
        if self._snaps and not has(event, Qt.KeyboardModifier.ControlModifier):
            self._snap = self._snap or self.start_snapping()
            if self._snap is not None:
                self.shift, self._guides = self._snap(self.shift, self.canvas.view.zoom)
        if before != self._guides:
            self.canvas.update()

    def paint(self, painter: QPainter) -> None:
        paint_guides(painter, self.canvas, self._guides)
