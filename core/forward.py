"""The values of a graph: what the forward pass put on every output, kept up to date node by node.

An edit recomputes what depends on it on new records; everything else stays as it is. One thread
computes. Another may look at ``working``, and while that names a node take over with ``fork``: a
NumPy call cannot be interrupted, only be left to itself.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from core import topology
from core.errors import MissingInputError, PullbackError, StoppedError, UnknownOpError
from core.graph import (
    CAST,
    DETACH,
    INPUT,
    RESULT,
    UNKNOWN,
    Graph,
    GraphDiff,
    Node,
    Wire,
    diff,
    expand,
)
from core.graph.ports import numbered, output_ports
from core.library.spec import OpSpec, Vjp
from core.modes import no_grad
from core.recording import apply
from core.records import SELECT, Record
from core.results import Saved, read_only, saved_by
from core.strangeness import strange
from core.tensor import Tensor

Array = np.ndarray[Any, Any]

#: What the ends of a function do: the same value, on its way. It is no operation of the palette.
PASS = OpSpec(
    name="pass", label="pass", category="shape", ports=("x",), forward=lambda x: x.view(),
    vjps={"x": Vjp(lambda g: g, r"\bar{x}=g")}, formula=r"y=x", summary="The same value.",
    samples=(), hidden=True,
)  # fmt: skip


class ForwardPass:
    """Tensors, values, errors and notes of every node of ``graph``; see the module's docstring.

    Attributes:
        working: id of the node whose operation is being computed, ``n7/n3`` inside an instance;
            None at all other times.
    """

    def __init__(self, graph: Graph | None = None) -> None:
        self.graph = Graph()
        self._flat = Graph()  # the same, with its functions written out: what is computed
        self.working: str | None = None
        self._lock = threading.Lock()  # held whenever the state is not fit to be copied
        self._waiting: set[str] = set()  # nodes whose values are out of date
        self._is_forked = False  # another session goes on in its place
        self._tensors: dict[str, tuple[Tensor, ...]] = {}
        self._values: dict[str, tuple[Array, ...]] = {}
        self._needs_grad: set[str] = set()
        self._errors: dict[str, PullbackError] = {}
        self._notes: dict[str, str] = {}
        self._saved: dict[str, tuple[Saved, ...]] = {}
        self._graded: dict[str, Tensor] = {}  # every tensor whose .grad is shown
        self._assigned: dict[str, Array] = {}
        if graph is not None:
            self.update(graph)

    def update(
        self, graph: Graph, is_overtaken: Callable[[], bool] = lambda: False
    ) -> frozenset[str]:
        """Follow an edit: compute what depends on it anew.

        Args:
            is_overtaken: asked before each node; when it says so, the rest is left for the next
                update.

        Returns:
            Ids of the nodes that were computed.
        """
        with self._lock:
            return self._follow(graph, is_overtaken)

    def fork(self, *, give_up: bool, patience: float = 0.05) -> Self | None:
        """A session that goes on from here, for another thread, while this one is ``working``.

        Nothing may be asked of this session afterwards: its thread ends with what it is at.

        Args:
            give_up: whether the node being computed is given up, with an error that says so;
                otherwise the next update begins it again.
            patience: seconds to wait until the state is fit to be copied.

        Returns:
            None while an action is under way, which leaves nothing to go on from.
        """
        if not self._lock.acquire(timeout=patience):
            return None
        try:
            twin = copy.copy(self)
            for name, value in vars(self).items():
                if isinstance(value, dict | set | list):
                    setattr(twin, name, value.copy())
            twin._lock = threading.Lock()
            node_id, twin.working = self.working, None
            self._is_forked = True
        finally:
            self._lock.release()
        if give_up and node_id is not None:
            twin._waiting.discard(node_id)
            twin._forget(node_id)
            twin._errors[node_id] = StoppedError(
                f"'{self._flat.nodes[node_id].name}' was stopped while it was computed.",
                next_step="Run forward again (Shift+F5), or make its inputs smaller.",
                node=node_id,
            )
        return twin

    def _follow(
        self, graph: Graph, is_overtaken: Callable[[], bool] = lambda: False
    ) -> frozenset[str]:
        flat = expand(graph)
        change = diff(self._flat, flat)
        self.graph, self._flat = graph, flat
        for node_id in change.nodes_removed:
            self._forget(node_id)
            self._graded.pop(node_id, None)
            self._assigned.pop(node_id, None)
        for node_id in change.nodes_changed:
            self._assigned.pop(node_id, None)
        renamed = change.nodes_renamed & self._errors.keys()  # their errors have the old names
        self._waiting &= flat.nodes.keys()
        return self._compute(outdated(change) | renamed, is_overtaken)

    def _compute(
        self, dirty: set[str], is_overtaken: Callable[[], bool] = lambda: False
    ) -> frozenset[str]:
        """Compute ``dirty`` nodes and everything that depends on them, and what was left over."""
        self._waiting |= topology.reachable(dirty, self._flat.index.successors)
        done: list[str] = []
        if self._waiting:
            for node_id in sorted(self._waiting, key=self._flat.index.rank.__getitem__):
                if self._is_forked or is_overtaken():
                    break
                self._compute_node(self._flat.nodes[node_id])
                self._waiting.discard(node_id)
                done.append(node_id)
        return frozenset(done)

    def _compute_node(self, node: Node) -> None:
        self._forget(node.id)
        try:
            outputs = self._evaluate_unlocked(node)
        except PullbackError as error:
            error.node = node.id
            self._errors[node.id] = error
            return
        except MemoryError:
            self._errors[node.id] = MissingInputError(
                f"'{node.name}' needs more memory than there is.",
                next_step="Make its inputs smaller.",
                node=node.id,
            )
            return
        if outputs is None:
            return
        self._tensors[node.id] = outputs
        self._values[node.id] = tuple(read_only(t._data) for t in outputs)
        if any(t.requires_grad for t in outputs):
            self._needs_grad.add(node.id)
        record = _record_of(outputs)
        if record is not None:
            record.tag = node.id
            kept = saved_by(record)
            if kept:
                self._saved[node.id] = kept
        if node.op != INPUT:
            names = output_ports(node, self._flat)
            made = ((name, t._data) for name, t in zip(names, outputs, strict=False))
            note = strange(node.label, made, lambda: self._inputs(node))
            if note:
                self._notes[node.id] = note
        self._carry_grad(node.id, outputs[0])

    def _evaluate_unlocked(self, node: Node) -> tuple[Tensor, ...] | None:
        """The outputs of a node; meanwhile, as nothing changes, another thread may take over."""
        self.working = node.id
        self._lock.release()
        try:
            if node.id in self._flat.no_grad_nodes:
                with no_grad():
                    return self._evaluate(node)
            return self._evaluate(node)
        finally:
            self._lock.acquire()
            self.working = None

    def _evaluate(self, node: Node) -> tuple[Tensor, ...] | None:
        """The node's outputs; None while what feeds it has no value.

        Raises:
            PullbackError: the operation cannot take its inputs, or one is missing.
        """
        if node.op == INPUT:
            value = self._assigned.get(node.id, node.params["value"])
            return (Tensor(value, requires_grad=bool(node.params["requires_grad"])),)
        if node.op == UNKNOWN:
            raise UnknownOpError(
                f"'{node.name}' is an operation this program does not have: {node.params['op']}.",
                next_step="Replace it by one from the palette, or use a newer program.",
            )
        operands = self._operands(node)
        if operands is None:
            return None
        if node.op == DETACH:
            return (operands[0].detach(),)
        if node.op == CAST:
            return (operands[0].astype(node.params["dtype"]),)
        if node.op == RESULT:
            return (apply(PASS, operands, {}, Tensor),)
        assert node.spec is not None
        out = apply(node.spec, operands, dict(node.params), Tensor)
        return out if isinstance(out, tuple) else (out,)

    def _operands(self, node: Node) -> list[Any] | None:
        """What goes into the ports: Tensors, arrays typed there, None for empty optional ones."""
        spec = node.spec
        found: list[Any] = []
        missing: list[str] = []
        for port, operand in self._flat.operands(node.id):
            if isinstance(operand, Wire):
                outputs = self._tensors.get(operand.source)
                if outputs is None:
                    return None
                found.append(outputs[self._output_index(operand.source, operand.output)])
            elif operand is not None:
                found.append(Tensor(operand))
            elif spec is not None and port in spec.optional_ports:
                found.append(None)
            else:
                missing.append(port)
        if missing or not found:
            ports = " and ".join(missing) or "at least one input"
            raise MissingInputError(
                f"'{node.name}' needs {ports}.",
                next_step="Drag a wire to it, or type a value in the inspector.",
                port=missing[0] if missing else None,
            )
        return found

    def _output_index(self, node_id: str, output: str) -> int:
        node = self._flat.nodes[node_id]
        number = numbered(output)
        index = number[1] if number else output_ports(node, self._flat).index(output)
        made = len(self._tensors[node_id])
        if index >= made:
            raise MissingInputError(
                f"'{node.name}' has {made} outputs, so there is no {output}.",
                next_step="Take the wire away, or change what splits the value.",
            )
        return index

    def _forget(self, node_id: str) -> None:
        self._tensors.pop(node_id, None)
        self._values.pop(node_id, None)
        self._errors.pop(node_id, None)
        self._notes.pop(node_id, None)
        self._saved.pop(node_id, None)
        self._needs_grad.discard(node_id)

    def _carry_grad(self, node_id: str, tensor: Tensor) -> None:
        """A recomputed leaf keeps its gradient, unless its shape or dtype changed."""
        old = self._graded.pop(node_id, None)
        if tensor.requires_grad and tensor.is_leaf:
            held = None if old is None else old._grad
            if held is not None and (held.shape, held.dtype) == (tensor.shape, tensor.dtype):
                tensor._grad = held
            self._graded[node_id] = tensor

    def _inputs(self, node: Node) -> Iterator[tuple[str, Array]]:
        """The arrays at the ports of a node that was computed."""
        for port, operand in self._flat.operands(node.id):
            if isinstance(operand, Wire):
                outputs = self._tensors[operand.source]
                yield port, outputs[self._output_index(operand.source, operand.output)]._data
            elif operand is not None:
                yield port, operand


def outdated(change: GraphDiff) -> set[str]:
    """Nodes of the graph after an edit that must be computed anew, but for what depends on them."""
    after = change.after
    dirty = set(change.nodes_added | change.nodes_changed)
    dirty |= change.no_grad_changed & after.nodes.keys()
    dirty |= {after.wires[wire].target for wire in change.wires_added}
    cut = {change.before.wires[wire].target for wire in change.wires_removed}
    return dirty | (cut & after.nodes.keys())


def _record_of(outputs: tuple[Tensor, ...]) -> Record | None:
    """The record that made a node's outputs."""
    for t in outputs:
        record = t.record
        if record is not None:
            return record.edges[0] if record.lane == SELECT else record
    return None
