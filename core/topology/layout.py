"""Where to put nodes so that a graph reads from left to right: graphlay, or a plain fallback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from core.topology.detours import Detours, detours
from core.topology.layers import place_in_layers
from core.topology.measures import (
    COLUMN_GAP,
    FRAME_ROOM,
    FRAME_TITLE,
    PORT_LINE,
    ROW_GAP,
    Edges,
    Groups,
    Point,
    Positions,
    Sizes,
)
from core.topology.nesting import outer_first

#: By the place of an edge, the corners of a way that keeps clear of nodes.
Tracks = Mapping[int, Sequence[Point]]


class Layout(NamedTuple):
    """Where everything goes, in whole scene units; the least x and y of the nodes are 0.

    Attributes:
        corners: the top left corner of every node.
        detours: points for the edges that would run behind a node, by their places.
    """

    corners: Positions
    detours: Detours


def layout(
    sizes: Sizes, edges: Edges, groups: Groups | None = None, *, quick: bool = False
) -> Layout:
    """Where to put nodes so that the graph reads from left to right.

    Args:
        sizes: width and height of every node, in scene units.
        edges: (source, target) pairs; repeats count as more weight.
        groups: the group that a node is directly in, and the one that a group is in. The box
            around a group, with room for a frame and its title, holds no other node.
        quick: whether columns that cross more, and no detours, are fine. Thousands of nodes then
            take a third of a second, and other threads run meanwhile.
    """
    if not sizes:
        return Layout({}, {})
    plain = quick or not _graphlay_is_there()
    place = _place_in_layers if plain else _place_with_graphlay
    centres, tracks = place(_around_the_port_line(sizes), edges, groups or {})
    corners = {
        node: (x - sizes[node][0] / 2, y - min(PORT_LINE, sizes[node][1] / 2))
        for node, (x, y) in centres.items()
    }
    left = min(x for x, _ in corners.values())
    top = min(y for _, y in corners.values())
    corners = {
        node: (float(round(x - left)), float(round(y - top))) for node, (x, y) in corners.items()
    }
    moved = {k: [(x - left, y - top) for x, y in track] for k, track in tracks.items()}
    return Layout(corners, detours(corners, sizes, edges, moved))


def _around_the_port_line(sizes: Sizes) -> dict[str, tuple[float, float]]:
    """Boxes whose centre is the first row of ports: layouts align centres, wires join ports."""
    return {
        node: (width, 2 * max(min(PORT_LINE, height / 2), height - PORT_LINE))
        for node, (width, height) in sizes.items()
    }


def _graphlay_is_there() -> bool:
    try:
        import graphlay  # noqa: F401
    except ImportError:
        return False
    return True


def _place_in_layers(sizes: Sizes, edges: Edges, groups: Groups) -> tuple[Positions, Tracks]:
    return place_in_layers(sizes, edges, groups), {}


def _place_with_graphlay(sizes: Sizes, edges: Edges, groups: Groups) -> tuple[Positions, Tracks]:
    import graphlay

    drawing = graphlay.Graph()
    boxes: dict[str, int] = {}
    for group in outer_first(groups):
        boxes[group] = drawing.node(("group", group), **_within(group, groups, boxes))
    for node, (width, height) in sizes.items():
        drawing.node(node, width=width, height=height, **_within(node, groups, boxes))
    for source, target in edges:
        drawing.edge(source, target)
    options = {
        "direction": "leftright",
        "effort": "fast",
        "spacing": {
            "layer_gap": COLUMN_GAP,
            "node_gap": ROW_GAP,
            "dummy_gap": ROW_GAP,
            "compound_padding": FRAME_ROOM,
            "compound_header": FRAME_TITLE,
        },
    }
    drawn = graphlay.layout(drawing, options=options)
    centres = drawn.positions()
    tracks = {
        k: [(point["x"], point["y"]) for point in edge["points"]]
        for k, edge in enumerate(drawn.edges)
        if len(edge["points"]) > 2
    }
    return {node: centres[node] for node in sizes}, tracks


def _within(item: str, groups: Groups, boxes: dict[str, int]) -> dict[str, Any]:
    """graphlay's word for being in a group, which must have been added before."""
    return {"parent": boxes[groups[item]]} if item in groups else {}
