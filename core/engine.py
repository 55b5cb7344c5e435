"""The loop of backward: over the records of a tape, newest first.

Leaves accumulate as soon as their last contribution is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import versions
from core.arrivals import Arrivals
from core.errors import PullbackError
from core.fitting import as_tensors, conj, copy, fit, is_complex
from core.guards import check_anomaly, check_versions, freed_error
from core.modes import state
from core.records import BINARY, GENERAL, LEAF, REAL, SELECT, UNARY, Freed, Record
from core.tape import Tape
from core.tensor import Tensor, make_tensor

_UNHURRIED = (GENERAL, SELECT)
_LIKENED = (GENERAL, REAL)


class Backward:
    """One call of backward or grad.

    Args:
        roots: (record, cotangent) of every root, checked.
        inputs, keep: see ``Arrivals``.

    Attributes:
        arrivals: where the gradients end.
    """

    arrivals_type = Arrivals

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
        self._keep = keep
        self._observer = state.observer
        self.arrivals = self.arrivals_type(create_graph, inputs, keep, self._observer)
        if self._observer is not None:  # a trace shall not change when the caller's arrays do
            roots = [(record, copy(g)) for record, g in roots]
        self._roots = roots
        self.arrivals.shared.update(id(g) for _, g in roots)
        self._anomaly = state.anomaly
        self._freed = Freed(0)

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
                tape = self._tape = Tape(self._roots, self.arrivals.wanted)
                order = tape.order
                if self._observer is not None:
                    self._observer.began(self._roots)
                for leaf in tape.leaf_roots:
                    if not leaf.pending:
                        self.arrivals.reach(leaf)
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
            updated = self.arrivals.updated
            if isinstance(error, PullbackError) and self._keep and updated:
                many = "1 leaf" if updated == 1 else f"{updated} leaves"
                error.what += f" {many} had already been updated."
            raise
        finally:
            state.grad = recorded
            if self._observer is not None:
                self._observer.ended(self._freed.by, self._retain, failure)

    def _sweep(self, order: list[Record]) -> None:
        """Visit ``order`` when nobody watches: the short paths of fast records spelt out."""
        freed = None if self._retain else self._freed
        shared = self.arrivals.shared
        reach_leaf = self.arrivals.reach
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
            g = self.arrivals.through(record, record.extras, g)
        tape = self._tape
        if tape.needed is not None:
            wanted = self.arrivals.wanted
            if wanted is not None and record in wanted and g is not None:
                self.arrivals.capture(record, g)
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
                    self.arrivals.shared.add(id(g))
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
                self.arrivals.reach(edge)
