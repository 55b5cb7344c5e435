"""The middle of the window: the canvas, with the transport bar floating over its foot."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.canvas import legend, minimap
from app.canvas.canvas import Canvas

_BAR_WIDTH, _BAR_HEIGHT = 620, 56
#: Narrower than this the bar is no use: the minimap, then the legend make room for it.
_LEAST_WIDTH = 430
_GAP = 14


class CanvasArea(QWidget):
    """Gives the canvas all the room, and lays the bar between its legend and its minimap."""

    def __init__(self, canvas: Canvas, bar: QWidget) -> None:
        super().__init__()
        self._canvas = canvas
        self._bar = bar
        for child in (canvas, bar):
            child.setParent(self)
        bar.raise_()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._canvas.setGeometry(self.rect())
        left = legend.INSET + legend.WIDTH + _GAP
        right = legend.INSET + minimap.WIDTH + _GAP
        has_legend = self.width() - left - right >= _LEAST_WIDTH
        has_minimap = self.width() - right - legend.INSET >= _LEAST_WIDTH
        self._canvas.set_overlays(legend=has_legend, minimap=has_minimap)
        room_left = left if has_legend else legend.INSET
        room_right = self.width() - (right if has_minimap else legend.INSET)
        width = min(_BAR_WIDTH, room_right - room_left)
        # In the middle of the window, unless the legend or the minimap is in the way.
        x = min(max((self.width() - width) // 2, room_left), room_right - width)
        y = self.height() - legend.INSET - _BAR_HEIGHT
        self._bar.setGeometry(QRect(x, y, width, _BAR_HEIGHT))
