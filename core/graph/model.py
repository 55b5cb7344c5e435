"""The graph and its edits. Every edit returns a new graph, or raises and leaves all as it was.

An edit that would change nothing returns the graph itself, so ``after is before`` tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from msgspec import structs

from core import ops, topology
from core.errors import EditRefusedError, UnknownNodeError, did_you_mean
from core.graph import naming, wiring
from core.graph.actions import Run, problem, prune
from core.graph.checks import checked_inline, checked_params
from core.graph.function import Function, check_ends, check_limits
from core.graph.index import Into, WireIndex
from core.graph.nodes import ARGUMENT, CALL, RESULT, SPECIAL, Array, Frame, Node, Point, Wire
from core.graph.params import same
from core.graph.places import checked_frame, checked_point
from core.graph.ports import has_output, input_ports

V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class Graph:
    """A document: nodes, wires, frames and runs, in the order they were made.

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

    @staticmethod
    def of(
        nodes: Mapping[str, Node],
        wires: Mapping[str, Wire],
        frames: Mapping[str, Frame],
        runs: tuple[Run, ...],
        next_id: int,
        functions: Mapping[str, Function] | None = None,
        inside: str = "",
    ) -> Graph:
        """A graph from its parts, which must fit together."""
        index = WireIndex.of(nodes, wires.values())
        names = {node.name: node.id for node in nodes.values()}
        return Graph(nodes, wires, frames, runs, next_id, functions or {}, inside, index, names)

    # -- questions -------------------------------------------------------------------------------

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

    def knows(self, node_id: str, output: str | None = None) -> bool:
        """Whether there is such a node and, when asked for, such an output."""
        node = self.nodes.get(node_id)
        return node is not None and (output is None or has_output(node, output))

    # -- nodes -----------------------------------------------------------------------------------

    def with_node(
        self,
        op: str,
        pos: Point = (0.0, 0.0),
        name: str | None = None,
        params: Mapping[str, Any] | None = None,
        inline: Mapping[str, Any] | None = None,
    ) -> tuple[Graph, str]:
        """A node more, and its id.

        Raises:
            UnknownOpError: if there is no such operation.
            EditRefusedError: if the name is taken, or a parameter or value does not fit.
        """
        node_id = f"n{self.next_id}"
        if op not in SPECIAL:
            op = ops.find(op).name  # its own name, whatever alias it was asked for by
        new = name is None
        name = naming.fresh_name(op, self.names) if name is None else self._checked_name(name)
        node = Node(node_id, op, name, checked_point(pos))
        node = structs.replace(node, params=checked_params(node, params or {}))
        functions = self._with_function_of(node)
        if new and op == CALL:
            name = naming.free_name(node.label, self.names)
            node = structs.replace(node, name=name)
        node = structs.replace(node, inline=checked_inline(node, inline or {}))
        graph = replace(
            self,
            nodes={**self.nodes, node_id: node},
            names={**self.names, name: node_id},
            index=self.index.with_nodes([node_id]),
            next_id=self.next_id + 1,
            functions=functions,
        )
        if op == CALL:
            check_limits(graph)
        return graph, node_id

    def without(
        self, nodes: Iterable[str] = (), wires: Iterable[str] = (), frames: Iterable[str] = ()
    ) -> Graph:
        """Without some nodes with all their wires, some wires and some frames.

        Runs lose what they say about nodes that are gone. Ids that are not there are passed over.
        """
        gone = {node_id for node_id in nodes if node_id in self.nodes}
        cut = {
            self.wires[wire_id].id: self.wires[wire_id]
            for wire_id in wires
            if wire_id in self.wires
        }
        for node_id in gone:
            cut |= {wire.id: wire for wire in self.wires_into(node_id).values()}
            cut |= {wire.id: wire for wire in self.wires_from(node_id)}
        unframed = {frame_id for frame_id in frames if frame_id in self.frames}
        graph = self._rewired(cut.values(), ()) if cut else self
        if gone:
            left = _less(self.nodes, gone)
            names = _less(self.names, {self.nodes[node_id].name for node_id in gone})
            index = graph.index.without_nodes(gone)
            graph = replace(graph, nodes=left, names=names, index=index).pruned()
        return replace(graph, frames=_less(self.frames, unframed)) if unframed else graph

    def with_params(self, node_id: str, **params: Any) -> Graph:
        """With some parameters of a node changed; the others stay.

        Wires at outputs that the node no longer has are cut.

        Raises:
            EditRefusedError: if a name or a value does not fit.
        """
        node = self.node(node_id)
        changed = checked_params(node, {**node.params, **params})
        if changed.keys() == node.params.keys() and all(
            same(changed[name], node.params[name]) for name in changed
        ):
            return self
        kept = {
            k: node.params[k] if k in node.params and same(v, node.params[k]) else v
            for k, v in changed.items()
        }
        graph = self._replaced(structs.replace(node, params=kept))
        lost = [w for w in self.wires_from(node_id) if not graph.knows(node_id, w.output)]
        graph = graph._rewired(lost, ()) if lost else graph
        return graph.pruned()

    def with_inline(self, node_id: str, port: str, value: Any) -> Graph:
        """With a value typed at an input port, or with None taken away.

        Raises:
            EditRefusedError: if there is no such port or the value is no array of numbers.
        """
        node = self.node(node_id)
        if value is None:
            if port not in node.inline:
                return self
            return self._replaced(structs.replace(node, inline=_less(node.inline, {port})))
        array = checked_inline(node, {port: value})[port]
        if port in node.inline and same(array, node.inline[port]):
            return self
        return self._replaced(structs.replace(node, inline={**node.inline, port: array}))

    def with_name(self, node_id: str, name: str) -> Graph:
        """With a node renamed.

        Raises:
            EditRefusedError: if the name is taken, empty or too long.
        """
        node = self.node(node_id)
        if name == node.name:
            return self
        names = {self._checked_name(name): node_id, **_less(self.names, {node.name})}
        return replace(self._replaced(structs.replace(node, name=name)), names=names)

    def moved(self, positions: Mapping[str, Point]) -> Graph:
        """With some nodes elsewhere: their new top left corners, by id."""
        moved = {
            node_id: structs.replace(self.node(node_id), pos=pos)
            for node_id, point in positions.items()
            if (pos := checked_point(point)) != self.node(node_id).pos
        }
        return replace(self, nodes={**self.nodes, **moved}) if moved else self

    def with_collapsed(self, node_ids: Iterable[str], collapsed: bool = True) -> Graph:
        """With some nodes folded to their header, or unfolded."""
        changed = {
            node_id: structs.replace(node, collapsed=collapsed)
            for node_id in node_ids
            if (node := self.node(node_id)).collapsed != collapsed
        }
        return replace(self, nodes={**self.nodes, **changed}) if changed else self

    def with_pinned(self, node_ids: Iterable[str], pinned: bool = True) -> Graph:
        """With some nodes that stay where they are when others are arranged, or no longer."""
        changed = {
            node_id: structs.replace(node, pinned=pinned)
            for node_id in node_ids
            if (node := self.node(node_id)).pinned != pinned
        }
        return replace(self, nodes={**self.nodes, **changed}) if changed else self

    # -- wires -----------------------------------------------------------------------------------

    def can_connect(self, source: str, output: str, target: str, port: str) -> str | None:
        """Why a wire would be refused, or None. One walk from the target decides on loops."""
        refusal = wiring.refusal(self, source, output, target, port)
        return refusal.what if refusal else None

    def refusals(self, source: str, output: str) -> Mapping[str, str]:
        """Nodes that a wire from this output cannot enter at any port, and why.

        One walk for all nodes, so that every port can be lit while a wire is dragged.
        """
        return wiring.refusals(self, source)

    def with_wire(
        self, source: str, output: str, target: str, port: str, points: Iterable[Point] = ()
    ) -> tuple[Graph, str]:
        """A wire more, in place of any wire at that port, and its id.

        Raises:
            WireRefusedError: if it would close a loop or there is no such port.
        """
        refusal = wiring.refusal(self, source, output, target, port)
        if refusal:
            raise refusal
        through = tuple(checked_point(point) for point in points)
        old = self.wires_into(target).get(port)
        if old is not None and (old.source, old.output, old.points) == (source, output, through):
            return self, old.id
        wire = Wire(f"w{self.next_id}", source, output, target, port, through)
        graph = self._rewired([old] if old else [], [wire])
        return replace(graph, next_id=self.next_id + 1), wire.id

    def with_points(self, wire_id: str, points: Iterable[Point]) -> Graph:
        """With a wire led through other reroute points."""
        return self.rerouted({wire_id: points})

    def rerouted(self, points: Mapping[str, Iterable[Point]]) -> Graph:
        """With some wires led through other reroute points, by id."""
        led = {
            wire_id: wire
            for wire_id, through in points.items()
            if (wire := _led(self.wires[wire_id], through)) is not self.wires[wire_id]
        }
        if not led:
            return self
        into, out = {**self.index.into}, {**self.index.out}
        for wire in led.values():
            into[wire.target] = {**into[wire.target], wire.port: wire}
            out[wire.source] = tuple(wire if w.id == wire.id else w for w in out[wire.source])
        return replace(self, wires={**self.wires, **led}, index=WireIndex(into, out))

    # -- frames and runs -------------------------------------------------------------------------

    def with_frame(
        self,
        title: str,
        rect: tuple[float, float, float, float],
        note: str = "",
        color: str = "blue",
        no_grad: bool = False,
        comment: bool = False,
    ) -> tuple[Graph, str]:
        """A frame more, and its id."""
        frame_id = f"f{self.next_id}"
        frame = checked_frame(Frame(frame_id, title, rect, note, color, no_grad, comment))
        frames = {**self.frames, frame.id: frame}
        return replace(self, frames=frames, next_id=self.next_id + 1), frame.id

    def with_frame_changed(self, frame_id: str, **changes: Any) -> Graph:
        """With some of a frame's attributes changed (its id stays)."""
        frame = self.frames[frame_id]
        changed = checked_frame(replace(frame, **changes))
        return (
            self if changed == frame else replace(self, frames={**self.frames, frame_id: changed})
        )

    def with_runs(self, runs: Iterable[Run]) -> Graph:
        """With these runs in place of all others.

        Raises:
            EditRefusedError: if two have one name.
            UnknownNodeError: if one names a node or an output that is not there.
        """
        runs = tuple(runs)
        taken: set[str] = set()
        for run in runs:
            flaw = "is used twice" if run.name in taken else naming.flaw(run.name)
            if flaw:
                raise EditRefusedError(
                    f"The run name '{run.name}' {flaw}.", next_step="Give every run its own name."
                )
            taken.add(run.name)
            wrong = problem(run, self.knows)
            if wrong:
                raise UnknownNodeError(
                    f"Run '{run.name}': {wrong}.", next_step="Choose another node for it."
                )
        return replace(self, runs=runs)

    def with_run(self, run: Run) -> Graph:
        """With a run more, in place of the one of the same name if there is one."""
        names = [old.name for old in self.runs]
        if run.name not in names:
            return self.with_runs((*self.runs, run))
        return self.with_runs(run if old.name == run.name else old for old in self.runs)

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

    # -- within ----------------------------------------------------------------------------------

    def _replaced(self, node: Node) -> Graph:
        return replace(self, nodes={**self.nodes, node.id: node})

    def _rewired(self, removed: Iterable[Wire], added: Iterable[Wire]) -> Graph:
        removed, added = list(removed), list(added)
        wires = dict(self.wires)
        for wire in removed:
            del wires[wire.id]
        wires.update((wire.id, wire) for wire in added)
        return replace(self, wires=wires, index=self.index.with_wires(removed, added))

    def _with_function_of(self, node: Node) -> Mapping[str, Function]:
        """The functions with that of a new node, if it may stand here at all."""
        if node.op in (ARGUMENT, RESULT) and not self.inside:
            raise EditRefusedError(
                f"'{node.op}' is an end of a function: it stands inside one only.",
                next_step="Open a function first.",
            )
        if node.op != CALL:
            return self.functions
        function: Function = node.params["function"]
        if self.inside in function.callees | {function.id}:
            raise EditRefusedError(
                f"'{function.name}' would need itself.",
                next_step="Put it outside of this function, or use another one.",
            )
        check_ends(function)
        known = self.functions.get(function.id, function)
        if known is not function:
            raise EditRefusedError(
                f"This is not the document's definition of '{function.name}'.",
                next_step="Take the function from the palette.",
            )
        return {**self.functions, function.id: function}

    def pruned(self) -> Graph:
        """With runs that say nothing about nodes and outputs that are gone."""
        runs = tuple(pruned for run in self.runs if (pruned := prune(run, self.knows)))
        unchanged = len(runs) == len(self.runs) and all(map(lambda a, b: a is b, runs, self.runs))
        return self if unchanged else replace(self, runs=runs)

    def _checked_name(self, name: str) -> str:
        flaw = "is taken" if name in self.names else naming.flaw(name)
        if flaw:
            raise EditRefusedError(
                f"The name '{name}' {flaw}.",
                next_step=f"'{naming.free_name(name, self.names)}' is free."
                if name in self.names
                else "Give another one.",
            )
        return name


def _less(mapping: Mapping[str, V], keys: Iterable[str]) -> dict[str, V]:
    left = dict(mapping)
    for key in keys:
        del left[key]
    return left


def _led(wire: Wire, points: Iterable[Point]) -> Wire:
    """The wire through other points; itself when they are the same."""
    through = tuple(checked_point(point) for point in points)
    return wire if through == wire.points else structs.replace(wire, points=through)
