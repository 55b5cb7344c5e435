"""Wires that would run behind nodes: the points that lead them past."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.topology.measures import COLUMN_GAP, PORT_LINE, Edges, Point, Positions, Sizes

#: The points of a wire, by its place among the edges.
Detours = dict[int, tuple[Point, ...]]

_Floats = np.ndarray[Any, np.dtype[np.float64]]


def detours(
    corners: Positions, sizes: Sizes, edges: Edges, tracks: Mapping[int, Sequence[Point]]
) -> Detours:
    """Points for the wires that go past a column and, drawn straight, would be hidden by a node.

    Args:
        corners: the top left corner of every node.
        tracks: by the place of an edge, the corners of a way that keeps clear of nodes. The wire
            follows its longest level part.
    """
    nodes = sorted(corners, key=lambda node: corners[node][0])
    boxes = np.array([[*corners[i], *np.add(corners[i], sizes[i])] for i in nodes]).reshape(-1, 4)
    found: Detours = {}
    for k, track in tracks.items():
        source, target = edges[k]
        start = (corners[source][0] + sizes[source][0], _port_line(source, corners, sizes))
        end = (corners[target][0], _port_line(target, corners, sizes))
        between = _between(boxes, start[0], end[0])
        if not len(between) or not _is_hidden(between, start, end):
            continue
        y = _longest_level(track)
        if not _is_hidden(between, (start[0], y), (end[0], y)):
            found[k] = ((start[0] + COLUMN_GAP, y), (end[0] - COLUMN_GAP, y))
    return found


def _port_line(node: str, corners: Positions, sizes: Sizes) -> float:
    return corners[node][1] + min(PORT_LINE, sizes[node][1] / 2)


def _between(boxes: _Floats, left: float, right: float) -> _Floats:
    """The boxes, sorted by their left edges, that lie wholly between two places."""
    first, last = np.searchsorted(boxes[:, 0], [left, right])
    inside = boxes[first:last]
    return np.asarray(inside[inside[:, 2] < right])


def _is_hidden(boxes: _Floats, start: Point, end: Point) -> bool:
    """Whether a wire, which swings from one height to the other, runs behind a box."""
    part = (boxes[:, [0, 2]] - start[0]) / (end[0] - start[0])
    y = start[1] + (end[1] - start[1]) * part * part * (3.0 - 2.0 * part)
    return bool(((y.max(axis=1) > boxes[:, 1]) & (y.min(axis=1) < boxes[:, 3])).any())


def _longest_level(track: Sequence[Point]) -> float:
    """The height of the longest level part of a way."""
    ends = np.array(track)
    lengths = np.abs(np.diff(ends[:, 0])) * (np.diff(ends[:, 1]) == 0.0)
    return float(round(ends[int(lengths.argmax()), 1]))
