"""The wires of a graph by node, carried along from edit to edit.

An edit copies the two outer dictionaries and the entries of the nodes it touches, nothing else.
Two graphs whose wires are the same share one index, and so the order computed from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from core import topology
from core.graph.nodes import Wire

Into = Mapping[str, Wire]
_NO_WIRES: Into = {}


@dataclass(frozen=True, eq=False)
class WireIndex:
    """Every node has an entry in both, be it empty.

    Attributes:
        into: node id -> input port -> the wire that enters there.
        out: node id -> the wires that leave, in the order they were made.
    """

    into: Mapping[str, Into] = field(default_factory=dict)
    out: Mapping[str, tuple[Wire, ...]] = field(default_factory=dict)

    @staticmethod
    def of(nodes: Iterable[str], wires: Iterable[Wire]) -> WireIndex:
        """The index of a whole graph."""
        into: dict[str, dict[str, Wire]] = {node: {} for node in nodes}
        out: dict[str, list[Wire]] = {node: [] for node in into}
        for wire in wires:
            into[wire.target][wire.port] = wire
            out[wire.source].append(wire)
        return WireIndex(into, {node: tuple(leaving) for node, leaving in out.items()})

    def with_nodes(self, nodes: Iterable[str]) -> WireIndex:
        """With entries for nodes that have no wires yet."""
        new = list(nodes)
        return WireIndex(
            {**self.into, **dict.fromkeys(new, _NO_WIRES)}, {**self.out, **dict.fromkeys(new, ())}
        )

    def with_wires(self, removed: Iterable[Wire], added: Iterable[Wire]) -> WireIndex:
        """With some wires taken away, then others put in."""
        into, out = dict(self.into), dict(self.out)
        fresh: dict[str, dict[str, Wire]] = {}  # the entries of ``into`` that are copies already
        gone = set()
        for wire in removed:
            gone.add(wire.id)
            del _copied(into, wire.target, fresh)[wire.port]
        for source in {wire.source for wire in removed}:
            out[source] = tuple(wire for wire in out[source] if wire.id not in gone)
        for wire in added:
            _copied(into, wire.target, fresh)[wire.port] = wire
            out[wire.source] = (*out[wire.source], wire)
        return WireIndex(into, out)

    def without_nodes(self, nodes: Iterable[str]) -> WireIndex:
        """Without the entries of nodes that have no wires any more."""
        into, out = dict(self.into), dict(self.out)
        for node in nodes:
            del into[node], out[node]
        return WireIndex(into, out)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The nodes, each after all that feed it.

        Raises:
            topology.LoopError: if the wires close a loop, which no graph lets happen.
        """
        return topology.order(self.into, self.successors)

    @cached_property
    def rank(self) -> Mapping[str, int]:
        """Where each node stands in ``order``."""
        return {node: i for i, node in enumerate(self.order)}

    def successors(self, node: str) -> list[str]:
        """Ids of the nodes that read this one, once a wire."""
        return [wire.target for wire in self.out[node]]

    def predecessors(self, node: str) -> list[str]:
        """Ids of the nodes that this one reads, once a wire."""
        return [wire.source for wire in self.into[node].values()]


def _copied(into: dict[str, Into], node: str, fresh: dict[str, dict[str, Wire]]) -> dict[str, Wire]:
    """The node's entry, as one that may be written to."""
    if node not in fresh:
        fresh[node] = dict(into[node])
        into[node] = fresh[node]
    return fresh[node]
