"""What one gesture does to the points that a wire is led through, as plain functions."""

from __future__ import annotations

from itertools import pairwise
from math import dist

from app.edits import Edit, Point
from core.graph import Graph


def reroute(graph: Graph, wire: str, point: Point) -> Edit:
    """Lead a wire through one more point, where that makes the shortest detour."""
    old = graph.wires[wire]
    stops = [graph.nodes[old.source].pos, *old.points, graph.nodes[old.target].pos]
    detours = [dist(a, point) + dist(point, b) - dist(a, b) for a, b in pairwise(stops)]
    place = detours.index(min(detours))
    points = [*old.points[:place], point, *old.points[place:]]
    return Edit("Reroute a wire", graph.with_points(wire, points))


def without_point(graph: Graph, wire: str, index: int) -> Edit:
    """Lead a wire past one of its points no longer."""
    points = graph.wires[wire].points
    after = graph.with_points(wire, points[:index] + points[index + 1 :])
    return Edit("Remove a reroute point", after)


def point_near(graph: Graph, wire: str, place: Point, reach: float) -> int | None:
    """Index of the reroute point of a wire that is within ``reach`` scene units of a place."""
    for i, (x, y) in enumerate(graph.wires[wire].points):
        if max(abs(x - place[0]), abs(y - place[1])) <= reach:
            return i
    return None
