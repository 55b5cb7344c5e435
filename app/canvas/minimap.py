"""The whole graph in a corner, with the part on screen framed; a press there goes there."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from app.canvas.curves import Floats
from app.canvas.legend import INSET, SHADOW
from app.canvas.painting import draw_lines, draw_panel, draw_rects
from app.canvas.picture import Picture
from app.canvas.styles import Status, WireKind
from app.canvas.view import View
from app.colors import Theme, faded, mix

WIDTH, HEIGHT = 180, 96
_PAD = 9.0
#: With more wires than this they would only be a smear.
_MOST_WIRES = 1500


class Minimap:
    """Kept as a pixmap until the picture changes."""

    def __init__(self) -> None:
        self._pixmap = QPixmap()
        self._key: tuple[str, float] = ("", 0.0)
        self._stale = True
        self._scale = 1.0
        self._origin = QPointF()

    def forget(self) -> None:
        """Paint it anew next time."""
        self._stale = True

    def rect(self, width: int, height: int) -> QRectF:
        """Where it lies in a window, in logical pixels."""
        return QRectF(width - INSET - WIDTH, height - INSET - HEIGHT, WIDTH, HEIGHT)

    def to_scene(self, x: float, y: float, width: int, height: int) -> tuple[float, float]:
        """The place in the scene that a place in the window, on the minimap, stands for."""
        corner = self.rect(width, height).topLeft()
        return (
            (x - corner.x() - self._origin.x()) / self._scale,
            (y - corner.y() - self._origin.y()) / self._scale,
        )

    def paint(
        self, painter: QPainter, picture: Picture, view: View, width: int, height: int, theme: Theme
    ) -> None:
        """Paint it, on a painter in logical pixels."""
        if self._stale or self._key != (theme.name, view.dpr):
            self._draw(picture, theme, view.dpr)
            self._key = (theme.name, view.dpr)
            self._stale = False
        rect = self.rect(width, height)
        painter.drawPixmap(int(rect.x()) - SHADOW, int(rect.y()) - SHADOW, self._pixmap)
        left, top = view.to_scene(0, 0)
        right, bottom = view.to_scene(width, height)
        seen = QRectF(
            rect.x() + self._origin.x() + left * self._scale,
            rect.y() + self._origin.y() + top * self._scale,
            (right - left) * self._scale,
            (bottom - top) * self._scale,
        ).intersected(rect.adjusted(4, 4, -4, -4))
        painter.setPen(QPen(faded(theme.text, 0.85), 1.2))
        painter.setBrush(faded(theme.text, 0.07))
        painter.drawRoundedRect(seen, 3, 3)

    def _draw(self, picture: Picture, theme: Theme, dpr: float) -> None:
        pixmap = _panel(theme, dpr).copy()
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(SHADOW, SHADOW)
        self._fit(picture)
        self._draw_wires(painter, picture, theme)
        self._draw_nodes(painter, picture, theme)
        painter.end()
        self._pixmap = pixmap

    def _fit(self, picture: Picture) -> None:
        left, top, right, bottom = picture.bounds()
        across, down = max(right - left, 600.0), max(bottom - top, 300.0)
        self._scale = min((WIDTH - 2 * _PAD) / across, (HEIGHT - 2 * _PAD) / down)
        self._origin = QPointF(
            WIDTH / 2 - (left + right) / 2 * self._scale,
            HEIGHT / 2 - (top + bottom) / 2 * self._scale,
        )

    def _draw_wires(self, painter: QPainter, picture: Picture, theme: Theme) -> None:
        geometry, styles = picture.geometry, picture.wires
        if not 0 < len(geometry.wires) <= _MOST_WIRES:
            return
        ends = geometry.control[[0, 3]].transpose(2, 0, 1).reshape(-1, 4) * self._scale
        ends[:, 0::2] += self._origin.x()
        ends[:, 1::2] += self._origin.y()
        kinds = styles.kind[geometry.curve_wire]
        painter.setPen(QPen(faded(theme.text_muted, 0.4), 0))
        draw_lines(painter, np.ascontiguousarray(ends[kinds != WireKind.LIT]))
        lit = kinds == WireKind.LIT
        signed = styles.signed[geometry.curve_wire]
        for chosen, end in ((signed >= 0, theme.positive), (signed < 0, theme.negative)):
            painter.setPen(QPen(mix(theme.neutral, end, 0.7), 0))
            draw_lines(painter, np.ascontiguousarray(ends[lit & chosen]))

    def _draw_nodes(self, painter: QPainter, picture: Picture, theme: Theme) -> None:
        geometry, styles = picture.geometry, picture.nodes
        boxes = geometry.node_boxes() * self._scale
        rects = np.empty_like(boxes)
        rects[:, 0] = boxes[:, 0] + self._origin.x()
        rects[:, 1] = boxes[:, 1] + self._origin.y()
        rects[:, 2:] = np.maximum(boxes[:, 2:] - boxes[:, :2], 0.7)
        painter.setPen(Qt.PenStyle.NoPen)
        colors: list[QColor] = [theme.categories[name] for name in styles.categories]
        for k, color in enumerate(colors):
            normal = (styles.category == k) & (styles.status != Status.ERROR)
            faint = normal & (styles.status == Status.FREED)
            _fill(painter, rects[normal & ~faint], color)
            _fill(painter, rects[faint], mix(color, theme.surface, 0.6))
        _fill(painter, rects[styles.status == Status.ERROR], theme.error)


@lru_cache(maxsize=4)
def _panel(theme: Theme, dpr: float) -> QPixmap:
    """What the minimap lies on; its shadow takes longer to paint than ten thousand nodes."""
    pixmap = QPixmap(round((WIDTH + 2 * SHADOW) * dpr), round((HEIGHT + 2 * SHADOW) * dpr))
    pixmap.setDevicePixelRatio(dpr)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(SHADOW, SHADOW)
    draw_panel(painter, QRectF(0, 0, WIDTH, HEIGHT), theme, 12)
    painter.end()
    return pixmap


def _fill(painter: QPainter, rects: Floats, color: QColor) -> None:
    painter.setBrush(color)
    draw_rects(painter, rects)
