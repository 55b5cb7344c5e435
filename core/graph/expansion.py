"""A graph with its functions written out, which is what is computed.

The nodes inside an instance ``n7`` are called ``n7/n3``, and so on inward. The ends of the body
become nodes that pass a value on: what arrives at an argument from all its readers is added up
there, and goes back to the outside as one contribution, as it should from one node. So the graph
without functions (``flatten``) has the same gradients up to the order of summation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from msgspec import structs

from core.graph.actions import Output
from core.graph.function import Function
from core.graph.model import Graph
from core.graph.nodes import ARGUMENT, CALL, RESULT, Node, Wire
from core.trace import CallPorts

#: Between the id of an instance and that of a node inside it.
INNER = "/"


@dataclass(frozen=True, eq=False)
class Expanded(Graph):
    """A graph without instances.

    Attributes:
        calls: every instance at any depth, inner ones first, and its ports.
        quiet: ids of the nodes that are computed without a record.
    """

    calls: Mapping[str, CallPorts] = field(default_factory=dict)
    quiet: frozenset[str] = frozenset()

    @cached_property
    def no_grad_nodes(self) -> frozenset[str]:
        return self.quiet


def expand(graph: Graph) -> Graph:
    """The graph with all functions written out; itself when it has none.

    Nodes share parameters with those they come from, so that a ``diff`` of two expansions shows
    what was edited and nothing else.
    """
    if not graph.functions or all(node.op != CALL for node in graph.nodes.values()):
        return graph
    parts = _Expansion()
    parts.write(graph, "", "", quiet=False)
    bare = Graph.of(parts.nodes, parts.wires, {}, (), graph.next_id)
    return Expanded(
        bare.nodes,
        bare.wires,
        index=bare.index,
        names=bare.names,
        calls=parts.calls,
        quiet=frozenset(parts.quiet),
    )


def calls_of(graph: Graph) -> Mapping[str, CallPorts]:
    """The instances written out in a graph."""
    return graph.calls if isinstance(graph, Expanded) else {}


def inner_node(graph: Graph, node_id: str) -> Node | None:
    """The node of an id such as ``n7/n3``, found by going inward; None if there is none."""
    *calls, last = node_id.split(INNER)
    for call_id in calls:
        call = graph.nodes.get(call_id)
        if call is None or call.op != CALL:
            return None
        graph = call.params["function"].body
    return graph.nodes.get(last)


def outermost(node_id: str) -> str:
    """The node of the graph itself that this one is, or is inside of."""
    return node_id.partition(INNER)[0]


def path_name(graph: Graph, node_id: str) -> str:
    """What to call a node of any depth: ``layer/matmul``; its id when it is not there."""
    steps = node_id.split(INNER)
    found = [inner_node(graph, INNER.join(steps[: i + 1])) for i in range(len(steps))]
    names = [node.name for node in found if node is not None]
    return INNER.join(names) if len(names) == len(steps) else node_id


class _Expansion:
    """The parts of an expanded graph, while they are collected."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.wires: dict[str, Wire] = {}
        self.calls: dict[str, CallPorts] = {}
        self.quiet: set[str] = set()

    def write(self, graph: Graph, prefix: str, names: str, quiet: bool) -> None:
        """Write out a graph whose nodes get ``prefix`` before their ids."""
        for node in graph.nodes.values():
            silent = quiet or node.id in graph.no_grad_nodes
            if node.op == CALL:
                self._write_call(graph, node, prefix, names, silent)
                continue
            new_id = prefix + node.id
            # An argument passes on what comes in, which is what a result does.
            op = RESULT if node.op == ARGUMENT else node.op
            self.nodes[new_id] = structs.replace(node, id=new_id, name=names + node.name, op=op)
            if silent:
                self.quiet.add(new_id)
        for wire in self._led(graph):
            self.wires[prefix + wire.id] = structs.replace(
                wire, id=prefix + wire.id, source=prefix + wire.source, target=prefix + wire.target
            )

    def _write_call(self, graph: Graph, call: Node, prefix: str, names: str, quiet: bool) -> None:
        function: Function = call.params["function"]
        inner = f"{prefix}{call.id}{INNER}"
        self.write(function.body, inner, f"{names}{call.name}{INNER}", quiet)
        for port, value in call.inline.items():
            if port not in graph.wires_into(call.id):
                end = inner + _end(function.arguments, port)
                self.nodes[end] = structs.replace(self.nodes[end], inline={"x": value})
        self.calls[prefix + call.id] = CallPorts(
            inputs={inner + node.id: node.name for node in function.arguments},
            outputs=tuple(inner + node.id for node in function.results),
            inside={inner + i: node.name for i, node in function.body.nodes.items()},
        )

    def _led(self, graph: Graph) -> Iterator[Wire]:
        """The wires of a graph, led to the ends of its instances instead of to these."""
        for wire in graph.wires.values():
            source, target = graph.nodes[wire.source], graph.nodes[wire.target]
            if source.op == CALL:
                source_id, _ = output_end(source, wire.output)
                wire = structs.replace(wire, source=source_id, output="y")
            if target.op == CALL:
                end = _end(target.params["function"].arguments, wire.port)
                wire = structs.replace(wire, target=f"{target.id}{INNER}{end}", port="x")
            yield wire


def output_end(call: Node, output: str) -> Output:
    """The node inside an instance, and its output, that an output of the instance stands for."""
    return f"{call.id}{INNER}{_end(call.params['function'].results, output)}", "y"


def _end(ends: tuple[Node, ...], name: str) -> str:
    return next(node.id for node in ends if node.name == name)
