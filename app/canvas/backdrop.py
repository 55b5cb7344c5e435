"""What lies behind the graph: the lit ground, the grid of dots, and frames."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QRadialGradient

from app.canvas.metrics import GRID, HEADER_HEIGHT
from app.canvas.painting import (
    clip_path,
    dashed,
    draw_fragments,
    draw_text,
    fill_round,
    font,
    fragments,
    stroke_round,
    width,
)
from app.canvas.view import Box, View
from app.colors import Theme, faded
from core.graph import Frame

#: Dots nearer than this many logical pixels are thinned out.
_LEAST_GAP = 16.0


def paint_ground(painter: QPainter, size: tuple[int, int], theme: Theme) -> None:
    """The background of a window of that many device pixels, lifted in its middle."""
    across, down = size
    painter.fillRect(0, 0, across, down, theme.background)
    lift = QRadialGradient(QPointF(across * 0.5, down * 0.42), max(across, down) * 0.56)
    lift.setColorAt(0, theme.background_lift)
    lift.setColorAt(1, theme.background)
    painter.fillRect(0, 0, across, down, lift)


def paint_grid(painter: QPainter, view: View, rect: Box, theme: Theme) -> None:
    """Dots on the scene's grid inside ``rect`` (device pixels)."""
    step = GRID * view.zoom
    step *= 2 ** max(0, math.ceil(math.log2(_LEAST_GAP / step)))
    step *= view.dpr
    left, top, right, bottom = rect
    columns = np.arange(math.floor((left + view.x) / step), math.ceil((right + view.x) / step) + 1)
    rows = np.arange(math.floor((top + view.y) / step), math.ceil((bottom + view.y) / step) + 1)
    x, y = np.meshgrid(np.floor(columns * step) - view.x, np.floor(rows * step) - view.y)
    dot = _dot(theme, view.dpr)
    side = dot.width()
    middle = side % 2 / 2
    draw_fragments(painter, fragments(x.ravel() + middle, y.ravel() + middle, side, side), dot)


def _dot(theme: Theme, dpr: float) -> QPixmap:
    radius = 0.95 * dpr
    side = 2 * math.ceil(radius) + 1
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(faded(theme.grid_dot, 0.75 if theme.is_dark else 0.9))
    painter.drawEllipse(QPointF(side / 2, side / 2), radius, radius)
    painter.end()
    return pixmap


def paint_frame(painter: QPainter, frame: Frame, theme: Theme) -> None:
    """A titled area or a comment, in scene units."""
    rect = QRectF(*frame.rect)
    color = theme.frame_color(frame.color)
    if frame.comment:
        _paint_comment(painter, rect, frame.note, color, theme)
        return
    fill_round(painter, rect, 14, faded(color, 0.07 if theme.is_dark else 0.08))
    bar = QRectF(rect.left(), rect.top(), rect.width(), HEADER_HEIGHT)
    painter.save()
    painter.setClipPath(clip_path(rect, 14), Qt.ClipOperation.IntersectClip)
    painter.fillRect(bar, faded(color, 0.14))
    painter.restore()
    line = faded(color, 0.6)
    stroke_round(painter, rect, 14, dashed(line, 1.4, 5, 4) if frame.no_grad else QPen(line, 1.2))
    left = rect.left() + 14
    title = font(13, "semibold")
    if frame.no_grad:
        left = _tag(painter, QPointF(left, bar.center().y()), "no grad", color, theme) + 8
    room = QRectF(left, bar.top(), max(0.0, rect.right() - 14 - left), bar.height())
    draw_text(painter, room, frame.title, title, theme.text)
    used = width(frame.title, title) + 12
    if frame.note and room.width() > used + 20:
        draw_text(painter, room.adjusted(used, 1, 0, 1), frame.note, font(11), theme.text_muted)


def _paint_comment(painter: QPainter, rect: QRectF, text: str, color: QColor, theme: Theme) -> None:
    """Wrapped text on a slip with a coloured edge; what does not fit is cut off at its end."""
    fill_round(painter, rect, 6, faded(color, 0.20 if theme.is_dark else 0.16))
    painter.fillRect(QRectF(rect.left(), rect.top() + 6, 3, rect.height() - 12), color)
    room = rect.adjusted(14, 9, -10, -9)
    painter.save()
    painter.setClipRect(room, Qt.ClipOperation.IntersectClip)
    painter.setFont(font(13))
    painter.setPen(theme.text if text else theme.text_muted)
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
    painter.drawText(room, int(flags), text or "Comment")
    painter.restore()


def _tag(painter: QPainter, at: QPointF, text: str, color: QColor, theme: Theme) -> float:
    of = font(10, "medium")
    box = QRectF(at.x(), at.y() - 8, width(text, of) + 12, 16)
    fill_round(painter, box, 8, faded(color, 0.25))
    draw_text(painter, box, text, of, theme.text, Qt.AlignmentFlag.AlignCenter)
    return box.right()
