"""What is known about a graph: its snapshot, the trace being played and the moment of it.

Everything shown follows from these four and from nothing else, so a moment can be scrubbed to,
stepped back to, or exported without asking the engine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from app.canvas.format import Shown
from app.canvas.metrics import MESSAGE_ROW, SAVED_ROW, TALLY_ROW
from core.graph import INPUT, Backward, Grad, Graph, Node, output_ports
from core.moments import Moment
from core.session import Saved, Snapshot
from core.trace import Trace

_MESSAGE_LINE = 22
_MESSAGE_LINES = 3
_LINE_HEIGHT = 15.0


class Traced:
    """What a whole trace visits; made once for all its moments.

    Attributes:
        trace: None for nothing.
        nodes: that something arrives at.
        contributions: how many arrive at each.
        before: ``.grad`` of leaves before they were reached.
    """

    def __init__(self, trace: Trace | None) -> None:
        self.trace = trace
        steps = trace.steps if trace is not None else ()
        counts: dict[str, int] = {}
        for step in steps:
            for flow in step.flows:
                counts[flow.node] = max(flow.count, counts.get(flow.node, 0))
        self.contributions: Mapping[str, int] = counts
        self.nodes = set(counts).union(step.node for step in steps)
        self.before = {step.node: step.before for step in steps if step.accumulates}

    @cached_property
    def numbers(self) -> Mapping[tuple[str, str], int]:
        """(visited node id, input port) -> the number of the step that lights its wire, from 1."""
        steps = self.trace.steps if self.trace is not None else ()
        return {(s.node, f.port): k for k, s in enumerate(steps, start=1) for f in s.flows}


NOTHING_TRACED = Traced(None)


class Facts:
    """A graph with all that is known about it; unchangeable, made anew for every moment."""

    def __init__(
        self,
        graph: Graph,
        snapshot: Snapshot | None = None,
        moment: Moment | None = None,
        traced: Traced | None = None,
        starts: Mapping[str, Shown | None] | None = None,
        working: tuple[str, int] | None = None,
        failure: tuple[str, str] | None = None,
    ) -> None:
        """What is known, beside the graph.

        Args:
            starts: where the next backward starts, with what was given; None: as the runs do.
            working: the node that is being computed, and how often that was said.
            failure: the node at which the last action stopped, and why.
        """
        self.graph = graph
        self._starts = starts
        self._working = working
        self._failure = failure
        self.snapshot = snapshot
        self.moment = moment
        self._traced = traced if traced is not None and moment is not None else NOTHING_TRACED
        self.trace = self._traced.trace

    @property
    def step_numbers(self) -> Mapping[tuple[str, str], int]:
        """(visited node id, input port) -> the number of its step in the trace being played."""
        return self._traced.numbers

    # -- values -------------------------------------------------------------------------------

    def value(self, node: str, output: int = 0) -> Shown | None:
        """What the forward pass put on an output."""
        values = self.snapshot.values.get(node) if self.snapshot else None
        return values[output] if values is not None and output < len(values) else None

    def arriving_value(self, node: str, port: str) -> Shown | None:
        """The value that enters a wired input port."""
        wire = self.graph.wires_into(node).get(port)
        if wire is None:
            return None
        outputs = output_ports(self.graph.nodes[wire.source], self.graph)
        return self.value(wire.source, outputs.index(wire.output))

    def message(self, node: str) -> tuple[str, bool]:
        """What to tell about a node, and whether it is an error."""
        if self._failure is not None and self._failure[0] == node:
            return self._failure[1], True
        if self.snapshot is None:
            return "", False
        error = self.snapshot.errors.get(node)
        if error is not None:
            return error.what, True
        return self.snapshot.notes.get(node, ""), False

    # -- gradients ----------------------------------------------------------------------------

    def needs_grad(self, node: Node) -> bool:
        """Whether gradients can reach a node."""
        if self.snapshot is None or node.id not in self.snapshot.values:
            return node.op != INPUT or bool(node.params.get("requires_grad"))
        return node.id in self.snapshot.needs_grad

    def has_no_grad(self, node: str) -> bool:
        """Whether a node has a value and needs no grad: wires from it are dashed."""
        snapshot = self.snapshot
        return snapshot is not None and node in snapshot.values and node not in snapshot.needs_grad

    def keeps_grad(self, node: Node) -> bool:
        """Whether a node has a ``.grad``: a leaf that requires grad, or a retained node."""
        if node.op == INPUT:
            return bool(node.params.get("requires_grad"))
        return self.snapshot is not None and node.id in self.snapshot.grads

    def grad(self, node: str) -> Shown | None:
        """``.grad`` of a leaf or retained node now."""
        if self.moment is not None and node in self.moment.grads:
            return self.moment.grads[node]
        return self.snapshot.grads.get(node) if self.snapshot else None

    def cotangent(self, node: str, output: int | None = None) -> Shown | None:
        """What has arrived at an output so far, added up; at the first that got something."""
        arrived = self.moment.cotangents.get(node, ()) if self.moment else ()
        if output is not None:
            return arrived[output] if output < len(arrived) else None
        return next((value for value in arrived if value is not None), None)

    def is_arriving(self, node: str) -> bool:
        """Whether a leaf has got contributions that are not yet added to its ``.grad``."""
        moment, before = self.moment, self._traced.before
        return (
            moment is not None
            and node in moment.cotangents
            and node in before
            and moment.grads.get(node) is before[node]
        )

    def will_be_reached(self, node: str) -> bool:
        """Whether the trace being played visits a node."""
        return node in self._traced.nodes

    def tally(self, node: str) -> str:
        """``"1 of 2"`` for nodes at which several contributions meet, else nothing."""
        expected = self._traced.contributions.get(node, 0)
        if expected < 2 or self.moment is None:
            return ""
        return f"{min(expected, self.moment.counts.get(node, 0))} of {expected}"

    # -- saved values -------------------------------------------------------------------------

    def saved(self, node: str) -> list[tuple[str, bool]]:
        """Names of the saved values of a node, and whether they are freed by now."""
        kept = self.snapshot.saved.get(node, ()) if self.snapshot else ()
        return [(value.name, self._is_freed(node, value)) for value in kept]

    def is_freed(self, node: str) -> bool:
        """Whether a backward let the node's saved values go."""
        kept = self.snapshot.saved.get(node, ()) if self.snapshot else ()
        return any(self._is_freed(node, value) for value in kept)

    def _is_freed(self, node: str, value: Saved) -> bool:
        if self.moment is None or self.trace is None:
            return value.freed_by is not None
        if value.freed_by is not None and value.freed_by < self.trace.number:
            return True
        return value.name in self.moment.freed.get(node, ())

    # -- what it is now -----------------------------------------------------------------------

    def is_active(self, node: str) -> bool:
        """Whether a node fires now."""
        return node in self._active

    @cached_property
    def _active(self) -> frozenset[str]:
        return frozenset(self.moment.active) if self.moment is not None else frozenset()

    def marked_nodes(self) -> set[str]:
        """Nodes that may be active, freed or in error, or may hold a gradient."""
        marked = self._failed
        if self.snapshot is not None:
            marked.update(self.snapshot.errors, self.snapshot.grads)
            marked.update(
                node
                for node, saved in self.snapshot.saved.items()
                if any(value.freed_by is not None for value in saved)
            )
        if self.moment is not None:
            marked.update(self.moment.cotangents, self.moment.grads, self.moment.freed)
            marked.update(self.moment.active)
        return marked

    @property
    def _failed(self) -> set[str]:
        return {self._failure[0]} if self._failure is not None else set()

    def beat(self, node: str) -> int:
        """Counts up from 1 while a node is being computed; 0 at all other times."""
        return self._working[1] if self._working is not None and self._working[0] == node else 0

    def is_root(self, node: str) -> bool:
        """Whether a backward starts here: the one being played, the next one, or one of a run."""
        return node in self._roots

    def given_cotangent(self, node: str) -> Shown | None:
        """What the next backward starts with at a root; None while it is missing."""
        given = self._starts.get(node) if self._starts is not None else None
        if given is not None:
            return given
        value = self.value(node)
        is_scalar = isinstance(value, np.ndarray) and value.size == 1
        return np.ones_like(value) if is_scalar else None

    @cached_property
    def _roots(self) -> frozenset[str]:
        if self.trace is None and self._starts is not None:
            return frozenset(self._starts)
        return _roots(self.graph, self.trace)

    def root_names(self) -> tuple[str, ...]:
        """Names of the nodes the backward being played started from."""
        nodes = self.graph.nodes
        roots = dict.fromkeys(root[0] for root in self.trace.roots) if self.trace else {}
        return tuple(nodes[root].name for root in roots if root in nodes)

    def extra_height(self, node: str) -> float:
        """Height of the rows that a node has only at times."""
        height = 0.0
        if self.snapshot is not None and self.snapshot.saved.get(node):
            height += SAVED_ROW
        message, _ = self.message(node)
        if message:
            height += MESSAGE_ROW + (message_lines(message) - 1) * _LINE_HEIGHT
        if self._traced.contributions.get(node, 0) > 1:
            height += TALLY_ROW
        return height

    def tall_nodes(self) -> set[str]:
        """Nodes whose ``extra_height`` may differ from 0."""
        tall = {node for node, count in self._traced.contributions.items() if count > 1}
        if self.snapshot is not None:
            tall.update(self.snapshot.saved, self.snapshot.errors, self.snapshot.notes)
        return tall | self._failed


def message_lines(message: str) -> int:
    """On how many lines a message is set on its node."""
    return max(1, min(_MESSAGE_LINES, math.ceil(len(message) / _MESSAGE_LINE)))


def _roots(graph: Graph, trace: Trace | None) -> frozenset[str]:
    if trace is not None:
        return frozenset(root[0] for root in trace.roots)
    found: set[str] = set()
    for run in graph.runs:
        for action in run.actions:
            if isinstance(action, Backward | Grad):
                roots = action.roots if isinstance(action, Backward) else action.outputs
                found.update(root[0] for root in roots if isinstance(root, tuple))
    return frozenset(found)
