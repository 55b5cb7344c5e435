"""Where to put nodes so that a graph reads from left to right: graphlay, or a plain fallback."""

from __future__ import annotations

from typing import Any

from core.topology.layers import place_in_layers
from core.topology.measures import (
    COLUMN_GAP,
    FRAME_ROOM,
    FRAME_TITLE,
    PORT_LINE,
    ROW_GAP,
    Edges,
    Groups,
    Positions,
    Sizes,
)
from core.topology.nesting import outer_first


def layout(sizes: Sizes, edges: Edges, groups: Groups | None = None) -> Positions:
    """Where to put nodes so that the graph reads from left to right.

    Args:
        sizes: width and height of every node, in scene units.
        edges: (source, target) pairs; repeats count as more weight.
        groups: the group that a node is directly in, and the one that a group is in. The box
            around a group, with room for a frame and its title, holds no other node.

    Returns:
        The top left corner of every node, in whole scene units; the least x and y are 0.
    """
    if not sizes:
        return {}
    place = _place_with_graphlay if _graphlay_is_there() else place_in_layers
    centres = place(_around_the_port_line(sizes), edges, groups or {})
    corners = {
        node: (x - sizes[node][0] / 2, y - min(PORT_LINE, sizes[node][1] / 2))
        for node, (x, y) in centres.items()
    }
    left = min(x for x, _ in corners.values())
    top = min(y for _, y in corners.values())
    return {
        node: (float(round(x - left)), float(round(y - top))) for node, (x, y) in corners.items()
    }


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


def _place_with_graphlay(sizes: Sizes, edges: Edges, groups: Groups) -> Positions:
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
    centres = graphlay.layout(drawing, options=options).positions()
    return {node: centres[node] for node in sizes}


def _within(item: str, groups: Groups, boxes: dict[str, int]) -> dict[str, Any]:
    """graphlay's word for being in a group, which must have been added before."""
    return {"parent": boxes[groups[item]]} if item in groups else {}
