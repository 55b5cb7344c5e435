"""Which pixels must be painted again: boxes as a region of few pieces.

A clip of many pieces slows everything down that is painted through it, so boxes are rounded out to
a coarse grid, and very many become their common rectangle.
"""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QRect
from PySide6.QtGui import QRegion

from app.canvas.curves import Floats

#: Device pixels that pieces are rounded out to.
_SNAP = 48
#: More pieces than this cost more than their common rectangle.
_MOST_PIECES = 24
#: More boxes than this are not looked at one by one.
_MOST_BOXES = 2000


def covering(boxes: Floats, within: QRect) -> QRegion:
    """The region inside ``within`` that covers boxes x0, y0, x1, y1, (n, 4), in device pixels."""
    low = np.floor(boxes[:, :2] / _SNAP) * _SNAP
    high = np.ceil(boxes[:, 2:] / _SNAP) * _SNAP
    corner = (within.x(), within.y())
    low = np.maximum(low, corner)
    high = np.minimum(high, (corner[0] + within.width(), corner[1] + within.height()))
    inside = (low < high).all(axis=1)
    if not inside.any():
        return QRegion()
    pieces = np.hstack([low[inside], high[inside]]).astype(int)
    few = pieces[:_MOST_BOXES]
    different = set(map(tuple, few.tolist()))
    if len(different) > _MOST_PIECES or len(few) < len(pieces):
        different = {(*pieces[:, :2].min(axis=0).tolist(), *pieces[:, 2:].max(axis=0).tolist())}
    region = QRegion()
    for left, top, right, bottom in different:
        region += QRegion(left, top, right - left, bottom - top)
    return region


def logical(region: QRegion, dpr: float) -> QRegion:
    """The logical pixels that hold a region of device pixels."""
    if dpr == 1.0:
        return region
    result = QRegion()
    for rect in rects(region):
        left, top = math.floor(rect.x() / dpr), math.floor(rect.y() / dpr)
        right = math.ceil((rect.x() + rect.width()) / dpr)
        bottom = math.ceil((rect.y() + rect.height()) / dpr)
        result += QRegion(left, top, right - left, bottom - top)
    return result


def rects(region: QRegion) -> list[QRect]:
    """The pieces of a region."""
    pieces: list[QRect] = list(region)  # type: ignore[call-overload]  # stubs: no __iter__
    return pieces
