"""The arrays follow the graph: from scratch, through edits, while dragging."""

from __future__ import annotations

import numpy as np
import pytest

from app.canvas.geometry import Geometry
from app.canvas.metrics import NODE_WIDTH
from app.canvas.picture import Picture
from app.edits import move
from app.edits import moved as places_after
from core.graph import Graph, diff


def same(first: Geometry, second: Geometry) -> None:
    assert first.nodes == second.nodes
    assert first.wires == second.wires
    assert first.ports == second.ports
    assert first.entry == second.entry
    for name in ("pos", "heights", "source", "target", "control", "first_curve", "boxes"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), name)


def edits(story):
    graph, ids = story.graph, story.ids
    wire = next(iter(graph.wires))
    yield "add a node", graph.with_node("exp", (10.0, 20.0))[0]
    yield "remove a node and its wires", graph.without(nodes=(ids["z"],))
    yield "remove all", graph.without(nodes=tuple(graph.nodes))
    yield "move a node", graph.moved({ids["z"]: (5.0, -7.0)})
    yield "fold a node", graph.with_collapsed((ids["z"],))
    yield "reroute a wire", graph.with_points(wire, ((200.0, 20.0), (250.0, 60.0)))
    yield "connect", graph.with_wire(ids["W²"], "y", ids["e"], "b")[0]
    yield "rename", graph.with_name(ids["z"], "weighted")


def test_following_an_edit_equals_starting_anew(story) -> None:
    for name, after in edits(story):
        followed = Geometry(story.graph).after(diff(story.graph, after))
        same(followed, Geometry(after))
        assert followed.graph is after, name
        same(followed.after(diff(after, story.graph)), Geometry(story.graph))


def looks(picture: Picture) -> dict[str, list[object]]:
    nodes, wires = picture.nodes, picture.wires
    return {
        "category": [nodes.categories[k] for k in nodes.category],
        "heights": picture.geometry.heights.tolist(),
        **{name: getattr(nodes, name).tolist() for name in ("status", "signed")},
        **{f"wire {name}": getattr(wires, name).tolist() for name in ("kind", "magnitude")},
    }


def test_looks_after_an_edit_are_those_of_the_graph_shown_anew(story) -> None:
    def playing(graph: Graph) -> Picture:
        picture = Picture(graph)
        picture.show_snapshot(story.after)
        picture.show_trace(story.trace)
        picture.show_moment(story.moment(0.4))
        return picture

    for name, after in edits(story):
        followed = playing(story.graph)
        followed.show_graph(after, diff(story.graph, after))
        np.testing.assert_equal(looks(followed), looks(playing(after)), name)
        followed.show_graph(story.graph, diff(after, story.graph))
        np.testing.assert_equal(looks(followed), looks(playing(story.graph)), name)


def test_moving_in_place_equals_the_edit(story) -> None:
    places = {story.ids["z"]: (500.0, 80.0), story.ids["W"]: (-40.0, 300.0)}
    moved = Geometry(story.graph)
    wires = moved.move(places)

    same(moved, Geometry(story.graph.moved(places)))
    assert {story.graph.wires[moved.wires[i]].target for i in wires} >= {story.ids["e"]}


def test_moving_follows_reroute_points(story) -> None:
    graph = story.graph
    for wire in list(graph.wires)[:3]:
        graph = graph.with_points(wire, ((200.0, 20.0),))
    places = {story.ids["x"]: (10.0, 10.0)}
    moved = Geometry(graph)
    moved.move(places)

    same(moved, Geometry(graph.moved(places)))


def test_reroute_points_go_along_when_both_ends_are_dragged(story) -> None:
    graph = story.graph
    for wire in graph.wires:
        graph = graph.with_points(wire, ((200.0, 20.0), (250.0, 60.0)))
    together = [story.ids["x"], story.ids["log"]]
    moved = Geometry(graph)
    moved.move(places_after(graph, together, (30.0, -12.0)))

    same(moved, Geometry(move(graph, together, (30.0, -12.0)).graph))


def test_wires_start_and_end_at_ports(story) -> None:
    geometry = Geometry(story.graph)
    for row, wire in enumerate(story.graph.wires.values()):
        control = geometry.control[:, :, row]
        assert tuple(control[0]) == geometry.output_pos(wire.source, wire.output)
        assert tuple(control[3]) == geometry.input_pos(wire.target, wire.port)


def test_rerouted_wire_passes_its_points(story) -> None:
    wire = next(iter(story.graph.wires))
    geometry = Geometry(story.graph.with_points(wire, ((200.0, 20.0), (250.0, 60.0))))
    rows = np.full(2, geometry.wire_row[wire])
    x, y = geometry.along(rows, np.array([1 / 3, 2 / 3]))

    np.testing.assert_allclose(x, (200, 250), atol=1e-6)
    np.testing.assert_allclose(y, (20, 60), atol=1e-6)


def test_boxes_hold_their_curves(story) -> None:
    geometry = Geometry(story.graph)
    for part in np.linspace(0, 1, 11):
        x, y = geometry.along(np.arange(len(geometry.wires)), np.full(len(geometry.wires), part))
        assert (geometry.boxes[:, 0] <= x + 1e-9).all()
        assert (geometry.boxes[:, 3] >= y - 1e-9).all()


def test_folded_node_is_its_header_and_keeps_its_wires(story) -> None:
    geometry = Geometry(story.graph.with_collapsed((story.ids["e"],)))
    row = geometry.row[story.ids["e"]]

    assert geometry.heights[row] == pytest.approx(30)
    assert geometry.input_pos(story.ids["e"], "a") == geometry.input_pos(story.ids["e"], "b")
    assert geometry.output_pos(story.ids["e"], "y")[0] == geometry.pos[row, 0] + NODE_WIDTH


def test_empty_graph_has_empty_arrays() -> None:
    geometry = Geometry(Graph())
    assert geometry.control.shape == (4, 2, 0)
    assert geometry.bounds() == (0.0, 0.0, 1.0, 1.0)
