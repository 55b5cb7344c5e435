"""What a graph is made of, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from core import topology
from core.errors import UnknownNodeError, did_you_mean
from core.graph import wiring
from core.graph.actions import Run
from core.graph.function import Function
from core.graph.index import Into, WireIndex
from core.graph.nodes import Array, Frame, Node, Wire
from core.graph.ports import has_output, input_ports


@dataclass(frozen=True, eq=False)
class Parts:
    """Nodes, wires, frames and runs, in the order they were made.

    Attributes:
        nodes, wires, frames: by id.
        runs: by hand, in the order shown.
        next_id: the number of the next id; it never goes back, so no id is used twice.
        functions: the document's, by id; all instances hold the very objects that are here.
        inside: id of the function whose body this is; "" for a document's own graph.
        index: the wires by node, carried along from edit to edit.
        names: node name -> id, likewise.
    """

    nodes: Mapping[str, Node] = field(default_factory=dict)
    wires: Mapping[str, Wire] = field(default_factory=dict)
    frames: Mapping[str, Frame] = field(default_factory=dict)
    runs: tuple[Run, ...] = ()
    next_id: int = 1
    functions: Mapping[str, Function] = field(default_factory=dict)
    inside: str = ""
    index: WireIndex = field(default_factory=WireIndex, repr=False)
    names: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        nodes: Mapping[str, Node],
        wires: Mapping[str, Wire],
        frames: Mapping[str, Frame],
        runs: tuple[Run, ...],
        next_id: int,
        functions: Mapping[str, Function] | None = None,
        inside: str = "",
    ) -> Self:
        """A graph from its parts, which must fit together."""
        index = WireIndex.of(nodes, wires.values())
        names = {node.name: node.id for node in nodes.values()}
        return cls(nodes, wires, frames, runs, next_id, functions or {}, inside, index, names)

    def node(self, node_id: str) -> Node:
        """The node of this id.

        Raises:
            UnknownNodeError: if there is none.
        """
        try:
            return self.nodes[node_id]
        except KeyError:
            raise UnknownNodeError(
                f"There is no node '{node_id}' in this graph.",
                next_step="It may have been deleted: undo brings it back.",
            ) from None

    def named(self, name: str) -> Node:
        """The node of this name.

        Raises:
            UnknownNodeError: if there is none; it names the closest one.
        """
        if name not in self.names:
            raise UnknownNodeError(
                f"There is no node called '{name}' in this graph.",
                next_step=did_you_mean(name, self.names, "Look at the names on the node headers."),
            )
        return self.nodes[self.names[name]]

    def knows(self, node_id: str, output: str | None = None) -> bool:
        """Whether there is such a node and, when asked for, such an output."""
        node = self.nodes.get(node_id)
        return node is not None and (output is None or has_output(node, output))

    def run(self, name: str) -> Run:
        """The run of this name.

        Raises:
            UnknownNodeError: if there is none; it names the closest one.
        """
        for run in self.runs:
            if run.name == name:
                return run
        names = [run.name for run in self.runs]
        otherwise = f"There are: {', '.join(names)}." if names else "The graph has no runs."
        raise UnknownNodeError(
            f"There is no run called '{name}'.", next_step=did_you_mean(name, names, otherwise)
        )

    def wires_into(self, node_id: str) -> Into:
        """The wires that enter a node, by input port."""
        return self.index.into[node_id]

    def wires_from(self, node_id: str) -> tuple[Wire, ...]:
        """The wires that leave a node, in the order they were made."""
        return self.index.out[node_id]

    def operands(self, node_id: str) -> tuple[tuple[str, Wire | Array | None], ...]:
        """What a node computes with: each input port's wire, else its inline value, else None.

        Empty ports of a variadic operation are left out: it takes the inputs that are there.
        """
        node, wired = self.nodes[node_id], self.index.into[node_id]
        filled = tuple(
            (port, wired[port] if port in wired else node.inline.get(port))
            for port in input_ports(node, self)
        )
        if node.spec is not None and node.spec.variadic:
            return tuple((port, operand) for port, operand in filled if operand is not None)
        return filled

    def ancestors(self, node_id: str) -> set[str]:
        """Ids of all nodes that this one depends on, itself excepted."""
        return topology.reachable([node_id], self.index.predecessors) - {node_id}

    def descendants(self, node_id: str) -> set[str]:
        """Ids of all nodes that depend on this one, itself excepted."""
        return topology.reachable([node_id], self.index.successors) - {node_id}

    def order(self) -> tuple[str, ...]:
        """All node ids, each after all that feed it; shared by all graphs with the same wires."""
        return self.index.order

    @cached_property
    def no_grad_nodes(self) -> frozenset[str]:
        """Ids of the nodes inside no_grad frames."""
        frames = [frame for frame in self.frames.values() if frame.no_grad]
        if not frames:
            return frozenset()
        return frozenset(
            node.id for node in self.nodes.values() for frame in frames if frame.holds(node)
        )

    def can_connect(self, source: str, output: str, target: str, port: str) -> str | None:
        """Why a wire would be refused, or None. One walk from the target decides on loops."""
        refusal = wiring.refusal(self, source, output, target, port)
        return refusal.what if refusal else None

    def refusals(self, source: str, output: str) -> Mapping[str, str]:
        """Nodes that a wire from this output cannot enter at any port, and why.

        One walk for all nodes, so that every port can be lit while a wire is dragged.
        """
        return wiring.refusals(self, source)
