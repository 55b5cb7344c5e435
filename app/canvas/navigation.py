"""Panning and zooming with wheel, touchpad, middle button, Space and the minimap."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent

if TYPE_CHECKING:
    from app.canvas.canvas import Canvas

#: One notch of a wheel (120 units) zooms by this factor.
_NOTCH = 1.2


class Navigation:
    """Changes a canvas's view; every method says whether it used the event."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._grip: QPointF | None = None
        self._on_minimap = False
        self._space = False
        #: Tells whether the wheel pans and Ctrl+wheel zooms, as on a touchpad.
        self.wheel_pans: Callable[[], bool] = lambda: False

    def press(self, event: QMouseEvent) -> bool:
        """Middle button or Space+left starts panning; left on the minimap goes there."""
        left = event.button() == Qt.MouseButton.LeftButton
        if left and not self._space and self._canvas.minimap_place(event.position()) is not None:
            self._on_minimap = True
            self._follow_minimap(event.position())
            return True
        if event.button() == Qt.MouseButton.MiddleButton or (left and self._space):
            self._grip = event.position()
            self._canvas.setCursor(Qt.CursorShape.ClosedHandCursor)
            return True
        return False

    def move(self, event: QMouseEvent) -> bool:
        """Pan along."""
        if self._on_minimap:
            self._follow_minimap(event.position())
            return True
        if self._grip is None:
            return False
        step = event.position() - self._grip
        self._grip = event.position()
        self._canvas.pan(step.x(), step.y())
        return True

    def release(self, event: QMouseEvent) -> bool:
        """The end of panning."""
        if self._grip is None and not self._on_minimap:
            return False
        self._grip = None
        self._on_minimap = False
        self._show_cursor()
        return True

    def key(self, event: QKeyEvent, *, pressed: bool) -> bool:
        """Space held down lets the left button pan; a short press stays the player's."""
        if event.key() != Qt.Key.Key_Space or event.isAutoRepeat():
            return False
        self._space = pressed
        self._show_cursor()
        return False

    def pinch(self, event: QNativeGestureEvent) -> bool:
        """Two fingers on a touchpad zoom."""
        if event.gestureType() != Qt.NativeGestureType.ZoomNativeGesture:
            return False
        self._canvas.zoom(1.0 + event.value(), event.position())
        return True

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom, or pan on a touchpad."""
        event.accept()
        pixels, angle = event.pixelDelta(), event.angleDelta()
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        is_touchpad = not pixels.isNull() and event.phase() != Qt.ScrollPhase.NoScrollPhase
        if control or not (is_touchpad or self.wheel_pans()):
            # Alt turns the wheel sideways on some systems.
            notches = (angle.y() or angle.x()) / 120
            self._canvas.zoom(_NOTCH**notches, event.position())
        else:
            step = pixels if not pixels.isNull() else angle
            self._canvas.pan(step.x(), step.y())

    def _follow_minimap(self, pos: QPointF) -> None:
        canvas = self._canvas
        place = canvas.minimap_place(pos)
        if place is not None:
            view, size = canvas.view, canvas.size()
            middle = (size.width() / 2, size.height() / 2)
            canvas.set_view(view.placed(view.zoom, place.x(), place.y(), *middle))

    def _show_cursor(self) -> None:
        if self._space:
            self._canvas.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self._canvas.unsetCursor()
