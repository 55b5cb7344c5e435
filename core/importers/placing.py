"""Places for the nodes of an imported graph, and frames around those that belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from msgspec import structs

from core import topology
from core.graph import Graph

#: Sizes of nodes for the layout: the canvas arranges anew if it wants.
_WIDTH, _HEIGHT, _PORT = 162.0, 100.0, 19.0
_MARGIN, _TITLE = 24.0, 30.0
#: Above so many nodes a layout takes longer than anybody waits.
_MOST_LAID_OUT = 1500
_COLORS = ("blue", "teal", "violet", "olive")

Sizes = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes that belong together in the source: those of a call, a module, a scope.

    Attributes:
        title: what the source calls it.
        members: ids of the nodes, those of groups within included.
        depth: how many groups it stands in.
    """

    title: str
    members: tuple[str, ...]
    depth: int = 0


def placed(graph: Graph, groups: Iterable[Group]) -> Graph:
    """The graph with every node in a place, and a frame around every group that can have one.

    A frame would hold whatever stands in it: a group with other nodes between its own gets none,
    nor does a group of one node, or of all.
    """
    sizes = {
        node.id: (_WIDTH, _HEIGHT + _PORT * max(len(graph.wires_into(node.id)), 1))
        for node in graph.nodes.values()
    }
    if not sizes:
        return graph
    if len(sizes) > _MOST_LAID_OUT:
        places = {n: (k % 40 * 280.0, k // 40 * 220.0) for k, n in enumerate(sizes)}
    else:
        edges = [(wire.source, wire.target) for wire in graph.wires.values()]
        places = topology.layout(sizes, edges)
    nodes = {n: structs.replace(node, pos=places[n]) for n, node in graph.nodes.items()}
    moved = Graph.of(nodes, graph.wires, {}, graph.runs, graph.next_id)
    return _framed(moved, groups, sizes)


def _framed(graph: Graph, groups: Iterable[Group], sizes: Sizes) -> Graph:
    corners = np.array([graph.nodes[n].pos for n in graph.nodes])
    numbers = {n: k for k, n in enumerate(graph.nodes)}
    ends = corners + np.array([sizes[n] for n in graph.nodes])
    for group in groups:
        if len(group.members) < 2 or len(group.members) == len(graph.nodes):
            continue
        own = [numbers[n] for n in group.members]
        low = corners[own].min(axis=0) - (_MARGIN, _MARGIN + _TITLE)
        high = ends[own].max(axis=0) + _MARGIN
        held = np.all((corners >= low) & (corners <= high), axis=1)
        if held.sum() > len(own):
            continue
        left, top, width, height = map(float, (*low, *(high - low)))
        rect = (left, top, width, height)
        graph, _ = graph.with_frame(group.title, rect, color=_COLORS[group.depth % len(_COLORS)])
    return graph
