"""A graph being run: Tensors by node, incremental forward, actions, traces.

A session is what a Python prompt would be: gradients add up, freed stays freed, until ``restart``.
An edit of the graph recomputes what depends on it on new records; everything else, with its freed
marks and gradients, stays as it is. The session owns all Tensors; others get ``Snapshot``s.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from core import instances, topology
from core.autograd import backward, grad
from core.errors import (
    GraphFreedError,
    MissingInputError,
    PullbackError,
    UnknownNodeError,
    UnknownOpError,
)
from core.graph import (
    CALL,
    CAST,
    DETACH,
    INPUT,
    RESULT,
    UNKNOWN,
    Action,
    Assign,
    Backward,
    Forward,
    Grad,
    GradRef,
    Graph,
    Node,
    Output,
    Run,
    Wire,
    ZeroGrad,
    calls_of,
    diff,
    expand,
    output_end,
)
from core.graph.ports import numbered, output_ports
from core.library.spec import OpSpec, Vjp
from core.modes import no_grad, state
from core.observe import Recorder, default_port, observe
from core.recording import apply
from core.records import SELECT, Record
from core.results import ActionResult, RunResult, Saved, Snapshot
from core.tensor import Tensor, make_tensor
from core.trace import Trace

Array = np.ndarray[Any, Any]

#: What the ends of a function do: the same value, on its way. It is no operation of the palette.
PASS = OpSpec(
    name="pass", label="pass", category="shape", ports=("x",), forward=lambda x: x.view(),
    vjps={"x": Vjp(lambda g: g, r"\bar{x}=g")}, formula=r"y=x", summary="The same value.",
    samples=(), hidden=True,
)  # fmt: skip

__all__ = ["ActionResult", "RunResult", "Saved", "Session", "Snapshot"]


class Session:
    """Runs ``graph``; see the module's docstring."""

    def __init__(self, graph: Graph | None = None) -> None:
        self.graph = Graph()
        self._flat = Graph()  # the same, with its functions written out: what is computed
        self._tensors: dict[str, tuple[Tensor, ...]] = {}
        self._values: dict[str, tuple[Array, ...]] = {}
        self._needs_grad: set[str] = set()
        self._errors: dict[str, PullbackError] = {}
        self._notes: dict[str, str] = {}
        self._saved: dict[str, tuple[Saved, ...]] = {}
        self._graded: dict[str, Tensor] = {}  # every tensor whose .grad is shown
        self._copies: dict[str, tuple[Tensor, Array]] = {}  # gradients as shown since the action
        self._assigned: dict[str, Array] = {}
        self._made: list[dict[str, Tensor | None]] = []  # gradients each action made
        self._backwards = 0
        self._generation = 0
        if graph is not None:
            self.update(graph)

    # -- forward ----------------------------------------------------------------------------------

    def update(self, graph: Graph) -> frozenset[str]:
        """Follow an edit: compute what depends on it anew. Returns the ids of those nodes."""
        flat = expand(graph)
        change = diff(self._flat, flat)
        self.graph, self._flat = graph, flat
        for node_id in change.nodes_removed:
            self._forget(node_id)
            self._graded.pop(node_id, None)
            self._assigned.pop(node_id, None)
        for node_id in change.nodes_changed:
            self._assigned.pop(node_id, None)
        dirty = set(change.nodes_added | change.nodes_changed)
        dirty |= change.no_grad_changed & flat.nodes.keys()
        for wire_id in change.wires_added:
            dirty.add(flat.wires[wire_id].target)
        for wire_id in change.wires_removed:
            target = change.before.wires[wire_id].target
            if target in flat.nodes:
                dirty.add(target)
        for node_id in change.nodes_renamed & self._errors.keys():
            dirty.add(node_id)
        return self._compute(dirty)

    def restart(self) -> None:
        """Start fresh: forward anew from the graph's own values, gradients None."""
        self._flat = Graph()
        for node_id in list(self._tensors) + list(self._errors):
            self._forget(node_id)
        self._graded, self._assigned, self._made = {}, {}, []
        self._backwards = 0
        self.update(self.graph)

    def _compute(self, dirty: set[str]) -> frozenset[str]:
        """Compute ``dirty`` nodes and everything that depends on them."""
        if not dirty:
            return frozenset()
        affected = topology.reachable(dirty, self._flat.index.successors)
        for node_id in sorted(affected, key=self._flat.index.rank.__getitem__):
            self._compute_node(self._flat.nodes[node_id])
        return frozenset(affected)

    def _compute_node(self, node: Node) -> None:
        self._forget(node.id)
        try:
            if node.id in self._flat.no_grad_nodes:
                with no_grad():
                    outputs = self._evaluate(node)
            else:
                outputs = self._evaluate(node)
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
        self._values[node.id] = tuple(_read_only(t._data) for t in outputs)
        if any(t.requires_grad for t in outputs):
            self._needs_grad.add(node.id)
        record = _record_of(outputs)
        if record is not None:
            record.tag = node.id
            self._note_saved(node.id, record)
        if node.op != INPUT:
            note = self._strange(node, outputs)
            if note:
                self._notes[node.id] = note
        self._carry_grad(node.id, outputs[0])

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

    def _note_saved(self, node_id: str, record: Record) -> None:
        kept: list[Saved] = []
        for name, value in record.saved().items():
            if isinstance(value, tuple):
                kept.extend(Saved(f"{name}[{i}]", _read_only(v)) for i, v in enumerate(value))
            elif value is not None:
                kept.append(Saved(name, _read_only(value)))
        if kept:
            self._saved[node_id] = tuple(kept)

    def _strange(self, node: Node, outputs: tuple[Tensor, ...]) -> str | None:
        """Where a NaN or an infinity was born: in this node's output but in none of its inputs."""
        for name, t in zip(output_ports(node, self._flat), outputs, strict=False):
            if t.dtype.kind not in "fc" or np.isfinite(t._data).all():
                continue
            inputs = [
                (port, self._tensors[x.source][self._output_index(x.source, x.output)]._data)
                if isinstance(x, Wire)
                else (port, x)
                for port, x in self._flat.operands(node.id)
                if x is not None
            ]
            for word, test in (("NaN", np.isnan), ("infinity", np.isinf)):
                if not np.any(test(t._data)) or any(np.any(test(x)) for _, x in inputs):
                    continue
                where = tuple(int(i) for i in np.argwhere(test(t._data))[0])
                at = f" at {list(where)}" if where else ""
                causes = ", ".join(
                    f"{port} = {np.asarray(x)[where]:.4g}"
                    for port, x in inputs
                    if np.shape(x) == t.shape
                )
                born = f"{word} in {name}{at}"
                return f"{born}: {node.label} of {causes}" if causes else born
        return None

    # -- actions ----------------------------------------------------------------------------------

    def perform(self, action: Action) -> ActionResult:
        """Do one action; an error is returned in the result, naming its node."""
        made: dict[str, Tensor | None] = {}
        self._copies.clear()
        recorder = Recorder(self._label, self._port)
        state.backwards = self._backwards
        error: PullbackError | None = None
        try:
            with observe(recorder):
                made = self._do(action)
        except PullbackError as caught:
            error = self._placed(caught, action)
        self._backwards = state.backwards
        self._made.append(made)
        calls = calls_of(self._flat)
        trace = replace(recorder.traces[-1], calls=calls) if recorder.traces else None
        added: dict[str, Array] = {}
        if trace is not None:
            self._after_backward(trace)
            added = {
                step.node: step.cotangents[0]
                for step in trace.steps
                if step.accumulates and isinstance(step.cotangents[0], np.ndarray)
            }
        results = {
            node_id: None if g is None else _read_only(g._data) for node_id, g in made.items()
        }
        return ActionResult(action, trace, added, error, results)

    def run(self, run: Run) -> RunResult:
        """Start fresh and do the run's actions, up to the first that fails."""
        self.restart()
        results: list[ActionResult] = []
        for action in run.actions:
            results.append(self.perform(action))
            if results[-1].error is not None:
                break
        return RunResult(run.name, tuple(results), self._grads())

    def _do(self, action: Action) -> dict[str, Tensor | None]:
        match action:
            case Backward():
                inputs = None if action.inputs is None else self._leaves(action.inputs)
                backward(
                    self._roots(action.roots),
                    self._cotangents(action.cotangents),
                    retain_graph=action.retain_graph,
                    create_graph=action.create_graph,
                    inputs=inputs,
                )
                for node_id, tensor in zip(action.inputs or (), inputs or (), strict=True):
                    self._graded[node_id] = tensor
            case Grad():
                found = grad(
                    self._roots(action.outputs),
                    self._leaves(action.inputs),
                    self._cotangents(action.cotangents),
                    retain_graph=action.retain_graph,
                    create_graph=action.create_graph,
                    allow_unused=action.allow_unused,
                    materialize_grads=action.materialize_grads,
                )
                return dict(zip(action.inputs, found, strict=True))
            case ZeroGrad():
                self._zero_grad(action)
            case Assign():
                self._assign(action)
            case Forward():
                self._compute(set(self._flat.nodes))
        return {}

    def _zero_grad(self, action: ZeroGrad) -> None:
        for node_id in self._graded if action.nodes is None else action.nodes:
            tensor = self._graded.get(node_id)
            if tensor is not None and tensor._grad is not None:
                if action.set_to_none:
                    tensor._grad = None
                else:
                    tensor._grad = make_tensor(np.zeros(tensor.shape, tensor.dtype))

    def _assign(self, action: Assign) -> None:
        (leaf,) = self._leaves([action.node])
        with no_grad():
            leaf.copy_(action.value)
        self._assigned[action.node] = _read_only(leaf.data.copy())
        self._values[action.node] = (_read_only(leaf.data.copy()),)

    def _roots(self, roots: Iterable[Any]) -> list[Tensor]:
        found: list[Tensor] = []
        for root in roots:
            if isinstance(root, GradRef):
                found.append(self._gradient(root))
            else:
                node_id, output = self._end(*root)
                outputs = self._outputs(node_id)
                found.append(outputs[self._output_index(node_id, output)])
        return found

    def _leaves(self, node_ids: Iterable[str]) -> list[Tensor]:
        return [self._outputs(self._end(node_id)[0])[0] for node_id in node_ids]

    def _end(self, node_id: str, output: str | None = None) -> Output:
        """The output that is computed: of an instance, that of the result inside it.

        Where none is named it is the first.
        """
        node = self.graph.node(node_id)
        output = output_ports(node, self.graph)[0] if output is None else output
        return output_end(node, output) if node.op == CALL else (node_id, output)

    def _outputs(self, node_id: str) -> tuple[Tensor, ...]:
        node = self._flat.node(node_id)
        outputs = self._tensors.get(node_id)
        if outputs is None:
            raise MissingInputError(
                f"'{node.name}' has no value, so nothing can flow back from it.",
                next_step="Look at the errors on it and on the nodes before it.",
                node=node_id,
            )
        return outputs

    def _gradient(self, ref: GradRef) -> Tensor:
        made = self._made[ref.action].get(ref.node) if ref.action < len(self._made) else None
        if made is None:
            raise UnknownNodeError(
                f"Action {ref.action + 1} made no gradient of '{self.graph.node(ref.node).name}'.",
                next_step="Put a grad action for it before this one.",
            )
        return made

    def _cotangents(self, cotangents: Iterable[Any] | None) -> list[Any] | None:
        if cotangents is None:
            return None
        return [self._gradient(c) if isinstance(c, GradRef) else c for c in cotangents]

    def _after_backward(self, trace: Trace) -> None:
        """Mark what the backward freed."""
        for step in trace.steps:
            if step.freed and step.node in self._saved:
                self._saved[step.node] = tuple(
                    Saved(s.name, s.value, trace.number) if s.freed_by is None else s
                    for s in self._saved[step.node]
                )

    def _placed(self, error: PullbackError, action: Action) -> PullbackError:
        """The error with names of the graph: which node, which root."""
        roots = getattr(action, "roots", getattr(action, "outputs", ()))
        if error.node is None and error.index is not None and error.index < len(roots):
            root = roots[error.index]
            error.node = root.node if isinstance(root, GradRef) else root[0]
            name = self.graph.nodes[error.node].name
            error.what = error.what.replace(f"root {error.index}", f"'{name}'")
            error.what = error.what.replace(f"Root {error.index}", f"'{name}'")
        elif error.node is not None and error.node in self._flat.nodes:
            node = self._flat.nodes[error.node]
            if node.name != node.op and f"'{node.name}'" not in error.what:
                error.what = f"'{node.name}': {error.what}"
            if isinstance(error, GraphFreedError):
                error.next_step = (
                    "Tick retain_graph for the backward before (retain_graph=True), "
                    "or run forward again."
                )
        return error

    def _label(self, record: Record) -> str:
        """A record's node id; what rules recorded themselves has none and is named by its op."""
        tag = getattr(record, "tag", None)
        return str(tag) if tag is not None else f"{record.name}#{record.seq}"

    def _port(self, record: Record, k: int) -> str:
        tag = getattr(record, "tag", None)
        if record.op.variadic and isinstance(tag, str):
            return self._flat.operands(tag)[k][0]
        return default_port(record, k)

    # -- looking ----------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Everything a view may show, safe to hand to another thread."""
        self._generation += 1
        calls = calls_of(self._flat)
        values, needs_grad, errors = dict(self._values), set(self._needs_grad), dict(self._errors)
        notes, saved = dict(self._notes), dict(self._saved)
        instances.add_values(values, calls)
        instances.add_needs_grad(needs_grad, calls)
        instances.add_errors(errors, self.graph, calls)
        instances.add_notes(notes, calls)
        instances.add_saved(saved, calls)
        return Snapshot(
            self._generation,
            self.graph,
            values,
            frozenset(needs_grad),
            errors,
            notes,
            saved,
            self._grads(),
            self._backwards,
        )

    def _grads(self) -> dict[str, Array | None]:
        """Copies of all gradients, as backward adds to them in place; each is copied once."""
        return {node_id: self._copy_of_grad(node_id, t) for node_id, t in self._graded.items()}

    def _copy_of_grad(self, node_id: str, tensor: Tensor) -> Array | None:
        grad = tensor._grad
        if grad is None:
            return None
        known = self._copies.get(node_id)
        if known is None or known[0] is not grad:
            known = self._copies[node_id] = (grad, _read_only(np.array(grad._data)))
        return known[1]


def _record_of(outputs: tuple[Tensor, ...]) -> Record | None:
    """The record that made a node's outputs."""
    for t in outputs:
        record = t.record
        if record is not None:
            return record.edges[0] if record.lane == SELECT else record
    return None


def _read_only(value: Any) -> Array:
    array = np.asarray(value)
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array
