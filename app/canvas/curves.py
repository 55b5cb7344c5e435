"""Cubic Béziers, many at once.

Curves are arrays of control points (4, 2, n): point, axis, curve. Lines are arrays (m, 4) of
x1, y1, x2, y2, which is the layout of a ``QLineF[]``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.intp]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]

_LEAST_BEND = 46.0
_MOST_BEND = 150.0


def control_points(starts: Floats, ends: Floats) -> Floats:
    """Curves that leave to the right of ``starts`` and enter ``ends`` from the left.

    Args:
        starts, ends: points, shape (n, 2).

    Returns:
        Control points, shape (4, 2, n).
    """
    across, down = np.abs(ends - starts).T
    bend = np.clip(0.5 * across + 0.15 * down, _LEAST_BEND, _MOST_BEND)
    control = np.empty((4, 2, len(starts)))
    control[0] = control[1] = starts.T
    control[2] = control[3] = ends.T
    control[1, 0] += bend
    control[2, 0] -= bend
    return control


def evaluate(control: Floats, t: Floats) -> tuple[Floats, Floats]:
    """The x and y of curve i at ``t[i]``; ``t`` broadcasts against the curves."""
    u = 1.0 - t
    weights = (u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t)
    x = sum(w * p for w, p in zip(weights, control[:, 0], strict=True))
    y = sum(w * p for w, p in zip(weights, control[:, 1], strict=True))
    return np.asarray(x), np.asarray(y)


def polylines(control: Floats, pieces: int) -> Floats:
    """Points along the curves, shape (pieces + 1, 2, n)."""
    return np.tensordot(_bernstein(pieces), control, (1, 0))


def flatten(control: Floats, pieces: int) -> Floats:
    """The curves as ``pieces`` lines each, curve after curve; shape (n * pieces, 4)."""
    points = polylines(control, pieces)
    lines = np.empty((control.shape[2], pieces, 4))
    lines[:, :, 0:2] = points[:-1].transpose(2, 0, 1)
    lines[:, :, 2:4] = points[1:].transpose(2, 0, 1)
    return lines.reshape(-1, 4)


def dashes(control: Floats, period: float, share: float = 0.5) -> Floats:
    """The curves as dashes of even length; shape (m, 4).

    Args:
        period: length of a dash and its gap, in the units of the curves.
        share: part of the period that is drawn.
    """
    if control.shape[2] == 0:
        return np.empty((0, 4))
    steps = 32
    points = polylines(control, steps)
    length = np.zeros((steps + 1, control.shape[2]))
    np.cumsum(np.hypot(*np.moveaxis(np.diff(points, axis=0), 1, 0)), axis=0, out=length[1:])
    counts = np.maximum(1, np.rint(length[-1] / period)).astype(np.intp)
    curve = np.repeat(np.arange(len(counts)), counts)
    index = np.arange(len(curve)) - np.repeat(np.cumsum(counts) - counts, counts)
    stride = (length[-1] / counts)[curve]
    ends = [_at_length(points, length, curve, (index + part) * stride) for part in (0.0, share)]
    return np.ascontiguousarray(np.concatenate(ends, axis=1))


def _at_length(points: Floats, length: Floats, curve: Ints, distance: Floats) -> Floats:
    """Points at a distance along polylines; shape (m, 2)."""
    along = length[:, curve]
    step = np.clip((along <= distance).sum(axis=0) - 1, 0, len(length) - 2)
    pick = np.arange(len(curve))
    before, after = along[step, pick], along[step + 1, pick]
    part = (distance - before) / np.maximum(after - before, 1e-9)
    first, last = points[step, :, curve], points[step + 1, :, curve]
    return np.asarray(first + (last - first) * part[:, None])


def tails(control: Floats, since: Floats, pieces: int) -> tuple[Floats, Ints]:
    """The part of each curve from ``since`` (0 to 1, (n,)) to its end, as lines.

    They are those of ``flatten`` but for the first of each curve, which begins at ``since``: a
    curve keeps its looks while more and more of it is drawn.

    Returns:
        Lines, curve after curve, (m, 4), and the curve each is of, (m,).
    """
    lines = flatten(control, pieces).reshape(-1, pieces, 4)
    curve = np.arange(len(lines))
    first = np.minimum((since * pieces).astype(np.intp), pieces - 1)
    lines[curve, first, :2] = np.column_stack(evaluate(control, since))
    kept = np.arange(pieces) >= first[:, None]
    return lines[kept], np.nonzero(kept)[0]


def bounds(control: Floats) -> Floats:
    """Boxes that hold the curves: x0, y0, x1, y1; shape (n, 4)."""
    low, high = control.min(axis=0), control.max(axis=0)
    return np.stack([low[0], low[1], high[0], high[1]], axis=1)


def part_boxes(control: Floats, parts: int = 4) -> Floats:
    """Boxes around parts of curves: x0, y0, x1, y1, (n * parts, 4).

    Together they cover much less than the box of a long curve. Between the three points that a box
    is taken of, a curve may swerve by a few units.
    """
    points = polylines(control, 2 * parts).transpose(2, 0, 1)
    triples = np.stack([points[:, :-2:2], points[:, 1:-1:2], points[:, 2::2]])
    return np.concatenate([triples.min(axis=0), triples.max(axis=0)], axis=2).reshape(-1, 4)


def distances(control: Floats, x: float, y: float, pieces: int = 16) -> Floats:
    """Distance of a point from each curve; shape (n,)."""
    points = polylines(control, pieces)
    first, step = points[:-1], np.diff(points, axis=0)
    to_x, to_y = x - first[:, 0], y - first[:, 1]
    squared = np.maximum(step[:, 0] ** 2 + step[:, 1] ** 2, 1e-12)
    part = np.clip((to_x * step[:, 0] + to_y * step[:, 1]) / squared, 0.0, 1.0)
    gaps = np.hypot(to_x - part * step[:, 0], to_y - part * step[:, 1])
    return np.asarray(gaps.min(axis=0, initial=np.inf))


@cache
def _bernstein(pieces: int) -> Floats:
    t = np.linspace(0.0, 1.0, pieces + 1)
    u = 1.0 - t
    return np.stack([u**3, 3 * t * u**2, 3 * t**2 * u, t**3], axis=1)
