"""Aligning and distributing: nodes on one line, or with equal gaps between them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from app.edits import Edit, Point, verb_phrase
from core.graph import Graph

#: How to align: the axis (0: x, 1: y) and the share of a node's size that its line lies at.
#: A column has the nodes' middles one above the other, a row has them side by side.
LINES: Mapping[str, tuple[int, float]] = {
    "left": (0, 0.0),
    "column": (0, 0.5),
    "right": (0, 1.0),
    "top": (1, 0.0),
    "row": (1, 0.5),
    "bottom": (1, 1.0),
}
_VERBS = {
    "left": "Align the left edges of",
    "column": "Align in a column",
    "right": "Align the right edges of",
    "top": "Align the top edges of",
    "row": "Align in a row",
    "bottom": "Align the bottom edges of",
}


def align(
    graph: Graph, nodes: Collection[str], sizes: Mapping[str, Point], line: str
) -> Edit | None:
    """Put the edges or middles of nodes on one line.

    Pinned nodes stay, and the others come to the first of them; else an edge goes to the
    outermost node's, and middles to the middle of all.

    Args:
        line: a key of ``LINES``.

    Returns:
        None for fewer than two nodes.
    """
    if len(nodes) < 2:
        return None
    axis, share = LINES[line]
    ways = {i: graph.nodes[i].pos[axis] + share * sizes[i][axis] for i in nodes}
    pinned = [ways[i] for i in nodes if graph.nodes[i].pinned]
    goal = pinned[0] if pinned else _GOALS[share](ways.values())
    places = {
        i: _at(graph.nodes[i].pos, axis, goal - share * sizes[i][axis])
        for i in nodes
        if not graph.nodes[i].pinned
    }
    return Edit(verb_phrase(_VERBS[line], graph, nodes), graph.moved(places))


def distribute(
    graph: Graph, nodes: Collection[str], sizes: Mapping[str, Point], axis: int
) -> Edit | None:
    """Leave equal gaps between nodes, from the first to the last along an axis.

    Args:
        axis: 0 for from left to right, 1 for from top to bottom.

    Returns:
        None for fewer than three nodes.
    """
    if len(nodes) < 3:
        return None
    ordered = sorted(nodes, key=lambda i: graph.nodes[i].pos[axis])
    start = graph.nodes[ordered[0]].pos[axis]
    last = ordered[-1]
    span = graph.nodes[last].pos[axis] + sizes[last][axis] - start
    gap = (span - sum(sizes[i][axis] for i in nodes)) / (len(nodes) - 1)
    places: dict[str, Point] = {}
    for i in ordered:
        places[i] = _at(graph.nodes[i].pos, axis, start)
        start += sizes[i][axis] + gap
    kept = {i: place for i, place in places.items() if not graph.nodes[i].pinned}
    return Edit(verb_phrase("Distribute", graph, nodes), graph.moved(kept))


def _at(pos: Point, axis: int, value: float) -> Point:
    return (value, pos[1]) if axis == 0 else (pos[0], value)


def _middle(ways: Collection[float]) -> float:
    return (min(ways) + max(ways)) / 2


_GOALS: Mapping[float, Callable[[Collection[float]], float]] = {0.0: min, 0.5: _middle, 1.0: max}
