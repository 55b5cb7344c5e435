"""What one gesture or key does to a graph, as plain functions: a text, a graph, what is selected.

Nothing here knows a widget; the canvas, the keyboard and the menus all edit through these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.catalog import Entry
from core.errors import PullbackError, WireRefusedError
from core.files import dumps_fragment, loads_fragment
from core.graph import CALL, Graph, Node, cut, input_ports, output_ports, paste
from core.graph.redefine import function_of

Point = tuple[float, float]

#: How far copies are moved from their originals.
COPY_OFFSET = 28.0


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit to be made.

    Attributes:
        text: what the Edit menu calls it.
        graph: the graph after it.
        selected: ids of the nodes to select, or None to leave the selection as it is.
        merge: see ``Document.edit``.
    """

    text: str
    graph: Graph
    selected: tuple[str, ...] | None = None
    merge: str = ""


@dataclass(frozen=True, slots=True)
class WireEnd:
    """One end of a wire that is being drawn: an output, or an input port waiting for one."""

    node: str
    port: str
    is_output: bool


def fits(entry: Entry, end: WireEnd | None) -> bool:
    """Whether a new node of this kind could be joined to the open end of a wire."""
    if end is None:
        return True
    return bool(entry.first_port) if end.is_output else True


def add(graph: Graph, entry: Entry, pos: Point, end: WireEnd | None = None) -> Edit:
    """Add a node, joined to the open end of a wire if there is one.

    Raises:
        PullbackError: if the node or the wire is refused.
    """
    name = entry.name or None
    if name in graph.names:
        name = None  # the graph finds a free one
    params = entry.params()
    if entry.op == CALL:
        params = {"function": function_of(graph, params["function"])}
    after, node_id = graph.with_node(entry.op, pos, name, params)
    node = after.nodes[node_id]
    if end is not None and end.is_output:
        after, _ = after.with_wire(end.node, end.port, node_id, input_ports(node, after)[0])
    elif end is not None:
        after, _ = after.with_wire(node_id, output_ports(node, after)[0], end.node, end.port)
    return Edit(f"Add {node.name}", after, (node_id,))


def first_output(graph: Graph, node: str) -> str:
    """The output that a wire drawn from the node itself begins at."""
    return output_ports(graph.nodes[node], graph)[0]


def connect(graph: Graph, source: str, output: str, target: str, port: str) -> Edit:
    """Draw a wire.

    Raises:
        WireRefusedError: with the reason.
    """
    after, _ = graph.with_wire(source, output, target, port)
    names = graph.nodes[source].name, graph.nodes[target].name
    return Edit(f"Connect {names[0]} to {names[1]}.{port}", after)


def best_port(graph: Graph, source: str, output: str, target: str) -> str:
    """The port of ``target`` that a wire dropped on the node itself goes to: the first free one.

    Raises:
        WireRefusedError: if it has none.
    """
    node = graph.nodes[target]
    wired = graph.wires_into(target)
    free = [port for port in input_ports(node, graph) if port not in wired]
    for port in free:
        if graph.can_connect(source, output, target, port) is None:
            return port
    reason = graph.can_connect(source, output, target, free[0]) if free else None
    raise WireRefusedError(
        reason or f"'{node.name}' has no free input.",
        next_step="Drop the wire on another node, or on the port whose wire it should replace.",
        node=target,
    )


def disconnect(graph: Graph, nodes: Collection[str]) -> Edit:
    """Take the wires off the inputs of nodes."""
    wires = [wire.id for i in nodes for wire in graph.wires_into(i).values()]
    return Edit(verb_phrase("Disconnect", graph, nodes), graph.without(wires=wires))


def delete(
    graph: Graph,
    nodes: Collection[str],
    wires: Collection[str] = (),
    frames: Collection[str] = (),
) -> Edit:
    """Delete nodes with their wires, wires, and frames without what is in them."""
    if len(nodes) == 1:
        text = f"Delete {graph.nodes[next(iter(nodes))].name}"
    elif nodes:
        text = f"Delete {len(nodes)} nodes"
    elif wires:
        text = "Delete a wire" if len(wires) == 1 else f"Delete {len(wires)} wires"
    else:
        text = "Delete a frame" if len(frames) == 1 else f"Delete {len(frames)} frames"
    return Edit(text, graph.without(nodes, wires, frames), ())


def move(graph: Graph, nodes: Iterable[str], by: Point, merge: str = "") -> Edit:
    """Move nodes, and the points of the wires between them."""
    places = moved(graph, nodes, by)
    points = {
        wire.id: [_moved(point, by) for point in wire.points]
        for i in places
        for wire in graph.wires_from(i)
        if wire.points and wire.target in places
    }
    after = graph.moved(places).rerouted(points)
    return Edit(verb_phrase("Move", graph, places), after, None, merge)


def moved(graph: Graph, nodes: Iterable[str], by: Point) -> dict[str, Point]:
    """Where nodes are after a move."""
    return {i: _moved(graph.nodes[i].pos, by) for i in nodes}


def duplicate(graph: Graph, nodes: Collection[str], by: Point | None = None) -> Edit:
    """Copy nodes with the wires between them and those that feed them."""
    offset = (COPY_OFFSET, COPY_OFFSET) if by is None else by
    after, new = paste(graph, cut(graph, nodes), offset, keep_outside=True)
    return Edit(verb_phrase("Duplicate", graph, nodes), after, new)


def copied(graph: Graph, nodes: Collection[str]) -> str:
    """Nodes as text for the clipboard."""
    return dumps_fragment(graph, nodes)


def may_be_graph(text: str) -> bool:
    """Whether a text looks like nodes that were copied; a program does not."""
    return text.lstrip().startswith("{")


def pasted(graph: Graph, text: str, at: Point | None, *, keep_outside: bool = False) -> Edit:
    """Put what was copied into the graph.

    Args:
        at: where its top left corner goes; None: a little beside the original.

    Raises:
        FileFormatError: if the text is something else.
    """
    fragment = loads_fragment(text)
    offset = (COPY_OFFSET, COPY_OFFSET)
    if at is not None and fragment.graph.nodes:
        left, top = corner(fragment.graph.nodes.values())
        offset = (at[0] - left, at[1] - top)
    after, new = paste(graph, fragment, offset, keep_outside)
    return Edit("Paste" if len(new) == 1 else f"Paste {len(new)} nodes", after, new)


def insert(graph: Graph, node: str, wire: str) -> Edit | None:
    """Put a node between the two ends of a wire; None where it does not fit."""
    old = graph.wires[wire]
    if node in (old.source, old.target):
        return None
    try:
        port = best_port(graph, old.source, old.output, node)
        after, _ = graph.without(wires=[wire]).with_wire(old.source, old.output, node, port)
        output = output_ports(graph.nodes[node], after)[0]
        after, _ = after.with_wire(node, output, old.target, old.port)
    except PullbackError:
        return None
    return Edit(f"Insert {graph.nodes[node].name}", after)


def dissolve(graph: Graph, nodes: Collection[str]) -> Edit:
    """Delete nodes, leading wires past those that have one way in."""
    after = graph
    for node in nodes:
        into = list(after.wires_into(node).values())
        if len(into) != 1:
            continue
        source, output = into[0].source, into[0].output
        for wire in after.wires_from(node):
            if after.can_connect(source, output, wire.target, wire.port) is None:
                after, _ = after.with_wire(source, output, wire.target, wire.port)
    return Edit(verb_phrase("Dissolve", graph, nodes), after.without(nodes), ())


def collapse(graph: Graph, nodes: Collection[str]) -> Edit:
    """Fold nodes to their headers, or unfold them when all are folded."""
    fold = not all(graph.nodes[i].collapsed for i in nodes)
    verb = "Collapse" if fold else "Expand"
    return Edit(verb_phrase(verb, graph, nodes), graph.with_collapsed(nodes, fold))


def pin(graph: Graph, nodes: Collection[str]) -> Edit:
    """Keep nodes where they are when the graph is arranged; or no longer when all are kept."""
    hold = not all(graph.nodes[i].pinned for i in nodes)
    verb = "Pin" if hold else "Unpin"
    return Edit(verb_phrase(verb, graph, nodes), graph.with_pinned(nodes, hold))


def neighbour(centres: Mapping[str, Point], start: str, direction: Point) -> str | None:
    """The nearest node in a direction, counting what lies aside as farther away.

    What lies more than twice as far aside as ahead is in another direction.

    Args:
        centres: the middle of every node.
        direction: a unit vector, such as (1, 0) for the right.
    """
    x, y = centres[start]
    best, best_cost = None, float("inf")
    for node, (other_x, other_y) in centres.items():
        along = (other_x - x) * direction[0] + (other_y - y) * direction[1]
        aside = abs((other_x - x) * direction[1]) + abs((other_y - y) * direction[0])
        if node != start and aside <= 2 * along > 0 and along + 2 * aside < best_cost:
            best, best_cost = node, along + 2 * aside
    return best


def _moved(place: Point, by: Point) -> Point:
    return (place[0] + by[0], place[1] + by[1])


def corner(nodes: Iterable[Node]) -> Point:
    """The least x and the least y of nodes."""
    places: Sequence[Point] = [node.pos for node in nodes]
    return min(x for x, _ in places), min(y for _, y in places)


def verb_phrase(verb: str, graph: Graph, nodes: Collection[str]) -> str:
    """What the Edit menu calls doing something to nodes: "Move y", "Move 3 nodes"."""
    if len(nodes) == 1:
        return f"{verb} {graph.nodes[next(iter(nodes))].name}"
    return f"{verb} {len(nodes)} nodes"
