"""Snapping: what is dragged comes to rest on the grid, or in line with other nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QPainter, QPalette, QPen

from app.canvas.area import Area
from app.canvas.canvas import Canvas
from app.canvas.curves import Ints
from app.canvas.nodes_painter import visible_nodes
from app.edits import Point

#: Scene units between the dots of the grid.
GRID = 24.0
#: How near something must be to snap, in screen pixels.
REACH = 6.0
#: How far a guide line sticks out of the nodes it joins, in screen pixels.
_OVERHANG = 10.0


@dataclass(frozen=True, slots=True)
class Guide:
    """A line that shows with what something is in line, in scene units.

    Attributes:
        axis: 0 for a vertical line at x = ``at``, 1 for a horizontal one at y = ``at``.
        start, end: from where to where it goes along the other axis.
    """

    axis: int
    at: float
    start: float
    end: float


class Snap:
    """Finds where dragged nodes snap to. Made when the drag begins, for what is in sight then.

    Args:
        moving: rows of the dragged nodes.
        box: what is put in line, left, top, right and bottom; None: the box around them.
    """

    def __init__(
        self, canvas: Canvas, moving: Ints, box: tuple[float, float, float, float] | None = None
    ) -> None:
        geometry, view = canvas.geometry_arrays, canvas.view
        corner = view.to_scene(canvas.width(), canvas.height())
        rows = visible_nodes(canvas.picture.geometry, Area((*view.to_scene(0, 0), *corner)))
        self._others = geometry.node_boxes(np.setdiff1d(rows, moving))
        self._box = np.array(box or geometry.bounds(moving))

    def __call__(self, offset: Point, zoom: float) -> tuple[Point, tuple[Guide, ...]]:
        """Where a drag by ``offset`` scene units ends, and the lines that say why."""
        reach = REACH / zoom
        moved = self._box + np.array([*offset, *offset])
        found: list[float] = []
        guides: list[Guide] = []
        for axis in (0, 1):
            step, rows, at = self._nearest(moved, axis)
            if abs(step) > reach:
                step = _to_grid(float(moved[axis]))
                rows = np.zeros(0, dtype=np.intp)
            found.append(step if abs(step) <= reach else 0.0)
            if len(rows):
                across = np.concatenate([self._others[rows], moved[np.newaxis]])
                start, end = across[:, 1 - axis].min(), across[:, 3 - axis].max()
                guides.append(Guide(axis, at, float(start), float(end)))
        return (offset[0] + found[0], offset[1] + found[1]), tuple(guides)

    def _nearest(self, moved: np.ndarray, axis: int) -> tuple[float, Ints, float]:
        """The least step that puts an edge or the middle in line with another node's.

        Returns:
            The step, the rows of the nodes it is then in line with, and the line.
        """
        if not len(self._others):
            return float("inf"), np.zeros(0, dtype=np.intp), 0.0
        ours, theirs = _lines(moved[np.newaxis], axis), _lines(self._others, axis)
        steps = theirs - ours
        row, line = np.unravel_index(np.argmin(np.abs(steps)), steps.shape)
        step = float(steps[row, line])
        same = np.flatnonzero(np.abs(theirs[:, line] - theirs[row, line]) < 0.5)
        return step, same, float(theirs[row, line])


def paint_guides(painter: QPainter, canvas: Canvas, guides: tuple[Guide, ...]) -> None:
    """Thin lines through what is in line."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # a hairline, not a blur
    painter.setPen(QPen(canvas.palette().color(QPalette.ColorRole.Highlight), 1))
    reach = _OVERHANG / canvas.view.zoom
    for guide in guides:
        start, end = guide.start - reach, guide.end + reach
        ends = [(guide.at, start), (guide.at, end)]
        if guide.axis == 1:
            ends = [(y, x) for x, y in ends]
        painter.drawLine(QLineF(*(canvas.to_screen(QPointF(*place)) for place in ends)))


def _lines(boxes: np.ndarray, axis: int) -> np.ndarray:
    """Low edge, middle and high edge of boxes along an axis, (n, 3)."""
    low, high = boxes[:, axis], boxes[:, axis + 2]
    return np.stack([low, (low + high) / 2, high], axis=1)


def _to_grid(value: float) -> float:
    return round(value / GRID) * GRID - value
