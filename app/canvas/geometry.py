"""Where everything is: a graph as arrays, a function of the graph and of nothing else.

Rows of the node arrays follow ``graph.nodes``, rows of the wire arrays ``graph.wires``. A wire with
reroute points is several curves one after another, so curves are counted apart from wires.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.canvas import curves
from app.canvas.curves import Floats, Ints
from app.canvas.metrics import (
    HEADER_HEIGHT,
    NODE_MARGIN,
    NODE_WIDTH,
    WIRE_MARGIN,
    base_height,
    port_y,
)
from app.canvas.rows import among, rows_before, touched_nodes
from core.graph import Graph, GraphDiff, Node, input_ports, output_ports

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class NodePorts:
    """Port names of a node from top to bottom, and whether it is folded to its header."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    collapsed: bool

    @property
    def rows(self) -> int:
        """How many port rows the node shows."""
        return max(1, len(self.inputs), len(self.outputs))

    @property
    def height(self) -> float:
        """Of the node without its optional rows."""
        return HEADER_HEIGHT if self.collapsed else base_height(self.rows, len(self.outputs))

    def input_offset(self, port: str) -> Point:
        """Centre of an input port, from the node's top left."""
        return (0.0, self._height_of(self.inputs, port))

    def output_offset(self, output: str) -> Point:
        """Centre of an output port, from the node's top left."""
        return (NODE_WIDTH, self._height_of(self.outputs, output))

    def _height_of(self, names: tuple[str, ...], name: str) -> float:
        if self.collapsed:
            return HEADER_HEIGHT / 2
        return port_y(names.index(name) if name in names else 0)


class Geometry:
    """A graph as arrays of N nodes, E wires and S curves (S = E without reroute points).

    Attributes:
        nodes, wires: ids by row; ``row`` and ``wire_row`` lead back.
        ports: of each node, by row.
        pos: top left corners, (N, 2).
        base_heights: without optional rows, (N,).
        heights: as shown, (N,); ``set_heights`` changes them, everything else hangs at the top.
        source, target: rows of the nodes a wire connects, (E,).
        control: of the curves, (4, 2, S).
        first_curve: where a wire's curves begin, (E + 1,).
        boxes: around the curves: x0, y0, x1, y1, (S, 4).
        version: counts up when something is moved in place.
    """

    def __init__(
        self, graph: Graph, before: Geometry | None = None, touched: Container[str] = ()
    ) -> None:
        """A graph as arrays, or the next version of one.

        Args:
            before: whose nodes and ports are taken over as far as they are not ``touched``.
            touched: ids of nodes whose ports may differ.
        """
        self.graph = graph
        self.version = 0
        nodes = list(graph.nodes.values())
        self.nodes: list[str] = list(graph.nodes)
        self.row = {node: i for i, node in enumerate(self.nodes)}
        known = {} if before is None else dict(zip(before.nodes, before.ports, strict=True))
        self.ports: list[NodePorts] = [
            known[node.id] if node.id in known and node.id not in touched else _ports(node, graph)
            for node in nodes
        ]
        self.pos = np.array([node.pos for node in nodes], dtype=float).reshape(-1, 2)
        self.base_heights = np.array([ports.height for ports in self.ports], dtype=float)
        self.heights = self.base_heights

        wires = list(graph.wires.values())
        self.wires: list[str] = list(graph.wires)
        self.wire_row = {wire: i for i, wire in enumerate(self.wires)}
        row = self.row
        self.source = np.array([row[wire.source] for wire in wires], dtype=np.intp)
        self.target = np.array([row[wire.target] for wire in wires], dtype=np.intp)
        kept, was = _kept_wires(self.wires, before, touched)
        fresh = np.delete(np.arange(len(wires)), kept)
        self._leaves, self._enters = np.empty((2, len(wires), 2))
        if before is not None:
            self._leaves[kept], self._enters[kept] = before._leaves[was], before._enters[was]
        self._leaves[fresh] = _offsets(
            self.ports[self.source[i]].output_offset(wires[i].output) for i in fresh.tolist()
        )
        self._enters[fresh] = _offsets(
            self.ports[self.target[i]].input_offset(wires[i].port) for i in fresh.tolist()
        )
        self._points = [wire.points for wire in wires]
        counts = np.array([1 + len(points) for points in self._points], dtype=np.intp)
        self.first_curve = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        self.curve_wire = np.repeat(np.arange(len(wires)), counts)
        self.control = np.empty((4, 2, int(counts.sum())))
        self.boxes = np.empty((int(counts.sum()), 4))
        self._lay_wires(np.arange(len(wires)))

    def after(self, diff: GraphDiff) -> Geometry:
        """The geometry of the edited graph; what the edit does not touch is not asked again."""
        return Geometry(diff.after, self, touched_nodes(diff))

    def follow(self, diff: GraphDiff) -> bool:
        """Take over an edit of values, names or places; False if it may change more than those.

        So that setting a value in a graph of ten thousand nodes costs next to nothing.
        """
        more = (
            diff.nodes_added or diff.nodes_removed
            or diff.wires_added or diff.wires_removed or diff.wires_rerouted
            or diff.no_grad_changed or diff.frames_changed or diff.runs_changed
        )  # fmt: skip
        if more or any(
            _ports(diff.after.nodes[node], diff.after) != self.ports[self.row[node]]
            for node in diff.nodes_changed | diff.nodes_moved
        ):
            return False
        self.graph = diff.after
        if diff.nodes_moved:
            self.move({node: diff.after.nodes[node].pos for node in diff.nodes_moved})
        return True

    # -- changing in place --------------------------------------------------------------------

    def move(self, positions: Mapping[str, Point]) -> Ints:
        """Put nodes elsewhere, as while they are dragged; rows of the wires that follow."""
        rows = [self.row[node] for node in positions]
        self.pos[rows] = list(positions.values())
        wires = self.wires_at(rows)
        self._lay_wires(wires)
        self.version += 1
        return wires

    def set_heights(self, heights: Floats) -> None:
        """Give nodes the height of what they show, (N,)."""
        self.heights = heights

    # -- asking -------------------------------------------------------------------------------

    @cached_property
    def entry(self) -> dict[tuple[str, str], int]:
        """Target id and input port -> row of the wire there."""
        return {(wire.target, wire.port): i for i, wire in enumerate(self.graph.wires.values())}

    @cached_property
    def adjacency(self) -> tuple[Ints, Ints]:
        """Wires by node: those of row i are ``wires[first[i]:first[i + 1]]``."""
        ends = np.concatenate([self.source, self.target])
        order = np.argsort(ends, kind="stable")
        first = np.searchsorted(ends[order], np.arange(len(self.nodes) + 1))
        return first, order % max(1, len(self.wires))

    def wires_at(self, rows: Sequence[int]) -> Ints:
        """Rows of the wires that start or end at nodes, each once."""
        first, wires = self.adjacency
        found = [wires[first[row] : first[row + 1]] for row in rows]
        return np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.intp)

    def curves_of(self, wires: Ints) -> Ints:
        """Rows of the curves that wires are made of."""
        if len(self.wires) == self.control.shape[2]:
            return wires
        return np.flatnonzero(np.isin(self.curve_wire, wires))

    def node_boxes(self, rows: Ints | slice = slice(None)) -> Floats:
        """x0, y0, x1, y1 of nodes, (n, 4)."""
        pos, heights = self.pos[rows], self.heights[rows]
        return np.column_stack([pos, pos[:, 0] + NODE_WIDTH, pos[:, 1] + heights])

    def bounds(self, rows: Ints | slice = slice(None)) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of nodes together; a small empty box when there are none."""
        boxes = self.node_boxes(rows)
        if not len(boxes):
            return (0.0, 0.0, 1.0, 1.0)
        low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
        return (float(low[0]), float(low[1]), float(high[0]), float(high[1]))

    def painted_boxes(self, nodes: Ints, wires: Ints) -> Floats:
        """Boxes, (n, 4), that hold all that is painted of nodes and wires, shadows and all."""
        around_nodes = self.node_boxes(nodes) + around(NODE_MARGIN)
        parts = curves.part_boxes(self.control[:, :, self.curves_of(wires)])
        return np.vstack([around_nodes, parts + around(WIRE_MARGIN)])

    def input_pos(self, node: str, port: str) -> Point:
        """Centre of an input port."""
        return self._port_pos(node, self.ports[self.row[node]].input_offset(port))

    def output_pos(self, node: str, output: str) -> Point:
        """Centre of an output port."""
        return self._port_pos(node, self.ports[self.row[node]].output_offset(output))

    def along(self, wires: Ints, t: Floats) -> tuple[Floats, Floats]:
        """Points of wires: ``t`` runs from 0 at the output to 1 at the input."""
        curve, part = self.curve_at(wires, t)
        return curves.evaluate(self.control[:, :, curve], part)

    def curve_at(self, wires: Ints, t: Floats) -> tuple[Ints, Floats]:
        """Which curve of a wire ``t`` lies on, and where on that curve."""
        first, count = self.first_curve[wires], np.diff(self.first_curve)[wires]
        step = np.minimum((t * count).astype(np.intp), count - 1)
        return first + step, t * count - step

    # -- making -------------------------------------------------------------------------------

    def _port_pos(self, node: str, offset: Point) -> Point:
        x, y = self.pos[self.row[node]]
        return (float(x) + offset[0], float(y) + offset[1])

    def _lay_wires(self, wires: Ints) -> None:
        starts = self.pos[self.source[wires]] + self._leaves[wires]
        ends = self.pos[self.target[wires]] + self._enters[wires]
        rows = self.curves_of(wires)
        if len(rows) != len(wires):
            starts, ends = self._through_points(wires, starts, ends)
        control = curves.control_points(starts, ends)
        self.control[:, :, rows] = control
        self.boxes[rows] = curves.bounds(control)

    def _through_points(self, wires: Ints, starts: Floats, ends: Floats) -> tuple[Floats, Floats]:
        """Starts and ends of the curves of wires, from one reroute point to the next."""
        stops = []
        for wire, start, end in zip(wires.tolist(), starts, ends, strict=True):
            points = self._points[wire]
            between = np.array(points) + self._shift(wire) if points else np.empty((0, 2))
            stops.append(np.vstack([start, between, end]))
        return np.vstack([stop[:-1] for stop in stops]), np.vstack([stop[1:] for stop in stops])

    def _shift(self, wire: int) -> Floats:
        """How far both ends of a wire were dragged together: its points go with them."""
        source, target = (
            self.pos[row] - self.graph.nodes[self.nodes[row]].pos
            for row in (self.source[wire], self.target[wire])
        )
        return np.asarray(source if np.allclose(source, target) else np.zeros(2))


def _ports(node: Node, graph: Graph) -> NodePorts:
    return NodePorts(input_ports(node, graph), output_ports(node, graph), node.collapsed)


def _kept_wires(
    wires: Iterable[str], before: Geometry | None, touched: Container[str]
) -> tuple[Ints, Ints]:
    """Rows of wires between ports that are where they were, and the rows those wires had."""
    if before is None:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    was = rows_before(wires, before.wire_row)
    is_touched = among(before.nodes, touched)
    stays = ~(is_touched[before.source] | is_touched[before.target])
    kept = np.flatnonzero((was >= 0) & np.append(stays, False)[was])
    return kept, was[kept]


def _offsets(offsets: Iterable[Point]) -> Floats:
    return np.array(list(offsets), dtype=float).reshape(-1, 2)


def around(margin: float) -> Floats:
    """What to add to boxes (n, 4) so that they are larger by a margin on all sides."""
    return np.array([-margin, -margin, margin, margin])
