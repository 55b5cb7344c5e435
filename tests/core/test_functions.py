"""Functions: a selection becomes one, instances share it, and flattened it is what it was."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import EditRefusedError, UnknownNodeError
from core.files import dumps, load, loads
from core.graph import (
    ARGUMENT,
    CALL,
    INPUT,
    RESULT,
    Backward,
    Graph,
    Run,
    closed,
    cut,
    diff,
    expand,
    flatten,
    flattened,
    gather,
    opened,
    paste,
    renamed,
    without_function,
)
from core.graph import function as limits
from core.session import Session
from tests.core.export.random_graphs import random_graphs

EXAMPLES = sorted((Path(__file__).parents[2] / "resources" / "examples").glob("*.pullback"))


class Layer:
    """y = sum(tanh(0.5 · x · w)), all but the sum in a function."""

    def __init__(self):
        graph = Graph()
        graph, self.x = graph.with_node(INPUT, (0, 0), "x", leaf([1.0, 2.0]))
        graph, self.w = graph.with_node(INPUT, (0, 100), "w", leaf([3.0, -1.0]))
        graph, self.two = graph.with_node(INPUT, (250, 200), "two", {"value": 0.5})
        graph, self.product = graph.with_node("multiply", (250, 0), "product")
        graph, self.scaled = graph.with_node("multiply", (500, 0), "scaled")
        graph, self.tanh = graph.with_node("tanh", (750, 0), "tanh")
        graph, self.sum = graph.with_node("sum", (1000, 0), "sum")
        for source, target, port in (
            (self.x, self.product, "a"),
            (self.w, self.product, "b"),
            (self.product, self.scaled, "a"),
            (self.two, self.scaled, "b"),
            (self.scaled, self.tanh, "x"),
            (self.tanh, self.sum, "x"),
        ):
            graph, _ = graph.with_wire(source, "y", target, port)
        self.graph = graph.with_run(Run("sum", (Backward(((self.sum, "y"),)),)))
        self.chosen = [self.x, self.w, self.two, self.product, self.scaled, self.tanh]
        self.after, self.call = gather(self.graph, self.chosen, "layer")

    @property
    def function(self):
        return self.after.nodes[self.call].params["function"]


def leaf(value):
    return {"value": value, "requires_grad": True}


@pytest.fixture
def layer():
    return Layer()


def gradients(graph, run):
    """What a run leaves in each leaf, by name, and the kind of error it ends with."""
    result = Session(graph).run(run)
    errors = [type(r.error) for r in result.results if r.error]
    names = {i: graph.nodes[i].name for i in result.grads if i in graph.nodes}
    return {names[i]: g for i, g in result.grads.items() if i in names}, errors


def assert_same_gradients(a, b):
    for one, other in zip(a.runs, b.runs, strict=True):
        (mine, errors), (theirs, other_errors) = gradients(a, one), gradients(b, other)
        assert errors == other_errors
        assert mine.keys() == theirs.keys()
        for name, grad in mine.items():
            if grad is None:
                assert theirs[name] is None
            else:
                np.testing.assert_allclose(grad, theirs[name], rtol=1e-12, atol=1e-14)


def body_edit(graph, call, edit):
    """The document after ``edit`` of the body of an instance's function."""
    function = graph.nodes[call].params["function"]
    return closed(graph, edit(opened(graph, function.id)))


# -- a selection becomes a function ----------------------------------------------------------------


def test_leaves_stay_outside_and_constants_go_in(layer):
    assert layer.function.inputs == ("x", "w")
    assert layer.function.outputs == ("y",)
    assert {layer.x, layer.w} <= layer.after.nodes.keys()
    assert layer.two in layer.function.body.nodes
    assert {layer.product, layer.two, layer.tanh}.isdisjoint(layer.after.nodes)
    assert layer.after.nodes[layer.call].name == "layer"
    assert layer.after.functions == {layer.function.id: layer.function}


def test_the_graph_before_is_as_it_was(layer):
    assert layer.product in layer.graph.nodes
    assert not layer.graph.functions


def test_a_function_computes_the_same(layer):
    values = Session(layer.after).snapshot().values

    before = Session(layer.graph).snapshot().values
    np.testing.assert_array_equal(values[layer.call][0], before[layer.tanh][0])
    np.testing.assert_array_equal(values[f"{layer.call}/{layer.scaled}"][0], [1.5, -1.0])
    assert_same_gradients(layer.graph, layer.after)


def test_a_root_of_a_run_becomes_a_result():
    layer = Layer()
    graph = layer.graph.with_run(Run("inner", (Backward(((layer.product, "y"),), (np.ones(2),)),)))
    after, call = gather(graph, [layer.product, layer.scaled, layer.tanh])

    assert after.nodes[call].params["function"].outputs == ("product_out", "tanh_out")
    assert after.run("inner").actions[0].roots == ((call, "product_out"),)
    assert_same_gradients(graph, after)


def test_several_outputs_of_a_node_keep_their_names_and_order():
    graph, x = Graph().with_node(INPUT, params=leaf([[3.0, 1.0], [4.0, 2.0]]))
    graph, qr = graph.with_node("linalg.qr")
    graph, _ = graph.with_wire(x, "y", qr, "x")
    for output in ("R", "Q"):
        graph, total = graph.with_node("sum")
        graph, _ = graph.with_wire(qr, output, total, "x")
    after, call = gather(graph, [qr])

    assert after.nodes[call].params["function"].outputs == ("Q", "R")
    flat, _ = flatten(after, call)
    assert {wire.output for wire in flat.wires_from(flat.named("qr").id)} == {"Q", "R"}


def test_a_node_between_is_named(layer):
    with pytest.raises(EditRefusedError, match="'scaled' lies between"):
        gather(layer.graph, [layer.product, layer.tanh])


def test_leaves_alone_make_no_function(layer):
    with pytest.raises(EditRefusedError, match="at least one operation"):
        gather(layer.graph, [layer.x, layer.two])


def test_a_node_that_a_run_accumulates_at_stays_outside(layer):
    run = Run("at", (Backward(((layer.sum, "y"),), inputs=(layer.product,)),))
    with pytest.raises(EditRefusedError, match="'at' accumulates a gradient at 'product'"):
        gather(layer.graph.with_run(run), layer.chosen)


def test_names_of_functions_are_free(layer):
    after, other = gather(layer.after, [layer.sum], "layer")

    assert [f.name for f in after.functions.values()] == ["layer", "layer2"]
    assert after.nodes[other].name == "layer2"


def test_a_no_grad_frame_keeps_its_meaning(layer):
    graph, _ = layer.graph.with_frame("quiet", (240, -10, 20, 20), no_grad=True)  # holds product
    after, call = gather(graph, [layer.product, layer.scaled, layer.tanh])

    assert_same_gradients(graph, after)
    assert_same_gradients(graph, flatten(after, call)[0])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_any_part_of_an_example_has_the_same_gradients_as_a_function(path, data):
    graph = load(path)
    chosen = data.draw(st.lists(st.sampled_from(sorted(graph.nodes)), min_size=1, unique=True))
    try:
        after, call = gather(graph, chosen)
    except EditRefusedError:
        return
    assert_same_gradients(graph, after)
    flat, _ = flatten(after, call)
    assert_same_gradients(graph, flat)
    read = loads(dumps(after))
    assert dumps(read) == dumps(after)
    assert_same_gradients(after, read)


# -- flattened again -------------------------------------------------------------------------------


def test_flattened_it_is_where_it_was(layer):
    flat, new = flatten(layer.after, layer.call)

    names = {flat.nodes[i].name: flat.nodes[i].pos for i in new}
    assert names == {
        layer.graph.nodes[i].name: layer.graph.nodes[i].pos
        for i in (layer.product, layer.scaled, layer.tanh, layer.two)
    }
    assert layer.call not in flat.nodes
    assert len(flat.wires) == len(layer.graph.wires)
    assert_same_gradients(layer.graph, flat)


def test_values_typed_at_the_instance_are_typed_at_the_nodes(layer):
    graph = layer.after.without([layer.w]).with_inline(layer.call, "w", [3.0, -1.0])
    flat, _ = flatten(graph, layer.call)

    product = flat.named("product")
    np.testing.assert_array_equal(product.inline["b"], [3.0, -1.0])
    assert_same_gradients(graph, flat)


def test_an_argument_handed_straight_through():
    layer = Layer()

    def through(body):
        end = body.named("y").id
        return body.with_wire(body.named("x").id, "y", end, "x")[0]

    graph = body_edit(layer.after, layer.call, through)
    flat, _ = flatten(graph, layer.call)

    assert flat.wires_into(layer.sum)["x"].source == layer.x
    assert_same_gradients(graph, flat)


def test_only_instances_are_flattened(layer):
    with pytest.raises(EditRefusedError, match="'x' is no function"):
        flatten(layer.after, layer.x)


def test_all_functions_at_any_depth_are_flattened(twice):
    outer, _ = gather(twice.twice, [twice.call, twice.second], "net")
    flat = flattened(outer)

    assert all(node.op != CALL for node in flat.nodes.values())
    assert_same_gradients(outer, flat)


def test_a_function_in_a_no_grad_frame_stays_without_gradients_when_flattened(layer):
    x, y = layer.after.nodes[layer.call].pos
    graph, _ = layer.after.with_frame("quiet", (x - 10, y - 10, 40, 40), no_grad=True)
    flat, new = flatten(graph, layer.call)

    assert set(new) <= flat.no_grad_nodes
    assert_same_gradients(graph, flat)


# -- one definition, many instances ----------------------------------------------------------------


@pytest.fixture
def twice(layer):
    """The layer applied to its own result."""
    graph, layer.second = layer.after.with_node(
        CALL, (700, 300), params={"function": layer.function}
    )
    graph, _ = graph.with_wire(layer.call, "y", layer.second, "x")
    graph, _ = graph.with_wire(layer.w, "y", layer.second, "w")
    layer.twice, _ = graph.with_wire(layer.second, "y", layer.sum, "x")
    return layer


def test_an_edit_reaches_all_instances(twice):
    def to_exp(body):
        body, exp = body.with_node("exp", name="exp")
        body, _ = body.with_wire(twice.scaled, "y", exp, "x")
        return body.with_wire(exp, "y", body.named("y").id, "x")[0]

    after = body_edit(twice.twice, twice.call, to_exp)

    first, second = (after.nodes[i].params["function"] for i in (twice.call, twice.second))
    assert first is second is after.functions[first.id]
    x, w = np.array([1.0, 2.0]), np.array([3.0, -1.0])
    once = np.exp(0.5 * x * w)
    values = Session(after).snapshot().values
    np.testing.assert_allclose(values[twice.second][0], np.exp(0.5 * once * w))
    flat, _ = flatten(flatten(after, twice.call)[0], twice.second)
    assert_same_gradients(after, flat)


def test_a_renamed_port_keeps_its_wires(twice):
    graph = twice.twice.with_run(Run("all", (Backward(((twice.call, "y"),), (np.ones(2),)),)))
    after = body_edit(
        graph,
        twice.call,
        lambda body: body.with_name(body.named("w").id, "weight").with_name(
            body.named("y").id, "out"
        ),
    )

    assert after.wires_into(twice.second)["weight"].source == twice.w
    assert after.wires_into(twice.second)["x"].output == "out"
    assert after.run("all").actions[0].roots == ((twice.call, "out"),)
    assert_same_gradients(graph, after)


def test_two_ports_may_change_names(twice):
    def swap(body):
        x, w = body.named("x").id, body.named("w").id
        return body.with_name(x, "?").with_name(w, "x").with_name(x, "w")

    after = body_edit(twice.twice, twice.call, swap)

    assert after.wires_into(twice.call)["w"].source == twice.x
    assert after.wires_into(twice.call)["x"].source == twice.w
    assert_same_gradients(twice.twice, after)


def test_a_port_that_goes_takes_its_wires_along(twice):
    after = body_edit(twice.twice, twice.call, lambda b: b.without([b.named("w").id]))

    assert set(after.wires_into(twice.call)) == {"x"}
    assert set(after.wires_into(twice.second)) == {"x"}


def test_ports_stand_as_the_ends_do_in_the_body(twice):
    after = body_edit(twice.twice, twice.call, lambda b: b.moved({b.named("w").id: (-500, -900)}))

    assert after.nodes[twice.call].params["function"].inputs == ("w", "x")


def test_the_last_result_stays(twice):
    with pytest.raises(EditRefusedError, match="would have no result"):
        body_edit(twice.twice, twice.call, lambda b: b.without([b.named("y").id]))


def test_an_edit_of_an_inner_function_reaches_the_outer_one(twice):
    outer, call = gather(twice.twice, [twice.call, twice.second], "net")
    inner_id = twice.function.id
    after = closed(
        outer,
        opened(outer, inner_id).with_params(twice.two, value=0.25),
    )

    net = after.nodes[call].params["function"]
    assert net is after.functions[net.id]
    assert [f.id for f in net.calls] == [inner_id, inner_id]
    assert all(f is after.functions[inner_id] for f in net.calls)
    values = Session(after).snapshot().values
    x, w = np.array([1.0, 2.0]), np.array([3.0, -1.0])
    once = np.tanh(0.25 * x * w)
    np.testing.assert_allclose(values[call][-1], np.tanh(0.25 * once * w))
    assert f"{call}/{twice.call}/{twice.product}" in values


def test_a_function_never_comes_to_need_itself(twice):
    outer, call = gather(twice.twice, [twice.call, twice.second], "net")
    net = outer.nodes[call].params["function"]
    body = opened(outer, twice.function.id)

    for function in (net, twice.function):
        with pytest.raises(EditRefusedError, match="would need itself"):
            body.with_node(CALL, params={"function": function})
    with pytest.raises(EditRefusedError, match="would need itself"):
        paste(body, cut(outer, [call]))


def test_renaming_a_function(twice):
    after = renamed(twice.twice, twice.function.id, "dense")

    assert after.nodes[twice.call].label == after.nodes[twice.second].label == "dense"
    assert renamed(after, twice.function.id, "dense") is after
    with pytest.raises(EditRefusedError, match="empty"):
        renamed(after, twice.function.id, " ")


def test_a_function_in_use_is_not_deleted(twice):
    with pytest.raises(EditRefusedError, match="'layer' is used by layer, layer2"):
        without_function(twice.twice, twice.function.id)

    unused = twice.twice.without([twice.call, twice.second])
    assert not without_function(unused, twice.function.id).functions
    with pytest.raises(UnknownNodeError):
        without_function(Graph(), twice.function.id)


def test_the_ends_of_functions_stand_in_functions_only(layer):
    for op in (ARGUMENT, RESULT):
        with pytest.raises(EditRefusedError, match="stands inside one only"):
            Graph().with_node(op)


def test_a_call_needs_the_documents_function(layer):
    with pytest.raises(EditRefusedError, match="needs its function"):
        Graph().with_node(CALL)
    edited = body_edit(layer.after, layer.call, lambda b: b.with_params(layer.two, value=1.0))
    with pytest.raises(EditRefusedError, match="not the document's definition"):
        edited.with_node(CALL, params={"function": layer.function})


def test_functions_are_not_nested_without_end(layer, monkeypatch):
    monkeypatch.setattr(limits, "DEEPEST", 1)
    with pytest.raises(EditRefusedError, match="nested more than 1 deep"):
        gather(layer.after, [layer.call])
    monkeypatch.setattr(limits, "MOST_NODES", 10)
    with pytest.raises(EditRefusedError, match="over 10 nodes"):
        layer.after.with_node(CALL, params={"function": layer.function})


# -- copied ----------------------------------------------------------------------------------------


def test_a_copy_in_the_same_document_is_an_instance(layer):
    after, (copy,) = paste(layer.after, cut(layer.after, [layer.call]), (0, 200))

    assert after.nodes[copy].params["function"] is layer.function
    assert after.nodes[copy].name == "layer2"


def test_a_copy_made_before_an_edit_becomes_an_instance_of_what_is_now(layer):
    fragment = cut(layer.after, [layer.call])
    edited = body_edit(layer.after, layer.call, lambda b: b.with_params(layer.two, value=1.0))
    after, (copy,) = paste(edited, fragment)

    assert after.nodes[copy].params["function"] is edited.nodes[layer.call].params["function"]


def test_functions_come_along_into_another_document(layer):
    outer, call = gather(layer.after, [layer.call, layer.sum], "net")
    elsewhere, (copy,) = paste(Graph(), cut(outer, [call]))

    assert {f.name for f in elsewhere.functions.values()} == {"layer", "net"}
    again, (other,) = paste(elsewhere, cut(outer, [call]))
    assert again.nodes[copy].params["function"] is again.nodes[other].params["function"]


def test_a_function_of_other_ports_comes_as_one_of_its_own(layer):
    fragment = cut(layer.after, [layer.call])
    edited = body_edit(layer.after, layer.call, lambda b: b.without([b.named("w").id]))
    after, (copy,) = paste(edited, fragment)

    new = after.nodes[copy].params["function"]
    assert (new.name, new.inputs, new.body.inside) == ("layer2", ("x", "w"), new.id)
    assert new.id != layer.function.id


def test_the_ends_stay_with_their_function_when_its_body_is_copied(layer):
    body = opened(layer.after, layer.function.id)
    after, new = paste(Graph(), cut(body, body.nodes))

    assert {after.nodes[i].name for i in new} == {"product", "scaled", "tanh", "two"}
    inside, _ = paste(body, cut(body, [body.named("x").id]))
    assert inside.named("x2").op == ARGUMENT


# -- what an edit changes --------------------------------------------------------------------------


def test_moving_nodes_in_a_body_computes_nothing(twice):
    session = Session(twice.twice)
    moved = body_edit(twice.twice, twice.call, lambda b: b.moved({twice.tanh: (900, 9)}))
    change = diff(twice.twice, moved)

    assert change.functions_changed
    assert not change.affects_values
    assert session.update(moved) == frozenset()


def test_an_edit_of_a_body_computes_what_depends_on_it_in_every_instance(twice):
    session = Session(twice.twice)
    edited = body_edit(twice.twice, twice.call, lambda b: b.with_node("exp", inline={"x": 1.0})[0])
    change = diff(twice.twice, edited)

    assert change.nodes_changed == {twice.call, twice.second}
    exp = edited.nodes[twice.call].params["function"].body.named("exp").id
    assert session.update(edited) == {f"{twice.call}/{exp}", f"{twice.second}/{exp}"}


def test_a_graph_without_instances_is_its_own_expansion(layer):
    assert expand(layer.graph) is layer.graph


def test_what_is_wrong_inside_is_said_on_the_instance(layer):
    broken = body_edit(
        layer.after, layer.call, lambda b: b.with_params(layer.two, value=np.ones(5))
    )
    unfed = layer.after.without([layer.w])

    errors = Session(broken).snapshot().errors
    assert errors[layer.call].what.startswith("In 'layer': ")
    assert errors[layer.call].node == layer.call
    assert errors[f"{layer.call}/{layer.scaled}"].node == f"{layer.call}/{layer.scaled}"
    missing = Session(unfed).snapshot().errors[layer.call]
    assert (missing.what, missing.port) == ("'layer' needs w.", "w")


def test_a_snapshot_of_the_inside_has_the_ids_of_the_body(layer):
    body = opened(layer.after, layer.function.id)
    session = Session(layer.after)
    session.run(layer.after.runs[0])
    snapshot = session.snapshot()
    inside, top = snapshot.inside(layer.call, body), snapshot.inside("", layer.after)

    assert inside.graph is body
    assert inside.values.keys() == body.nodes.keys()
    assert all(saved.freed_by == 1 for saved in inside.saved[layer.tanh])
    assert {saved.name for saved in top.saved[layer.call]} >= {"tanh.y", "product.a"}
    assert top.values.keys() == layer.after.nodes.keys()
    assert layer.call in top.needs_grad


@settings(max_examples=60, deadline=None)
@given(random_graphs(), st.data())
def test_any_part_of_any_graph_has_the_same_gradients_as_a_function(made, data):
    graph, run = made
    graph = graph.with_runs([run])
    chosen = data.draw(st.lists(st.sampled_from(sorted(graph.nodes)), min_size=1, unique=True))
    try:
        after, call = gather(graph, chosen)
    except EditRefusedError:
        return
    assert_same_gradients(graph, after)
    assert_same_gradients(graph, flatten(after, call)[0])
    more = data.draw(st.lists(st.sampled_from(sorted(after.nodes)), min_size=1, unique=True))
    try:
        nested, _ = gather(after, more, "outer")
    except EditRefusedError:
        return
    assert_same_gradients(graph, nested)
    assert_same_gradients(graph, flattened(nested))
    assert_same_gradients(graph, loads(dumps(nested)))
