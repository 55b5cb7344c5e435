"""A trace as it is seen from one level: the top of a document, or the inside of one instance.

A trace has a step for every node that was visited, however deep in functions. Seen from above, the
steps inside an instance are one step of its node: cotangents arrive at its outputs and one VJP goes
out of each of its inputs. Seen from inside, there is only what happens inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush

import numpy as np

from core.trace import Array, CallPorts, Flow, Step, Summary, Trace

Kept = Array | Summary

#: What the step of a whole instance has for its operation.
CALL_OP = "call"


def seen(trace: Trace, path: str = "") -> Trace:
    """The trace seen from the inside of the instance ``path`` (``"n7/n12"``), or from the top.

    Ids are those of that level: ``n3`` for ``n7/n3``. Where the steps of an instance had to be
    brought together, the sums so far are those of the new order.
    """
    if not trace.calls:
        return trace if not path else replace(trace, roots=(), steps=())
    return _Level(trace, path).trace()


@dataclass(slots=True)
class _Unit:
    """What becomes one step: a step of the level, or all steps inside one instance."""

    position: int
    node: str
    ports: CallPorts | None = None
    steps: list[Step] = field(default_factory=list)


class _Level:
    """One level of a trace."""

    def __init__(self, trace: Trace, path: str) -> None:
        self._trace = trace
        self._path = path
        self._prefix = f"{path}/" if path else ""

    def trace(self) -> Trace:
        """The trace of this level."""
        units = self._units()
        steps = [self._step(unit) for unit in _in_order(units, self._owners(units))]
        roots = self._roots()
        if any(unit.ports is not None for unit in units):
            steps = _summed(steps, roots)
        return replace(self._trace, roots=tuple(roots), steps=tuple(steps), calls={})

    # -- who is who ------------------------------------------------------------------------------

    def _local(self, node_id: str) -> tuple[str, bool] | None:
        """The id at this level, and whether that is an instance it lies in; None for outsiders."""
        if not node_id.startswith(self._prefix):
            return None
        head, deeper, _ = node_id[len(self._prefix) :].partition("/")
        return head, bool(deeper)

    def _receiver(self, node_id: str, output: int) -> tuple[str, int] | None:
        """Who receives a flow, at this level: a result stands for an output of its instance."""
        place = self._local(node_id)
        if place is None:
            return None
        head, is_deeper = place
        if not is_deeper:
            return head, output
        outputs = self._trace.calls[self._prefix + head].outputs
        return (head, outputs.index(node_id)) if node_id in outputs else None

    def _units(self) -> list[_Unit]:
        units: list[_Unit] = []
        instances: dict[str, _Unit] = {}
        for i, step in enumerate(self._trace.steps):
            place = self._local(step.node)
            if place is None:
                continue
            head, is_deeper = place
            if not is_deeper:
                units.append(_Unit(i, head, None, [step]))
                continue
            if head not in instances:
                instances[head] = _Unit(i, head, self._trace.calls[self._prefix + head])
                units.append(instances[head])
            instances[head].steps.append(step)
            instances[head].position = i  # it is through when its last step is
        return units

    def _owners(self, units: list[_Unit]) -> list[set[str]]:
        """For every unit, the nodes of this level that receive something from it."""
        found = []
        for unit in units:
            flows = (flow for step in unit.steps for flow in step.flows)
            places = (self._receiver(flow.node, flow.output) for flow in flows)
            found.append({place[0] for place in places if place and place[0] != unit.node})
        return found

    # -- steps -----------------------------------------------------------------------------------

    def _step(self, unit: _Unit) -> Step:
        if unit.ports is None:
            (step,) = unit.steps
            return replace(step, node=unit.node, flows=tuple(self._flows(step)))
        arrived: dict[str, Array | Summary | None] = {}
        flows: dict[str, Flow] = {}
        freed: list[str] = []
        for step in unit.steps:
            if step.accumulates:
                continue  # a leaf inside has its gradient inside
            if step.node in unit.ports.outputs:
                arrived[step.node] = step.cotangents[0]
            if step.node in unit.ports.inputs:
                port = unit.ports.inputs[step.node]
                for flow in self._flows(step):  # an argument has one reader of its own: outside
                    flows[port] = replace(flow, port=port)
            call = self._prefix + unit.node
            freed += [saved_name(self._trace.calls, call, step.node, name) for name in step.freed]
        return Step(
            node=unit.node,
            op=CALL_OP,
            cotangents=tuple(arrived.get(end) for end in unit.ports.outputs),
            flows=tuple(flows[p] for p in unit.ports.inputs.values() if p in flows),
            freed=tuple(freed),
        )

    def _flows(self, step: Step) -> Iterable[Flow]:
        """The flows of a step that stay at this level."""
        for flow in step.flows:
            place = self._receiver(flow.node, flow.output)
            if place is not None:
                yield replace(flow, node=place[0], output=place[1])

    def _roots(self) -> list[tuple[str, int, Array | Summary]]:
        """Where gradients come in: what was given at the top, what arrives at the results else."""
        if not self._path:
            given = ((self._receiver(node, k), value) for node, k, value in self._trace.roots)
            return [(*place, value) for place, value in given if place is not None]
        ends = self._trace.calls[self._path].outputs if self._path in self._trace.calls else ()
        return [
            (step.node[len(self._prefix) :], 0, cotangent)
            for step in self._trace.steps
            if step.node in ends and (cotangent := step.cotangents[0]) is not None
        ]


def saved_name(calls: Mapping[str, CallPorts], call: str, node_id: str, name: str) -> str:
    """What an instance calls a value that a node inside it saved: ``"square.x"``."""
    names, place = [], call
    for part in node_id[len(call) + 1 :].split("/"):
        outer, place = place, f"{place}/{part}"
        names.append(calls[outer].inside[place])
    return ".".join([*names, name])


def _in_order(units: list[_Unit], receivers: list[set[str]]) -> list[_Unit]:
    """The units, each after all that it receives from, else as the engine came through them.

    Leaves accumulate as soon as they can, so the engine is at some of them before it is through
    with the instance that they are wired to.
    """
    by_node: dict[str, list[int]] = {}
    for i, unit in enumerate(units):
        by_node.setdefault(unit.node, []).append(i)
    after = [{j for node in nodes for j in by_node.get(node, ())} for nodes in receivers]
    waiting = [0] * len(units)
    for following in after:
        for j in following:
            waiting[j] += 1
    ready = [(unit.position, i) for i, unit in enumerate(units) if not waiting[i]]
    heapify(ready)
    order = []
    while ready:
        _, i = heappop(ready)
        order.append(units[i])
        for j in after[i]:
            waiting[j] -= 1
            if not waiting[j]:
                heappush(ready, (units[j].position, j))
    return order


def _summed(steps: list[Step], roots: list[tuple[str, int, Array | Summary]]) -> list[Step]:
    """The steps with counts and sums so far as the order of the steps makes them."""
    sums: dict[tuple[str, int], Array | Summary] = {}
    counts: dict[tuple[str, int], int] = {}
    for node, output, cotangent in roots:
        held = sums.get((node, output))
        sums[node, output] = cotangent if held is None else _sum(held, cotangent, cotangent)

    def counted(flow: Flow) -> Flow:
        place = flow.node, flow.output
        held, contribution = sums.get(place), flow.contribution
        total = contribution if held is None else _sum(held, contribution, flow.total)
        sums[place] = total
        counts[place] = counts.get(place, 0) + 1
        return replace(flow, total=total, count=counts[place])

    return [replace(step, flows=tuple(map(counted, step.flows))) for step in steps]


def _sum(held: Kept, more: Kept, otherwise: Kept) -> Kept:
    """The sum; where arrays were not kept, what the engine said."""
    if isinstance(held, Summary) or isinstance(more, Summary):
        return otherwise
    total = np.asarray(held + more)
    total.flags.writeable = False
    return total
