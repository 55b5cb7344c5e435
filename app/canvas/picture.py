"""What the canvas shows: geometry, facts, and what follows from them for each node and wire.

The three setters take news and answer with what looks different now, so that a canvas repaints that
and no more. An export uses the same picture and ignores the answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import compress
from operator import is_not
from typing import TypeVar

import numpy as np

from app.canvas import format as fmt
from app.canvas.content import NodeContent, category_of, node_content
from app.canvas.curves import Floats
from app.canvas.facts import NOTHING_TRACED, Facts, Traced
from app.canvas.geometry import Geometry, touched_nodes
from app.colors import magnitude, signed_magnitude
from core.graph import Graph, GraphDiff
from core.session import Snapshot
from core.trace import Flow, Moment, Trace

K = TypeVar("K")
V = TypeVar("V")

#: From so many changed nodes or wires on, everything is painted anew.
_MANY = 300


class WireKind(IntEnum):
    """How a wire is drawn."""

    PLAIN = 0
    NO_GRAD = 1
    LIT = 2


class Status(IntEnum):
    """How a node is drawn when it is too small for its content."""

    NORMAL = 0
    FREED = 1
    ERROR = 2
    ACTIVE = 3


@dataclass(frozen=True)
class Change:
    """What looks different: ids of nodes, rows of wires, or everything."""

    nodes: frozenset[str] = frozenset()
    wires: frozenset[int] = frozenset()
    everything: bool = False


NO_CHANGE = Change()
EVERYTHING = Change(everything=True)


@dataclass
class WireStyles:
    """By wire row: kind, and of lit wires the gradient's signed magnitude and magnitude."""

    kind: np.ndarray[tuple[int], np.dtype[np.uint8]]
    signed: Floats
    magnitude: Floats

    @classmethod
    def plain(cls, count: int) -> WireStyles:
        """Styles of so many unlit wires."""
        return cls(np.zeros(count, np.uint8), np.zeros(count), np.zeros(count))


@dataclass
class NodeStyles:
    """By node row: category (its place in ``categories``), status, and the gradient's side."""

    category: np.ndarray[tuple[int], np.dtype[np.intp]]
    status: np.ndarray[tuple[int], np.dtype[np.uint8]]
    signed: Floats
    categories: list[str] = field(default_factory=list)


class Picture:
    """A graph with its snapshot, trace and moment, ready to be painted."""

    def __init__(self, graph: Graph | None = None) -> None:
        self._snapshot: Snapshot | None = None
        self._moment: Moment | None = None
        self._traced: Traced = NOTHING_TRACED
        self._starts: Mapping[str, fmt.Shown | None] | None = None
        self._working: tuple[str, int] | None = None
        self._contents: dict[str, NodeContent] = {}
        self._set_geometry(Geometry(graph or Graph()))

    @property
    def graph(self) -> Graph:
        """The graph shown."""
        return self.geometry.graph

    @property
    def snapshot(self) -> Snapshot | None:
        """The snapshot shown."""
        return self._snapshot

    @property
    def moment(self) -> Moment | None:
        """The moment of a trace that is shown, if any."""
        return self._moment

    def content(self, row: int) -> NodeContent:
        """What the node in a row says; made when first asked for."""
        node = self.geometry.nodes[row]
        known = self._contents.get(node)
        if known is None:
            known = node_content(self.graph.nodes[node], self.geometry.ports[row], self.facts)
            self._contents[node] = known
        return known

    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of all nodes and frames."""
        boxes = [self.geometry.bounds()] if self.geometry.nodes else []
        for frame in self.graph.frames.values():
            x, y, width, height = frame.rect
            boxes.append((x, y, x + width, y + height))
        if not boxes:
            return (0.0, 0.0, 1.0, 1.0)
        left, top, right, bottom = zip(*boxes, strict=True)
        return (min(left), min(top), max(right), max(bottom))

    # -- news ---------------------------------------------------------------------------------

    def show_graph(self, graph: Graph, diff: GraphDiff | None = None) -> Change:
        """Another graph, or the next version of this one with what changed."""
        if diff is None or diff.before is not self.graph:
            self._snapshot, self._moment, self._traced = None, None, NOTHING_TRACED
            self._contents.clear()
            self._set_geometry(Geometry(graph))
            return EVERYTHING
        changed = diff.nodes_changed | diff.nodes_renamed
        if not _recoloured(diff) and self.geometry.follow(diff):
            return self._refresh(changed, frozenset(), everything=len(changed) > _MANY)
        self._set_geometry(self.geometry.after(diff))
        if diff.runs_changed:  # other nodes may be roots now
            self._contents.clear()
        for node in touched_nodes(diff) | diff.nodes_renamed:
            self._contents.pop(node, None)
        return EVERYTHING

    def show_snapshot(self, snapshot: Snapshot | None) -> Change:
        """Values, errors, saved values and gradients."""
        before, self._snapshot = self._snapshot, snapshot
        nodes = _changed(before, snapshot) & self.geometry.row.keys()
        wires = frozenset(
            wire for node in nodes for wire in self._wires_of(node)
        ) if len(nodes) <= _MANY else frozenset()  # fmt: skip
        return self._refresh(nodes, wires, everything=len(nodes) > _MANY)

    def show_trace(self, trace: Trace | None) -> Change:
        """The trace that the coming moments are of."""
        self._traced = Traced(trace)
        self._moment = None
        return self._refresh(frozenset(self.geometry.row), frozenset(), everything=True)

    def show_starts(self, starts: Mapping[str, fmt.Shown | None] | None) -> Change:
        """Where the next backward starts, with what was given there; None: as the runs do."""
        nodes = (starts or {}).keys() | (self._starts or {}).keys()
        self._starts = starts
        return self._refresh(
            frozenset(nodes & self.geometry.row.keys()), frozenset(), everything=False
        )

    def show_working(self, node: str | None) -> Change:
        """The node that is being computed, said again and again; None: none."""
        before = self._working
        beat = before[1] + 1 if before is not None and before[0] == node else 1
        self._working = (node, beat) if node is not None else None
        nodes = {node for node, _ in filter(None, (before, self._working))}
        return self._refresh(
            frozenset(nodes & self.geometry.row.keys()), frozenset(), everything=False
        )

    def show_moment(self, moment: Moment | None) -> Change:
        """What can be seen of the trace now; None: nothing."""
        before, self._moment = self._moment, moment
        if moment is None or before is None:
            return self._refresh(frozenset(self.geometry.row), frozenset(), everything=True)
        if _only_moved(before, moment):
            self.facts = self._facts()
            return NO_CHANGE
        nodes = _changed_between(before, moment) & self.geometry.row.keys()
        entries = before.arrived.keys() ^ moment.arrived.keys()
        entry = self.geometry.entry
        wires = frozenset(entry[key] for key in entries if key in entry)
        if not nodes and not wires:
            self.facts = self._facts()
            return NO_CHANGE
        return self._refresh(nodes, wires, everything=len(nodes) + len(wires) > _MANY)

    # -- following ----------------------------------------------------------------------------

    def _facts(self) -> Facts:
        return Facts(
            self.graph, self._snapshot, self._moment, self._traced, self._starts, self._working
        )

    def _set_geometry(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.facts = self._facts()
        self._style_all()

    def _refresh(self, nodes: frozenset[str], wires: frozenset[int], *, everything: bool) -> Change:
        self.facts = self._facts()
        if everything:
            self._contents.clear()
            self._style_all()
            return EVERYTHING
        tall = False
        for node in nodes:
            self._contents.pop(node, None)
            row = self.geometry.row[node]
            self._style_node(row)
            height = self.geometry.base_heights[row] + self._extra(node)
            if height != self.geometry.heights[row]:
                tall = True
        for wire in wires:
            self._style_wire(wire)
        if tall:
            self._measure()
        return Change(nodes, wires)

    def _wires_of(self, node: str) -> list[int]:
        return [int(wire) for wire in self.geometry.wires_at([self.geometry.row[node]])]

    def _style_all(self) -> None:
        geometry = self.geometry
        names = [category_of(node) for node in self.graph.nodes.values()]
        categories = sorted(set(names))
        index = {name: k for k, name in enumerate(categories)}
        count = len(names)
        self.nodes = NodeStyles(
            category=np.array([index[name] for name in names], dtype=np.intp),
            status=np.zeros(count, np.uint8),
            signed=np.full(count, np.nan),
            categories=categories,
        )
        for row in self._marked_rows():
            self._style_node(row)
        self.wires = WireStyles.plain(len(geometry.wires))
        self._style_no_grad()
        if self._moment is not None:
            for key in self._moment.arrived:
                wire = geometry.entry.get(key)
                if wire is not None:
                    self._style_wire(wire)
        self._measure()

    def _marked_rows(self) -> list[int]:
        """Rows of the nodes that may have a status or a gradient."""
        marked: set[str] = set()
        if self._snapshot is not None:
            marked.update(self._snapshot.errors, self._snapshot.grads)
            marked.update(
                node
                for node, saved in self._snapshot.saved.items()
                if any(value.freed_by is not None for value in saved)
            )
        if self._moment is not None:
            marked.update(self._moment.cotangents, self._moment.grads, self._moment.freed)
            marked.update(self._moment.active)
        row = self.geometry.row
        return [row[node] for node in marked if node in row]

    def _style_node(self, row: int) -> None:
        node, facts = self.geometry.nodes[row], self.facts
        status = Status.NORMAL
        if facts.is_active(node) or facts.beat(node):
            status = Status.ACTIVE
        elif facts.message(node)[1]:
            status = Status.ERROR
        elif facts.is_freed(node):
            status = Status.FREED
        self.nodes.status[row] = status
        shown = facts.cotangent(node)
        if shown is None:
            shown = facts.grad(node)
        self.nodes.signed[row] = np.nan if shown is None else _signed(shown)

    def _style_no_grad(self) -> None:
        """Dashed: the source has a value and needs no grad."""
        if self._snapshot is None:
            return
        values, needs = self._snapshot.values, self._snapshot.needs_grad
        nodes = self.geometry.nodes
        without = np.array([node in values and node not in needs for node in nodes], dtype=bool)
        if len(self.geometry.wires):
            self.wires.kind[without[self.geometry.source]] = WireKind.NO_GRAD

    def _style_wire(self, wire: int) -> None:
        graph_wire = self.graph.wires[self.geometry.wires[wire]]
        flow = self._flow(graph_wire.target, graph_wire.port)
        if flow is None:
            snapshot, source = self._snapshot, graph_wire.source
            dashed = (
                snapshot is not None
                and source in snapshot.values
                and source not in snapshot.needs_grad
            )
            self.wires.kind[wire] = WireKind.NO_GRAD if dashed else WireKind.PLAIN
            return
        size = fmt.size_of(flow.contribution)
        self.wires.kind[wire] = WireKind.LIT
        self.wires.signed[wire] = np.nan_to_num(signed_magnitude(size.mean, size.rms), nan=1.0)
        self.wires.magnitude[wire] = np.nan_to_num(magnitude(size.rms), nan=1.0)

    def _flow(self, target: str, port: str) -> Flow | None:
        return self._moment.arrived.get((target, port)) if self._moment is not None else None

    def _extra(self, node: str) -> float:
        row = self.geometry.row[node]
        return 0.0 if self.geometry.ports[row].collapsed else self.facts.extra_height(node)

    def _measure(self) -> None:
        heights = self.geometry.base_heights.copy()
        for node in self.facts.tall_nodes():
            row = self.geometry.row.get(node)
            if row is not None:
                heights[row] += self._extra(node)
        self.geometry.set_heights(heights)


def _recoloured(diff: GraphDiff) -> bool:
    """Whether a node is of another category after an edit."""
    before, after = diff.before.nodes, diff.after.nodes
    return any(category_of(before[i]) != category_of(after[i]) for i in diff.nodes_changed)


def _signed(shown: fmt.Shown) -> float:
    size = fmt.size_of(shown)
    return signed_magnitude(size.mean, size.rms)


def _changed(before: Snapshot | None, after: Snapshot | None) -> frozenset[str]:
    """Ids of nodes of which two snapshots say something else."""
    if before is None or after is None:
        some = after or before
        return frozenset(some.graph.nodes) if some is not None else frozenset()
    changed: set[str] = set(before.needs_grad ^ after.needs_grad)
    for old, new in (
        (before.values, after.values),
        (before.errors, after.errors),
        (before.notes, after.notes),
        (before.grads, after.grads),
        (before.saved, after.saved),
    ):
        if old is new:
            continue
        changed.update(compress(new, map(is_not, new.values(), map(old.get, new))))
        if old.keys() != new.keys():
            changed.update(old.keys() ^ new.keys())
    return frozenset(changed)


def _only_moved(before: Moment, after: Moment) -> bool:
    """Whether nothing fired, arrived or ended between two moments of one schedule.

    Comparing all that has happened would take longer than painting a frame; what happened last is
    enough, as moments of a schedule only ever add to it.
    """
    if before.step != after.step or before.active != after.active:
        return False
    return (
        _same_end(before.arrived, after.arrived)
        and _same_end(before.cotangents, after.cotangents)
        and _same_end(before.freed, after.freed)
    )


def _same_end(old: dict[K, V], new: dict[K, V]) -> bool:
    """Whether both are equally long and the last entry is the same."""
    if len(old) != len(new):
        return False
    last = next(reversed(new), None)
    return last is None or new[last] is old.get(last)


def _changed_between(before: Moment, after: Moment) -> frozenset[str]:
    """Ids of nodes that look different at two moments of one trace."""
    changed: set[str] = set(before.active) ^ set(after.active)
    for old, new in (
        (before.cotangents, after.cotangents),
        (before.grads, after.grads),
        (before.freed, after.freed),
    ):
        changed.update(old.keys() ^ new.keys())
        changed.update(key for key, value in new.items() if old.get(key) is not value)
    changed.update(key for key, value in after.counts.items() if before.counts.get(key) != value)
    changed.update(before.counts.keys() ^ after.counts.keys())
    return frozenset(changed)
