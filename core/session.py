"""A graph being run: its values, and the actions done on them.

A session is what a Python prompt would be: gradients add up, freed stays freed, until ``restart``.
An edit of the graph recomputes what depends on it on new records; everything else, with its freed
marks and gradients, stays as it is. The session owns all Tensors; others get ``Snapshot``s.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from core import instances
from core.autograd import backward, grad
from core.errors import (
    GraphFreedError,
    MissingInputError,
    PullbackError,
    UnknownNodeError,
)
from core.forward import ForwardPass
from core.graph import (
    CALL,
    Action,
    Assign,
    Backward,
    Forward,
    Grad,
    GradRef,
    Graph,
    Output,
    Run,
    ZeroGrad,
    calls_of,
    output_end,
)
from core.graph.ports import output_ports
from core.modes import no_grad, state
from core.observe import Recorder, default_port, observe
from core.records import Record
from core.results import ActionResult, RunResult, Saved, Snapshot, read_only
from core.tensor import Tensor, make_tensor
from core.trace import Trace

Array = np.ndarray[Any, Any]

__all__ = ["ActionResult", "RunResult", "Saved", "Session", "Snapshot"]


class Session(ForwardPass):
    """Runs ``graph``; see the module's docstring."""

    def __init__(self, graph: Graph | None = None) -> None:
        self._copies: dict[str, tuple[Tensor, Array]] = {}  # gradients as shown since the action
        self._made: list[dict[str, Tensor | None]] = []  # gradients each action made
        self._backwards = 0
        self._used_up: set[str] = set()  # nodes whose saved values a backward freed
        self._generation = 0
        super().__init__(graph)

    def restart(self) -> None:
        """Start fresh: forward anew from the graph's own values, gradients None."""
        with self._lock:
            self._flat = Graph()
            for node_id in list(self._tensors) + list(self._errors):
                self._forget(node_id)
            self._graded, self._assigned = {}, {}
            self._begin()
            self._follow(self.graph)

    def _begin(self) -> None:
        """Forget what the actions so far made."""
        self._made = []
        self._backwards = 0
        self._used_up = set()

    # -- actions ----------------------------------------------------------------------------------

    def perform(self, action: Action) -> ActionResult:
        """Do one action; an error is returned in the result, naming its node."""
        with self._lock:
            return self._perform(action)

    def _perform(self, action: Action) -> ActionResult:
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
            node_id: None if g is None else read_only(g._data) for node_id, g in made.items()
        }
        return ActionResult(action, trace, added, error, results)

    def run(self, run: Run) -> RunResult:
        """Start fresh and do the run's actions, up to the first that fails."""
        self.restart()
        return self._do_all(run)

    def replay(self, run: Run) -> RunResult:
        """As ``run``, from the same values, but without computing again what no action touched.

        For values that are dragged: what does not depend on them was computed long ago.
        """
        with self._lock:
            dirty = (self._used_up | self._assigned.keys()) & self._flat.nodes.keys()
            self._assigned = {}
            self._graded = {i: tensor for i, tensor in self._graded.items() if tensor.is_leaf}
            for tensor in self._graded.values():
                tensor._grad = None
            self._begin()
            self._compute(dirty)
        return self._do_all(run)

    def _do_all(self, run: Run) -> RunResult:
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
        self._assigned[action.node] = read_only(leaf.data.copy())
        self._values[action.node] = (read_only(leaf.data.copy()),)

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
        if not self.graph.knows(node_id, output):
            raise UnknownNodeError(
                f"'{node.name}' has no output '{output}' any more.",
                next_step="Choose another root.",
                node=node_id,
            )
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
        self._used_up.update(step.node for step in trace.steps if step.freed)
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
        with self._lock:
            return self._snapshot()

    def _snapshot(self) -> Snapshot:
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
            known = self._copies[node_id] = (grad, read_only(np.array(grad._data)))
        return known[1]
