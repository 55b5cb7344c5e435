"""What a mouse gesture is to the canvas: an object that owns the mouse until it is done."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtGui import QMouseEvent, QPainter


class Gesture(Protocol):
    """One way to use the mouse; ``canvas.gesture = gesture`` starts it.

    A gesture ends itself with ``canvas.gesture = None``, in one edit of the document or in none.
    """

    def press(self, event: QMouseEvent) -> None:
        """A button went down: the one that started it, or another."""

    def move(self, event: QMouseEvent) -> None:
        """The mouse moved, with or without a button."""

    def release(self, event: QMouseEvent) -> None:
        """A button went up."""

    def cancel(self) -> None:
        """Esc: put everything back as it was."""

    def paint(self, painter: QPainter) -> None:
        """Paint over the canvas, in logical pixels."""
