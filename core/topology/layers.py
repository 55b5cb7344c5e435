"""The layout without graphlay: a column per longest path, rows near what they are wired to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from core.topology.measures import (
    COLUMN_GAP,
    FRAME_ROOM,
    FRAME_TITLE,
    ROW_GAP,
    Edges,
    Groups,
    Point,
    Positions,
    Sizes,
)
from core.topology.nesting import chain, outer_first

if TYPE_CHECKING:
    from networkx import DiGraph

#: Passes that find an order of the rows and places for them.
SWEEPS = 12
#: The group that everything is in which is in no other.
_ALL = ""


def place_in_layers(sizes: Sizes, edges: Edges, groups: Groups) -> Positions:
    """Where the centre of every node goes: each group by itself, then as one box among the others.

    Args:
        sizes: of every node.
        groups: the group that a node, or a group, is directly in.
    """
    import networkx as nx

    members: dict[str, list[str]] = {}
    for item in [*sizes, *outer_first(groups)]:
        members.setdefault(groups.get(item, _ALL), []).append(item)
    rank = {node: i for i, node in enumerate(nx.topological_sort(nx.DiGraph(list(edges))))}
    lifted = _lifted(edges, groups, rank)

    def place(group: str) -> tuple[Positions, Point]:
        """Centres of the nodes in a group from the middle of its box, and the size of the box."""
        parts = {item: place(item) for item in members[group] if item in members}
        boxes = {item: parts[item][1] if item in parts else sizes[item] for item in members[group]}
        centres = _place(boxes, lifted.get(group, ()))
        left, top, right, bottom = _bounds(boxes, centres)
        x0, y0 = (left + right) / 2, (top + bottom) / 2 - FRAME_TITLE / 2
        found: Positions = {}
        for item, (x, y) in centres.items():
            inner = parts[item][0] if item in parts else {item: (0.0, 0.0)}
            found |= {node: (x - x0 + dx, y - y0 + dy) for node, (dx, dy) in inner.items()}
        size = (right - left + 2 * FRAME_ROOM, bottom - top + 2 * FRAME_ROOM + FRAME_TITLE)
        return found, size

    found, _ = place(_ALL)
    return {node: found[node] for node in sizes}


def _lifted(edges: Edges, groups: Groups, rank: Mapping[str, int]) -> dict[str, Edges]:
    """The edges between what is directly in a group, by the group.

    Two groups may feed each other, which nodes cannot: what would close a loop is left out.
    """
    lifted: dict[str, list[tuple[str, str]]] = {}
    first: dict[str, int] = dict(rank)
    for node in rank:
        for group in chain(node, groups)[1:]:
            first[group] = min(first.get(group, rank[node]), rank[node])
    for source, target in edges:
        starts, ends = [*chain(source, groups), _ALL], [*chain(target, groups), _ALL]
        while len(starts) > 1 and len(ends) > 1 and starts[-2] == ends[-2]:
            starts.pop()
            ends.pop()
        group, a, b = starts[-1], starts[-2], ends[-2]
        if (first[a], a) < (first[b], b):
            lifted.setdefault(group, []).append((a, b))
    return dict(lifted)


def _bounds(sizes: Sizes, centres: Positions) -> tuple[float, float, float, float]:
    return (
        min(x - sizes[item][0] / 2 for item, (x, _) in centres.items()),
        min(y - sizes[item][1] / 2 for item, (_, y) in centres.items()),
        max(x + sizes[item][0] / 2 for item, (x, _) in centres.items()),
        max(y + sizes[item][1] / 2 for item, (_, y) in centres.items()),
    )


def _place(sizes: Sizes, edges: Edges) -> Positions:
    """The centre of every item of one group."""
    import networkx as nx

    graph: DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(sizes)
    graph.add_edges_from(edges)
    columns = _columns(graph, list(nx.topological_generations(graph)))
    main = frozenset(nx.dag_longest_path(graph))
    y = _rows(graph, columns, sizes, main)
    centres: Positions = {}
    left = 0.0
    for column in columns:
        width = max(sizes[node][0] for node in column)
        centres |= {node: (left + width / 2, y[node]) for node in column}
        left += width + COLUMN_GAP
    return {node: centres[node] for node in sizes}


def _columns(graph: DiGraph[str], layers: list[list[str]]) -> list[list[str]]:
    """The layers, with every input moved right, next to the first node that reads it."""
    column = {node: i for i, layer in enumerate(layers) for node in layer}
    for node in layers[0]:
        column[node] = min((column[s] - 1 for s in graph.successors(node)), default=0)
    columns: list[list[str]] = [[] for _ in layers]
    for node, i in column.items():
        columns[i].append(node)
    return columns


def _rows(
    graph: DiGraph[str], columns: list[list[str]], sizes: Sizes, main: frozenset[str]
) -> dict[str, float]:
    """A y for every node: sweeps back and forth, each pulling a column towards its neighbours."""
    y = {node: float(i) for column in columns for i, node in enumerate(column)}

    def pull(node: str) -> float:
        """Where a node wants to be: the main path on one line, the others near their neighbours."""
        near = [*graph.predecessors(node), *graph.successors(node)]
        if node in main or not near:
            return 0.0
        return sum(y[other] for other in near) / len(near)

    for sweep in range(SWEEPS):
        for column in columns if sweep % 2 else reversed(columns):
            wanted = {node: pull(node) for node in column}
            if sweep < SWEEPS // 2:  # first the order, then the places
                column.sort(key=lambda node: (wanted[node], node not in main))
            y.update(_spread(column, wanted, sizes, main))
    return y


def _spread(
    column: Sequence[str], wanted: Mapping[str, float], sizes: Sizes, main: frozenset[str]
) -> dict[str, float]:
    """The places nearest to the wanted ones that keep the column's order and the row gap.

    Nodes that want to overlap are merged into a block that stands where its nodes want it on
    average (pool adjacent violators); the main path hardly gives way.
    """
    offsets = [0.0]
    for above, below in pairwise(column):
        offsets.append(offsets[-1] + (sizes[above][1] + sizes[below][1]) / 2 + ROW_GAP)
    blocks: list[tuple[float, float, int]] = []  # (where its first offset goes, weight, nodes)
    for node, offset in zip(column, offsets, strict=True):
        at, weight, count = wanted[node] - offset, 1e6 if node in main else 1.0, 1
        while blocks and blocks[-1][0] > at:
            other, heavy, number = blocks.pop()
            at = (at * weight + other * heavy) / (weight + heavy)
            weight, count = weight + heavy, count + number
        blocks.append((at, weight, count))
    starts = [at for at, _, count in blocks for _ in range(count)]
    return {n: at + off for n, at, off in zip(column, starts, offsets, strict=True)}
