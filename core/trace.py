"""What one backward did, as plain data, and how it is laid out in time.

A ``Trace`` is recorded by the engine's observer and stays playable after its tape was freed.
A ``Schedule`` gives every flow of a trace a start and an end. Playback is a time: everything shown
is ``Schedule.at(time)``, a pure function; scrubbing, stepping back and exporting frames call
nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np

from core.story import EPSILON, Story, up_to

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Summary:
    """What is kept of an array when a trace would grow too large.

    Attributes:
        sample: the first elements in C order, at most 16.
        rms, mean, low, high: over all elements (NaN when one is NaN).
    """

    shape: tuple[int, ...]
    dtype: str
    rms: float
    mean: float
    low: float
    high: float
    sample: Array


@dataclass(frozen=True, slots=True)
class Flow:
    """One VJP travelling back from a node to the node that made its input.

    Attributes:
        port: input port of the visited node (``xs[2]`` for a variadic one).
        node, output: who receives it: node id and index of its output.
        contribution: what the VJP rule gave, shaped like the value on the wire.
        total: the receiver's cotangent after this arrival: the sum so far.
        count: which arrival at the receiver this is, from 1.
    """

    port: str
    node: str
    output: int
    contribution: Array | Summary
    total: Array | Summary
    count: int = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One visited record, or one leaf that accumulated.

    Attributes:
        node: id of the node.
        op: name of its operation; ``""`` for a leaf.
        cotangents: what had arrived, one per output; None where nothing did.
        flows: what it sent to its inputs, in port order.
        freed: names of the saved values that this backward let go.
        accumulates: whether it added to the node's ``.grad`` (leaves and retained nodes).
        before, after: ``.grad`` before and after; None if there was none.
    """

    node: str
    op: str
    cotangents: tuple[Array | Summary | None, ...]
    flows: tuple[Flow, ...] = ()
    freed: tuple[str, ...] = ()
    before: Array | Summary | None = None
    after: Array | Summary | None = None
    accumulates: bool = False


@dataclass(frozen=True, slots=True)
class CallPorts:
    """Where an instance of a function begins and ends among the nodes it stands for.

    Attributes:
        inputs: id of the node of each argument, ``"n7/n1"`` -> name of the input port.
        outputs: id of the node of each result, one an output port.
        inside: id of each node directly inside -> its name there.
    """

    inputs: Mapping[str, str]
    outputs: tuple[str, ...]
    inside: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Trace:
    """A whole backward.

    Attributes:
        number: which backward of its session this is, from 1.
        roots: (node id, output index, cotangent given) of every root.
        steps: in the order the engine visited them.
        retained: whether saved values were kept.
        error: why it stopped early, if it did (``core.errors.PullbackError``).
        summarised: whether arrays were replaced by summaries to bound the memory.
        calls: the functions its nodes are inside of, by id; inner ones first.
    """

    number: int
    roots: tuple[tuple[str, int, Array | Summary], ...]
    steps: tuple[Step, ...]
    retained: bool = False
    error: Exception | None = None
    summarised: bool = False
    calls: Mapping[str, CallPorts] = field(default_factory=dict)


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


#: Seconds a flow travels, and a step without flows (a leaf accumulating) takes.
TRAVEL = 0.45
PAUSE = 0.35


class Schedule:
    """When each step of a trace fires and when each of its flows travels.

    ``mode="steps"``: one VJP at a time, in the order the engine computed them. ``mode="wave"``: a
    node fires as soon as all it waits for has arrived, so independent branches move at once.

    Attributes:
        trace: what is played.
        step_starts, step_ends: seconds, one entry a step.
        flow_starts, flow_ends: seconds, one entry a flow; ``flow_steps`` is the index of its step.
        duration: seconds from the first step to the end of the last.
    """

    def __init__(self, trace: Trace, mode: Literal["steps", "wave"] = "steps") -> None:
        self.trace = trace
        self.mode = mode
        steps = trace.steps
        counts = np.array([len(s.flows) for s in steps], dtype=np.intp)
        self.flows = tuple(flow for step in steps for flow in step.flows)
        self.flow_steps = np.repeat(np.arange(len(steps)), counts)
        if mode == "steps":
            lengths = np.where(counts > 0, counts * TRAVEL, PAUSE)
            self.step_starts = np.cumsum(lengths) - lengths
            within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            self.flow_starts = self.step_starts[self.flow_steps] + within * TRAVEL
        else:
            lengths = np.where(counts > 0, TRAVEL, PAUSE)
            self.step_starts = _wave_starts(steps, lengths)
            self.flow_starts = self.step_starts[self.flow_steps]
        self.step_ends = self.step_starts + lengths
        self.flow_ends = self.flow_starts + TRAVEL
        self.duration = float(self.step_ends.max(initial=0.0))
        self._fire_times = np.sort(self.step_starts)
        self._flow_nodes = [step.node for step in steps for _ in step.flows]
        self._fired_rows: Array = np.empty(0, dtype=np.intp)
        self._fired_nodes: tuple[str, ...] = ()
        self._stories = self._tell()

    @cached_property
    def boundaries(self) -> list[float]:
        """Seconds at which a step ends, and the start; increasing."""
        ends: list[float] = np.unique(np.round(self.step_ends, 9)).tolist()
        return [0.0, *ends]

    def step_at(self, time: float) -> int:
        """How many steps have fired at ``time``."""
        return up_to(self._fire_times, time)

    def at(self, time: float) -> Moment:
        """Everything that can be seen at ``time`` seconds (clamped to 0 ... duration)."""
        time = min(max(float(time), 0.0), self.duration)
        moving = _during(self.flow_starts, self.flow_ends, time)
        progress = (time - self.flow_starts[moving]) / TRAVEL
        counts = tuple(story.count(time) for story in self._stories)
        arrived, cotangents, numbers, grads, freed = (
            story.after(count) for story, count in zip(self._stories, counts, strict=True)
        )
        return Moment(
            time,
            self.step_at(time),
            self._firing(time),
            Flights(self._flow_nodes, self.flows, moving, progress),
            arrived,
            cotangents,
            numbers,
            grads,
            freed,
            Place(self, counts),
        )

    def _firing(self, time: float) -> tuple[str, ...]:
        """Nodes that fire; the same object for as long as they are the same."""
        rows = _during(self.step_starts, self.step_ends, time)
        if not np.array_equal(rows, self._fired_rows):
            self._fired_rows = rows
            self._fired_nodes = tuple(self.trace.steps[i].node for i in rows)
        return self._fired_nodes

    def keys_between(self, one: Place, other: Place) -> list[list[Any]]:
        """For each dictionary of a moment, the keys it may have other values for elsewhere."""
        return [
            story.keys_between(first, last)
            for story, first, last in zip(self._stories, one.counts, other.counts, strict=True)
        ]

    def _tell(self) -> tuple[Story[Any, Any], ...]:
        """The dictionaries of a moment as stories, in the order of Moment's fields."""
        steps = self.trace.steps
        nodes, flows = self._flow_nodes, self.flows
        arrivals = [(time, nodes[i], flows[i]) for time, i in _in_time(self.flow_ends)]
        fires = [(time, steps[i]) for time, i in _in_time(self.step_starts)]
        ends = [(time, steps[i]) for time, i in _in_time(self.step_ends)]
        before = {step.node: step.before for step in reversed(steps) if step.accumulates}
        given, sums = _sums(self.trace, arrivals, fires)
        return (
            Story({}, [(time, (node, flow.port), flow) for time, node, flow in arrivals]),
            Story(given, sums),
            Story({}, _running_counts(arrivals)),
            Story(before, [(time, s.node, s.after) for time, s in ends if s.accumulates]),
            Story({}, [(time, s.node, s.freed) for time, s in ends if s.freed]),
        )


_Cotangents = tuple[Array | Summary | None, ...]
_Arrivals = list[tuple[float, str, Flow]]  # seconds, visited node, flow


def _in_time(times: Array) -> list[tuple[float, int]]:
    """The times in order, each with its place."""
    order = np.argsort(times, kind="stable")
    return list(zip(times[order].tolist(), order.tolist(), strict=True))


def _during(starts: Array, ends: Array, time: float) -> Array:
    """Places where ``time`` is not before the start, and before the end."""
    return np.flatnonzero((starts <= time + EPSILON) & (ends > time + EPSILON))


def _sums(
    trace: Trace, arrivals: _Arrivals, fires: list[tuple[float, Step]]
) -> tuple[dict[str, _Cotangents], list[tuple[float, str, _Cotangents]]]:
    """Cotangents by node: those given to the roots, and how they grow."""
    held: dict[str, _Cotangents] = {}

    def put(node: str, output: int, cotangent: Array | Summary) -> _Cotangents:
        entries = list(held.get(node, ()))
        entries.extend([None] * (output + 1 - len(entries)))
        entries[output] = cotangent
        held[node] = tuple(entries)
        return held[node]

    for node, output, cotangent in trace.roots:
        put(node, output, cotangent)
    given = dict(held)
    # At the same time, what arrives comes first: a hook may change it before the step fires.
    events = [(round(time, 9), 0, i) for i, (time, _, _) in enumerate(arrivals)]
    events += [(round(time, 9), 1, i) for i, (time, _) in enumerate(fires)]
    sums: list[tuple[float, str, _Cotangents]] = []
    for time, kind, i in sorted(events):
        if kind == 0:
            flow = arrivals[i][2]
            sums.append((time, flow.node, put(flow.node, flow.output, flow.total)))
        elif fires[i][1].cotangents:
            step = fires[i][1]
            held[step.node] = step.cotangents
            sums.append((time, step.node, step.cotangents))
    return given, sums


def _running_counts(arrivals: _Arrivals) -> list[tuple[float, str, int]]:
    counts: dict[str, int] = {}
    entries = []
    for time, _, flow in arrivals:
        counts[flow.node] = max(flow.count, counts.get(flow.node, 0))
        entries.append((time, flow.node, counts[flow.node]))
    return entries


def _wave_starts(steps: tuple[Step, ...], lengths: Array) -> Array:
    """A step starts when the last contribution to its node is in."""
    starts = np.zeros(len(steps))
    ready: dict[str, float] = {}
    for i, step in enumerate(steps):
        starts[i] = ready.get(step.node, 0.0)
        end = starts[i] + lengths[i]
        for flow in step.flows:
            ready[flow.node] = max(ready.get(flow.node, 0.0), end)
    return starts
