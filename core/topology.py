"""Order, loops, ancestors and layout, over plain adjacency.

Nothing here knows what a node is: nodes are strings, and a graph is its nodes and a function that
gives the neighbours of one (a neighbour may come more than once: x·x has two wires). Every walk
visits a node once and keeps its own stack, so a chain of x·x stays linear and a deep graph does
not recurse. This is the only module that knows networkx and graphlay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from networkx import DiGraph

Neighbours = Callable[[str], Iterable[str]]
Sizes = Mapping[str, tuple[float, float]]
Edges = Sequence[tuple[str, str]]
Positions = dict[str, tuple[float, float]]

#: Scene units between the right edge of a column and the left edge of the next.
COLUMN_GAP = 110.0
#: Least scene units between the bottom of a node and the top of the next in its column. Between
#: two nodes of usual height it comes to about 36, because they are centred on their port lines.
ROW_GAP = 14.0
#: Scene units from a node's top to its first row of ports, which the layout puts on a line so
#: that the wires of a main path run straight.
PORT_LINE = 46.5
#: Passes of the layout without graphlay.
SWEEPS = 12


class LoopError(ValueError):
    """There is no order: ``loop`` are the nodes of one loop, the first repeated at the end."""

    def __init__(self, loop: tuple[str, ...]) -> None:
        super().__init__(" → ".join(loop))
        self.loop = loop


def order(nodes: Iterable[str], successors: Neighbours) -> tuple[str, ...]:
    """The nodes, each after all that feed it; the same for the same input.

    Raises:
        LoopError: if the graph has a loop.
    """
    after = {node: tuple(successors(node)) for node in nodes}
    waiting = dict.fromkeys(after, 0)
    for following in after.values():
        for successor in following:
            waiting[successor] += 1
    ready = [node for node, count in waiting.items() if not count]
    for node in ready:  # grows while it is read
        for successor in after[node]:
            waiting[successor] -= 1
            if not waiting[successor]:
                ready.append(successor)
    if len(ready) < len(waiting):
        raise LoopError(_loop([node for node, count in waiting.items() if count], successors))
    return tuple(ready)


def _loop(left: Sequence[str], successors: Neighbours) -> tuple[str, ...]:
    """One loop among nodes that each have a predecessor in ``left``."""
    before = {successor: node for node in left for successor in successors(node)}
    seen: dict[str, None] = {}
    node = left[0]
    while node not in seen:
        seen[node] = None
        node = before[node]
    trail = list(seen)
    return (node, *reversed(trail[trail.index(node) :]))


def reachable(starts: Iterable[str], neighbours: Neighbours) -> set[str]:
    """``starts`` and everything that can be walked to from them."""
    seen = set(starts)
    pending = list(seen)
    while pending:
        for node in neighbours(pending.pop()):
            if node not in seen:
                seen.add(node)
                pending.append(node)
    return seen


def path(start: str, goal: str, successors: Neighbours) -> tuple[str, ...] | None:
    """A way from ``start`` to ``goal``, both included, or None: the loop check is one such walk."""
    came_from: dict[str, str | None] = {start: None}
    pending = [start]
    while pending:
        node = pending.pop()
        if node == goal:
            return _trail(came_from, goal)
        for successor in successors(node):
            if successor not in came_from:
                came_from[successor] = node
                pending.append(successor)
    return None


def _trail(came_from: Mapping[str, str | None], goal: str) -> tuple[str, ...]:
    trail: list[str] = []
    node: str | None = goal
    while node is not None:
        trail.append(node)
        node = came_from[node]
    return tuple(reversed(trail))


# -- layout --------------------------------------------------------------------------------------


def layout(sizes: Sizes, edges: Edges) -> Positions:
    """Where to put nodes so that the graph reads from left to right.

    Args:
        sizes: width and height of every node, in scene units.
        edges: (source, target) pairs; repeats count as more weight.

    Returns:
        The top left corner of every node, in whole scene units; the least x and y are 0.
    """
    if not sizes:
        return {}
    place = _place_with_graphlay if _graphlay_is_there() else place_in_layers
    centres = place(_around_the_port_line(sizes), edges)
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


def _place_with_graphlay(sizes: Sizes, edges: Edges) -> Positions:
    import graphlay

    drawing = graphlay.Graph()
    for node, (width, height) in sizes.items():
        drawing.node(node, width=width, height=height)
    for source, target in edges:
        drawing.edge(source, target)
    options = {
        "direction": "leftright",
        "effort": "fast",
        "spacing": {"layer_gap": COLUMN_GAP, "node_gap": ROW_GAP, "dummy_gap": ROW_GAP},
    }
    return dict(graphlay.layout(drawing, options=options).positions())


def place_in_layers(sizes: Sizes, edges: Edges) -> Positions:
    """The layout without graphlay: a column per longest path, rows near what they are wired to.

    Returns:
        The centre of every node.
    """
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
