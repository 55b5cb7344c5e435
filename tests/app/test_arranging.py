"""What a layout does to a graph: who moves, who stays, where there is room, and frames."""

from itertools import combinations

import numpy as np
import pytest

from app.arranging import LINES, Plan, align, distribute
from app.arranging.room import GAP, shifts_into_room
from core.errors import EditRefusedError
from core.graph import Graph

SIZE = (162.0, 118.0)


def sizes(graph):
    return dict.fromkeys(graph.nodes, SIZE)


def arranged(graph, chosen=None, now=None):
    plan = Plan.of(graph, sizes(graph), chosen)
    now = now or graph
    return plan.edit(now, sizes(now), plan.task.solve())


@pytest.fixture
def chain():
    """a → b → c → d, thrown about; and e, alone."""
    graph, ids = Graph(), {}
    places = {"a": (900, 40), "b": (10, 700), "c": (420, 300), "d": (60, 60), "e": (2000, 900)}
    for name, pos in places.items():
        graph, ids[name] = graph.with_node("square", pos, name)
    for source, target in ("ab", "bc", "cd"):
        graph, _ = graph.with_wire(ids[source], "y", ids[target], "x")
    return graph, ids


def boxes(graph):
    return [(*n.pos, n.pos[0] + SIZE[0], n.pos[1] + SIZE[1]) for n in graph.nodes.values()]


def assert_apart(graph):
    for (l0, t0, r0, b0), (l1, t1, r1, b1) in combinations(boxes(graph), 2):
        assert r0 <= l1 or r1 <= l0 or b0 <= t1 or b1 <= t0


def test_all_nodes_read_from_left_to_right_from_the_same_corner(chain):
    graph, ids = chain
    edit = arranged(graph)
    pos = [edit.graph.nodes[ids[name]].pos for name in "abcd"]
    assert edit.text == "Arrange"
    assert [x for x, _ in pos] == sorted(x for x, _ in pos)
    assert len({y for _, y in pos}) == 1
    for k in (0, 1):
        assert min(n.pos[k] for n in edit.graph.nodes.values()) == min(
            n.pos[k] for n in graph.nodes.values()
        )
    assert_apart(edit.graph)


def test_nothing_to_arrange_is_no_edit():
    assert arranged(Graph()).graph.nodes == {}


def test_pinned_nodes_stay_and_the_others_come_to_them(chain):
    graph, ids = chain
    graph = graph.with_pinned([ids["c"]])
    after = arranged(graph).graph
    assert after.nodes[ids["c"]].pos == graph.nodes[ids["c"]].pos
    assert after.nodes[ids["b"]].pos[1] == after.nodes[ids["c"]].pos[1]
    assert after.nodes[ids["b"]].pos[0] < after.nodes[ids["c"]].pos[0]
    assert_apart(after)


def test_only_the_selection_moves_and_makes_room(chain):
    graph, ids = chain
    # What stays stands where the selected ones would go.
    graph = graph.moved({ids["d"]: (300.0, 300.0)})
    after = arranged(graph, [ids["a"], ids["b"], ids["c"]]).graph
    for name in "de":
        assert after.nodes[ids[name]].pos == graph.nodes[ids[name]].pos
    assert after.nodes[ids["a"]].pos[0] < after.nodes[ids["b"]].pos[0]
    assert_apart(after)


def test_an_edit_made_meanwhile_is_respected(chain):
    graph, ids = chain
    now = graph.without([ids["b"]]).moved({ids["c"]: (5000.0, 5000.0)})
    now, new = now.with_node("tanh", (20.0, 20.0))
    edit = arranged(graph, now=now)
    assert ids["b"] not in edit.graph.nodes
    assert edit.graph.nodes[ids["c"]].pos == (5000.0, 5000.0)
    assert edit.graph.nodes[new].pos == (20.0, 20.0)
    assert edit.graph.nodes[ids["a"]].pos != graph.nodes[ids["a"]].pos
    assert_apart(edit.graph)


def test_reroute_points_between_nodes_that_moved_go(chain):
    graph, ids = chain
    (wire,) = graph.wires_from(ids["a"])
    after = arranged(graph.with_points(wire.id, [(3000.0, 0.0)])).graph
    assert after.wires[wire.id].points == ()


def test_a_wire_past_other_nodes_is_led_around_them(chain):
    graph, ids = chain
    graph, end = graph.with_node("add", (5.0, 5.0), "sum")
    graph, _ = graph.with_wire(ids["d"], "y", end, "a")
    graph, past = graph.with_wire(ids["a"], "y", end, "b")
    after = arranged(graph).graph
    (left, y), (right, _) = after.wires[past].points
    for name in "bcd":
        box_left, top, box_right, bottom = (
            *after.nodes[ids[name]].pos,
            *np.add(after.nodes[ids[name]].pos, SIZE),
        )
        assert left <= box_left
        assert box_right <= right
        assert not top <= y <= bottom
    again = arranged(after, [ids["a"], ids["b"]]).graph  # only one of its ends is arranged
    assert again.wires[past].points == after.wires[past].points


@pytest.fixture
def framed(chain):
    """b and c in a no_grad frame, b in another one inside it."""
    graph, ids = chain
    graph = graph.moved({ids["b"]: (1200.0, 1200.0), ids["c"]: (1200.0, 1500.0)})
    graph, outer = graph.with_frame("outer", (1100, 1100, 500, 800), no_grad=True)
    graph, inner = graph.with_frame("inner", (1150, 1150, 300, 250))
    return graph, ids | {"outer": outer, "inner": inner}


def test_frames_keep_their_nodes_and_no_others(framed):
    graph, ids = framed
    after = arranged(graph).graph

    def held(frame):
        return {node.id for node in after.nodes.values() if after.frames[ids[frame]].holds(node)}

    assert held("outer") == {ids["b"], ids["c"]}
    assert held("inner") == {ids["b"]}
    assert after.no_grad_nodes == graph.no_grad_nodes
    assert after.frames[ids["outer"]].rect[0] < after.frames[ids["inner"]].rect[0]
    assert_apart(after)


def test_a_frame_with_a_pinned_node_stays_with_all_in_it(framed):
    graph, ids = framed
    graph = graph.with_pinned([ids["c"]])
    after = arranged(graph).graph
    assert after.frames == graph.frames
    for name in "bc":
        assert after.nodes[ids[name]].pos == graph.nodes[ids[name]].pos
    assert after.no_grad_nodes == graph.no_grad_nodes


def test_some_nodes_of_a_frame_stay_in_it(framed):
    graph, ids = framed
    graph, extra = graph.with_node("tanh", (1400.0, 1700.0))
    after = arranged(graph, [ids["b"], ids["c"]]).graph
    frame = after.frames[ids["outer"]]
    assert all(frame.holds(after.nodes[i]) for i in (ids["b"], ids["c"], extra))


def test_a_node_that_would_come_into_a_frame_is_refused(framed):
    graph, ids = framed
    graph = graph.moved({ids["e"]: (1650.0, 1200.0)})  # beside the frame, which must grow
    graph, _ = graph.with_node("tanh", (1300.0, 1800.0))
    with pytest.raises(EditRefusedError, match=r"'e' into the frame 'outer'"):
        arranged(graph, [ids["b"], ids["c"]])


def test_room_is_found_at_the_nearest_place():
    fixed = np.array([[0.0, 0.0, 100.0, 100.0], [0.0, 150.0, 100.0, 250.0]])
    moved = np.array([[10.0, 60.0, 90.0, 120.0], [300.0, 0.0, 400.0, 50.0]])
    # Between the two there is too little room; above the first is nearer than below the second.
    assert shifts_into_room(moved, fixed).tolist() == [-GAP - 120.0, 0.0]


@pytest.mark.parametrize("line", LINES)
def test_aligned_nodes_are_on_one_line(chain, line):
    graph, ids = chain
    tall = {**sizes(graph), ids["a"]: (162.0, 300.0)}
    chosen = [ids[name] for name in "abc"]
    after = align(graph, chosen, tall, line).graph
    axis, share = LINES[line]
    ways = [after.nodes[i].pos[axis] + share * tall[i][axis] for i in chosen]
    assert ways == pytest.approx([ways[0]] * 3)
    assert all(after.nodes[i].pos[1 - axis] == graph.nodes[i].pos[1 - axis] for i in chosen)


def test_others_align_with_the_pinned_one(chain):
    graph, ids = chain
    graph = graph.with_pinned([ids["c"]])
    after = align(graph, [ids["a"], ids["c"]], sizes(graph), "left").graph
    assert after.nodes[ids["a"]].pos[0] == after.nodes[ids["c"]].pos[0] == 420.0


@pytest.mark.parametrize("axis", [0, 1])
def test_distributed_nodes_have_equal_gaps(chain, axis):
    graph, ids = chain
    chosen = [ids[name] for name in "abcd"]
    after = distribute(graph, chosen, sizes(graph), axis).graph
    ways = sorted(after.nodes[i].pos[axis] for i in chosen)
    assert np.diff(ways) == pytest.approx([(ways[-1] - ways[0]) / 3] * 3)
    before = sorted(graph.nodes[i].pos[axis] for i in chosen)
    assert (ways[0], ways[-1]) == pytest.approx((before[0], before[-1]))


def test_too_few_nodes_are_left_alone(chain):
    graph, ids = chain
    assert align(graph, [ids["a"]], sizes(graph), "top") is None
    assert distribute(graph, [ids["a"], ids["b"]], sizes(graph), 0) is None


def test_comments_stay_and_nodes_keep_off_them(chain):
    graph, _ = chain
    graph, note = graph.with_frame("", (250.0, 0.0, 220.0, 400.0), comment=True)
    after = arranged(graph).graph
    assert after.frames == graph.frames
    left, top, width, height = graph.frames[note].rect
    for x0, y0, x1, y1 in boxes(after):
        assert x1 <= left or x0 >= left + width or y1 <= top or y0 >= top + height
