"""The graph that edited code describes, as an edit of the graph the code was written from.

What a program means is a graph of its own; here it is laid over the old one. A node that is still
called what it was keeps its id, place and name; one whose statement is untouched stays the very
same, also where the importer would say it with other nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from msgspec import structs

from app.code_runs import merged_runs
from core.export import Exported
from core.graph import Graph, Node, Run, Wire, output_ports
from core.graph.naming import free_name
from core.graph.nodes import Point
from core.graph.params import same
from core.graph.ports import has_output, numbered
from core.session import Session

#: A new node stands so far from what feeds it, and so far below what is in its way.
_STEP, _ROW, _WIDTH = 272.0, 170.0, 200.0
Place = tuple[str, str]  # a node and one of its outputs


def merged(before: Graph, exported: Exported, text: str, program: Graph, run: Run | None) -> Graph:
    """The graph after the edit.

    Args:
        before: what ``exported`` was written from.
        text: the edited text.
        program: what it means, read by the importer.
        run: what was exported beside the graph; what the text does gets its name.
    """
    merge = _Merge(before, exported, program, _untouched(before, exported, text))
    if not merge.agrees():
        merge = _Merge(before, exported, program, set())
    runs = merged_runs(before, exported, text, run, program, merge)
    if list(map(id, runs)) == list(map(id, before.runs)):
        return replace(merge.graph, runs=before.runs)  # so that nothing was changed is seen
    return merge.graph.with_runs(runs)


def _untouched(before: Graph, exported: Exported, text: str) -> set[str]:
    """Ids of the nodes whose statement stands in the text as it was."""
    edited = f"\n{text}\n"
    found: set[str] = set()
    for node, statement in exported.statements().items():
        if node in before.nodes and f"\n{statement}\n" in edited:
            found.add(node)
    return found


class _Merge:
    """Lays the graph of a program over another.

    Attributes:
        graph: what comes of it, without runs.
        ends: the output that each node of the program has in it; those of several outputs keep
            the names of theirs.
    """

    def __init__(
        self, before: Graph, exported: Exported, program: Graph, untouched: set[str]
    ) -> None:
        self._before, self._exported, self._program = before, exported, program
        self._kept = {n: before.nodes[n] for n in before.nodes if n in untouched}
        self._next = before.next_id
        self._stand_ins: dict[str, Place] = {}  # for nodes of the program: what is kept for them
        self._ids: dict[str, str] = {}
        self._sort()
        nodes = self._nodes()
        wires = self._wires(nodes)
        self.graph = Graph.of(
            nodes, wires, before.frames, (), self._next, before.functions, before.inside
        )

    def end(self, node: str, output: str) -> Place | None:
        """Where an output of the program is in the graph."""
        if node in self._stand_ins:
            return self._stand_ins[node]
        return (self._ids[node], output) if node in self._ids else None

    def agrees(self) -> bool:
        """Whether the graph has the values of the program, by their names."""
        ours, theirs = Session(self.graph).snapshot().values, Session(self._program).snapshot()
        for name, (node, output) in self._exported.places.items():
            if name not in self._program.names or node not in self.graph.nodes:
                continue
            want = theirs.values.get(self._program.names[name])
            number = numbered(output)
            ports = output_ports(self.graph.nodes[node], self.graph)
            if node not in ours or want is None or (number is None and output not in ports):
                return False
            got = ours[node][number[1] if number else ports.index(output)]
            if got.shape != want[0].shape or not np.allclose(
                got, want[0], rtol=1e-9, atol=1e-12, equal_nan=True
            ):
                return False
        return True

    # -- which nodes ------------------------------------------------------------------------------

    def _sort(self) -> None:
        """What stands for each node of the program: a node kept, an old one changed, a new one."""
        taken: set[str] = set()
        for node_id in self._program.order():
            name = self._program.nodes[node_id].name
            place = self._exported.places.get(name)
            if place is None or place[0] not in self._before.nodes:
                continue
            if place[0] in self._kept:
                self._stand_ins[node_id] = place
            elif self._exported.identifiers[place[0]] == name and place[0] not in taken:
                self._ids[node_id] = place[0]
                taken.add(place[0])
        unneeded: set[str] = set(self._stand_ins)
        for node_id in reversed(self._program.order()):
            if node_id in self._stand_ins or node_id in self._ids:
                continue
            readers = {wire.target for wire in self._program.wires_from(node_id)}
            if readers and readers <= unneeded:  # it was a part of what is kept
                unneeded.add(node_id)
        for node_id in self._program.order():
            if node_id not in unneeded and node_id not in self._ids:
                self._ids[node_id] = self._fresh("n")

    def _fresh(self, letter: str) -> str:
        self._next += 1
        return f"{letter}{self._next - 1}"

    def _nodes(self) -> dict[str, Node]:
        made = {self._ids[n]: self._program.nodes[n] for n in self._ids}
        nodes: dict[str, Node] = {}
        for node_id, old in self._before.nodes.items():
            if node_id in self._kept:
                nodes[node_id] = old
            elif node_id in made:
                nodes[node_id] = _changed(old, made[node_id])
        taken = {node.name for node in nodes.values()}
        corners = [node.pos for node in nodes.values()]
        for node_id in self._program.order():
            own = self._ids.get(node_id)
            if own is None or own in nodes:
                continue
            node = self._program.nodes[node_id]
            name = free_name(node.name, taken)
            taken.add(name)
            pos = self._room_for(node_id, nodes, corners)
            corners.append(pos)
            nodes[own] = structs.replace(node, id=own, name=name, pos=pos)
        return nodes

    def _room_for(self, node_id: str, nodes: Mapping[str, Node], corners: list[Point]) -> Point:
        """A free place right of what feeds a new node, or left of what it feeds."""
        feeding = self._corners(
            [wire.source for wire in self._program.wires_into(node_id).values()], nodes
        )
        fed = self._corners([w.target for w in self._program.wires_from(node_id)], nodes)
        if feeding:
            x, y = max(c[0] for c in feeding) + _STEP, min(c[1] for c in feeding)
        elif fed:
            x, y = min(c[0] for c in fed) - _STEP, min(c[1] for c in fed)
        else:
            x, y = min((c[0] for c in corners), default=0.0), 0.0
        while any(abs(x - cx) < _WIDTH and abs(y - cy) < _ROW for cx, cy in corners):
            y += _ROW
        return (x, y)

    def _corners(self, found: list[str], nodes: Mapping[str, Node]) -> list[Point]:
        ends = [self.end(node_id, "y") for node_id in found]
        return [nodes[end[0]].pos for end in ends if end is not None and end[0] in nodes]

    # -- wires ------------------------------------------------------------------------------------

    def _wires(self, nodes: Mapping[str, Node]) -> dict[str, Wire]:
        """Those into nodes that are kept as they were, the others as the program has them."""
        wires: dict[str, Wire] = {}
        for wire in self._before.wires.values():
            source = nodes.get(wire.source)
            if wire.target in self._kept and source and has_output(source, wire.output):
                wires[wire.id] = wire
        old = {(w.source, w.output, w.target, w.port): w for w in self._before.wires.values()}
        for wire in self._program.wires.values():
            target, end = self._ids.get(wire.target), self.end(wire.source, wire.output)
            if target is None or end is None:
                continue
            known = old.get((*end, target, wire.port))
            made = known or Wire(self._fresh("w"), *end, target, wire.port)
            wires[made.id] = made
        return wires


def _changed(old: Node, new: Node) -> Node:
    """A node that the text says anew: what it says, at the old place under the old name."""
    if old.op == new.op and _alike(old.params, new.params) and _alike(old.inline, new.inline):
        return old
    return structs.replace(new, id=old.id, name=old.name, pos=old.pos, collapsed=old.collapsed)


def _alike(a: Mapping[str, object], b: Mapping[str, object]) -> bool:
    """Whether two sets of parameters say the same; how a value was made is no part of it."""
    keys = {*a, *b} - {"source"}
    return all(key in a and key in b and same(a[key], b[key]) for key in keys)
