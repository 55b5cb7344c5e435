"""Part of a graph becomes a function, and a node that is its first instance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NoReturn

from core import topology
from core.errors import EditRefusedError
from core.graph import naming
from core.graph.actions import GradRef, Output, nodes_of, roots_of, with_roots
from core.graph.function import Function
from core.graph.model import Graph
from core.graph.nodes import ARGUMENT, CALL, INPUT, RESULT, Frame, Node, Wire
from core.graph.ports import output_ports
from core.graph.redefine import fresh_id

#: Scene units between the body and the column of its ends, and between two ends.
COLUMN, ROW = 272.0, 132.0


def gather(graph: Graph, node_ids: Iterable[str], name: str = "function") -> tuple[Graph, str]:
    """The graph with some nodes in a new function, and the id of its instance.

    Leaves that require grad stay outside and come in as arguments, so that they keep their
    gradients and may be shared by instances; so do values that are needed outside as well. Every
    output that is used outside, by a run or by nothing at all becomes a result. Runs are kept.

    Raises:
        EditRefusedError: if no operation is among the nodes, one outside lies between them, or a
            run accumulates a gradient at one of them.
    """
    inside = _movable(graph, set(node_ids))
    _check_between(graph, inside)
    _check_runs(graph, inside)
    taken = {f.name for f in graph.functions.values()}
    function_id, frames = fresh_id(graph.functions), _frames(graph, inside)
    parts = _Parts(graph, inside, frames)
    function = Function(
        function_id, naming.free_name(name, taken), replace(parts.body, inside=function_id)
    )
    moved = [f.id for f in frames if _held(graph, f) <= set(inside)]
    return _put_in_place(graph, function, parts, moved)


def _movable(graph: Graph, chosen: set[str]) -> list[str]:
    """The chosen nodes that go into the function, in the order values flow."""
    operations = {i for i in chosen if graph.nodes[i].op not in (INPUT, ARGUMENT, RESULT)}
    if not operations:
        raise EditRefusedError(
            "A function needs at least one operation.",
            next_step="Select the operations it is to do; leaves stay outside.",
        )
    named = {i for run in graph.runs for action in run.actions for i in nodes_of(action)}
    named |= {i for i, _ in _roots(graph)}

    def is_private(node_id: str) -> bool:
        """Whether it is a constant of these operations and of nothing else."""
        node, leaving = graph.nodes[node_id], graph.wires_from(node_id)
        return (
            node.op == INPUT
            and not node.params["requires_grad"]
            and node_id not in named
            and bool(leaving)
            and all(wire.target in operations for wire in leaving)
        )

    inside = operations | {i for i in chosen if is_private(i)}
    return [i for i in graph.order() if i in inside]


def _check_between(graph: Graph, inside: list[str]) -> None:
    after = topology.reachable(inside, graph.index.successors)
    before = topology.reachable(inside, graph.index.predecessors)
    between = (after & before) - set(inside)
    if between:
        names = ", ".join(f"'{graph.nodes[i].name}'" for i in sorted(between)[:3])
        raise EditRefusedError(
            f"{names} lies between the selected nodes, so the function would need its own result.",
            next_step="Select what lies between as well.",
            node=min(between),
        )


def _check_runs(graph: Graph, inside: list[str]) -> None:
    def refuse(run: str, node_id: str) -> NoReturn:
        raise EditRefusedError(
            f"The run '{run}' accumulates a gradient at '{graph.nodes[node_id].name}'.",
            next_step="Leave that node out of the selection, or change the run.",
            node=node_id,
        )

    for run in graph.runs:
        for action in run.actions:
            for node_id in set(nodes_of(action)).intersection(inside):
                refuse(run.name, node_id)


def _roots(graph: Graph) -> list[Output]:
    """The outputs that runs name."""
    return [
        root
        for run in graph.runs
        for action in run.actions
        for root in roots_of(action)
        if not isinstance(root, GradRef)
    ]


def _held(graph: Graph, frame: Frame) -> set[str]:
    return {node.id for node in graph.nodes.values() if frame.holds(node)}


def _frames(graph: Graph, inside: list[str]) -> list[Frame]:
    """The frames that come along: of which nothing else is left, and no_grad ones as copies."""
    chosen = set(inside)
    held = [(frame, _held(graph, frame)) for frame in graph.frames.values()]
    return [
        frame for frame, nodes in held if nodes & chosen and (frame.no_grad or not nodes - chosen)
    ]


@dataclass
class _Parts:
    """The body of a function that is being made, and where its ports come from."""

    graph: Graph
    inside: list[str]
    frames: list[Frame]

    def __post_init__(self) -> None:
        graph, chosen = self.graph, set(self.inside)
        nodes = {i: node for i, node in graph.nodes.items() if i in chosen}
        wires = {i: w for i, w in graph.wires.items() if w.source in chosen and w.target in chosen}
        frames = {frame.id: frame for frame in self.frames}
        # While it is made, the body counts as one: ends may stand in it.
        self.body = Graph.of(
            nodes, wires, frames, (), graph.next_id, functions=graph.functions, inside="?"
        )
        self.sources = self._add_arguments(chosen)
        self.outputs = self._add_results(chosen)
        self.body = replace(self.body, functions={})

    def _add_arguments(self, chosen: set[str]) -> dict[Output, str]:
        """Where each argument gets its value from, and what it is called."""
        readers: dict[Output, list[Wire]] = {}
        for node_id in self.inside:
            for wire in self.graph.wires_into(node_id).values():
                if wire.source not in chosen:
                    readers.setdefault((wire.source, wire.output), []).append(wire)
        left, _, top, bottom = self._box()
        names: dict[Output, str] = {}
        for k, (source, wires) in enumerate(readers.items()):
            pos = (left - COLUMN, (top + bottom) / 2 + (k - (len(readers) - 1) / 2) * ROW)
            node = self.graph.nodes[source[0]]
            names[source] = self._add_end(ARGUMENT, self._name(node, source[1]), pos)
            end = self.body.names[names[source]]
            for wire in wires:
                self.body, _ = self.body.with_wire(end, "y", wire.target, wire.port, wire.points)
        return names

    def _add_results(self, chosen: set[str]) -> dict[Output, str]:
        """What each output that is needed outside is called there."""
        needed: dict[Output, None] = {}
        rooted = {root: None for root in _roots(self.graph) if root[0] in chosen}
        for node_id in self.inside:
            node, leaving = self.graph.nodes[node_id], self.graph.wires_from(node_id)
            used = [w.output for w in leaving if w.target not in chosen]
            if not leaving:
                used = list(output_ports(node, self.graph))
            used += [output for root_id, output in rooted if root_id == node_id]
            needed |= {(node_id, output): None for output in _in_order(node, self.graph, used)}
        _, right, top, bottom = self._box()
        names: dict[Output, str] = {}
        for k, (node_id, output) in enumerate(needed):
            pos = (right + COLUMN, (top + bottom) / 2 + (k - (len(needed) - 1) / 2) * ROW)
            node = self.graph.nodes[node_id]
            wanted = self._result_name(node, output)
            if len(needed) == 1:
                wanted = "out" if "y" in self.body.names else "y"
            names[node_id, output] = self._add_end(RESULT, wanted, pos)
            end = self.body.names[names[node_id, output]]
            self.body, _ = self.body.with_wire(node_id, output, end, "x")
        return names

    def _add_end(self, op: str, wanted: str, pos: tuple[float, float]) -> str:
        name = naming.free_name(wanted[: naming.LONGEST - 8], self.body.names)
        self.body, _ = self.body.with_node(op, pos, name)
        return name

    def _name(self, node: Node, output: str) -> str:
        """The node's name, with the output where it has several."""
        if len(output_ports(node, self.graph)) == 1:
            return node.name
        return f"{node.name}_{_plain(output)}"

    def _result_name(self, node: Node, output: str) -> str:
        """The output's own name where the node has several, else one after the node's."""
        several = len(output_ports(node, self.graph)) > 1
        return _plain(output) if several else f"{node.name}_out"

    def _box(self) -> tuple[float, float, float, float]:
        """Left, right, top and bottom of the corners of the nodes, and of the frames."""
        places = [self.graph.nodes[i].pos for i in self.inside]
        rects = [frame.rect for frame in self.frames]
        return (
            min([x for x, _ in places] + [x for x, *_ in rects]),
            max([x for x, _ in places] + [x + w for x, _, w, _ in rects]),
            min(y for _, y in places),
            max(y for _, y in places),
        )

    def place(self) -> tuple[float, float]:
        """Where the instance goes: amid the nodes, and not where gradients end for it alone."""
        places = [self.graph.nodes[i].pos for i in self.inside]
        x = (min(x for x, _ in places) + max(x for x, _ in places)) / 2
        y = (min(y for _, y in places) + max(y for _, y in places)) / 2
        probe = Node("", CALL, "", (x, y))
        quiet = any(f.no_grad and f.holds(probe) for f in self.graph.frames.values())
        open_nodes = [i for i in self.inside if i not in self.graph.no_grad_nodes]
        return self.graph.nodes[open_nodes[0]].pos if quiet and open_nodes else (x, y)


def _in_order(node: Node, graph: Graph, outputs: Iterable[str]) -> list[str]:
    """Outputs of a node once each, in the order in which it has them."""
    order = {output: k for k, output in enumerate(output_ports(node, graph))}
    return sorted(set(outputs), key=lambda output: (order.get(output, len(order)), output))


def _plain(output: str) -> str:
    """``"y[2]"`` as ``"y2"``: a name that does not look like one of many ports."""
    return output.replace("[", "").replace("]", "")


def _put_in_place(
    graph: Graph, function: Function, parts: _Parts, frames: list[str]
) -> tuple[Graph, str]:
    after, call = graph.with_node(CALL, parts.place(), params={"function": function})
    chosen = set(parts.inside)
    for (source, output), port in parts.sources.items():
        after, _ = after.with_wire(source, output, call, port)
    for (source, output), port in parts.outputs.items():
        for wire in graph.wires_from(source):
            if wire.output == output and wire.target not in chosen:
                after, _ = after.with_wire(call, port, wire.target, wire.port, wire.points)
    moved = {old: (call, port) for old, port in parts.outputs.items()}
    after = replace(after, runs=tuple(with_roots(run, moved) for run in after.runs))
    return after.without(parts.inside, frames=frames), call
