"""What all gestures share: an editor, and doing nothing unless they say otherwise."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent, QPainter

from app.canvas.editor import CanvasEditor
from app.canvas.gestures.edge import EdgePan
from app.edits import Point

#: A press becomes a drag once the mouse has moved this many pixels.
DRAG_DISTANCE = 4.0


class HandGesture:
    """A gesture that ends with the button it began with.

    What was taken hold of stays under the mouse, also when the view is moved meanwhile.
    """

    def __init__(self, editor: CanvasEditor, event: QMouseEvent) -> None:
        self.editor = editor
        self.canvas = editor.canvas
        self.start = event.position()
        self.start_place = self.place(event)
        self.moved = False
        self._edge = EdgePan(self.canvas, self.start, self.move)

    def press(self, event: QMouseEvent) -> None:
        """The press that began it, or one of another button."""

    def move(self, event: QMouseEvent) -> None:
        """Begin to drag once the mouse has left the place of the press."""
        gap = event.position() - self.start
        self.moved = self.moved or max(abs(gap.x()), abs(gap.y())) >= DRAG_DISTANCE
        if self.moved:
            self.drag(event)
        self._edge.follow(event)

    def drag(self, event: QMouseEvent) -> None:
        """The mouse moved, far enough."""

    def release(self, event: QMouseEvent) -> None:
        """The end: one edit, or none."""
        self.end()

    def end(self) -> None:
        """Let go of the mouse."""
        self._edge.stop()
        self.canvas.gesture = None

    def cancel(self) -> None:
        """Esc."""

    def paint(self, painter: QPainter) -> None:
        """Most gestures preview through the canvas."""

    def place(self, event: QMouseEvent) -> Point:
        """The mouse in the scene."""
        place = self.canvas.to_scene(event.position())
        return (place.x(), place.y())

    def offset(self, event: QMouseEvent) -> Point:
        """How far the mouse was dragged, in scene units."""
        x, y = self.place(event)
        return (x - self.start_place[0], y - self.start_place[1])


def has(event: QMouseEvent, modifier: Qt.KeyboardModifier) -> bool:
    """Whether a modifier key is down."""
    return bool(event.modifiers() & modifier)
