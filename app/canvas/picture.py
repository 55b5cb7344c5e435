"""What the canvas shows: geometry, facts, and what follows from them for each node and wire.

The three setters take news and answer with what looks different now, so that a canvas repaints that
and no more. An export uses the same picture and ignores the answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import compress
from operator import is_not

import numpy as np

from app.canvas import format as fmt
from app.canvas.content import NodeContent, category_of, node_content
from app.canvas.curves import Floats
from app.canvas.facts import NOTHING_TRACED, Facts, Traced
from app.canvas.geometry import Geometry
from app.canvas.rows import touched_nodes
from app.canvas.sizes import Sizes
from app.canvas.styles import (
    node_styles,
    node_styles_after,
    style_nodes,
    style_wires,
    wire_styles,
    wire_styles_after,
)
from core.graph import Graph, GraphDiff
from core.moments import Moment, differences
from core.session import Snapshot
from core.trace import Trace

#: From so many changed nodes on, all that is known of nodes and wires is made anew.
_MANY = 300
#: More changed nodes and wires than this are not repainted one by one.
_MOST_MARKS = 1000


@dataclass(frozen=True, eq=False)
class Change:
    """What looks different: ids of nodes, rows of wires, or everything.

    ``gone``: boxes in the scene, (n, 4), that hold what is no longer there.
    """

    nodes: frozenset[str] = frozenset()
    wires: frozenset[int] = frozenset()
    everything: bool = False
    gone: Floats = field(default_factory=lambda: np.empty((0, 4)))


NO_CHANGE = Change()
EVERYTHING = Change(everything=True)


class Picture:
    """A graph with its snapshot, trace and moment, ready to be painted."""

    def __init__(self, graph: Graph | None = None) -> None:
        self._snapshot: Snapshot | None = None
        self._moment: Moment | None = None
        self._traced: Traced = NOTHING_TRACED
        self._starts: Mapping[str, fmt.Shown | None] | None = None
        self._working: tuple[str, int] | None = None
        self._failure: tuple[str, str] | None = None
        self._contents: dict[str, NodeContent] = {}
        self.sizes = Sizes()
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
            self._failure = None
            self._contents.clear()
            self._set_geometry(Geometry(graph))
            return EVERYTHING
        changed = diff.nodes_changed | diff.nodes_renamed
        geometry = self.geometry
        rows = [geometry.row[node] for node in diff.nodes_moved]
        wires = geometry.wires_at(rows)
        gone = geometry.painted_boxes(np.array(rows, dtype=np.intp), wires)
        if not _recoloured(diff) and geometry.follow(diff):
            changed |= diff.nodes_moved
            return replace(self._refresh_values(changed, frozenset(wires.tolist())), gone=gone)
        self._follow(diff)
        if diff.runs_changed:  # other nodes may be roots now
            self._contents.clear()
        for node in touched_nodes(diff) | diff.nodes_renamed:
            self._contents.pop(node, None)
        return EVERYTHING

    def show_snapshot(self, snapshot: Snapshot | None) -> Change:
        """Values, errors, saved values and gradients."""
        before, self._snapshot = self._snapshot, snapshot
        nodes = _changed(before, snapshot) & self.geometry.row.keys()
        if len(nodes) > _MANY:
            return self._refresh_all()
        rows = [self.geometry.row[node] for node in nodes]
        return self._refresh_values(nodes, frozenset(self.geometry.wires_at(rows).tolist()))

    def show_trace(self, trace: Trace | None) -> Change:
        """The trace that the coming moments are of."""
        self._traced = Traced(trace)
        self._moment = None
        self.sizes.forget()
        return self._refresh_all()

    def show_starts(self, starts: Mapping[str, fmt.Shown | None] | None) -> Change:
        """Where the next backward starts, with what was given there; None: as the runs do."""
        nodes = (starts or {}).keys() | (self._starts or {}).keys()
        self._starts = starts
        return self._refresh(frozenset(nodes & self.geometry.row.keys()), frozenset())

    def show_working(self, node: str | None) -> Change:
        """The node that is being computed, said again and again; None: none."""
        before = self._working
        beat = before[1] + 1 if before is not None and before[0] == node else 1
        self._working = (node, beat) if node is not None else None
        nodes = {node for node, _ in filter(None, (before, self._working))}
        return self._refresh(frozenset(nodes & self.geometry.row.keys()), frozenset())

    def show_failure(self, failure: tuple[str, str] | None) -> Change:
        """The node at which the last action stopped, and why; None: it did not."""
        nodes = {node for node, _ in filter(None, (self._failure, failure))}
        self._failure = failure
        return self._refresh_values(frozenset(nodes & self.geometry.row.keys()), frozenset())

    def show_moment(self, moment: Moment | None) -> Change:
        """What can be seen of the trace now; None: nothing."""
        before, self._moment = self._moment, moment
        if moment is None or before is None:
            return self._refresh_all()
        nodes, flows = differences(before, moment)
        entry = self.geometry.entry
        wires = frozenset(entry[key] for key in flows if key in entry)
        change = self._refresh(frozenset(nodes & self.geometry.row.keys()), wires)
        return EVERYTHING if len(nodes) + len(wires) > _MOST_MARKS else change

    # -- following ----------------------------------------------------------------------------

    def _facts(self) -> Facts:
        return Facts(
            self.graph,
            self._snapshot,
            self._moment,
            self._traced,
            self._starts,
            self._working,
            self._failure,
        )

    def _set_geometry(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.facts = self._facts()
        self._style_all()

    def _refresh_all(self) -> Change:
        self.facts = self._facts()
        self._contents.clear()
        self._style_all()
        return EVERYTHING

    def _refresh(self, nodes: frozenset[str], wires: frozenset[int]) -> Change:
        self.facts = self._facts()
        if not nodes and not wires:
            return NO_CHANGE
        for node in nodes:
            self._contents.pop(node, None)
        style_nodes(self.nodes, nodes, self.geometry, self.facts, self.sizes)
        style_wires(self.wires, wires, self.geometry, self.facts, self.sizes)
        return Change(nodes, wires)

    def _refresh_values(self, nodes: frozenset[str], wires: frozenset[int]) -> Change:
        """Other values, notes or names: the height of a node may change with them."""
        rows = [self.geometry.row[node] for node in nodes]
        change = self._refresh(nodes, wires)
        needed = [self.geometry.base_heights[self.geometry.row[n]] + self._extra(n) for n in nodes]
        if not np.array_equal(needed, self.geometry.heights[rows]):
            self._measure()
        return change

    def _style_all(self) -> None:
        self.nodes = node_styles(self.geometry, self.facts, self.sizes)
        self.wires = wire_styles(self.geometry, self.facts, self.sizes)
        self._measure()

    def _follow(self, diff: GraphDiff) -> None:
        """Nodes or wires came or went: what the edit did not touch looks as it did."""
        was, touched = self.geometry, touched_nodes(diff)
        self.geometry = was.after(diff)
        self.facts = self._facts()
        news = (was, touched, self.geometry, self.facts, self.sizes)
        self.nodes = node_styles_after(self.nodes, *news)
        self.wires = wire_styles_after(self.wires, *news)
        self._measure()

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
