"""Which records a backward visits, and in what order.

Records are numbered as they are made, so descending numbers are a topological order: everything
that uses a value is newer than what made it. No recursion and no ready queue are needed, and the
order of every sum is fixed.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from core.records import LEAF, Record

_seq = attrgetter("seq")


class Tape:
    """The records between roots and leaves, with their scratch set.

    Every record has no cotangent yet but the roots; every leaf knows how many contributions it
    waits for (``pending``).

    Args:
        roots: (record, cotangent) each.
        wanted: records to reach, None for all leaves.

    Attributes:
        order: the records to visit, newest first; leaves are not among them.
        leaf_roots: the roots that are leaves.
        needed: None if no record and no edge was left out; else the records that lead to a wanted
            one, and the wanted ones.
        above: of ``needed`` (if not None), those that lead to a wanted one.
    """

    def __init__(self, roots: list[tuple[Record, Any]], wanted: set[Record] | None) -> None:
        self.leaf_roots: list[Record] = []
        self.needed: set[Record] | None = None
        self.above: set[Record] = set()
        leaves = self._discover(record for record, _ in roots)
        if wanted is not None:
            self._restrict(wanted, leaves)
        for record, cotangent in roots:
            add(record, cotangent)

    def _discover(self, roots: Iterable[Record]) -> set[Record]:
        """Set ``order`` and ``leaf_roots``; the leaves reached.

        A record that was met wears this tape's mark: a set of 100,000 of them would be slow.
        """
        mark = object()
        leaves: set[Record] = set()
        order: list[Record] = []
        found: list[Record] = []
        for record in roots:
            if record.lane == LEAF:
                if record not in leaves:
                    leaves.add(record)
                    record.cotangent = None
                    record.pending = 0
                    self.leaf_roots.append(record)
            elif record.pending is not mark:
                record.pending = mark
                record.cotangent = None
                found.append(record)
        push, pop = found.append, found.pop
        while found:
            record = pop()
            order.append(record)
            for edge in record.edges:
                if edge is None:
                    continue
                if edge.lane == LEAF:
                    if edge in leaves:
                        edge.pending += 1
                    else:
                        leaves.add(edge)
                        edge.cotangent = None
                        edge.pending = 1
                elif edge.pending is not mark:
                    edge.pending = mark
                    edge.cotangent = None
                    push(edge)
        order.sort(key=_seq, reverse=True)
        self.order = order
        return leaves

    def _restrict(self, wanted: set[Record], leaves: set[Record]) -> None:
        """Keep only what lies between the roots and ``wanted``."""
        needed = set(wanted)
        whole = all(record.lane == LEAF for record in wanted)
        for record in reversed(self.order):
            leads = False
            for edge in record.edges:
                if edge is not None:
                    if edge in needed:
                        leads = True
                    else:
                        whole = False
            if leads:
                needed.add(record)
                self.above.add(record)
            else:
                whole = False
        self.leaf_roots = [leaf for leaf in self.leaf_roots if leaf in needed]
        if whole:
            return
        self.needed = needed
        self.order = [record for record in self.order if record in needed]
        for record in leaves:
            record.pending = 0
        for record in self.order:
            if record in self.above:
                for edge in record.edges:
                    if edge is not None and edge.lane == LEAF:
                        edge.pending += 1


def add(record: Record, h: Any) -> None:
    """Add a contribution to what has arrived at a record."""
    record.cotangent = h if record.cotangent is None else record.cotangent + h
