"""Places for the nodes of an imported graph, and frames around those that belong together.

A group is laid out by itself, from the inside out, and then stands as one box in what is around it:
so a frame holds its own nodes and no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import structs

from core import topology
from core.graph import Frame, Graph, Wire
from core.graph.places import checked_frame

#: Sizes of nodes for the layout, with a row for what they save: the canvas arranges anew if it
#: wants.
_WIDTH, _HEIGHT, _PORT = 162.0, 118.0, 19.0
_MARGIN, _TITLE = 24.0, 30.0
#: From the corner of a group to where its boxes begin.
_INSIDE = (_MARGIN, _MARGIN + _TITLE)
#: Above so many boxes beside each other the better layout would hold up the window.
_MOST_AT_LEISURE = 1500
_COLORS = ("blue", "teal", "violet", "olive")

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes that belong together in the source: those of a call, a module, a scope.

    Attributes:
        title: what the source calls it.
        members: ids of the nodes, those of groups within included.
        depth: how many groups it stands in.
    """

    title: str
    members: tuple[str, ...]
    depth: int = 0


@dataclass(eq=False, slots=True)
class _Box:
    """A node, or a group with its boxes.

    Attributes:
        nodes: ids of all nodes in it; its own if it is a node.
        places: of the boxes within, from its own top left corner.
        detours: by the id of a wire, points that lead it past the boxes within; from there, too.
        lead: how much further below its top than a node's its first row of ports is. Boxes beside
            each other are put so that these rows are level, and wires between them straight.
    """

    size: Point
    nodes: tuple[str, ...]
    group: Group | None = None
    places: dict[str, Point] = field(default_factory=dict)
    detours: dict[str, list[Point]] = field(default_factory=dict)
    lead: float = 0.0


def placed(graph: Graph, groups: Iterable[Group]) -> Graph:
    """The graph with every node in a place, and a frame around every group that can have one.

    A group of one node gets none, nor one of all; nor does a group that crosses another, or that
    wires leave and enter again by way of others.
    """
    if not graph.nodes:
        return graph
    boxes = _Boxes(graph)
    for group in sorted(groups, key=lambda group: len(group.members)):
        if 1 < len(group.members) < len(graph.nodes):
            boxes.join(group)
    corners, frames, detours = boxes.spread()
    nodes = {n: structs.replace(node, pos=corners[n]) for n, node in graph.nodes.items()}
    made: dict[str, Frame] = {}
    for number, (group, corner, size) in enumerate(frames, graph.next_id):
        color = _COLORS[group.depth % len(_COLORS)]
        frame = Frame(f"f{number}", group.title, (*corner, *size), color=color)
        made[frame.id] = checked_frame(frame)
    after = Graph.of(nodes, graph.wires, made, graph.runs, graph.next_id + len(made))
    return after.rerouted(detours)


class _Boxes:
    """All boxes; ``_top`` are those that stand in no other.

    A graph may have thousands of groups: what is asked about one looks at its members, their wires
    and, for loops, at no more than what stands between them in the order of the graph.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._boxes = {
            n: _Box((_WIDTH, _HEIGHT + _PORT * max(len(graph.wires_into(n)), 1)), (n,))
            for n in graph.nodes
        }
        self._top = {n: n for n in graph.nodes}  # node -> the outermost box around it
        self._rank = {n: k for k, n in enumerate(graph.order())}

    def join(self, group: Group) -> None:
        """Put the boxes of a group into one, if that leaves the graph without loops."""
        inside = dict.fromkeys(self._top[n] for n in group.members)
        crosses = sum(len(self._boxes[n].nodes) for n in inside) > len(group.members)
        if len(inside) < 2 or crosses or self._leaves_and_returns(inside):
            return
        places, detours = self._laid_out(list(inside))
        shifted = {n: _shifted(place, _INSIDE) for n, place in places.items()}
        led = {w: [_shifted(point, _INSIDE) for point in way] for w, way in detours.items()}
        right = max(x + self._boxes[n].size[0] for n, (x, _) in shifted.items())
        bottom = max(y + self._boxes[n].size[1] for n, (_, y) in shifted.items())
        name = f"group {len(self._boxes)}"  # no id of a node looks like that
        lead = max(self._boxes[n].lead for n in inside) + _MARGIN + _TITLE
        size = (right + _MARGIN, bottom + _MARGIN)
        self._boxes[name] = _Box(size, group.members, group, shifted, led, lead)
        self._top.update(dict.fromkeys(group.members, name))

    def spread(
        self,
    ) -> tuple[dict[str, Point], list[tuple[Group, Point, Point]], dict[str, list[Point]]]:
        """The corner of every node; every group with its corner and size, outermost first; points.

        The points are of the wires that would run behind nodes, by id.
        """
        places, detours = self._laid_out(list(dict.fromkeys(self._top.values())))
        pending = list(places.items())
        corners: dict[str, Point] = {}
        frames = []
        for name, (x, y) in pending:  # grows while it is read
            box = self._boxes[name]
            if box.group is None:
                corners[name] = (x, y)
                continue
            frames.append((box.group, (x, y), box.size))
            pending += [(inner, _shifted(at, (x, y))) for inner, at in box.places.items()]
            for wire, way in box.detours.items():
                detours[wire] = [_shifted(point, (x, y)) for point in way]
        return corners, frames, detours

    def _after(self, name: str) -> list[str]:
        """The outermost boxes that wires from this one lead to, once a wire."""
        return [self._top[wire.target] for wire in self._leaving(name)]

    def _leaving(self, name: str) -> list[Wire]:
        """The wires from inside this box to other outermost ones."""
        return [
            wire
            for n in self._boxes[name].nodes
            for wire in self._graph.wires_from(n)
            if self._top[wire.target] != name
        ]

    def _leaves_and_returns(self, inside: Mapping[str, object]) -> bool:
        """Whether a path leaves these boxes and comes back: as one they would be in a loop."""
        last = max(self._rank[n] for name in inside for n in self._boxes[name].nodes)
        outside = [b for name in inside for b in self._after(name) if b not in inside]
        return any(
            name in inside for name in topology.reachable(outside, lambda n: self._up_to(n, last))
        )

    def _up_to(self, name: str, last: int) -> list[str]:
        """The boxes after this one, if any of it stands before a place in the order."""
        first = min(self._rank[n] for n in self._boxes[name].nodes)
        return self._after(name) if first < last else []

    def _laid_out(self, names: Sequence[str]) -> tuple[Mapping[str, Point], dict[str, list[Point]]]:
        """The corners of boxes, and points for wires between them that would be hidden, by id."""
        most = max(self._boxes[name].lead for name in names)
        above = {name: most - self._boxes[name].lead for name in names}
        sizes = {}
        for name in names:
            width, height = self._boxes[name].size
            sizes[name] = (width, height + above[name])
        wires = [
            (name, wire)
            for name in names
            for wire in self._leaving(name)
            if self._top[wire.target] in sizes
        ]
        found = topology.layout(
            sizes,
            [(name, self._top[wire.target]) for name, wire in wires],
            quick=len(sizes) > _MOST_AT_LEISURE,
        )
        corners = {name: (x, y + above[name]) for name, (x, y) in found.corners.items()}
        return corners, {wires[k][1].id: list(way) for k, way in found.detours.items()}


def _shifted(place: Point, by: Point) -> Point:
    return (place[0] + by[0], place[1] + by[1])
