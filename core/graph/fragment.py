"""Cut a piece out of a graph and paste it: copy, duplicate, drag with Alt.

A fragment is a small graph of its own, and remembers what fed it from outside, so that a paste may
keep those wires where the nodes they came from are still there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from msgspec import structs

from core.graph import naming
from core.graph.adoption import adopt, bound
from core.graph.function import called, check_limits
from core.graph.model import Graph
from core.graph.nodes import ARGUMENT, RESULT, Point, Wire
from core.graph.places import checked_frame, checked_point


@dataclass(frozen=True, slots=True)
class OutsideWire:
    """A wire into the fragment, from a node that is not in it.

    Attributes:
        source, name, output: id and name of the node it came from, and the output port.
        target, port: id of a node of the fragment, and its input port.
    """

    source: str
    name: str
    output: str
    target: str
    port: str


@dataclass(frozen=True, eq=False)
class Fragment:
    """Nodes with the wires between them and frames, and what came from outside."""

    graph: Graph
    outside: tuple[OutsideWire, ...] = ()


def cut(graph: Graph, node_ids: Iterable[str], frame_ids: Iterable[str] = ()) -> Fragment:
    """A copy of some nodes and frames of a graph, which stays as it is; runs are not copied."""
    wanted, framed = set(node_ids), set(frame_ids)
    nodes = {node_id: node for node_id, node in graph.nodes.items() if node_id in wanted}
    wires = {wire.id: wire for node_id in nodes for wire in graph.wires_into(node_id).values()}
    outside = tuple(
        OutsideWire(wire.source, graph.nodes[wire.source].name, wire.output, wire.target, wire.port)
        for wire in wires.values()
        if wire.source not in wanted
    )
    inner = Graph.of(
        nodes=nodes,
        wires={
            wire_id: wire
            for wire_id, wire in graph.wires.items()
            if wire_id in wires and wire.source in wanted
        },
        frames={frame_id: frame for frame_id, frame in graph.frames.items() if frame_id in framed},
        runs=(),
        next_id=graph.next_id,
    )
    needed = {f.id for f in called(inner)}.union(*(f.callees for f in called(inner)))
    functions = {i: f for i, f in graph.functions.items() if i in needed}
    return Fragment(replace(inner, functions=functions), outside)


def paste(
    graph: Graph, fragment: Fragment, offset: Point = (0.0, 0.0), keep_outside: bool = False
) -> tuple[Graph, tuple[str, ...]]:
    """The graph with a fragment put in, and the ids of the new nodes.

    Args:
        offset: how far to move what is pasted.
        keep_outside: whether to wire it to the nodes outside that fed the original, as far as this
            graph has a node of that id and name.

    Returns:
        The graph, in which the new nodes and frames have new ids and free names, and the new ids
        in the fragment's order. Functions come along; the ends of a function stay where they are
        unless the graph is the body of another one.

    Raises:
        EditRefusedError: if the offset is so large that nothing could be seen of it, or a function
            would come to need itself.
    """
    graph, functions = adopt(graph, fragment.graph)
    if not graph.inside:
        fragment = _without_ends(fragment)
    number = graph.next_id
    new_ids: dict[str, str] = {}
    nodes, names, frames = dict(graph.nodes), dict(graph.names), dict(graph.frames)
    wires: dict[str, Wire] = {}
    namer = naming.Namer(names)
    dx, dy = offset
    for node in fragment.graph.nodes.values():
        new_id = new_ids[node.id] = f"n{number}"
        name = namer.name(node.op, node.name)
        pos = checked_point((node.pos[0] + dx, node.pos[1] + dy))
        nodes[new_id] = structs.replace(bound(node, functions), id=new_id, name=name, pos=pos)
        names[name] = new_id
        number += 1
    for wire in fragment.graph.wires.values():
        wires[f"w{number}"] = structs.replace(
            wire,
            id=f"w{number}",
            source=new_ids[wire.source],
            target=new_ids[wire.target],
            points=tuple(checked_point((x + dx, y + dy)) for x, y in wire.points),
        )
        number += 1
    for frame in fragment.graph.frames.values():
        x, y, width, height = frame.rect
        moved = replace(frame, id=f"f{number}", rect=(x + dx, y + dy, width, height))
        frames[moved.id] = checked_frame(moved)
        number += 1
    pasted = replace(
        graph,
        nodes=nodes,
        names=names,
        wires={**graph.wires, **wires},
        frames=frames,
        index=graph.index.with_nodes(new_ids.values()).with_wires((), wires.values()),
        next_id=number,
    )
    check_limits(pasted)
    for outer in fragment.outside if keep_outside else ():
        ends = (outer.source, outer.output, new_ids[outer.target], outer.port)
        source = graph.nodes.get(outer.source)
        if source and source.name == outer.name and pasted.can_connect(*ends) is None:
            pasted, _ = pasted.with_wire(*ends)
    return pasted, tuple(new_ids.values())


def _without_ends(fragment: Fragment) -> Fragment:
    """The fragment without arguments and results, which mean something in a function only."""
    ends = {node.id for node in fragment.graph.nodes.values() if node.op in (ARGUMENT, RESULT)}
    if not ends:
        return fragment
    outside = tuple(wire for wire in fragment.outside if wire.target not in ends)
    return Fragment(fragment.graph.without(ends), outside)
