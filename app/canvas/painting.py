"""Small helpers over QPainter that the layers share: pens, rounded shapes, text, many at once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap
from shiboken6 import Shiboken

from app.canvas.curves import Floats
from app.colors import Theme, faded
from app.fonts import mono_font, ui_font

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTER = Qt.AlignmentFlag.AlignCenter

#: Numbers a ``QPainter.PixmapFragment`` consists of: x, y, source left, top, width, height,
#: scale x, scale y, rotation, opacity.
FRAGMENT = 10


@lru_cache(maxsize=64)
def font(px: int, weight: str = "normal", *, mono: bool = False, italic: bool = False) -> QFont:
    """A bundled font; ``weight`` is ``normal``, ``medium`` or ``semibold``."""
    weights = {
        "normal": QFont.Weight.Normal,
        "medium": QFont.Weight.Medium,
        "semibold": QFont.Weight.DemiBold,
    }
    return mono_font(px, weights[weight]) if mono else ui_font(px, weights[weight], italic=italic)


@lru_cache(maxsize=64)
def metrics(of: QFont) -> QFontMetricsF:
    """Measures of a font from ``font``."""
    return QFontMetricsF(of)


def width(text: str, of: QFont) -> float:
    """How wide a text is set."""
    return metrics(of).horizontalAdvance(text)


@lru_cache(maxsize=4096)
def elided(text: str, of: QFont, room: float) -> str:
    """The text, shortened with an ellipsis where it is wider than ``room``."""
    return metrics(of).elidedText(text, Qt.TextElideMode.ElideRight, room)


def draw_text(
    painter: QPainter,
    rect: QRectF,
    text: str,
    of: QFont,
    color: QColor,
    align: Qt.AlignmentFlag = LEFT,
) -> None:
    """One line of text, elided to the width of ``rect``."""
    painter.setFont(of)
    painter.setPen(color)
    flags = int(align) | int(Qt.TextFlag.TextSingleLine)
    painter.drawText(rect, flags, elided(text, of, rect.width() + 0.5))


def fill_round(painter: QPainter, rect: QRectF, radius: float, color: QColor) -> None:
    """A filled rounded rectangle without a border."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(rect, radius, radius)


def stroke_round(painter: QPainter, rect: QRectF, radius: float, pen: QPen) -> None:
    """The outline of a rounded rectangle, inside ``rect``."""
    half = pen.widthF() / 2
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(half, half, -half, -half), radius, radius)


def dashed(color: QColor, thickness: float, *pattern: float) -> QPen:
    """A dashed pen; the pattern is in multiples of the thickness."""
    pen = QPen(color, thickness)
    pen.setDashPattern(list(pattern))
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def clip_path(rect: QRectF, radius: float) -> QPainterPath:
    """A rounded rectangle to clip or fill with."""
    path = QPainterPath()
    path.addRoundedRect(rect, radius, radius)
    return path


def draw_shadow(
    painter: QPainter, rect: QRectF, radius: float, theme: Theme, strength: float = 1.0
) -> None:
    """A soft shadow below ``rect``: many faint layers (an effect would not print)."""
    layers, step = 22, 0.95
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(faded(theme.shadow, theme.shadow_strength * strength))
    for layer in range(layers, 0, -1):
        grow = layer * step
        painter.drawRoundedRect(
            rect.adjusted(3 - grow, 8 - grow, grow - 3, grow + 5),
            radius + 0.8 * grow,
            radius + 0.8 * grow,
        )


def draw_panel(painter: QPainter, rect: QRectF, theme: Theme, radius: float = 12.0) -> None:
    """The ground of something that floats over the canvas."""
    draw_shadow(painter, rect, radius, theme, 1.1)
    fill_round(painter, rect, radius, faded(theme.surface, 0.97))
    stroke_round(painter, rect, radius, QPen(theme.border, 1))


def draw_hatch(painter: QPainter, rect: QRectF, radius: float, color: QColor) -> None:
    """Diagonal hatching inside a rounded rectangle."""
    painter.save()
    painter.setClipPath(clip_path(rect, radius), Qt.ClipOperation.IntersectClip)
    painter.setPen(QPen(color, 1.1))
    x = rect.left() - rect.height()
    while x < rect.right():
        painter.drawLine(QPointF(x, rect.bottom()), QPointF(x + rect.height(), rect.top()))
        x += 4.0
    painter.restore()


# -- many at once --------------------------------------------------------------------------------


def draw_lines(painter: QPainter, lines: Floats) -> None:
    """All ``lines``, a contiguous float64 array (n, 4), in one call: it is laid out as QLineF[]."""
    if len(lines):
        painter.drawLines(_at(lines, QLineF), len(lines))


def draw_rects(painter: QPainter, rects: Floats) -> None:
    """All ``rects``, an array (n, 4) of x, y, width, height, in one call."""
    if len(rects):
        rects = np.ascontiguousarray(rects)
        painter.drawRects(_at(rects, QRectF), len(rects))


def fragments(centers_x: Floats, centers_y: Floats, sprite_width: int, height: int) -> Floats:
    """Fragments of one sprite at several places; its source rectangle starts at 0, 0."""
    result = np.zeros((len(centers_x), FRAGMENT))
    result[:, 0] = centers_x
    result[:, 1] = centers_y
    result[:, 4] = sprite_width
    result[:, 5] = height
    result[:, 6] = result[:, 7] = result[:, 9] = 1.0
    return result


def draw_fragments(painter: QPainter, places: Floats, sprites: QPixmap) -> None:
    """Copies of parts of ``sprites``, an array (n, ``FRAGMENT``), in one call."""
    if len(places):
        painter.drawPixmapFragments(_at(places, QPainter.PixmapFragment), len(places), sprites)


def _at(array: Floats, kind: Any) -> Any:
    """The array's memory as a Qt array of ``kind``; keep the array alive meanwhile."""
    address = array.__array_interface__["data"][0]  # half the time of array.ctypes
    return Shiboken.wrapInstance(address, kind)
