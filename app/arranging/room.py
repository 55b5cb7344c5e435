"""Room for boxes among others that stay where they are. Boxes are rows left, top, right, bottom."""

from __future__ import annotations

from typing import Any

import numpy as np

Boxes = np.ndarray[Any, np.dtype[np.float64]]

#: Least room between a box that gave way and the one it gave way to, in scene units.
GAP = 36.0


def shifts_into_room(boxes: Boxes, obstacles: Boxes) -> Boxes:
    """How far down each box must go (negative: up) so that it lies on no obstacle.

    Boxes that are in nobody's way stay; each other one goes to the nearest free place above or
    below, in their order.

    Args:
        boxes: (n, 4), which do not lie on each other.
        obstacles: (m, 4).

    Returns:
        (n,), scene units.
    """
    down = np.zeros(len(boxes))
    blocked = np.array([_meets(box, obstacles).any() for box in boxes], dtype=bool)
    taken = np.concatenate([obstacles, boxes[~blocked]])
    for i in np.flatnonzero(blocked):
        down[i] = _way_out(boxes[i], taken)
        moved = boxes[i] + (0.0, down[i], 0.0, down[i])
        taken = np.concatenate([taken, moved[np.newaxis]])
    return down


def _meets(box: Boxes, others: Boxes) -> np.ndarray[Any, np.dtype[np.bool_]]:
    left, top, right, bottom = others.T
    beside = (left < box[2]) & (right > box[0])
    return np.asarray(beside & (top < box[3]) & (bottom > box[1]))


def _way_out(box: Boxes, taken: Boxes) -> float:
    """The least shift that takes a box off all that is taken."""
    beside = taken[(taken[:, 0] < box[2]) & (taken[:, 2] > box[0])]
    above = beside[:, 1] - GAP - box[3]  # shifts that put the box just above each of them
    below = beside[:, 3] + GAP - box[1]
    tries = np.concatenate([above, below])
    tries = tries[np.argsort(np.abs(tries), kind="stable")]
    free = (shift for shift in tries if not ((above < shift) & (shift < below)).any())
    return float(next(free))
