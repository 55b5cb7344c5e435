"""The view moves on while something is held at the edge of the canvas."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent

from app.canvas.canvas import Canvas

#: Logical pixels from the edge within which the view moves, and how far it moves at most.
_REACH, _MOST = 20.0, 16.0
#: Milliseconds between two such steps.
_TICK = 16


class EdgePan:
    """Pans for one gesture, as long as it owns the mouse.

    Args:
        start: where the gesture began. Nearer to an edge than that means to go there.
        again: what the gesture does at a move of the mouse; asked again as the view moves under it.
    """

    def __init__(
        self, canvas: Canvas, start: QPointF, again: Callable[[QMouseEvent], object]
    ) -> None:
        self._canvas = canvas
        self._start = start
        self._again = again
        self._event: QMouseEvent | None = None
        self._timer: QTimer | None = None

    def follow(self, event: QMouseEvent) -> None:
        """The mouse moved."""
        pressed = event.buttons() & Qt.MouseButton.LeftButton
        if not pressed or self._step(event.position()) == (0.0, 0.0):
            self.stop()
            return
        # Qt's own event is gone when this one returns.
        self._event = QMouseEvent(
            event.type(), event.position(), event.globalPosition(), event.button(),
            event.buttons(), event.modifiers(),
        )  # fmt: skip
        if self._timer is None:
            self._timer = QTimer(self._canvas, interval=_TICK)
            self._timer.setObjectName("edge")
            self._timer.timeout.connect(self._pan)
            self._timer.start()

    def stop(self) -> None:
        """The gesture ended, or the mouse left the edge."""
        if self._timer is not None:
            self._timer.stop()
            self._timer.deleteLater()
            self._timer = None

    def _pan(self) -> None:
        if self._canvas.gesture is None:  # given up by Esc
            self.stop()
        elif self._event is not None:
            self._canvas.pan(*self._step(self._event.position()))
            self._again(self._event)

    def _step(self, pos: QPointF) -> tuple[float, float]:
        width, height = float(self._canvas.width()), float(self._canvas.height())
        return (
            _way(pos.x(), self._start.x(), width),
            _way(pos.y(), self._start.y(), height),
        )


def _way(at: float, start: float, size: float) -> float:
    """How far to pan along one axis: the nearer to the edge, or beyond it, the farther."""
    low = min(_REACH, start) - at
    high = at - (size - min(_REACH, size - start))
    return max(0.0, min(low, _MOST)) - max(0.0, min(high, _MOST))
