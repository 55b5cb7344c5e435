from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import (
    EditRefusedError,
    PullbackError,
    UnknownNodeError,
    UnknownOpError,
    WireRefusedError,
)
from core.files import dumps, loads
from core.graph import (
    CAST,
    DETACH,
    INPUT,
    UNKNOWN,
    Assign,
    Backward,
    Forward,
    Grad,
    GradRef,
    Graph,
    Node,
    Run,
    Wire,
    ZeroGrad,
    cut,
    diff,
    input_ports,
    output_ports,
    paste,
)
from core.graph.index import WireIndex


@pytest.fixture
def chain():
    """x → square → tanh; ids n1, n2, n3, wires w4, w5."""
    graph, x = Graph().with_node(
        INPUT, params={"value": np.array([2.0, 3.0]), "requires_grad": True}
    )
    graph, square = graph.with_node("square", (272, 0))
    graph, tanh = graph.with_node("tanh", (544, 0))
    graph, _ = graph.with_wire(x, "y", square, "x")
    return graph.with_wire(square, "y", tanh, "x")[0]


X, SQUARE, TANH, W1, W2 = "n1", "n2", "n3", "w4", "w5"


# -- nodes ---------------------------------------------------------------------------------------


def test_an_edit_leaves_the_old_graph_whole(chain):
    before = dumps(chain)
    chain.without(nodes=[SQUARE])
    chain.moved({X: (5, 5)})
    chain.with_name(X, "input")
    chain.with_params(X, value=7.0)

    assert dumps(chain) == before


def test_inputs_are_called_x_y_z_and_operations_by_their_name():
    graph = Graph()
    for op in (INPUT, INPUT, INPUT, "square", "square", DETACH, "square"):
        graph, _ = graph.with_node(op)

    assert list(graph.names) == ["x", "y", "z", "square", "square2", "detach", "square3"]


def test_a_node_gets_the_name_that_is_given(chain):
    graph, node_id = chain.with_node("add", name="sum of both")

    assert graph.named("sum of both").id == node_id


def test_ids_are_never_used_twice(chain):
    graph = chain.without(nodes=[TANH])
    graph, node_id = graph.with_node("tanh")

    assert node_id not in chain.nodes


def test_an_alias_makes_a_node_of_the_operation_itself():
    graph, node_id = Graph().with_node("mul")

    assert graph.nodes[node_id].op == "multiply"
    assert graph.nodes[node_id].name == "multiply"


def test_an_unknown_operation_names_the_closest_one():
    with pytest.raises(UnknownOpError, match="Did you mean 'square'"):
        Graph().with_node("sqare")


@pytest.mark.parametrize("name", ["square", "", "  ", " x", "a\nb", "n" * 200, "\ud800"])
def test_names_that_cannot_be(chain, name):
    with pytest.raises(EditRefusedError):
        chain.with_name(X, name)


def test_a_name_that_is_taken_comes_with_a_free_one(chain):
    with pytest.raises(EditRefusedError, match="'square2' is free"):
        chain.with_name(X, "square")


def test_a_name_that_was_given_up_is_free_again(chain):
    graph = chain.with_name(SQUARE, "y")
    graph = graph.with_name(TANH, "square")

    assert graph.named("square").id == TANH


def test_what_labels_and_categories_nodes_have(chain):
    graph, cast = chain.with_node(CAST, params={"dtype": "float32"})
    graph, unknown = graph.with_node(UNKNOWN, params={"op": "warp", "record": "{}"})
    graph, square = graph.with_node("square")

    labels = [(graph.nodes[i].label, graph.nodes[i].category) for i in (X, cast, unknown)]
    assert labels == [("input", "data"), ("cast", "data"), ("warp", "unknown")]
    assert graph.nodes[square].category == "arithmetic"
    assert graph.nodes[unknown].spec is None


def test_asking_for_a_node_that_is_not_there(chain):
    with pytest.raises(UnknownNodeError):
        chain.node("n99")
    with pytest.raises(UnknownNodeError, match="Did you mean 'square'"):
        chain.named("sqare")


# -- values and parameters -----------------------------------------------------------------------


def test_a_value_is_a_copy_nobody_can_write_to():
    mine = np.array([1.0, 2.0])
    graph, x = Graph().with_node(INPUT, params={"value": mine})
    mine[0] = 9

    assert graph.nodes[x].params["value"].tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        graph.nodes[x].params["value"][0] = 9


def test_an_input_always_has_all_its_parameters():
    graph, x = Graph().with_node(INPUT)

    assert dict(graph.nodes[x].params) == {"value": 1.0, "requires_grad": False, "source": None}


def test_a_value_is_kept_in_memory_order_of_its_rows():
    graph, x = Graph().with_node(INPUT, params={"value": np.arange(6.0).reshape(2, 3).T})

    assert graph.nodes[x].params["value"].flags.c_contiguous
    assert graph.nodes[x].params["value"].tolist() == [[0, 3], [1, 4], [2, 5]]


def test_a_big_endian_value_becomes_a_native_one():
    graph, x = Graph().with_node(INPUT, params={"value": np.array([1.5, 2.5], ">f8")})

    assert graph.nodes[x].params["value"].dtype.isnative
    assert graph.nodes[x].params["value"].tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"value": [[1.0], [1.0, 2.0]]}, "rows of equal length"),
        ({"value": "three"}, "Give a number"),
        ({"value": np.array(["a"])}, "Give a number"),
        ({"value": np.array([object()])}, "Give a number"),
        ({"value": [1, 2], "requires_grad": True}, "int64 cannot require grad"),
        ({"value": [True], "requires_grad": True}, "bool cannot require grad"),
        ({"requires_grad": 1}, "true or false"),
        ({"source": {"kind": object()}}, "mapping of plain"),
        ({"source": {"low": float("inf")}}, "mapping of plain"),
        ({"valu": 1.0}, "Did you mean 'value'"),
    ],
)
def test_what_an_input_cannot_be(params, message):
    with pytest.raises(EditRefusedError, match=message) as caught:
        Graph().with_node(INPUT, params=params)

    assert caught.value.node == "n1"


def test_parameters_equal_to_the_defaults_are_not_kept():
    graph, node_id = Graph().with_node("softmax", params={"axis": -1})
    assert dict(graph.nodes[node_id].params) == {}

    graph = graph.with_params(node_id, axis=0)
    assert dict(graph.nodes[node_id].params) == {"axis": 0}
    assert dict(graph.with_params(node_id, axis=-1).nodes[node_id].params) == {}


@pytest.mark.parametrize(
    ("op", "params", "message"),
    [
        ("softmax", {"axs": 1}, "Did you mean 'axis'"),
        ("softmax", {"axis": 1.5}, "Give the number of an axis"),
        ("softmax", {"axis": True}, "Give the number of an axis"),
        ("softmax", {"axis": "last"}, "Give the number of an axis"),
        ("softmax", {"axis": 2**70}, "Give the number of an axis"),
        ("sum", {"axis": [0, "1"]}, "or several"),
        ("sum", {"keepdims": 1}, "true or false"),
        ("square", {"power": 3}, "It has none"),
        ("clip", {"min": "low"}, "Give a number"),
        ("reshape", {"shape": [2, 1.5]}, "shape such as"),
        ("split", {"indices_or_sections": "two"}, "list of them"),
        ("getitem", {"index": ["a"]}, "index such as"),
        ("getitem", {"index": 1.5}, "index such as"),
        ("getitem", {"index": (1.5,)}, "index such as"),
        (CAST, {"dtype": "float23"}, "Did you mean 'float32'"),
        (DETACH, {"x": 1}, "has no parameter 'x'"),
    ],
)
def test_parameters_that_do_not_fit(op, params, message):
    with pytest.raises(EditRefusedError, match=message):
        Graph().with_node(op, params=params)


def test_lists_numpy_numbers_and_whole_numbers_are_taken_for_what_they_mean():
    graph, total = Graph().with_node("sum", params={"axis": [np.int64(0), 1]})
    graph, clip = graph.with_node("clip", params={"min": 1})

    assert graph.nodes[total].params["axis"] == (0, 1)
    assert graph.nodes[clip].params["min"] == 1.0
    assert type(graph.nodes[clip].params["min"]) is float


def test_an_index_keeps_lists_as_arrays_of_indices():
    graph, node_id = Graph().with_node(
        "getitem", params={"index": (slice(1, None), [2, 0], None, ...)}
    )
    index = graph.nodes[node_id].params["index"]

    assert index[0] == slice(1, None)
    assert index[1].tolist() == [2, 0]
    assert index[2:] == (None, ...)
    assert graph.with_params(node_id, index=(slice(1, None), [2, 0], None, ...)) is graph


def test_values_typed_at_ports(chain):
    graph = chain.with_inline(TANH, "x", [1, 2])
    assert graph.nodes[TANH].inline["x"].tolist() == [1, 2]
    assert graph.with_inline(TANH, "x", [1, 2]) is graph
    assert graph.operands(TANH)[0][1] is graph.wires[W2], "the wire goes before"

    bare = graph.without(wires=[W2])
    assert bare.operands(TANH)[0][1] is graph.nodes[TANH].inline["x"]
    assert bare.with_inline(TANH, "x", None).operands(TANH) == (("x", None),)

    with pytest.raises(EditRefusedError, match="no input 'z'"):
        chain.with_inline(TANH, "z", 1.0)


# -- edits that change nothing -------------------------------------------------------------------


@pytest.mark.parametrize(
    "edit",
    [
        lambda g: g.moved({X: g.nodes[X].pos}),
        lambda g: g.with_name(X, "x"),
        lambda g: g.with_params(X, value=[2.0, 3.0], requires_grad=True),
        lambda g: g.with_inline(TANH, "x", None),
        lambda g: g.with_collapsed([X], False),
        lambda g: g.with_pinned([X], False),
        lambda g: g.with_wire(X, "y", SQUARE, "x")[0],
        lambda g: g.with_points(W1, ()),
        lambda g: g.rerouted({}),
        lambda g: g.without(nodes=["n77"], wires=["w77"], frames=["f77"]),
    ],
)
def test_an_edit_that_changes_nothing_gives_the_graph_itself(chain, edit):
    assert edit(chain) is chain


# -- wires ---------------------------------------------------------------------------------------


def test_x_times_x_has_two_wires(square):
    x, y = square.named("x").id, square.named("y").id

    assert [wire.port for wire in square.wires_from(x)] == ["a", "b"]
    assert set(square.wires_into(y)) == {"a", "b"}
    assert len(square.wires) == 2


def test_a_wire_takes_the_place_of_the_one_at_its_port(chain):
    graph, y = chain.with_node(INPUT)
    graph, wire_id = graph.with_wire(y, "y", SQUARE, "x")

    assert W1 not in graph.wires
    assert graph.wires_into(SQUARE)["x"].id == wire_id
    assert graph.wires_from(X) == ()


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ((TANH, "y", SQUARE, "x"), "close a loop: square → tanh → square"),
        ((SQUARE, "y", SQUARE, "x"), "cannot feed itself"),
        ((X, "y", SQUARE, "z"), "no input 'z'"),
        ((X, "z", SQUARE, "x"), "no output 'z'"),
        ((SQUARE, "y", X, "x"), "no input 'x'"),
        ((X, "y", SQUARE, "x[0]"), "no input"),
    ],
)
def test_wires_that_are_refused(chain, ends, message):
    with pytest.raises(WireRefusedError, match=message):
        chain.with_wire(*ends)
    assert message in chain.can_connect(*ends)


def test_a_wire_that_would_not_be_refused(chain):
    assert chain.can_connect(X, "y", TANH, "x") is None


def test_a_wire_from_a_node_that_is_not_there(chain):
    with pytest.raises(UnknownNodeError):
        chain.with_wire("n99", "y", SQUARE, "x")


def test_refusals_agree_with_asking_for_every_node(chain):
    graph, y = chain.with_node(INPUT)
    graph, add = graph.with_node("add")
    graph, _ = graph.with_wire(TANH, "y", add, "a")
    for source in graph.nodes:
        refused = graph.refusals(source, "y")
        for target in graph.nodes:
            ports = input_ports(graph.nodes[target], graph)
            reasons = {graph.can_connect(source, "y", target, port) for port in ports}
            assert (target in refused) == (not ports or None not in reasons)
    assert y in graph.refusals(X, "y")


def test_a_loop_check_on_a_chain_of_x_times_x_asks_every_node_once(monkeypatch):
    graph, last = Graph().with_node(INPUT)
    first = None
    for _ in range(60):
        graph, node_id = graph.with_node("multiply")
        graph, _ = graph.with_wire(last, "y", node_id, "a")
        graph, _ = graph.with_wire(last, "y", node_id, "b")
        first, last = first or node_id, node_id
    asked = Counter()
    walk = WireIndex.successors

    def counted(self, node):
        asked[node] += 1
        return walk(self, node)

    monkeypatch.setattr(WireIndex, "successors", counted)
    assert "close a loop" in graph.can_connect(last, "y", first, "a")

    assert set(asked.values()) == {1}
    assert len(asked) <= 60


def test_reroute_points(chain):
    graph = chain.with_points(W1, [(1, 2), (3, 4)])

    assert graph.wires[W1].points == ((1.0, 2.0), (3.0, 4.0))
    assert graph.wires_into(SQUARE)["x"] is graph.wires[W1]
    assert graph.wires_from(X) == (graph.wires[W1],)
    assert graph.with_points(W1, []).wires[W1] == chain.wires[W1]


def test_deleting_a_node_takes_its_wires(chain):
    graph = chain.without(nodes=[SQUARE])

    assert not graph.wires
    assert graph.wires_from(X) == ()
    assert graph.wires_into(TANH) == {}
    assert "square" not in graph.names


def test_ancestors_descendants_and_order(chain):
    assert chain.ancestors(TANH) == {X, SQUARE}
    assert chain.descendants(X) == {SQUARE, TANH}
    assert chain.ancestors(X) == set()
    assert chain.order() == (X, SQUARE, TANH)


# -- ports ---------------------------------------------------------------------------------------


def test_a_variadic_node_shows_one_port_more_than_are_in_use(chain):
    graph, stack = chain.with_node("concatenate")
    assert input_ports(graph.nodes[stack], graph) == ("xs[0]",)

    graph, _ = graph.with_wire(X, "y", stack, "xs[1]")
    assert input_ports(graph.nodes[stack], graph) == ("xs[0]", "xs[1]", "xs[2]")
    assert [port for port, _ in graph.operands(stack)] == ["xs[1]"], "empty ports are passed over"

    graph = graph.with_inline(stack, "xs[2]", [5.0])
    assert input_ports(graph.nodes[stack], graph)[-1] == "xs[3]"
    assert [port for port, _ in graph.operands(stack)] == ["xs[1]", "xs[2]"]


@pytest.mark.parametrize("port", ["xs", "xs[-1]", "xs[01]", "xs[99999]", "ys[0]", "xs[0][0]"])
def test_ports_a_variadic_node_does_not_have(chain, port):
    graph, stack = chain.with_node("concatenate")

    assert graph.can_connect(X, "y", stack, port) is not None


def test_outputs_of_split_follow_its_parameter(chain):
    graph, node_id = chain.with_node("split")
    assert output_ports(graph.nodes[node_id], graph) == ("y[0]", "y[1]")

    graph = graph.with_params(node_id, indices_or_sections=[1, 3])
    assert output_ports(graph.nodes[node_id]) == ("y[0]", "y[1]", "y[2]")


def test_wires_and_roots_at_outputs_that_are_gone_are_cut(chain):
    graph, node_id = chain.with_node("split", params={"indices_or_sections": 3})
    graph, wire = graph.with_wire(node_id, "y[2]", TANH, "x")
    graph = graph.with_run(
        Run(
            "r",
            (
                Backward(
                    ((node_id, "y[2]"), (TANH, "y")),
                ),
            ),
        )
    )
    graph = graph.with_params(node_id, indices_or_sections=2)

    assert wire not in graph.wires
    assert graph.runs[0].actions[0].roots == ((TANH, "y"),)


def test_outputs_of_unstack_are_as_many_as_are_wired(chain):
    graph, node_id = chain.with_node("unstack")
    assert output_ports(graph.nodes[node_id], graph) == ("y[0]", "y[1]")

    graph, _ = graph.with_wire(node_id, "y[4]", TANH, "x")
    assert len(output_ports(graph.nodes[node_id], graph)) == 5


# -- frames and runs -----------------------------------------------------------------------------


def test_frames(chain):
    graph, frame = chain.with_frame("Square", (260, -20, 200, 200), color="green")
    assert graph.frames[frame].holds(graph.nodes[SQUARE])
    assert not graph.frames[frame].holds(graph.nodes[X])
    assert graph.no_grad_nodes == frozenset()

    graph = graph.with_frame_changed(frame, no_grad=True, title="frozen")
    assert graph.no_grad_nodes == {SQUARE}
    assert graph.with_frame_changed(frame, no_grad=True) is graph
    assert graph.without(frames=[frame]).frames == {}


@pytest.mark.parametrize(
    "edit",
    [
        lambda g: g.moved({X: (float("nan"), 0)}),
        lambda g: g.moved({X: (0, 1e9)}),
        lambda g: g.with_points(W1, [(float("inf"), 0)]),
        lambda g: g.with_frame("f", (0, 0, 0, 10)),
        lambda g: g.with_frame("f", (0, 0, float("nan"), 10)),
        lambda g: g.with_frame("f", (0, 0, float("inf"), 10)),
        lambda g: g.with_frame("\udc00", (0, 0, 10, 10)),
        lambda g: paste(g, cut(g, [X]), (1e300, 0)),
        lambda g: g.with_params(X, value=np.ones((1,) * 40)),
    ],
)
def test_places_and_texts_no_file_could_hold(chain, edit):
    with pytest.raises(EditRefusedError):
        edit(chain)


def test_runs_are_found_and_replaced_by_name(chain):
    ones = Run("ones", (Backward(((TANH, "y"),), ([1.0, 1.0],)),))
    graph = chain.with_run(ones).with_run(Run("again", (Forward(),)))
    again = Run("ones", (Backward(((TANH, "y"),), ([0.0, 1.0],)), ZeroGrad()))
    graph = graph.with_run(again)

    assert [run.name for run in graph.runs] == ["ones", "again"]
    assert graph.run("ones") is again
    with pytest.raises(UnknownNodeError, match="Did you mean 'ones'"):
        graph.run("one")


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([Backward((("n9", "y"),))], "action 1 .backward. names node 'n9'"),
        ([Backward(((TANH, "z"),))], "names output 'z' of node 'n3'"),
        ([Forward(), Backward(())], "action 2 .backward. has no roots"),
        ([Backward(((TANH, "y"),), ([1.0], [1.0]))], "1 roots and 2 cotangents"),
        ([Backward((GradRef(0, X),))], "makes no such gradient"),
        ([Grad(((TANH, "y"),), ("n9",))], "names node 'n9'"),
        ([Backward(((TANH, "y"),), inputs=("n9",))], "names node 'n9'"),
        ([ZeroGrad(("n9",))], "names node 'n9'"),
        ([Assign("n9", 1.0)], "names node 'n9'"),
    ],
)
def test_runs_that_name_what_is_not_there(chain, actions, message):
    with pytest.raises(UnknownNodeError, match=message):
        chain.with_run(Run("r", tuple(actions)))


@pytest.mark.parametrize("names", [("a", "a"), ("",), ("\n",)])
def test_run_names_that_cannot_be(chain, names):
    with pytest.raises(EditRefusedError):
        chain.with_runs(Run(name, (Forward(),)) for name in names)


def test_runs_lose_what_they_say_about_nodes_that_are_gone(chain):
    graph, loss = chain.with_node("sum")
    graph, _ = graph.with_wire(SQUARE, "y", loss, "x")
    both = Backward(((TANH, "y"), (loss, "y")), ([1.0, 2.0], None), inputs=(X, TANH))
    graph = graph.with_runs(
        [
            Run("both", (ZeroGrad((TANH,)), both)),
            Run("only tanh", (Backward(((TANH, "y"),), ([1.0, 2.0],)),)),
            Run("forward", (Forward(),)),
        ]
    )
    graph = graph.without(nodes=[TANH])

    assert [run.name for run in graph.runs] == ["both", "forward"]
    (left,) = graph.run("both").actions
    assert left.roots == ((loss, "y"),)
    assert left.cotangents == (None,)
    assert left.inputs == (X,)


def test_gradients_of_gradients_go_with_the_action_that_made_them(chain):
    run = Run(
        "second order",
        (
            ZeroGrad((TANH,)),
            Grad(((SQUARE, "y"),), (X,), ([1.0, 1.0],), create_graph=True),
            Backward((GradRef(1, X),), (GradRef(1, X),)),
        ),
    )
    graph = chain.with_run(run)

    kept = graph.without(nodes=[TANH]).run("second order").actions
    assert [type(action) for action in kept] == [Grad, Backward]
    assert kept[1].roots == kept[1].cotangents == (GradRef(0, X),), "and they are counted anew"
    assert graph.without(nodes=[SQUARE]).run("second order").actions == (ZeroGrad((TANH,)),)


# -- pieces --------------------------------------------------------------------------------------


def test_a_pasted_piece_has_new_ids_free_names_and_its_inner_wires(chain):
    piece = cut(chain.with_points(W2, [(500, 10)]), [SQUARE, TANH])
    graph, new = paste(chain, piece, (10, 20))

    names = [graph.nodes[node_id].name for node_id in new]
    assert names == ["square2", "tanh2"]
    assert set(new).isdisjoint(chain.nodes)
    (wire,) = graph.wires_into(new[1]).values()
    assert (wire.source, wire.points) == (new[0], ((510.0, 30.0),))
    assert graph.wires_into(new[0]) == {}, "what came from outside is left out"
    assert graph.nodes[new[0]].pos == (282.0, 20.0)


def test_a_paste_may_keep_the_wires_from_outside(chain):
    graph, new = paste(chain, cut(chain, [SQUARE]), keep_outside=True)

    assert graph.wires_into(new[0])["x"].source == X


def test_a_paste_elsewhere_does_not_mistake_a_stranger_for_what_was_outside(chain):
    other, _ = Graph().with_node("add")  # has the id of x, but not its name
    graph, new = paste(other, cut(chain, [SQUARE]), keep_outside=True)

    assert graph.wires_into(new[0]) == {}


def test_frames_are_pasted_where_asked_for(chain):
    graph, frame = chain.with_frame("f", (0, 0, 50, 50))
    graph, _ = paste(graph, cut(graph, [], [frame]), (5, 5))

    assert [f.rect for f in graph.frames.values()] == [(0, 0, 50, 50), (5, 5, 50, 50)]


# -- diff ----------------------------------------------------------------------------------------


def test_a_diff_of_a_graph_with_itself_is_empty(chain):
    change = diff(chain, chain)

    assert not change.affects_values
    assert not any((change.nodes_moved, change.frames_changed, change.runs_changed))


@pytest.mark.parametrize(
    ("edit", "expected", "affects_values"),
    [
        (lambda g: g.with_node("add")[0], {"nodes_added": {"n6"}}, True),
        (lambda g: g.moved({X: (1, 1)}), {"nodes_moved": {X}}, False),
        (lambda g: g.with_collapsed([X]), {"nodes_moved": {X}}, False),
        (lambda g: g.with_pinned([X]), {"nodes_moved": {X}}, False),
        (lambda g: g.with_name(X, "q"), {"nodes_renamed": {X}}, False),
        (lambda g: g.with_params(X, value=1.0), {"nodes_changed": {X}}, True),
        (lambda g: g.with_inline(TANH, "x", 1.0), {"nodes_changed": {TANH}}, True),
        (lambda g: g.without(wires=[W1]), {"wires_removed": {W1}}, True),
        (
            lambda g: g.with_wire(X, "y", TANH, "x")[0],
            {"wires_added": {"w6"}, "wires_removed": {W2}},
            True,
        ),
        (lambda g: g.with_points(W1, [(1, 1)]), {"wires_rerouted": {W1}}, False),
        (
            lambda g: g.without(nodes=[SQUARE]),
            {"nodes_removed": {SQUARE}, "wires_removed": {W1, W2}},
            True,
        ),
        (lambda g: g.with_frame("f", (0, 0, 1, 1))[0], {"frames_changed": True}, False),
        (
            lambda g: g.with_frame("f", (0, 0, 1, 1), no_grad=True)[0],
            {"frames_changed": True, "no_grad_changed": {X}},
            True,
        ),
        (lambda g: g.with_run(Run("r", (Forward(),))), {"runs_changed": True}, False),
    ],
)
def test_a_diff_says_what_an_edit_did_and_nothing_else(chain, edit, expected, affects_values):
    change = diff(chain, edit(chain))
    found = {
        name: value
        for name in change.__dataclass_fields__
        if name not in ("before", "after") and (value := getattr(change, name))
    }

    assert found == expected
    assert change.affects_values == affects_values


def test_moving_a_node_into_a_no_grad_frame_affects_values(chain):
    graph, _ = chain.with_frame("frozen", (1000, 1000, 300, 300), no_grad=True)
    change = diff(graph, graph.moved({TANH: (1100, 1100)}))

    assert change.no_grad_changed == {TANH}
    assert change.affects_values


# -- size ----------------------------------------------------------------------------------------


def large_graph(count=10_000):
    """``count`` nodes with two wires each, made at once."""
    value = np.array(1.0)
    value.flags.writeable = False
    params = {"value": value, "requires_grad": True, "source": None}
    nodes = {
        "n1": Node("n1", INPUT, "x", params=params),
        "n2": Node("n2", INPUT, "y", params=params),
    }
    wires = {}
    for i in range(3, count + 1):
        nodes[f"n{i}"] = Node(f"n{i}", "multiply", f"m{i}")
        for port, back in (("a", 1), ("b", 2)):
            wire_id = f"w{2 * i + count + back}"
            wires[wire_id] = Wire(wire_id, f"n{i - back}", "y", f"n{i}", port)
    return Graph.of(nodes, wires, {}, (), 4 * count)


@pytest.mark.parametrize(
    ("edit", "touched"),
    [
        (lambda g: g.moved({"n5000": (1.0, 1.0)}), 1),
        (lambda g: g.with_inline("n5000", "a", 2.0), 1),
        (lambda g: g.with_wire("n9000", "y", "n9999", "a")[0], 0),
        (lambda g: g.with_node("add")[0], 1),
        (lambda g: g.without(nodes=["n5000"]), 0),
    ],
)
def test_an_edit_shares_all_it_does_not_touch(edit, touched):
    before = large_graph()
    after = edit(before)

    assert sum(before.nodes.get(i) is not node for i, node in after.nodes.items()) == touched
    assert sum(before.wires.get(i) is not wire for i, wire in after.wires.items()) <= 1
    into = sum(before.index.into.get(i) is not wires for i, wires in after.index.into.items())
    assert into <= 2, "only the entries of nodes whose wires changed are made anew"


def test_an_edit_that_leaves_the_wires_shares_the_order():
    before = large_graph()
    order = before.order()

    assert before.moved({"n5000": (1.0, 1.0)}).order() is order
    assert before.with_params("n1", value=2.0).order() is order


# -- any edits in any order ----------------------------------------------------------------------

OPS = (INPUT, "square", "multiply", "add", "concatenate", "split", DETACH)


@st.composite
def edit(draw):
    """One edit as (method, how to choose its arguments from what the graph has)."""
    kind = draw(
        st.sampled_from(
            ["node", "wire", "wire", "wire", "without", "move", "name", "inline", "frame", "run"]
        )
    )
    return kind, [draw(st.integers(0, 999)) for _ in range(4)]


def apply_edit(graph, kind, picks):
    ids, wires = list(graph.nodes), list(graph.wires)
    a, b, c, d = picks
    if kind == "node" or not ids:
        op = OPS[a % len(OPS)]
        params = {"value": [float(b), float("nan")]} if op == INPUT else None
        return graph.with_node(op, (float(c), float(d)), params=params)[0]
    node, other = ids[a % len(ids)], ids[b % len(ids)]
    match kind:
        case "wire":
            ports = input_ports(graph.nodes[other], graph) or ("x",)
            outputs = output_ports(graph.nodes[node], graph)
            return graph.with_wire(node, outputs[c % len(outputs)], other, ports[d % len(ports)])[0]
        case "without":
            return graph.without([node] if c % 2 else [], [wires[d % len(wires)]] if wires else [])
        case "move":
            return graph.moved({node: (c, d)}).with_collapsed([other], bool(c % 2))
        case "name":
            return graph.with_name(node, f"name {c % 5}")
        case "inline":
            ports = input_ports(graph.nodes[node], graph) or ("x",)
            return graph.with_inline(node, ports[c % len(ports)], d / 7 if d % 3 else None)
        case "frame":
            return graph.with_frame(f"frame {a}", (b, c, d + 1, d + 1), no_grad=bool(d % 2))[0]
        case _:
            root = (node, output_ports(graph.nodes[node], graph)[0])
            return graph.with_run(Run(f"run {c % 4}", (Backward((root,), (float(d),)), Forward())))


def assert_holds_together(graph):
    fresh = WireIndex.of(graph.nodes, graph.wires.values())
    assert {k: dict(v) for k, v in graph.index.into.items()} == fresh.into
    assert {k: set(v) for k, v in graph.index.out.items()} == {
        k: set(v) for k, v in fresh.out.items()
    }
    assert graph.names == {node.name: node.id for node in graph.nodes.values()}
    order = graph.order()
    assert sorted(order) == sorted(graph.nodes)
    place = {node_id: i for i, node_id in enumerate(order)}
    assert all(place[wire.source] < place[wire.target] for wire in graph.wires.values())
    assert dumps(graph.with_runs(graph.runs)) == dumps(graph)


@settings(max_examples=60, deadline=None)
@given(st.lists(edit(), max_size=30))
def test_any_edits_hold_together_undo_and_survive_saving(edits):
    graph, done = Graph(), []
    for kind, picks in edits:
        try:
            after = apply_edit(graph, kind, picks)
        except PullbackError:
            continue
        done.append((graph, dumps(graph), after))
        assert_holds_together(after)
        graph = after

    text = dumps(graph)
    assert dumps(loads(text)) == text
    for before, text, after in reversed(done):  # undo is putting the old graph back
        assert dumps(before) == text
        change, back = diff(before, after), diff(after, before)
        assert change.nodes_added == back.nodes_removed
        assert change.wires_added == back.wires_removed
        assert change.affects_values == back.affects_values


def test_a_padding_may_be_a_word_that_the_operation_knows():
    graph, node = Graph().with_node("conv1d", (0.0, 0.0), params={"padding": "same"})
    assert graph.nodes[node].params["padding"] == "same"
    with pytest.raises(EditRefusedError, match="or 'same', 'valid'"):
        graph.with_params(node, padding="full")
    with pytest.raises(EditRefusedError):
        Graph().with_node("conv_transpose1d", (0.0, 0.0), params={"padding": "same"})
