"""The graph of what was read: names, groups for frames, and a run."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec import structs

from core.graph import INPUT, UNKNOWN, Backward, Graph, Node, Run, naming
from core.graph.ports import output_name
from core.importers.building.builder import Builder
from core.importers.building.refs import Ref
from core.importers.placing import Group


@dataclass(frozen=True, slots=True)
class Origin:
    """A node of the source, and what became of it.

    Attributes:
        title: what it is called within its scope.
        op: the source's name for what it does.
        scope: the modules it stands in, outermost first.
        members: ids of the nodes that it became.
    """

    title: str
    op: str
    scope: tuple[str, ...]
    members: tuple[str, ...]


Made = Sequence[Origin]


@dataclass(frozen=True, slots=True)
class Finished:
    """The graph, without places, and which of its nodes belong together."""

    graph: Graph
    groups: tuple[Group, ...]

    def output(self, ref: Ref) -> str:
        """The name of the output port a value leaves by."""
        assert ref.node is not None
        return output_name(self.graph.nodes[ref.node], ref.output)


def finished(
    build: Builder, made: Made, inputs: Iterable[Ref], outputs: Sequence[tuple[str, Ref]]
) -> Finished:
    """Name the nodes, group them by scope, and add a run from the first output."""
    nodes = _named(_without_statistics(build), build.wanted, made, outputs)
    graph = Graph.of(nodes, build.wires, {}, (), build.next_id)
    run = _run(graph, outputs)
    return Finished(
        graph.with_runs([run]) if run else graph, _groups(graph, made, {ref.node for ref in inputs})
    )


# -- leaves ---------------------------------------------------------------------------------------


def _without_statistics(build: Builder) -> dict[str, Node]:
    """The nodes, weights that no gradient can reach (running means) being no leaves."""
    reached: set[str] = set()
    for wire in build.wires.values():
        spec = build.nodes[wire.target].spec
        if spec is None or wire.port.partition("[")[0] not in spec.nondiff_ports:
            reached.add(wire.source)
    return {
        node_id: structs.replace(node, params={**node.params, "requires_grad": False})
        if node.op == INPUT and node.params["requires_grad"] and node_id not in reached
        else node
        for node_id, node in build.nodes.items()
    }


# -- names ----------------------------------------------------------------------------------------


def _named(
    nodes: dict[str, Node],
    wanted: dict[str, str],
    made: Made,
    outputs: Sequence[tuple[str, Ref]],
) -> dict[str, Node]:
    """The nodes with names: those of the model's own values first, which are unique there."""
    wishes = {node_id: name for node_id, name in wanted.items() if name}
    ends = {ref.node: name for name, ref in outputs if ref.node is not None}
    for origin in made:
        operations = [n for n in origin.members if nodes[n].op != INPUT]
        if operations:
            wishes[operations[-1]] = ends.get(operations[-1]) or origin.title
    first = [n for n in nodes if nodes[n].op == INPUT or n in ends]
    taken = _Names()
    names: dict[str, str] = {}
    for node_id in dict.fromkeys([*first, *wishes, *nodes]):
        wish = wishes.get(node_id, "")
        kept = wish and naming.flaw(wish) is None
        own = nodes[node_id]
        op = own.params["op"] if own.op == UNKNOWN else own.op
        names[node_id] = taken.free(wish) if kept else taken.fresh(op)
    return {n: structs.replace(node, name=names[n]) for n, node in nodes.items()}


class _Names:
    """The names given so far. Thousands of nodes may want the same one."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def free(self, wanted: str) -> str:
        """``wanted``, or with the next free number behind it."""
        name, number = wanted, self._next.get(wanted, 2)
        stem = wanted[: naming.LONGEST - 8] + "_" * wanted[-1:].isdigit()
        while name in self._taken:
            name = f"{stem}{number}"
            number += 1
        self._next[wanted] = number
        self._taken.add(name)
        return name

    def fresh(self, op: str) -> str:
        """A name for a node that has none."""
        return self.free(naming.fresh_name(op, ()))


# -- groups ---------------------------------------------------------------------------------------


def _groups(graph: Graph, made: Made, given: Container[str | None]) -> tuple[Group, ...]:
    """Scopes (layer1, layer1/conv), outermost first, then the nodes that one operator became."""
    scopes: dict[tuple[str, ...], list[str]] = {}
    own: list[Group] = []
    where: dict[str, tuple[str, ...]] = {}
    for origin in made:
        operations = tuple(n for n in origin.members if graph.nodes[n].op != INPUT)
        where.update(dict.fromkeys(operations, origin.scope))
        if len(operations) > 1:
            title = _shown(f"{origin.op} {origin.title}")
            own.append(Group(title, operations, len(origin.scope)))
    for node_id, member in graph.nodes.items():
        if member.op == INPUT and node_id not in given:  # a weight stands with those that use it
            users = [where[w.target] for w in graph.wires_from(node_id) if w.target in where]
            where[node_id] = _common(users)
    for node_id, scope in where.items():
        for depth in range(1, len(scope) + 1):
            scopes.setdefault(scope[:depth], []).append(node_id)
    named = [
        Group(_shown("/".join(scope)), tuple(members), len(scope) - 1)
        for scope, members in sorted(scopes.items(), key=lambda item: len(item[0]))
    ]
    return (*named, *own)


def _shown(title: str) -> str:
    """A title that can be shown, whatever the source calls it."""
    return "".join(c if c.isprintable() else "·" for c in title[: naming.LONGEST])


def _common(scopes: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The innermost scope around all of these."""
    if not scopes:
        return ()
    shortest = min(scopes, key=len)
    for depth in range(len(shortest), 0, -1):
        if all(scope[:depth] == shortest[:depth] for scope in scopes):
            return shortest[:depth]
    return ()


# -- the run --------------------------------------------------------------------------------------


def _run(graph: Graph, outputs: Sequence[tuple[str, Ref]]) -> Run | None:
    """A backward from the first output that a gradient can leave."""
    for _, ref in outputs:
        if ref.node is None or ref.value is None or ref.value.dtype.kind != "f":
            continue
        above = graph.ancestors(ref.node)
        if any(graph.nodes[n].params.get("requires_grad") for n in above):
            root = (ref.node, output_name(graph.nodes[ref.node], ref.output))
            ones = None if ref.value.size == 1 else (np.ones_like(ref.value),)
            return Run("backward", (Backward((root,), ones),))
    return None
