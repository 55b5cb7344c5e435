"""backward and grad: one loop over the records, newest first.

Records are numbered as they are made, so descending numbers are a topological order: everything
that uses a value is newer than what made it. The loop needs no recursion and no ready queue, and
the order of every sum is fixed. Leaves accumulate as soon as their last contribution is in.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from core import tensor, versions
from core.dispatch import CAST, NAMED
from core.errors import (
    AnomalyError,
    CotangentCountError,
    CotangentShapeError,
    CotangentTypeError,
    EmptyInputsError,
    GraphFreedError,
    HookShapeError,
    InputNoGradError,
    ModifiedSavedError,
    NoGradPathError,
    NonscalarRootError,
    OperandError,
    PullbackError,
    RuleError,
    UnusedInputError,
)
from core.modes import enable_grad, no_grad, state
from core.records import BINARY, GENERAL, LEAF, SELECT, UNARY, Extras, Freed, Record
from core.tensor import Tensor, make_tensor, tensor_of_record

_seq = attrgetter("seq")
Cotangents = Sequence[Any] | Tensor | np.ndarray[Any, Any] | None


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Cotangents = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Cotangents = None,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Sum vᵀJ over all roots into ``.grad`` of the leaves (torch.autograd.backward).

    Args:
        tensors: the roots, of any shapes S_i.
        grad_tensors: their cotangents v_i: Tensors or arrays of exactly the shapes S_i. None
            stands for ones, and is allowed for one-element roots only.
        retain_graph: keep the saved values, so that backward can run again. Default: the value
            of ``create_graph``.
        create_graph: record the backward itself, so that gradients have gradients.
        grad_variables: the deprecated name of ``grad_tensors``.
        inputs: accumulate into these (leaves or not) and nothing else.

    Raises:
        NoGradPathError, NonscalarRootError, CotangentShapeError, CotangentCountError,
        CotangentTypeError, EmptyInputsError, InputNoGradError: the call makes no sense; nothing
            was done.
        GraphFreedError, ModifiedSavedError, AnomalyError, HookShapeError: backward stopped
            midway; leaves reached before keep what they got.
    """
    if grad_variables is not None:
        warnings.warn(
            "grad_variables is the old name of grad_tensors.", DeprecationWarning, stacklevel=2
        )
        if grad_tensors is not None:
            raise OperandError(
                "Both grad_tensors and grad_variables (its old name) were given.",
                next_step="Pass grad_tensors only.",
            )
        grad_tensors = grad_variables
    roots = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    wanted: list[Tensor] | None = None
    if inputs is not None:
        wanted = [inputs] if isinstance(inputs, Tensor) else list(inputs)
        if not wanted:
            raise EmptyInputsError(
                "backward(inputs=[]) has nothing to accumulate into.",
                next_step="Name at least one tensor, or leave inputs out for all leaves.",
            )
        _check_inputs(wanted)
    _Backward(roots, grad_tensors, retain_graph, create_graph, wanted, keep=True).run()


tensor.run_backward = backward


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Cotangents = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients vᵀ∂(outputs)/∂(inputs), touching no ``.grad`` (torch.autograd.grad).

    Args:
        outputs, grad_outputs, retain_graph, create_graph: as in ``backward``.
        inputs: Tensors (leaves or not) of shapes S_i.
        allow_unused: return None for an input the outputs do not depend on; else that is an error.
        materialize_grads: return zeros for such inputs.

    Returns:
        One Tensor of shape S_i an input (or None, see ``allow_unused``).

    Raises:
        UnusedInputError: an input is not reached.
        OperandError: ``materialize_grads`` together with ``allow_unused=False``.
        As ``backward`` otherwise.
    """
    if materialize_grads and allow_unused is False:
        raise OperandError(
            "materialize_grads=True gives zeros for unused inputs, so allow_unused cannot be "
            "False.",
            next_step="Leave allow_unused out.",
        )
    roots = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    wanted = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    _check_inputs(wanted)
    run = _Backward(roots, grad_outputs, retain_graph, create_graph, wanted, keep=False)
    run.run()
    found: list[Tensor | None] = []
    for i, x in enumerate(wanted):
        g = run.captured.get(x.record) if x.record is not None else None
        if g is None and materialize_grads:
            found.append(make_tensor(np.zeros(x.shape, x.dtype)))
        elif g is None and not allow_unused:
            raise UnusedInputError(
                f"inputs[{i}] is not used: the outputs do not depend on it.",
                next_step="Pass allow_unused=True for None, or materialize_grads=True for zeros.",
            )
        else:
            found.append(g if g is None or isinstance(g, Tensor) else make_tensor(g))
    return tuple(found)


def _check_inputs(inputs: Sequence[Tensor]) -> None:
    for i, x in enumerate(inputs):
        if not isinstance(x, Tensor):
            raise CotangentTypeError(
                f"inputs[{i}] is {type(x).__name__}, not a Tensor.", next_step="Pass Tensors."
            )
        if x.record is None:
            raise InputNoGradError(
                f"inputs[{i}] does not require grad.",
                next_step="Set requires_grad on it before the forward pass.",
            )


class _Backward:
    """One call of backward or grad.

    Attributes:
        captured: gradients found for the records in ``inputs``.
        updated: how many leaves have accumulated so far.
        _wanted: the records of ``inputs``; None for all leaves.
        _above, _needed: with ``inputs``, the records that have one below them, and those together
            with the wanted ones.
        _shared: ids of cotangents that may be held in more than one place.
    """

    def __init__(
        self,
        roots: list[Tensor],
        cotangents: Cotangents,
        retain_graph: bool | None,
        create_graph: bool,
        inputs: list[Tensor] | None,
        *,
        keep: bool,
    ) -> None:
        self._create = create_graph
        self._retain = create_graph if retain_graph is None else retain_graph
        self._inputs = inputs
        self._keep = keep
        self._wanted = None if inputs is None else {x.record for x in inputs}
        self._roots = self._checked(roots, cotangents)
        self._shared = {id(g) for _, g in self._roots}
        self._observer = state.observer
        self._anomaly = state.anomaly
        self._needed: set[Record] | None = None
        self._above: set[Record] = set()
        self._freed = Freed(0)
        self.captured: dict[Record | None, Any] = {}
        self.updated = 0

    def _checked(self, roots: list[Tensor], cotangents: Cotangents) -> list[tuple[Record, Any]]:
        """(record, cotangent) of every root."""
        if cotangents is None:
            given: list[Any] = [None] * len(roots)
        elif isinstance(cotangents, Tensor | np.ndarray):
            given = [cotangents]
        elif isinstance(cotangents, list | tuple):
            given = list(cotangents)
        else:
            raise CotangentTypeError(
                f"Cotangents must be Tensors or arrays, not {type(cotangents).__name__}.",
                next_step="Wrap the number: Tensor(1.0).",
            )
        if len(given) != len(roots):
            raise CotangentCountError(
                f"There are {len(roots)} roots but {len(given)} cotangents.",
                next_step="Give one cotangent a root (None stands for 1 at a one-element root).",
            )
        checked: list[tuple[Record, Any]] = []
        for i, (y, v) in enumerate(zip(roots, given, strict=True)):
            try:
                checked.append(self._checked_root(i, y, v))
            except PullbackError as error:
                error.index = i
                raise
        return checked

    def _checked_root(self, i: int, y: Tensor, v: Any) -> tuple[Record, Any]:
        if not isinstance(y, Tensor):
            raise CotangentTypeError(
                f"Root {i} is {type(y).__name__}, not a Tensor.", next_step="Pass Tensors."
            )
        if y.record is None:
            raise NoGradPathError(
                f"Root {i} neither requires grad nor was made from a tensor that does.",
                next_step="Set requires_grad=True on a leaf it is computed from, outside no_grad.",
            )
        if v is None:
            if y.size != 1:
                raise NonscalarRootError(
                    f"Root {i} has shape {y.shape}: its gradient is a whole Jacobian, so a "
                    f"cotangent of shape {y.shape} is needed to say which combination of rows.",
                    next_step="Give a cotangent of that shape, or reduce the root to one number "
                    "first, e.g. with sum.",
                )
            one = y.dtype.type(1) if not y.shape else np.ones(y.shape, y.dtype)
            return y.record, make_tensor(one) if self._create else one
        if not isinstance(v, Tensor | np.ndarray | np.generic):
            raise CotangentTypeError(
                f"The cotangent of root {i} is {type(v).__name__}, not a Tensor or an array.",
                next_step="Wrap it: Tensor(...).",
            )
        if v.shape != y.shape:
            raise CotangentShapeError(
                f"The cotangent of root {i} has shape {v.shape}, the root has shape {y.shape}.",
                next_step="They must be exactly equal; cotangents are not broadcast.",
            )
        if self._create:
            v = v if isinstance(v, Tensor) else make_tensor(v)
            return y.record, v if v.dtype == y.dtype else v.astype(y.dtype)
        raw = v._data if isinstance(v, Tensor) else v
        return y.record, raw if raw.dtype == y.dtype else _cast(raw, y.dtype)

    # -- the loop ---------------------------------------------------------------------------------

    def run(self) -> None:
        """Visit everything, newest record first."""
        if not self._roots:
            return
        state.backwards += 1
        self._freed = Freed(state.backwards)
        mode = enable_grad() if self._create else no_grad()
        failure: Exception | None = None
        try:
            with mode, np.errstate(all="ignore"):
                order, leaves = self._discover()
                if self._observer is not None:
                    self._observer.began(self._roots)
                for leaf in leaves:
                    if not leaf.pending:
                        self._reach_leaf(leaf)
                if (
                    self._create
                    or self._wanted is not None
                    or self._observer is not None
                    or self._anomaly is not None
                    or (order and versions.last_change > order[-1].seq)
                ):
                    for record in order:
                        self._visit(record)
                else:
                    self._sweep(order)
        except Exception as error:
            failure = error
            if isinstance(error, PullbackError) and self._keep and self.updated:
                leaves = "1 leaf" if self.updated == 1 else f"{self.updated} leaves"
                error.what += f" {leaves} had already been updated."
            raise
        finally:
            if self._observer is not None:
                self._observer.ended(self._freed.by, self._retain, failure)

    def _discover(self) -> tuple[list[Record], list[Record]]:
        """The records to visit, newest first, and the roots that are leaves.

        Sets the scratch of each: no cotangent yet, and how many contributions a leaf waits for.
        """
        seen: set[Record] = set()
        order: list[Record] = []
        found: list[Record] = []
        leaf_roots: list[Record] = []
        for record, _ in self._roots:
            if record not in seen:
                seen.add(record)
                record.cotangent = None
                if record.lane == LEAF:
                    record.pending = 0
                    leaf_roots.append(record)
                else:
                    found.append(record)
        add, push, pop = seen.add, found.append, found.pop
        while found:
            record = pop()
            order.append(record)
            for edge in record.edges:
                if edge is None:
                    continue
                if edge in seen:
                    if edge.lane == LEAF:
                        edge.pending += 1
                else:
                    add(edge)
                    edge.cotangent = None
                    if edge.lane == LEAF:
                        edge.pending = 1
                    else:
                        push(edge)
        order.sort(key=_seq, reverse=True)
        if self._wanted is not None:
            order, leaf_roots = self._restrict(order, leaf_roots, seen)
        for record, cotangent in self._roots:
            if record in seen:
                _add(record, cotangent)
        return order, leaf_roots

    def _restrict(
        self, order: list[Record], leaf_roots: list[Record], seen: set[Record]
    ) -> tuple[list[Record], list[Record]]:
        """Only what lies between the roots and ``inputs``."""
        needed = {record for record in self._wanted or () if record is not None}
        above: set[Record] = set()  # records with a wanted record somewhere below
        for record in reversed(order):
            if any(edge in above or edge in needed for edge in record.edges if edge is not None):
                above.add(record)
        for record in seen:
            if record.lane == LEAF:
                record.pending = 0
        self._needed = above | needed
        kept = [record for record in order if record in self._needed]
        for record in kept:
            if record in above:
                for edge in record.edges:
                    if edge is not None and edge.lane == LEAF:
                        edge.pending += 1
        self._above = above
        return kept, [leaf for leaf in leaf_roots if leaf in needed]

    def _sweep(self, order: list[Record]) -> None:
        """Visit ``order`` when nobody watches: the short paths of fast records spelt out."""
        freed = None if self._retain else self._freed
        shared = self._shared
        for record in order:
            lane = record.lane
            if lane == UNARY:
                g = record.cotangent
                args = record.args
                if g is None or type(args) is Freed:
                    self._visit(record)
                    continue
                record.cotangent = None
                (edge,) = record.edges
                (given,) = args
                h = record.op.rules[0](g, *given)  # type: ignore[misc]
                if h is g:
                    shared.add(id(g))
                if given and freed is not None:
                    record.args = freed
                if edge.cotangent is None:  # type: ignore[union-attr]
                    edge.cotangent = h  # type: ignore[union-attr]
                else:
                    edge.cotangent = edge.cotangent + h  # type: ignore[union-attr]
                if edge.lane == LEAF:  # type: ignore[union-attr]
                    edge.pending -= 1  # type: ignore[union-attr]
                    if not edge.pending:  # type: ignore[union-attr]
                        self._reach_leaf(edge)  # type: ignore[arg-type]
            elif lane == BINARY:
                g = record.cotangent
                args = record.args
                if g is None or type(args) is Freed:
                    self._visit(record)
                    continue
                record.cotangent = None
                edge, other = record.edges
                rules = record.op.rules
                saves = False
                if edge is not None:
                    given = args[0]
                    h = rules[0](g, *given)  # type: ignore[misc]
                    if h is g:
                        shared.add(id(g))
                    saves = bool(given)
                    edge.cotangent = h if edge.cotangent is None else edge.cotangent + h
                if other is not None:
                    given = args[1]
                    h = rules[1](g, *given)  # type: ignore[misc]
                    if h is g:
                        shared.add(id(g))
                    saves = saves or bool(given)
                    other.cotangent = h if other.cotangent is None else other.cotangent + h
                if saves and freed is not None:
                    record.args = freed
                if edge is not None and edge.lane == LEAF:
                    edge.pending -= 1
                    if not edge.pending:
                        self._reach_leaf(edge)
                if other is not None and other.lane == LEAF:
                    other.pending -= 1
                    if not other.pending:
                        self._reach_leaf(other)
            else:
                self._visit(record)

    # -- one record -------------------------------------------------------------------------------

    def _visit(self, record: Record) -> None:
        """Send a record's cotangent on to its edges."""
        g = record.cotangent
        record.cotangent = None
        extras: Extras | None = getattr(record, "extras", None)
        if extras is not None and g is not None:
            g = self._through_extras(record, extras, g)
        if self._wanted is not None:
            if record in self._wanted and g is not None:
                self._capture(record, g)
            if record not in self._above:
                return
        if record.lane == SELECT:
            self._select(record, g)
            return
        if g is None:
            for edge in record.edges:
                if edge is not None:
                    self._arrived(edge)
            return
        if type(record.args) is Freed:
            raise self._freed_error(record, record.args)
        if versions.last_change > record.seq:
            self._check_versions(record)
        flows = self._pull_back(record, g)
        lost = () if self._retain else tuple(record.saved())
        if lost:
            record.args = self._freed
        if self._observer is not None:
            self._observer.visited(record, g, flows, lost)
        for _, edge, _, _ in flows:
            self._arrived(edge)

    def _pull_back(self, record: Record, g: Any) -> list[tuple[int, Record, Any, Any]]:
        """Apply the rules; (input, edge, contribution, its sum so far) for every edge.

        The contribution of an edge that gets nothing (a rule returned None) is None.
        """
        op = record.op
        likes = record.likes if record.lane == GENERAL else ()
        cotangent = self._all_outputs(record, g) if isinstance(g, dict) else g
        conjugate = _is_complex(cotangent) or any(like and like[1].kind == "c" for like in likes)
        if conjugate:
            cotangent = _conj(cotangent)
        flows: list[tuple[int, Record, Any, Any]] = []
        for k, edge in enumerate(record.edges):
            if edge is None:
                continue
            if self._needed is not None and edge not in self._needed:
                continue
            args = record.args[k]
            if self._create:
                args = self._as_tensors(record, k, args)
            h = op.rule(k)(cotangent, *args)  # type: ignore[misc]
            if h is not None:
                if conjugate:
                    h = _conj(h)
                like = likes[k] if likes else None
                if like is not None and (h.shape != like[0] or h.dtype != like[1]):
                    h = _fit(h, like[0], like[1], record, k)
                if self._anomaly is not None:
                    self._check_anomaly(record, k, g, h)
                if h is g:
                    self._shared.add(id(g))
                _add(edge, h)
            flows.append((k, edge, h, edge.cotangent))
        return flows

    def _all_outputs(self, record: Record, g: dict[int, Any]) -> tuple[Any, ...]:
        """One cotangent an output of a multi-output record: zeros where nothing arrived."""
        found: list[Any] = []
        for index, (shape, dtype) in enumerate(record.made):
            h = g.get(index)
            if h is None:
                zeros = np.zeros(shape, dtype)
                h = make_tensor(zeros) if self._create else zeros
            found.append(h)
        return tuple(found)

    def _select(self, record: Record, g: Any) -> None:
        """Hand the cotangent of one output over to its record."""
        (owner,) = record.edges
        if owner is None or g is None:
            return
        index = record.args
        if owner.cotangent is None:
            owner.cotangent = {}
        held = owner.cotangent.get(index)
        owner.cotangent[index] = g if held is None else held + g

    def _arrived(self, edge: Record) -> None:
        if edge.lane == LEAF:
            edge.pending -= 1
            if not edge.pending:
                self._reach_leaf(edge)

    # -- leaves and captures ----------------------------------------------------------------------

    def _reach_leaf(self, leaf: Record) -> None:
        """All contributions are in: run hooks, then accumulate into ``.grad``."""
        g = leaf.cotangent
        leaf.cotangent = None
        if g is None:
            return
        extras: Extras | None = getattr(leaf, "extras", None)
        if extras is not None:
            g = self._through_extras(leaf, extras, g)
        if self._wanted is not None:
            if leaf in self._wanted:
                self._capture(leaf, g)
            return
        owner: Tensor | None = leaf.args()
        if owner is not None:
            self._accumulate(owner, g, leaf)

    def _capture(self, record: Record, g: Any) -> None:
        if not self._keep:
            self.captured[record] = g if self._create or self._owns(g) else _copy(g)
            return
        for x in self._inputs or ():
            if x.record is record:
                self._accumulate(x, g, record)
                return

    def _accumulate(self, x: Tensor, g: Any, record: Record) -> None:
        """Add ``g`` to ``x.grad``: in place, unless the gradient shall have a history."""
        held: Tensor | None = getattr(x, "_grad", None)
        before = None
        if self._observer is not None and held is not None:
            before = held.data.copy()
        if self._create:
            fresh = NAMED["copy"](g) if id(g) in self._shared else g
            x._grad = fresh if held is None else held + fresh
        elif held is None:
            x._grad = make_tensor(g if self._owns(g) else _copy(g))
        else:
            data = held._data
            if isinstance(data, np.ndarray) and data.flags.writeable:
                np.add(data, g, out=data, casting="same_kind")
                versions.changed(data)
            else:
                held._data = data + g
        self.updated += 1
        if self._observer is not None:
            grad = x._grad
            assert grad is not None  # it was just set
            self._observer.accumulated(record, g, before, grad.data.copy())

    def _owns(self, g: Any) -> bool:
        """Whether nobody else holds the array ``g``, so that it may be kept without a copy.

        Rules return new arrays, views, or ``g`` itself: the last were noted on the way.
        """
        if isinstance(g, np.generic):
            return True
        return (
            self._observer is None
            and g.base is None
            and g.flags.writeable
            and id(g) not in self._shared
        )

    def _through_extras(self, record: Record, extras: Extras, g: Any) -> Any:
        """Hooks in order of registration, then retain_grad."""
        for hook in list(extras.hooks.values()):
            seen = g if isinstance(g, Tensor) else make_tensor(_copy(g))
            made = hook(seen)
            if made is None:
                continue
            if not isinstance(made, Tensor) or (made.shape, made.dtype) != (seen.shape, seen.dtype):
                got = (
                    f"{made.dtype} {made.shape}" if isinstance(made, Tensor) else type(made).__name__
                )
                raise HookShapeError(
                    f"A hook on the result of {record.name} returned {got}; the gradient is "
                    f"{seen.dtype} {seen.shape}.",
                    next_step="Return a Tensor of the same shape and dtype, or None.",
                    node=getattr(record, "tag", None),
                )
            g = made if self._create else made._data
        retained: Tensor | None = extras.retained() if extras.retained is not None else None
        if retained is not None and self._wanted is None:
            self._accumulate(retained, g, record)
        return g

    # -- readings, checks and errors ----------------------------------------------------------------

    def _as_tensors(self, record: Record, k: int, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """A rule's arguments with the saved values as Tensors that know their history."""
        spec = record.op.spec
        made: list[Any] = []
        for name, value in zip(record.op.names_of(k), args, strict=True):
            if record.op.variadic and name == spec.ports[0]:
                pairs = zip(value, record.edges, strict=True)
                made.append(tuple(make_tensor(v, e) for v, e in pairs))
            elif name in spec.ports and value is not None:
                edge = record.edges[spec.ports.index(name)]
                made.append(value if edge is None else make_tensor(value, edge))
            elif name in spec.outputs:
                made.append(tensor_of_record(value, record, spec.outputs.index(name)))
            else:
                made.append(value)
        return tuple(made)

    def _check_versions(self, record: Record) -> None:
        for name, value in record.saved().items():
            for one in value if isinstance(value, tuple) else (value,):
                saved, now = versions.version_at(one, record.seq), versions.version(one)
                if saved != now:
                    raise ModifiedSavedError(
                        f"{record.name} saved {name} at version {saved} for its backward, but it "
                        f"was changed in place since and is at version {now} now.",
                        next_step="Change a copy instead (x = x + ... rather than x.add_(...)), "
                        "or run forward again after the change.",
                        node=getattr(record, "tag", None),
                    )

    def _check_anomaly(self, record: Record, k: int, g: Any, h: Any) -> None:
        got, came = _raw_array(h), _flat_arrays(g)
        kinds: list[tuple[str, Callable[[Any], Any]]] = [("NaN", np.isnan)]
        if self._anomaly:
            kinds.append(("an infinity", np.isinf))
        for word, test in kinds:
            if np.any(test(got)) and not any(np.any(test(c)) for c in came):
                where = tuple(int(i) for i in np.argwhere(test(got))[0])
                port = record.op.spec.ports[0 if record.op.variadic else k]
                values = ", ".join(
                    f"{name} = {np.array2string(np.asarray(v), threshold=8)}"
                    for name, v in record.saved().items()
                    if not isinstance(v, tuple)
                )
                raise AnomalyError(
                    f"The VJP of {record.name} for its input {port} has {word} at {where}, which "
                    f"the cotangent that arrived had not. Saved values: {values or 'none'}.",
                    next_step="Look at the forward values of this node, and keep its input away "
                    "from the pole or kink.",
                    node=getattr(record, "tag", None),
                    port=port,
                )

    def _freed_error(self, record: Record, freed: Freed) -> GraphFreedError:
        spec = record.op.spec
        names = sorted({n for p in spec.ports if p in spec.vjps for n in spec.saved(p)})
        return GraphFreedError(
            f"{spec.name} needs the values it saved ({', '.join(names)}), but backward "
            f"{freed.by} freed them.",
            next_step="Pass retain_graph=True to the first backward, or run forward again.",
            node=getattr(record, "tag", None),
        )


def _add(edge: Record, h: Any) -> None:
    """Add a contribution to what has arrived at a record."""
    edge.cotangent = h if edge.cotangent is None else edge.cotangent + h


def _fit(h: Any, shape: tuple[int, ...], dtype: np.dtype[Any], record: Record, k: int) -> Any:
    """``h`` summed over broadcast axes to ``shape``, and cast to ``dtype``."""
    if h.shape != shape:
        extra = h.ndim - len(shape)
        if extra < 0 or any(
            n not in (1, m) for n, m in zip(shape, h.shape[max(extra, 0) :], strict=False)
        ):
            port = record.op.spec.ports[0 if record.op.variadic else k]
            raise RuleError(
                f"The VJP rule of {record.name} for {port} returned shape {h.shape}; its input "
                f"has shape {shape}, and these do not fit by summing over broadcast axes.",
                next_step="Mend the rule: it must return the input's shape or a broadcast of it.",
                port=port,
            )
        axes = tuple(range(extra)) + tuple(
            extra + i for i, n in enumerate(shape) if n == 1 and h.shape[extra + i] != 1
        )
        h = np.reshape(np.sum(h, axis=axes, keepdims=True), shape)
    return h if h.dtype == dtype else _cast(h, dtype)


def _cast(h: Any, dtype: np.dtype[Any]) -> Any:
    return CAST(h, dtype=dtype.name)


def _copy(g: Any) -> Any:
    return g.copy() if isinstance(g, np.ndarray) else g


def _raw_array(x: Any) -> np.ndarray[Any, Any]:
    return np.asarray(x._data if isinstance(x, Tensor) else x)


def _flat_arrays(g: Any) -> list[np.ndarray[Any, Any]]:
    parts = list(g.values()) if isinstance(g, dict) else [g]
    return [_raw_array(p) for p in parts if p is not None]


def _is_complex(g: Any) -> bool:
    if isinstance(g, tuple):
        return any(_is_complex(one) for one in g)
    return bool(g.dtype.kind == "c")


def _conj(g: Any) -> Any:
    if isinstance(g, tuple):
        return tuple(_conj(one) for one in g)
    return np.conj(g) if g.dtype.kind == "c" else g
