"""What lies under the mouse."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from app.canvas.geometry import Geometry
from app.canvas.hit import Hit, hit, nodes_in


@pytest.fixture
def geometry(story) -> Geometry:
    return Geometry(story.graph)


def test_a_node_is_hit_inside_its_box(story, geometry) -> None:
    for node in story.graph.nodes.values():
        assert hit(geometry, node.pos[0] + 60, node.pos[1] + 15, 1.0) == Hit("node", node.id)


def test_ports_go_before_their_node(story, geometry) -> None:
    x, y = geometry.input_pos(story.ids["e"], "b")
    assert hit(geometry, x + 2, y, 1.0) == Hit("input", story.ids["e"], "b")
    x, y = geometry.output_pos(story.ids["e"], "y")
    assert hit(geometry, x + 2, y, 1.0) == Hit("output", story.ids["e"], "y")


def test_the_nearer_of_two_ports_is_hit(story, geometry) -> None:
    x, y = geometry.input_pos(story.ids["e"], "b")
    assert hit(geometry, x, y - 8, 1.0, reach=30) == Hit("input", story.ids["e"], "b")
    assert hit(geometry, x, y - 12, 1.0, reach=30) == Hit("input", story.ids["e"], "a")


@pytest.mark.parametrize("zoom", [0.25, 1.0, 3.0])
def test_reach_is_in_screen_pixels_at_any_zoom(story, geometry, zoom: float) -> None:
    x, y = geometry.input_pos(story.ids["log"], "x")
    assert hit(geometry, x - 19 / zoom, y, zoom, reach=20) is not None
    found = hit(geometry, x - 21 / zoom, y - 40 / zoom, zoom, reach=20)
    assert found is None or found.kind != "input" or found.id != story.ids["log"]


def test_a_wire_is_hit_along_its_curve(story, geometry) -> None:
    for row, wire in enumerate(geometry.wires):
        x, y = geometry.along(np.array([row]), np.array([0.5]))
        found = hit(geometry, float(x[0]), float(y[0]) + 0.5, 1.0)
        if found is not None and found.kind == "wire":
            assert found.id == wire
        else:  # a node lies over it
            assert found is not None


def test_nothing_is_hit_far_away(geometry) -> None:
    assert hit(geometry, -5000, -5000, 1.0) is None


def test_the_topmost_of_two_nodes_is_hit(story) -> None:
    graph = story.graph.moved({story.ids["L"]: story.graph.nodes[story.ids["x"]].pos})
    x, y = graph.nodes[story.ids["x"]].pos
    assert hit(Geometry(graph), x + 60, y + 15, 1.0) == Hit("node", story.ids["L"])


def test_a_rectangle_finds_what_it_touches(story, geometry) -> None:
    assert set(nodes_in(geometry, 0, 150, 100, 500)) == {story.ids["x"], story.ids["W"]}
    assert nodes_in(geometry, -900, -900, -800, -800) == []


def test_canvas_hits_in_window_pixels(canvas, story) -> None:
    node = story.graph.nodes[story.ids["z"]]
    at = canvas.to_screen(QPointF(node.pos[0] + 60, node.pos[1] + 15))
    assert canvas.hit(at) == Hit("node", node.id)


@pytest.mark.parametrize("zoom", [0.03, 0.1, 1.0])
def test_the_middle_of_a_node_is_the_node_however_small_it_looks(story, geometry, zoom) -> None:
    for node in story.graph.nodes.values():
        assert hit(geometry, node.pos[0] + 81, node.pos[1] + 46, zoom) == Hit("node", node.id)
