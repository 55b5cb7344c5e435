import sys
from collections import Counter
from itertools import combinations, pairwise

import pytest

from core import topology

NODE = (162.0, 115.0)


def neighbours(edges):
    table = {}
    for source, target in edges:
        table.setdefault(source, []).append(target)
    return lambda node: table.get(node, [])


DIAMOND = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "d")]


def test_order_puts_every_node_after_what_feeds_it():
    order = topology.order("dcba", neighbours(DIAMOND))

    assert sorted(order) == list("abcd")
    assert all(order.index(a) < order.index(b) for a, b in DIAMOND)


def test_order_is_the_same_for_the_same_input():
    assert topology.order("dcba", neighbours(DIAMOND)) == topology.order(
        "dcba", neighbours(DIAMOND)
    )


@pytest.mark.parametrize(
    ("edges", "loop"),
    [
        ([("x", "x")], {"x"}),
        ([("in", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "out")], {"a", "b", "c"}),
        ([("a", "b"), ("b", "a"), ("b", "c"), ("c", "d")], {"a", "b"}),
    ],
)
def test_order_names_the_nodes_of_a_loop_in_their_order(edges, loop):
    nodes = dict.fromkeys(node for edge in edges for node in edge)
    with pytest.raises(topology.LoopError) as caught:
        topology.order(nodes, neighbours(edges))

    found = caught.value.loop
    assert set(found) == loop
    assert found[0] == found[-1]
    assert all(edge in edges for edge in pairwise(found))


def test_reachable_is_what_can_be_walked_to():
    assert topology.reachable("c", neighbours(DIAMOND)) == {"c", "d"}
    assert topology.reachable("a", neighbours(DIAMOND)) == set("abcd")


def test_path_is_one_way_or_none():
    assert topology.path("a", "d", neighbours(DIAMOND)) in [("a", "b", "d"), ("a", "c", "d")]
    assert topology.path("d", "a", neighbours(DIAMOND)) is None
    assert topology.path("a", "a", neighbours(DIAMOND)) == ("a",)


@pytest.mark.parametrize(
    "walk",
    [
        lambda near: topology.path("0", "elsewhere", near),
        lambda near: topology.reachable(["0"], near),
    ],
)
def test_a_chain_of_x_times_x_is_walked_once(walk):
    """Two wires a step make 2**60 ways through the chain; each node must be asked once."""
    asked = Counter()

    def near(node):
        asked[node] += 1
        return [str(int(node) + 1)] * 2 if int(node) < 60 else []

    walk(near)

    assert len(asked) == 61
    assert set(asked.values()) == {1}


def test_deep_chains_need_no_recursion():
    depth = 20 * sys.getrecursionlimit()
    nodes = [str(i) for i in range(depth)]

    def near(node):
        return [str(int(node) + 1)] if int(node) < depth - 1 else []

    assert topology.order(nodes, near) == tuple(nodes)
    assert topology.path("0", nodes[-1], near) == tuple(nodes)


# -- layout --------------------------------------------------------------------------------------


@pytest.fixture(params=["graphlay", "without graphlay"])
def lay_out(request, monkeypatch):
    """The layout, with graphlay and as if it were not installed."""
    if request.param == "without graphlay":
        monkeypatch.setitem(sys.modules, "graphlay", None)
    return lambda *args: topology.layout(*args).corners


def sizes(edges, alone=()):
    return dict.fromkeys([*(n for edge in edges for n in edge), *alone], NODE)


def assert_apart(at):
    for (ax, ay), (bx, by) in combinations(at.values(), 2):
        assert abs(ax - bx) >= NODE[0] or abs(ay - by) >= NODE[1] + topology.ROW_GAP


CHAIN = [("x", "add"), ("y", "add"), ("add", "mul"), ("z", "mul")]


def test_layout_of_nothing_is_nothing(lay_out):
    assert lay_out({}, []) == {}


def test_layout_reads_from_left_to_right(lay_out):
    at = lay_out(sizes(CHAIN), CHAIN)

    for source, target in CHAIN:
        assert at[target][0] >= at[source][0] + NODE[0] + topology.COLUMN_GAP


def test_layout_draws_the_main_path_straight(lay_out):
    at = lay_out(sizes(CHAIN), CHAIN)

    assert at["x"][1] == at["add"][1] == at["mul"][1]


def test_layout_puts_first_port_rows_of_unlike_nodes_on_one_line(lay_out):
    at = lay_out(
        {"x": NODE, "tall": (162, 210), "folded": (162, 30)}, [("x", "tall"), ("tall", "folded")]
    )

    assert at["x"][1] == at["tall"][1]
    assert at["folded"][1] + 15 == pytest.approx(at["tall"][1] + topology.PORT_LINE, abs=1)


def test_layout_moves_an_input_next_to_what_reads_it(lay_out):
    at = lay_out(sizes(CHAIN), CHAIN)

    assert at["z"][0] == at["add"][0]


def test_layout_starts_at_the_corner_in_whole_units(lay_out):
    at = lay_out(sizes(CHAIN, alone=["island"]), CHAIN)

    assert min(x for x, _ in at.values()) == 0
    assert min(y for _, y in at.values()) == 0
    assert all(x == round(x) and y == round(y) for x, y in at.values())


def test_layout_keeps_nodes_apart(lay_out):
    layers = [[f"{i}.{k}" for k in range(5)] for i in range(4)]
    edges = [(a, b) for i in range(3) for a in layers[i] for b in layers[i + 1]]
    at = lay_out(sizes(edges), edges)

    assert_apart(at)


def test_layout_is_the_same_for_the_same_input(lay_out):
    edges = [(f"{i}", f"{j}") for i in range(12) for j in range(i + 1, 12) if (i * j) % 3 == 1]

    assert lay_out(sizes(edges), edges) == lay_out(sizes(edges), edges)


def test_layout_draws_parallel_branches_without_crossing(lay_out):
    edges = [("a", "p"), ("b", "q"), ("p", "r"), ("q", "s"), ("r", "end"), ("s", "end")]
    at = lay_out(sizes(edges), edges)

    above = at["a"][1] < at["b"][1]
    assert (at["p"][1] < at["q"][1]) == above
    assert (at["r"][1] < at["s"][1]) == above


def test_layout_keeps_others_out_of_the_box_around_a_group(lay_out):
    edges = [("x", "p"), ("p", "q"), ("q", "end"), ("p", "r"), ("r", "end"), ("x", "s"), ("s", "q")]
    groups = {"p": "inner", "inner": "outer", "q": "outer"}
    at = lay_out(sizes(edges), edges, groups)

    for inside in (["p"], ["p", "q"]):
        left, top = (min(at[n][k] for n in inside) - topology.FRAME_ROOM for k in (0, 1))
        right, bottom = (
            max(at[n][k] + NODE[k] for n in inside) + topology.FRAME_ROOM for k in (0, 1)
        )
        for other in set(at) - set(inside):
            (x, y) = at[other]
            apart = x >= right or y >= bottom or x + NODE[0] <= left or y + NODE[1] <= top
            assert apart, (other, inside, at)


def test_groups_that_feed_each_other_are_laid_out(lay_out):
    edges = [("a", "b"), ("b", "c"), ("c", "d")]
    at = lay_out(sizes(edges), edges, {"a": "one", "c": "one", "b": "two", "d": "two"})

    assert set(at) == {"a", "b", "c", "d"}
    assert_apart(at)


RESIDUAL = [("x", "f"), ("f", "g"), ("g", "h"), ("h", "sum"), ("x", "sum"), ("sum", "end")]


def test_a_wire_that_would_run_behind_nodes_is_led_past_them():
    at, detours = topology.layout(sizes(RESIDUAL), RESIDUAL)

    assert list(detours) == [RESIDUAL.index(("x", "sum"))]
    (left, y), (right, y1) = detours[4]
    assert y == y1
    assert at["x"][0] + NODE[0] < left < right < at["sum"][0]
    for node in "fgh":
        assert not at[node][1] <= y <= at[node][1] + NODE[1]


def test_wires_that_nothing_hides_go_straight():
    assert topology.layout(sizes(CHAIN), CHAIN).detours == {}


def test_without_graphlay_no_wire_is_led_past(monkeypatch):
    monkeypatch.setitem(sys.modules, "graphlay", None)

    assert topology.layout(sizes(RESIDUAL), RESIDUAL).detours == {}
