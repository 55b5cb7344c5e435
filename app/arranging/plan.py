"""A layout of some or all nodes: what is asked for, and the edit once the places are known.

Between the two a large graph is laid out in a process of its own, while the user goes on editing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from app.arranging.framing import (
    Box,
    Members,
    check_frames,
    fitted,
    groups,
    members,
    outermost,
)
from app.arranging.room import shifts_into_room
from app.edits import Edit, Point, verb_phrase
from core.graph import Graph
from core.topology import Layout
from core.topology.worker import Task


@dataclass(frozen=True)
class Plan:
    """What may move, and what a layout has to know.

    Attributes:
        graph: the graph when it was asked for.
        nodes: ids of those that may move: not the pinned ones, nor others in their frames.
        inside: the nodes of every frame.
        frames: ids of those that go with their nodes: all in them may move.
        wires: ids of the wires that are the task's edges.
        task: for the layout. It includes chosen nodes that stay, so that others find their side.
    """

    graph: Graph
    nodes: frozenset[str]
    inside: Members
    frames: frozenset[str]
    wires: tuple[str, ...]
    task: Task

    @classmethod
    def of(
        cls, graph: Graph, sizes: Mapping[str, Point], chosen: Collection[str] | None = None
    ) -> Plan:
        """A plan for some nodes; None: for all. ``sizes``: width and height of each."""
        known = frozenset(graph.nodes) if chosen is None else frozenset(chosen)
        inside = members(graph)
        pinned = frozenset(i for i, node in graph.nodes.items() if node.pinned)
        stay = pinned.union(*(nodes for nodes in inside.values() if nodes & pinned))
        frames = frozenset(i for i, nodes in inside.items() if nodes and nodes <= known - stay)
        wires = [w for w in graph.wires.values() if w.source in known and w.target in known]
        task = Task(
            {i: sizes[i] for i in graph.nodes if i in known},
            [(wire.source, wire.target) for wire in wires],
            groups({i: inside[i] for i in frames}),
        )
        ids = tuple(wire.id for wire in wires)
        return cls(graph, known - stay, inside, frames, ids, task)

    def edit(self, now: Graph, sizes: Mapping[str, Point], found: Layout) -> Edit:
        """The edit that moves the nodes to where the layout put them.

        Args:
            now: the graph, edited since perhaps: what was deleted, moved or pinned is left alone.
            sizes: width and height of its nodes.
            found: the layout of the task.

        Raises:
            EditRefusedError: if a node would come into a frame, or out of one.
        """
        free = {i for i in self.nodes if self._is_untouched(i, now)}
        if not free:
            return Edit("Arrange", now)
        dx, dy = self._offset(found.corners, free)
        wanted = {i: _shifted(found.corners[i], dx, dy) for i in free}
        places = self._given_room(now, sizes, wanted)
        detours = {k: [_shifted(p, dx, dy) for p in found.detours[k]] for k in found.detours}
        after = now.moved(places).rerouted(self._led(now, wanted, places, detours))
        after = self._framed(after, sizes)
        check_frames(now, after)
        whole = len(free) == len(now.nodes)
        return Edit("Arrange" if whole else verb_phrase("Arrange", now, free), after)

    def _is_untouched(self, node: str, now: Graph) -> bool:
        here = now.nodes.get(node)
        return here is not None and here.pos == self.graph.nodes[node].pos and not here.pinned

    def _led(
        self,
        now: Graph,
        wanted: Mapping[str, Point],
        places: Mapping[str, Point],
        detours: Mapping[int, list[Point]],
    ) -> dict[str, list[Point]]:
        """The points of the wires between nodes that moved: those that they had lead nowhere."""
        aside = {i for i in places if places[i] != wanted[i]}  # given room, beside its detours
        led: dict[str, list[Point]] = {}
        for k, i in enumerate(self.wires):
            wire = now.wires.get(i)
            if wire is not None and wire.source in places and wire.target in places:
                led[i] = [] if aside & {wire.source, wire.target} else detours.get(k, [])
        return led

    def _offset(self, corners: Mapping[str, Point], free: Collection[str]) -> Point:
        """From the layout's places to the scene: what stays lies where it was, about."""
        old = {i: self.graph.nodes[i].pos for i in corners}
        fixed = [i for i in corners if i not in self.nodes]
        if fixed:
            gaps = np.array([old[i] for i in fixed]) - np.array([corners[i] for i in fixed])
            x, y = np.median(gaps, axis=0).tolist()
        else:
            x, y = (min(old[i][k] for i in free) - min(corners[i][k] for i in free) for k in (0, 1))
        return float(round(x)), float(round(y))

    def _given_room(
        self, now: Graph, sizes: Mapping[str, Point], wanted: Mapping[str, Point]
    ) -> dict[str, Point]:
        """The wanted places, moved up or down where something that stays is in the way."""
        obstacles = [_box(n.pos, sizes[i]) for i, n in now.nodes.items() if i not in wanted]
        for i, frame in now.frames.items():
            if not self.inside.get(i, frozenset()) & self.nodes:
                x, y, width, height = frame.rect
                obstacles.append((x, y, x + width, y + height))
        if not obstacles:
            return dict(wanted)
        boxes = {i: _box(wanted[i], sizes[i]) for i in wanted}
        framed = {i: self.inside[i] & wanted.keys() for i in self.frames}
        frames = fitted({i: nodes for i, nodes in framed.items() if nodes}, boxes)
        units = outermost({i: framed[i] for i in frames})
        loose = [i for i in wanted if not any(i in nodes for nodes in units.values())]
        moved = np.array([*(frames[i] for i in units), *(boxes[i] for i in loose)])
        down = shifts_into_room(moved, np.array(obstacles)).tolist()
        ways = zip([*units.values(), *([i] for i in loose)], down, strict=True)
        shift = {i: dy for unit, dy in ways for i in unit}
        return {i: (x, y + shift[i]) for i, (x, y) in wanted.items()}

    def _framed(self, after: Graph, sizes: Mapping[str, Point]) -> Graph:
        """The graph with frames around their nodes again."""
        inside = {
            i: nodes & after.nodes.keys()
            for i, nodes in self.inside.items()
            if nodes & self.nodes & after.nodes.keys() and i in after.frames
        }
        touched = frozenset().union(*inside.values())
        boxes = {i: _box(after.nodes[i].pos, sizes[i]) for i in touched}
        for i, (left, top, right, bottom) in fitted(inside, boxes).items():
            if i not in self.frames:  # only some of its nodes moved: it keeps the room it had
                x, y, width, height = after.frames[i].rect
                left, top = min(left, x), min(top, y)
                right, bottom = max(right, x + width), max(bottom, y + height)
            after = after.with_frame_changed(i, rect=(left, top, right - left, bottom - top))
        return after


def _shifted(place: Point, dx: float, dy: float) -> Point:
    return (place[0] + dx, place[1] + dy)


def _box(pos: Point, size: Point) -> Box:
    return (pos[0], pos[1], pos[0] + size[0], pos[1] + size[1])
