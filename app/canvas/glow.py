"""Sprites of light: the head and the trail of pulses, every tint and size in one atlas."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap, QRadialGradient

from app.canvas.curves import Floats
from app.colors import Theme, faded, mix

#: Colours of the gradient scale in an atlas.
TINTS = 17
#: Sprites that follow a head.
TRAIL = 16
#: How far along the wire one follows the other.
TRAIL_STEP = 0.021
_WHITE = QColor("#FFFFFF")


def tint_of(signed: Floats) -> Floats:
    """Column of an atlas for signed magnitudes."""
    return np.rint((np.nan_to_num(signed) + 1.0) / 2.0 * (TINTS - 1))


class Atlas:
    """Pulse sprites for one theme and size.

    Attributes:
        heads: a row of ``TINTS`` squares of ``head`` device pixels.
        trails: ``TRAIL`` rows of ``TINTS`` squares of ``trail`` device pixels, fainter downwards.
    """

    def __init__(self, theme: Theme, radius: int) -> None:
        self.head = 2 * radius
        self.trail = 2 * max(2, round(radius * 13 / 30))
        self.heads = QPixmap(self.head * TINTS, self.head)
        self.trails = QPixmap(self.trail * TINTS, self.trail * TRAIL)
        for pixmap in (self.heads, self.trails):
            pixmap.fill(Qt.GlobalColor.transparent)
        heads, trails = QPainter(self.heads), QPainter(self.trails)
        for tint in range(TINTS):
            color = theme.gradient_color(tint / (TINTS - 1) * 2 - 1)
            _spot(heads, QRectF(tint * self.head, 0, self.head, self.head), _head(color, theme))
            for k in range(TRAIL):
                part = (k + 1) / TRAIL
                reach = (4 + 9 * (1 - part)) / 13 * self.trail / 2
                middle = QPointF((tint + 0.5) * self.trail, (k + 0.5) * self.trail)
                box = QRectF(middle.x() - reach, middle.y() - reach, 2 * reach, 2 * reach)
                strength = 0.75 * (1 - (k + 1) / (TRAIL + 1)) ** 1.2
                _spot(trails, box, _tail(color, theme, strength))
        heads.end()
        trails.end()


@lru_cache(maxsize=24)
def atlas(theme: Theme, radius: int) -> Atlas:
    """The atlas for a theme and a glow radius in device pixels."""
    return Atlas(theme, radius)


Stops = tuple[tuple[float, QColor], ...]


def _head(color: QColor, theme: Theme) -> Stops:
    if theme.is_dark:
        return (
            (0.0, faded(_WHITE, 0.95)),
            (0.16, faded(mix(color, _WHITE, 0.55), 0.9)),
            (0.34, faded(color, 0.5)),
            (0.62, faded(color, 0.14)),
            (1.0, faded(color, 0.0)),
        )
    return (
        (0.0, faded(_WHITE, 0.95)),
        (0.20, faded(mix(color, _WHITE, 0.35), 0.95)),
        (0.36, faded(color, 0.75)),
        (0.60, faded(color, 0.16)),
        (1.0, faded(color, 0.0)),
    )


def _tail(color: QColor, theme: Theme, strength: float) -> Stops:
    if theme.is_dark:
        color = mix(color, _WHITE, 0.35)
    return (
        (0.0, faded(color, 0.5 * strength)),
        (0.34, faded(color, 0.4 * strength)),
        (0.62, faded(color, 0.14 * strength)),
        (1.0, faded(color, 0.0)),
    )


def _spot(painter: QPainter, box: QRectF, stops: Stops) -> None:
    light = QRadialGradient(box.center(), box.width() / 2)
    for at, color in stops:
        light.setColorAt(at, color)
    painter.fillRect(box, light)
