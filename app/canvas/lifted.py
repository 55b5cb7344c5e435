"""What is being dragged: taken out of the still layer once, then painted over it at every step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from app.canvas.area import Area
from app.canvas.curves import Floats, Ints, part_boxes
from app.canvas.geometry import Geometry, around
from app.canvas.metrics import NODE_RADIUS, NODE_WIDTH, WIRE_MARGIN
from app.canvas.nodes_painter import FULL_ZOOM, device_corners, paint_nodes, visible_nodes
from app.canvas.picture import Picture
from app.canvas.sprites import Sprites
from app.canvas.view import View
from app.canvas.wire_painter import paint_wires, visible_curves

#: Half the side of a square that holds a port, in scene units.
_PORT = 8.0
_NO_ROWS = np.empty(0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Lifted:
    """Rows of the nodes that are dragged and of the wires that follow them."""

    nodes: Ints
    wires: Ints

    def __bool__(self) -> bool:
        return bool(self.nodes.size)

    def without_nodes(self, rows: Ints) -> Ints:
        """``rows`` of nodes but for those lifted."""
        return rows[~np.isin(rows, self.nodes)] if self else rows

    def without_curves(self, geometry: Geometry, rows: Ints) -> Ints:
        """``rows`` of curves but for those of lifted wires."""
        return rows[~np.isin(geometry.curve_wire[rows], self.wires)] if self else rows


NOTHING_LIFTED = Lifted(_NO_ROWS, _NO_ROWS)


def paint_lifted(
    painter: QPainter,
    picture: Picture,
    sprites: Sprites,
    view: View,
    size: tuple[int, int],
    lifted: Lifted,
) -> None:
    """Paint it over the still picture, on a painter in device pixels.

    Wires stay below the nodes they pass: those are painted once more, but only their bodies, as
    their shadows are there already.
    """
    geometry = picture.geometry
    area = Area(view.scene_box(0, 0, *size))
    seen = visible_curves(geometry, area)
    curves = seen[np.isin(geometry.curve_wire[seen], lifted.wires)]
    paint_wires(painter, geometry, picture.wires, view, curves, sprites.theme)
    rows = visible_nodes(geometry, area)
    still = lifted.without_nodes(rows)
    passed = still[_meet(geometry.node_boxes(still), part_boxes(geometry.control[:, :, curves]))]
    painter.save()
    if view.zoom >= FULL_ZOOM:
        bodies = _bodies(geometry, passed, lifted.wires, view)
        painter.setClipPath(bodies, Qt.ClipOperation.IntersectClip)
    paint_nodes(painter, picture, sprites, view, passed)
    painter.restore()
    paint_nodes(painter, picture, sprites, view, rows[np.isin(rows, lifted.nodes)])


def _meet(boxes: Floats, others: Floats) -> Ints:
    """Places of the ``boxes`` that come near any of ``others``."""
    near = others + around(WIRE_MARGIN)
    meets = (
        (boxes[:, None, 0] <= near[:, 2])
        & (boxes[:, None, 2] >= near[:, 0])
        & (boxes[:, None, 1] <= near[:, 3])
        & (boxes[:, None, 3] >= near[:, 1])
    )
    return np.flatnonzero(meets.any(axis=1))


def _bodies(geometry: Geometry, rows: Ints, wires: Ints, view: View) -> QPainterPath:
    """The insides of nodes, and the ports that wires end at, in device pixels."""
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)
    radius = NODE_RADIUS * view.scale
    width = NODE_WIDTH * view.scale
    heights = geometry.heights[rows] * view.scale
    corners = device_corners(geometry, rows, view)
    for (x, y), height in zip(corners.tolist(), heights.tolist(), strict=True):
        path.addRoundedRect(QRectF(x, y, width, height).adjusted(1, 1, -1, -1), radius, radius)
    first, last = geometry.first_curve[wires], geometry.first_curve[wires + 1] - 1
    ends = np.hstack([geometry.control[0][:, first], geometry.control[3][:, last]]).T
    reach = _PORT * view.scale
    for x, y in (ends * view.scale - (view.x, view.y)).tolist():
        path.addRect(x - reach, y - reach, 2 * reach, 2 * reach)
    return path
