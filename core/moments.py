"""What can be seen of a trace at one time, and what is different between two times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from operator import is_not
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from core.trace import Array, Flow, Summary

if TYPE_CHECKING:
    from core.schedule import Schedule


@dataclass(frozen=True, slots=True)
class InFlight:
    """A flow on its way: ``progress`` runs from 0 (leaves the node) to 1 (arrives)."""

    node: str
    flow: Flow
    progress: float


class Flights(Sequence[InFlight]):
    """Flows on their way, as arrays: they become objects only where they are looked at.

    Attributes:
        nodes, flows: visited node and flow, of all flows of a schedule.
        rows: which of them are on their way.
        progress: of those.
    """

    __slots__ = ("flows", "nodes", "progress", "rows")

    def __init__(
        self, nodes: Sequence[str], flows: Sequence[Flow], rows: Array, progress: Array
    ) -> None:
        self.nodes, self.flows = nodes, flows
        self.rows, self.progress = rows, progress

    @classmethod
    def of(cls, flights: Sequence[InFlight]) -> Flights:
        """Flights that were made one by one."""
        if isinstance(flights, cls):
            return flights
        nodes = [flight.node for flight in flights]
        progress = np.array([flight.progress for flight in flights], dtype=float)
        return cls(nodes, [flight.flow for flight in flights], np.arange(len(nodes)), progress)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> InFlight: ...
    @overload
    def __getitem__(self, place: slice | Array) -> Flights: ...
    def __getitem__(self, place: int | slice | Array) -> InFlight | Flights:
        if isinstance(place, int):
            row = self.rows[place]
            return InFlight(self.nodes[row], self.flows[row], float(self.progress[place]))
        return Flights(self.nodes, self.flows, self.rows[place], self.progress[place])


@dataclass(frozen=True, slots=True)
class Moment:
    """Everything that can be seen of a trace at one time.

    Attributes:
        time: seconds from the start of the schedule.
        step: how many steps have fired (0 before the first).
        active: nodes that are firing now.
        in_flight: flows on their way.
        arrived: (visited node id, input port) -> flow, for every flow that has arrived: lit wires.
        cotangents: node id -> one entry per output: the sum of what has arrived so far.
        counts: node id -> how many contributions have arrived so far.
        grads: node id of a leaf (or retained node) -> its ``.grad`` now.
        freed: node id -> names of saved values freed so far.
        place: where in its schedule it is, so that two moments are soon compared; None if it was
            made by hand.
    """

    time: float
    step: int
    active: tuple[str, ...] = ()
    in_flight: Sequence[InFlight] = ()
    arrived: Mapping[tuple[str, str], Flow] = field(default_factory=dict)
    cotangents: Mapping[str, tuple[Array | Summary | None, ...]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    grads: Mapping[str, Array | Summary | None] = field(default_factory=dict)
    freed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """How many entries each dictionary of a moment has been told, in the order of its fields."""

    schedule: Schedule
    counts: tuple[int, ...]


def differences(before: Moment, after: Moment) -> tuple[set[str], set[tuple[str, str]]]:
    """Ids of nodes, and (visited node, port) of flows, that may look different.

    Moments of one schedule are told apart by what happened in between; others by all they hold.
    """
    one, other = before.place, after.place
    if one is not None and other is not None and one.schedule is other.schedule:
        flows, *nodes = one.schedule.keys_between(one, other)
    else:
        flows = _changed(before.arrived, after.arrived)
        nodes = [
            _changed(before.cotangents, after.cotangents),
            _changed(before.counts, after.counts),
            _changed(before.grads, after.grads),
            _changed(before.freed, after.freed),
        ]
    if before.active is not after.active:
        nodes.append([*set(before.active).symmetric_difference(after.active)])
    return set().union(*nodes), set(flows)


def _changed(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> list[Any]:
    """Keys of which two mappings hold other objects, or only one of them any."""
    if old is new:
        return []
    values = compress(new, map(is_not, new.values(), map(old.get, new)))
    return [*values, *(old.keys() ^ new.keys())]
