"""What floats over the canvas: the legend, the minimap, and a word where there is no graph."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QPainter

from app.canvas.empty import paint_empty
from app.canvas.legend import INSET, SHADOW, Legend
from app.canvas.minimap import HEIGHT, Minimap
from app.canvas.picture import Picture
from app.canvas.view import View
from app.colors import Theme


class Overlays:
    """The panels at the foot of a canvas; sizes are in logical pixels."""

    def __init__(self) -> None:
        self.shows_minimap = self.shows_legend = True
        self._legend = Legend()
        self._minimap = Minimap()

    @property
    def foot(self) -> int:
        """How much of the canvas's height they take."""
        return HEIGHT + INSET if self.shows_legend or self.shows_minimap else 0

    def forget(self) -> None:
        """Paint the minimap anew next time."""
        self._minimap.forget()

    def minimap_rect(self, size: tuple[int, int]) -> QRect:
        """The pixels that the minimap is on."""
        if not self.shows_minimap:
            return QRect()
        return self._minimap.rect(*size).toAlignedRect().adjusted(-1, -1, 1, 1)

    def minimap_place(self, pos: QPointF, size: tuple[int, int]) -> QPointF | None:
        """The place in the scene that a place on the minimap stands for; None beside it."""
        if not self.shows_minimap or not self._minimap.rect(*size).contains(pos):
            return None
        return QPointF(*self._minimap.to_scene(pos.x(), pos.y(), *size))

    def paint(
        self,
        painter: QPainter,
        picture: Picture,
        view: View,
        size: tuple[int, int],
        dirty: QRect,
        theme: Theme,
    ) -> None:
        """Paint those that ``dirty`` touches."""
        width, height = size
        if not picture.geometry.nodes:
            paint_empty(painter, QRectF(0, 0, width, height), theme)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        dirty = dirty.adjusted(-SHADOW, -SHADOW, SHADOW, SHADOW)
        if self.shows_legend and dirty.intersects(self._legend.rect(height).toAlignedRect()):
            self._legend.paint(painter, height, theme, view.dpr)
        if self.shows_minimap and dirty.intersects(
            self._minimap.rect(width, height).toAlignedRect()
        ):
            self._minimap.paint(painter, picture, view, width, height, theme)
