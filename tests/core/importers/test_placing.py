"""Groups of an imported graph: frames that hold their own nodes and no others."""

import itertools

import pytest

from core.graph import INPUT, Graph
from core.importers.placing import Group, placed


def chain(*names):
    """An input and a chain of operations after it."""
    graph, last = Graph().with_node(INPUT, name="x")
    for name in names:
        graph, node_id = graph.with_node("exp", name=name)
        graph, _ = graph.with_wire(last, "y", node_id, "x")
        last = node_id
    return graph


def group(graph, title, *names):
    return Group(title, tuple(graph.named(name).id for name in names))


def held(graph):
    return {
        frame.title: {n.name for n in graph.nodes.values() if frame.holds(n)}
        for frame in graph.frames.values()
    }


def test_a_frame_holds_its_own_nodes_and_no_others():
    graph = chain("a", "b", "c", "d")
    graph = placed(graph, [group(graph, "inner", "b", "c"), group(graph, "outer", "a", "b", "c")])
    assert held(graph) == {"outer": {"a", "b", "c"}, "inner": {"b", "c"}}
    assert list(held(graph)) == ["outer", "inner"]  # the outer one is painted first


def test_nodes_do_not_overlap_and_their_main_path_is_level():
    graph = chain("a", "b", "c", "d")
    graph = placed(graph, [group(graph, "inner", "b", "c")])
    assert len({node.pos[1] for node in graph.nodes.values()}) == 1
    for one, other in itertools.pairwise(sorted(node.pos[0] for node in graph.nodes.values())):
        assert other - one > 162


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (("a",), "one node"),
        (("x", "a", "b", "c", "d"), "all nodes"),
        (("a", "c"), "a wire leaves and comes back"),
    ],
)
def test_some_groups_get_no_frame(names, why):
    graph = chain("a", "b", "c", "d")
    assert not placed(graph, [group(graph, why, *names)]).frames


def test_groups_that_cross_get_one_frame_between_them():
    graph = chain("a", "b", "c", "d")
    groups = [group(graph, "first", "a", "b"), group(graph, "second", "b", "c")]
    assert list(held(placed(graph, groups))) == ["first"]


def test_two_groups_that_feed_each_other_are_not_both_boxes():
    graph = chain("a1", "b1")
    graph, b2 = graph.with_node("exp", name="b2")
    graph, a2 = graph.with_node("exp", name="a2")
    graph, _ = graph.with_wire(b2, "y", a2, "x")
    groups = [group(graph, "a", "a1", "a2"), group(graph, "b", "b1", "b2")]
    assert list(held(placed(graph, groups))) == ["a"]


@pytest.mark.parametrize("in_frame", [False, True])
def test_a_wire_that_skips_a_column_goes_past_the_node_there(in_frame):
    graph = chain("a", "b", "c")
    graph, last = graph.with_node("multiply", name="d")
    graph, _ = graph.with_wire(graph.named("a").id, "y", last, "a")
    graph, _ = graph.with_wire(graph.named("c").id, "y", last, "b")
    inner = [group(graph, "inner", "a", "b", "c", "d")] if in_frame else []
    graph = placed(graph, inner)
    assert len(graph.frames) == in_frame
    (skipping,) = [wire for wire in graph.wires.values() if wire.points]
    assert (skipping.source, skipping.target) == (graph.named("a").id, last)
    (left, y), (right, end) = skipping.points
    assert y == end
    for name in ("b", "c"):
        x, top = graph.named(name).pos
        assert left <= x
        assert x + 162 <= right
        assert not top < y < top + 140


def test_thousands_of_nodes_stand_in_columns_too():
    graph = chain(*(f"n{k}" for k in range(1600)))
    places = [node.pos for node in placed(graph, []).nodes.values()]
    assert len({y for _, y in places}) == 1
    assert all(right - left > 162 for (left, _), (right, _) in itertools.pairwise(places))
