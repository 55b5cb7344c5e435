"""The loop of backward: over the records of a tape, newest first.

Leaves accumulate as soon as their last contribution is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import versions
from core.dispatch import NAMED
from core.errors import HookShapeError, PullbackError
from core.fitting import as_tensors, conj, copy, fit, is_complex
from core.guards import check_anomaly, check_versions, freed_error
from core.modes import state
from core.records import BINARY, GENERAL, LEAF, REAL, SELECT, UNARY, Extras, Freed, Record
from core.tape import Tape
from core.tensor import Tensor, make_tensor

_UNHURRIED = (GENERAL, SELECT)
_LIKENED = (GENERAL, REAL)


class Backward:
    """One call of backward or grad.

    Args:
        roots: (record, cotangent) of every root, checked.
        keep: accumulate into ``.grad`` (backward) rather than ``captured`` (grad).

    Attributes:
        captured: gradients found for the records in ``inputs``.
        updated: how many leaves have accumulated so far.
        _wanted: the records of ``inputs``; None for all leaves.
        _shared: ids of cotangents that may be held in more than one place.
    """

    def __init__(
        self,
        roots: list[tuple[Record, Any]],
        retain_graph: bool | None,
        create_graph: bool,
        inputs: Sequence[Tensor] | None,
        *,
        keep: bool,
    ) -> None:
        self._create = create_graph
        self._retain = create_graph if retain_graph is None else retain_graph
        self._inputs = inputs
        self._keep = keep
        self._wanted = (
            None if inputs is None else {x.record for x in inputs if x.record is not None}
        )
        self._observer = state.observer
        if self._observer is not None:  # a trace shall not change when the caller's arrays do
            roots = [(record, copy(g)) for record, g in roots]
        self._roots = roots
        self._shared = {id(g) for _, g in roots}
        self._anomaly = state.anomaly
        self._freed = Freed(0)
        self.captured: dict[Record | None, Any] = {}
        self.updated = 0

    # -- the loop ---------------------------------------------------------------------------------

    def run(self) -> None:
        """Visit everything, newest record first."""
        if not self._roots:
            return
        state.backwards += 1
        self._freed = Freed(state.backwards)
        failure: Exception | None = None
        recorded, state.grad = state.grad, self._create
        try:
            with np.errstate(all="ignore"):
                tape = self._tape = Tape(self._roots, self._wanted)
                order = tape.order
                if self._observer is not None:
                    self._observer.began(self._roots)
                for leaf in tape.leaf_roots:
                    if not leaf.pending:
                        self._reach_leaf(leaf)
                if (
                    tape.needed is not None
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
                many = "1 leaf" if self.updated == 1 else f"{self.updated} leaves"
                error.what += f" {many} had already been updated."
            raise
        finally:
            state.grad = recorded
            if self._observer is not None:
                self._observer.ended(self._freed.by, self._retain, failure)

    def _sweep(self, order: list[Record]) -> None:
        """Visit ``order`` when nobody watches: the short paths of fast records spelt out."""
        freed = None if self._retain else self._freed
        shared = self._shared
        reach_leaf = self._reach_leaf
        create = self._create
        for record in order:
            g = record.cotangent
            args = record.args
            lane = record.lane
            if g is None or args.__class__ is Freed or lane in _UNHURRIED:
                self._visit(record)
                continue
            record.cotangent = None
            rules: Any = record.op.rules
            if lane == UNARY:
                edge: Any
                (edge,) = record.edges
                (given,) = args
                if create:
                    given = as_tensors(record, 0, given)
                # Calls are split by what the rule takes: unpacking costs as much as a product.
                h = rules[0](g, given[0]) if len(given) == 1 else rules[0](g, *given)
                if h is g:
                    shared.add(id(g))
                if given and freed is not None:
                    record.args = freed
                held = edge.cotangent
                edge.cotangent = h if held is None else held + h
                if edge.lane == LEAF:
                    edge.pending -= 1
                    if not edge.pending:
                        reach_leaf(edge)
                continue
            saves = False
            edges = record.edges
            if lane == BINARY:
                edge, other = edges
                if edge is not None:
                    given = as_tensors(record, 0, args[0]) if create else args[0]
                    if given:
                        saves = True
                        h = rules[0](g, given[0]) if len(given) == 1 else rules[0](g, *given)
                    else:
                        h = rules[0](g)
                    if h is g:
                        shared.add(id(g))
                    held = edge.cotangent
                    edge.cotangent = h if held is None else held + h
                if other is not None:
                    given = as_tensors(record, 1, args[1]) if create else args[1]
                    if given:
                        saves = True
                        h = rules[1](g, given[0]) if len(given) == 1 else rules[1](g, *given)
                    else:
                        h = rules[1](g)
                    if h is g:
                        shared.add(id(g))
                    held = other.cotangent
                    other.cotangent = h if held is None else held + h
            else:
                for k, edge in enumerate(edges):
                    if edge is None:
                        continue
                    given = as_tensors(record, k, args[k]) if create else args[k]
                    h = rules[k](g, *given)
                    if record.op.keeps[k]:
                        saves = True
                    if h is None:
                        continue
                    shape, dtype = record.likes[k]  # type: ignore[misc]
                    if h.shape != shape or h.dtype is not dtype:
                        h = fit(h, shape, dtype, record, k)
                    elif h is g:
                        shared.add(id(g))
                    held = edge.cotangent
                    edge.cotangent = h if held is None else held + h
            if saves and freed is not None:
                record.args = freed
            for edge in edges:
                if edge is not None and edge.lane == LEAF:
                    edge.pending -= 1
                    if not edge.pending:
                        reach_leaf(edge)

    # -- one record -------------------------------------------------------------------------------

    def _visit(self, record: Record) -> None:
        """Send a record's cotangent on to its edges."""
        g = record.cotangent
        record.cotangent = None
        if record.extras is not None and g is not None:
            g = self._through_extras(record, record.extras, g)
        tape = self._tape
        if tape.needed is not None:
            if self._wanted is not None and record in self._wanted and g is not None:
                self._capture(record, g)
            if record not in tape.above:
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
            raise freed_error(record, record.args)
        if versions.last_change > record.seq:
            check_versions(record)
        flows = self._pull_back(record, g)
        frees = not self._retain and record.keeps()
        if frees:
            record.args = self._freed
        if self._observer is not None:
            self._observer.visited(record, g, flows, frees)
        for _, edge, _, _ in flows:
            if edge.lane == LEAF:
                self._arrived(edge)

    def _pull_back(self, record: Record, g: Any) -> list[tuple[int, Record, Any, Any]]:
        """Apply the rules; (input, edge, contribution, its sum so far) for every edge.

        The contribution of an edge that gets nothing (a rule returned None) is None.
        """
        op, needed, args = record.op, self._tape.needed, record.args
        likes = record.likes if record.lane in _LIKENED else ()
        cotangent = self._all_outputs(record, g) if isinstance(g, dict) else g
        conjugate = record.lane == GENERAL and (
            is_complex(cotangent) or any(like and like[1].kind == "c" for like in likes)
        )
        if conjugate:
            cotangent = conj(cotangent)
        flows: list[tuple[int, Record, Any, Any]] = []
        for k, edge in enumerate(record.edges):
            if edge is None or (needed is not None and edge not in needed):
                continue
            given = as_tensors(record, k, args[k]) if self._create else args[k]
            h = op.rules[0 if op.variadic else k](cotangent, *given)  # type: ignore[misc]
            if h is not None:
                if conjugate:
                    h = conj(h)
                like = likes[k] if likes else None
                if like is not None and (h.shape != like[0] or h.dtype is not like[1]):
                    h = fit(h, like[0], like[1], record, k)
                if self._anomaly is not None:
                    check_anomaly(record, k, g, h, infinities=self._anomaly)
                if h is g:
                    self._shared.add(id(g))
                held = edge.cotangent
                edge.cotangent = h if held is None else held + h
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
        if leaf.extras is not None:
            g = self._through_extras(leaf, leaf.extras, g)
        if self._wanted is not None:
            if leaf in self._wanted:
                self._capture(leaf, g)
            return
        owner: Tensor | None = leaf.args()
        if owner is None:
            return
        if owner._grad is None and not self._create and self._observer is None:
            owner._grad = make_tensor(g if self._owns(g) else copy(g))
            self.updated += 1
        else:
            self._accumulate(owner, g, leaf)

    def _capture(self, record: Record, g: Any) -> None:
        if not self._keep:
            self.captured[record] = g if self._create or self._whole(g) else copy(g)
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
            before = held._data.copy()
        if self._create:
            fresh = NAMED["copy"](g) if id(g) in self._shared else g
            x._grad = fresh if held is None else held + fresh
        elif held is None:
            x._grad = make_tensor(g if self._owns(g) else copy(g))
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
            # A first gradient is a copy of g already, unless it has a history.
            after = g if held is None and not self._create else grad._data.copy()
            self._observer.accumulated(record, g, before, after)

    def _owns(self, g: Any) -> bool:
        """Whether nobody else holds the array ``g``, so that it may be kept without a copy.

        Rules return new arrays, views, or ``g`` itself: the last were noted on the way.
        """
        if isinstance(g, np.generic):
            return True
        return id(g) not in self._shared and self._whole(g)

    def _whole(self, g: Any) -> bool:
        """Whether ``g`` may be handed out as it is: no view, and not kept in a trace."""
        if isinstance(g, np.generic):
            return True
        return self._observer is None and g.base is None and g.flags.writeable

    def _through_extras(self, record: Record, extras: Extras, g: Any) -> Any:
        """Hooks in order of registration, then retain_grad."""
        for hook in list(extras.hooks.values()):
            seen = g if isinstance(g, Tensor) else make_tensor(copy(g))
            made = hook(seen)
            if made is None:
                continue
            if not isinstance(made, Tensor) or (made.shape, made.dtype) != (seen.shape, seen.dtype):
                got = (
                    f"{made.dtype} {made.shape}"
                    if isinstance(made, Tensor)
                    else type(made).__name__
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
