"""An instance of a function becomes the nodes it stands for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.errors import EditRefusedError
from core.graph.actions import Output, with_roots
from core.graph.fragment import Fragment, cut, paste
from core.graph.function import Function
from core.graph.model import Graph
from core.graph.nodes import ARGUMENT, CALL, RESULT, Array, Node, Point

#: Scene units by which the nodes are moved on at first, until they are clear of no_grad frames.
_STEP = 400.0
#: What keeps the corner of a node within a frame drawn around it.
_ROOM = 28.0


def flatten(graph: Graph, call_id: str) -> tuple[Graph, tuple[str, ...]]:
    """The graph with the nodes of a function in place of its instance, and their ids.

    Values and gradients are the same; so are runs, which then name the nodes themselves.

    Raises:
        EditRefusedError: if the node is no function.
    """
    call = graph.node(call_id)
    if call.op != CALL:
        raise EditRefusedError(
            f"'{call.name}' is no function.", next_step="Select a function node.", node=call_id
        )
    function: Function = call.params["function"]
    body = function.body
    inner = [i for i, node in body.nodes.items() if node.op not in (ARGUMENT, RESULT)]
    piece = cut(replace(body, functions=graph.functions), inner, body.frames).graph
    if call_id in graph.no_grad_nodes and inner:
        piece, _ = piece.with_frame(call.name, _around(piece), no_grad=True)
    offset = _offset(graph, call, piece)
    after, new_ids = paste(graph, Fragment(piece), offset)
    ids = dict(zip(inner, new_ids, strict=True))
    origins = _Origins(graph, call, function, ids)
    for wire in body.wires.values():
        if wire.target in ids and wire.source not in ids:
            ends = ids[wire.target], wire.port
            after = _fed(after, origins.of(wire.source, wire.output), *ends, wire.points, offset)
    results = {node.name: node.id for node in function.results}
    for wire in graph.wires_from(call_id):
        origin = origins.of(results[wire.output], "y")
        after = _fed(after, origin, wire.target, wire.port, wire.points)
    ends_of = {(call_id, port): origins.of(i, "y") for port, i in results.items()}
    moved = {port: end for port, end in ends_of.items() if isinstance(end, tuple)}
    after = replace(after, runs=tuple(with_roots(run, moved) for run in after.runs))
    return after.without([call_id]), new_ids


def flattened(graph: Graph) -> Graph:
    """The graph without any function, for what knows nodes and wires only, as a program does."""
    while calls := [i for i, node in graph.nodes.items() if node.op == CALL]:
        for call_id in calls:
            graph, _ = flatten(graph, call_id)
    return graph


class _Origins:
    """Where the values in a body come from, once it stands in the graph itself."""

    def __init__(self, graph: Graph, call: Node, function: Function, ids: dict[str, str]) -> None:
        self._graph = graph
        self._call = call
        self._body = function.body
        self._ids = ids

    def of(self, node_id: str, output: str) -> Output | Array | None:
        """An output in the graph, a value typed at the instance, or None where nothing comes in."""
        node = self._body.nodes[node_id]
        while node.op == RESULT:
            wire = self._body.wires_into(node.id).get("x")
            if wire is None:
                return node.inline.get("x")
            node, output = self._body.nodes[wire.source], wire.output
        if node.op == ARGUMENT:
            outer = self._graph.wires_into(self._call.id).get(node.name)
            return (outer.source, outer.output) if outer else self._call.inline.get(node.name)
        return self._ids[node.id], output


def _fed(
    graph: Graph,
    origin: Output | Array | None,
    target: str,
    port: str,
    points: tuple[Point, ...] = (),
    offset: Point = (0.0, 0.0),
) -> Graph:
    """The graph with a value led to a port, or typed there."""
    if isinstance(origin, tuple):
        through = [(x + offset[0], y + offset[1]) for x, y in points]
        return graph.with_wire(*origin, target, port, through)[0]
    if isinstance(origin, np.ndarray):
        return graph.with_inline(target, port, origin)
    return graph


def _offset(graph: Graph, call: Node, piece: Graph) -> Point:
    """How far to move the body: its middle onto the instance, but clear of no_grad frames."""
    places = [node.pos for node in piece.nodes.values()] or [call.pos]
    x = call.pos[0] - (min(x for x, _ in places) + max(x for x, _ in places)) / 2
    y = call.pos[1] - (min(y for _, y in places) + max(y for _, y in places)) / 2
    kept, step = graph.without([call.id]), _STEP
    while _changes_no_grad(kept, piece, (x, y)):
        y, step = y + step, step * 1.5
    return (x, y)


def _changes_no_grad(graph: Graph, piece: Graph, offset: Point) -> bool:
    """Whether a frame of one would hold a node of the other."""
    dx, dy = offset
    for frame in graph.frames.values():
        x, y, w, h = frame.rect
        back = replace(frame, rect=(x - dx, y - dy, w, h))
        if frame.no_grad and any(back.holds(node) for node in piece.nodes.values()):
            return True
    for frame in piece.frames.values():
        x, y, w, h = frame.rect
        moved = replace(frame, rect=(x + dx, y + dy, w, h))
        if frame.no_grad and any(moved.holds(node) for node in graph.nodes.values()):
            return True
    return False


def _around(graph: Graph) -> tuple[float, float, float, float]:
    places = [node.pos for node in graph.nodes.values()]
    left, top = min(x for x, _ in places) - _ROOM, min(y for _, y in places) - _ROOM
    right, bottom = max(x for x, _ in places) + _ROOM, max(y for _, y in places) + _ROOM
    return (left, top, right - left, bottom - top)
