"""How a trace is laid out in time.

A ``Schedule`` gives every flow of a trace a start and an end. Playback is a time: everything shown
is ``Schedule.at(time)``, a pure function; scrubbing, stepping back and exporting frames call
nothing else.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np

from core.moments import Flights, Moment, Place
from core.story import EPSILON, Story, up_to
from core.trace import Array, Flow, Step, Summary, Trace

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
