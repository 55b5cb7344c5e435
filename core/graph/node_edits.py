"""The edits of a graph's nodes, with all that hangs on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self, TypeVar

from msgspec import structs

from core import ops
from core.errors import EditRefusedError
from core.graph import naming
from core.graph.checks import checked_inline, checked_params
from core.graph.function import Function, check_ends, check_limits
from core.graph.nodes import ARGUMENT, CALL, RESULT, SPECIAL, Node, Point
from core.graph.params import same
from core.graph.places import checked_point
from core.graph.run_edits import RunEdits
from core.graph.wire_edits import WireEdits

V = TypeVar("V")


class NodeEdits(WireEdits, RunEdits):
    """Each returns a new graph, or raises."""

    def with_node(
        self,
        op: str,
        pos: Point = (0.0, 0.0),
        name: str | None = None,
        params: Mapping[str, Any] | None = None,
        inline: Mapping[str, Any] | None = None,
    ) -> tuple[Self, str]:
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
    ) -> Self:
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

    def with_params(self, node_id: str, **params: Any) -> Self:
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

    def with_inline(self, node_id: str, port: str, value: Any) -> Self:
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

    def with_name(self, node_id: str, name: str) -> Self:
        """With a node renamed.

        Raises:
            EditRefusedError: if the name is taken, empty or too long.
        """
        node = self.node(node_id)
        if name == node.name:
            return self
        names = {self._checked_name(name): node_id, **_less(self.names, {node.name})}
        return replace(self._replaced(structs.replace(node, name=name)), names=names)

    def moved(self, positions: Mapping[str, Point]) -> Self:
        """With some nodes elsewhere: their new top left corners, by id."""
        moved = {
            node_id: structs.replace(self.node(node_id), pos=pos)
            for node_id, point in positions.items()
            if (pos := checked_point(point)) != self.node(node_id).pos
        }
        return replace(self, nodes={**self.nodes, **moved}) if moved else self

    def with_collapsed(self, node_ids: Iterable[str], collapsed: bool = True) -> Self:
        """With some nodes folded to their header, or unfolded."""
        changed = {
            node_id: structs.replace(node, collapsed=collapsed)
            for node_id in node_ids
            if (node := self.node(node_id)).collapsed != collapsed
        }
        return replace(self, nodes={**self.nodes, **changed}) if changed else self

    def with_pinned(self, node_ids: Iterable[str], pinned: bool = True) -> Self:
        """With some nodes that stay where they are when others are arranged, or no longer."""
        changed = {
            node_id: structs.replace(node, pinned=pinned)
            for node_id in node_ids
            if (node := self.node(node_id)).pinned != pinned
        }
        return replace(self, nodes={**self.nodes, **changed}) if changed else self

    def _replaced(self, node: Node) -> Self:
        return replace(self, nodes={**self.nodes, node.id: node})

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
