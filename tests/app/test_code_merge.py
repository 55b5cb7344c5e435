"""Edited code as an edit of the graph it was written from."""

import numpy as np
import pytest
from hypothesis import given, settings

from app.code_jobs import read_code
from app.document import Document
from core.export import export_code
from core.graph import INPUT, Backward, Graph, Run
from core.session import Session
from tests.core.export.graphs import VISIBLE, op_graph
from tests.core.export.random_graphs import random_graphs


@pytest.fixture
def graph():
    """Leaves a and b; a is split, the parts are multiplied, and b is normed; names with spaces."""
    graph, a = Graph().with_node(
        INPUT, (0.0, 0.0), name="a", params={"value": np.arange(4.0), "requires_grad": True}
    )
    graph, b = graph.with_node(
        INPUT, (0.0, 200.0), name="b", params={"value": np.ones((40, 30)), "requires_grad": True}
    )
    graph, parts = graph.with_node("split", (272.0, 0.0), name="the parts")
    graph, _ = graph.with_wire(a, "y", parts, "x")
    graph, y = graph.with_node("multiply", (544.0, 0.0), name="y")
    graph, _ = graph.with_wire(parts, "y[0]", y, "a")
    graph, _ = graph.with_wire(parts, "y[1]", y, "b", [(500.0, 90.0)])
    graph, size = graph.with_node("linalg.norm", (272.0, 200.0), name="size")
    graph, _ = graph.with_wire(b, "y", size, "x")
    graph, _unused = graph.with_node(INPUT, (0.0, 400.0), name="k", params={"value": np.array(2)})
    return graph


def edited(graph, *changes, run=None):
    """The reading of the graph's code after pieces of it were replaced."""
    exported = export_code(graph, "pytorch", run)
    text = exported.text
    for old, new in changes:
        assert old in text, text
        text = text.replace(old, new)
    return read_code(graph, exported, text, run)


def test_untouched_code_is_the_same_graph(graph):
    after = edited(graph).graph
    assert dict(after.nodes) == dict(graph.nodes)
    assert all(after.nodes[n] is graph.nodes[n] for n in graph.nodes)
    assert dict(after.wires) == dict(graph.wires)


def test_what_is_not_edited_stays_the_very_same(graph):
    after = edited(graph, ("the_parts_y_0 * the_parts_y_1", "the_parts_y_0 / the_parts_y_1")).graph
    changed = [n.name for n in after.nodes.values() if n is not graph.nodes[n.id]]
    assert changed == ["y"]
    assert after.named("y").op == "divide"
    assert after.named("y").id == graph.named("y").id
    assert dict(after.wires) == dict(graph.wires)  # the reroute point, too


def test_a_new_line_is_a_new_node_beside_what_feeds_it(graph):
    after = edited(graph, ("y = the_parts_y_0", "z = torch.exp(a)\ny = the_parts_y_0")).graph
    z = after.named("z")
    assert z.id not in graph.nodes
    assert z.pos[0] > graph.named("a").pos[0]
    corners = [n.pos for n in after.nodes.values() if n.id != z.id]
    assert all(abs(z.pos[0] - x) >= 200 or abs(z.pos[1] - y) >= 170 for x, y in corners)
    assert after.wires_into(z.id)["x"].source == graph.named("a").id


def test_a_line_taken_away_takes_its_node_and_its_run(graph):
    run = Run("r", (Backward(((graph.named("y").id, "y"),), (np.ones(2),)),))
    other = Run("s", (Backward(((graph.named("size").id, "y"),)),))
    graph = graph.with_runs([run, other])
    lines = export_code(graph, "pytorch", other).text.splitlines()
    (line,) = [line for line in lines if line.startswith("y = ")]
    after = edited(graph, (f"{line}\n", ""), run=other).graph
    assert "y" not in after.names
    assert [r.name for r in after.runs] == ["s"]


def test_a_changed_value_keeps_its_node(graph):
    after = edited(graph, ("[0.0, 1.0, 2.0, 3.0]", "[0.0, 1.0, 2.0, 5.0]")).graph
    assert after.named("a").id == graph.named("a").id
    assert after.named("a").params["value"].tolist() == [0, 1, 2, 5]


def test_a_value_that_is_not_written_out_stays(graph):
    after = edited(graph, ("torch.linalg.vector_norm(b)", "torch.linalg.vector_norm(b + 1)")).graph
    assert after.named("b") is graph.named("b")
    size = after.named("size").id
    assert Session(after).snapshot().values[size][0] == pytest.approx(2 * np.sqrt(1200))


def test_a_name_given_twice_means_the_second(graph):
    change = "the_parts_y_0 * the_parts_y_1\ny = y + 1\nw = y * 2"
    after = edited(graph, ("the_parts_y_0 * the_parts_y_1", change)).graph
    w = after.named("w").id
    assert Session(after).snapshot().values[w][0].tolist() == [2.0, 8.0]


def test_code_after_the_forward_becomes_the_run(graph):
    run = Run("r", (Backward(((graph.named("size").id, "y"),)),))
    graph = graph.with_run(run)
    text = "size.backward(retain_graph=True)\nb.grad = None\nsize.backward()"
    after = edited(graph, ("size.backward()", text), run=run).graph
    (changed,) = after.runs
    assert changed.name == "r"
    assert [type(a).__name__ for a in changed.actions] == ["Backward", "ZeroGrad", "Backward"]
    assert changed.actions[1].nodes == (graph.named("b").id,)
    assert Session(after).run(changed).results[-1].error is None


def test_the_backward_of_the_panel_is_no_run_before_it_is_edited(graph):
    run = Run("backward", (Backward(((graph.named("size").id, "y"),)),))
    assert edited(graph, run=run).graph.runs == ()
    after = edited(graph, ("size.backward()", "(size * 2).backward()"), run=run).graph
    assert [r.name for r in after.runs] == ["from code"]


def test_an_error_names_its_line(graph):
    reading = edited(graph, ("torch.linalg.vector_norm(b)", "torch.nothing(b)"))
    assert reading.graph is None
    assert reading.error.line is not None


def test_nodes_without_a_value_stay(graph):
    graph, lonely = graph.with_node("add", (800.0, 0.0), name="lonely")
    after = edited(graph, ("the_parts_y_0 *", "the_parts_y_0 +")).graph
    assert after.nodes[lonely] is graph.nodes[lonely]
    assert after.named("y").op == "add"


@settings(max_examples=40, deadline=None)
@given(random_graphs())
def test_random_code_that_is_not_edited_is_no_edit(drawn):
    graph, run = drawn
    graph = graph if run is None else graph.with_run(run)
    exported = export_code(graph, "pytorch", run)
    reading = read_code(graph, exported, exported.text, run)
    if reading.error is None:  # a run may end in an error on purpose
        assert Document.is_same(graph, reading.graph)


@pytest.mark.parametrize("op", ["unstack", "split", "linalg.svd", "linalg.norm", "sort", "setitem"])
def test_operations_that_the_importer_says_otherwise_stay(op):
    (spec,) = [spec for spec in VISIBLE if spec.name == op]
    for sample in spec.samples:
        graph = op_graph(spec, sample)
        assert Document.is_same(graph, edited(graph, run=graph.runs[0]).graph)
