"""A graph as NumPy by hand: run by Python, it finds our engine's values and gradients."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from core.export import export_code
from core.files import load
from core.graph import DETACH, INPUT, Backward, Grad, GradRef, Graph, Run
from core.session import Session
from tests.core.export.graphs import VISIBLE, op_graph
from tests.core.export.random_graphs import random_graphs
from tests.core.export.running import differences, executed

EXAMPLES = sorted((Path(__file__).parents[3] / "resources" / "examples").glob("*.pullback"))
RUNS = [(path, run.name) for path in EXAMPLES for run in load(path).runs]


@pytest.mark.parametrize("spec", VISIBLE, ids=lambda spec: spec.name)
def test_an_operation_by_hand(spec):
    graph = op_graph(spec, spec.samples[0])  # all samples: make exports ARGS=numpy
    exported = export_code(graph, "numpy")
    run = next(iter(graph.runs), None)
    found = differences(exported, graph, run, bool(spec.symmetric_ports), 1e-9)
    assert not found, f"{found}\n{exported.text}"


@pytest.mark.parametrize(("path", "name"), RUNS, ids=[f"{p.stem}: {n}" for p, n in RUNS])
def test_an_example_by_hand(path, name):
    graph = load(path)
    run = graph.run(name)
    assert not differences(export_code(graph, "numpy", run), graph, run, tolerance=1e-9)


@settings(max_examples=60, deadline=None)
@given(random_graphs())
def test_random_graphs_by_hand(drawn):
    graph, run = drawn
    exported = export_code(graph, "numpy", run)
    found = differences(exported, graph, run, tolerance=1e-9)
    assert not found, f"{found}\n{exported.text}"


# -- what it looks like ---------------------------------------------------------------------------


def text_of(op, *shapes, run=True, **params):
    """The program of one operation of leaves a, b, ..."""
    rng = np.random.default_rng(0)
    graph, node = Graph().with_node(op, (0, 0), name="y", params=params)
    for name, shape in zip("abcd", shapes, strict=False):
        leaf = {"value": rng.normal(size=shape), "requires_grad": True}
        graph, made = graph.with_node(INPUT, (0, 0), name=name, params=leaf)
        port = graph.nodes[node].spec.ports["abcd".index(name)]
        graph, _ = graph.with_wire(made, "y", node, port)
    y = np.ones(Session(graph).snapshot().values[node][0].shape)
    return export_code(graph, "numpy", Run("r", (Backward(((node, "y"),), (y,)),))).text


@pytest.mark.parametrize(
    ("op", "shapes", "params", "line"),
    [
        ("multiply", [(2,), (2,)], {}, "a_bar = y_bar * b"),
        ("matmul", [(2, 3), (3, 2)], {}, "a_bar = y_bar @ b.T"),
        ("matmul", [(2, 3), (3,)], {}, "b_bar = y_bar @ a"),
        ("add", [(2, 3), (3,)], {}, "b_bar = unbroadcast(y_bar, b.shape)"),
        ("tanh", [(2,)], {}, "a_bar = y_bar * (1 - y * y)"),
        ("sum", [(2, 3)], {"axis": 1}, "a_bar = np.broadcast_to(y_bar.reshape((2, 1)), a.shape)"),
        ("getitem", [(4,)], {"index": (slice(1, 3),)}, "y = a[1:3]"),
        ("linear", [(2, 3), (4, 3)], {}, "b_bar = y_bar.T @ a"),
    ],
)
def test_a_rule_becomes_the_formula_of_its_shapes(op, shapes, params, line):
    assert line in text_of(op, *shapes, **params)


def test_what_is_no_formula_is_quoted_without_its_checks():
    text = text_of("max_pool1d", (1, 1, 4))
    assert text.count("def put_back(windows, grid, size):") == 1
    for word in ("Array", "misfit", "raise", "core."):
        assert word not in text


def test_contributions_are_added_one_by_one():
    graph, x = Graph().with_node(
        INPUT, (0, 0), name="x", params={"value": np.array(3.0), "requires_grad": True}
    )
    graph, y = graph.with_node("multiply", (0, 0), name="y")
    graph, _ = graph.with_wire(x, "y", y, "a")
    graph, _ = graph.with_wire(x, "y", y, "b")
    exported = export_code(graph, "numpy", Run("r", (Backward(((y, "y"),)),)))
    lines = exported.text.splitlines()
    first = lines.index("x_bar = y_bar * x  # through y")
    assert lines[first + 1] == "x_bar = x_bar + y_bar * x  # through y"
    assert exported.nodes_at(first) == (y, x)
    assert executed(exported)["x_grad"] == 6.0


def test_nothing_flows_through_detach():
    graph, x = Graph().with_node(
        INPUT, (0, 0), name="x", params={"value": np.array(3.0), "requires_grad": True}
    )
    graph, d = graph.with_node(DETACH, (0, 0), name="d")
    graph, _ = graph.with_wire(x, "y", d, "x")
    graph, y = graph.with_node("multiply", (0, 0), name="y")
    graph, _ = graph.with_wire(x, "y", y, "a")
    graph, _ = graph.with_wire(d, "y", y, "b")
    run = Run("r", (Backward(((y, "y"),)),))
    assert executed(export_code(graph, "numpy", run))["x_grad"] == 3.0


def test_a_gradient_of_a_gradient_is_left_out_with_its_reason():
    graph, x = Graph().with_node(
        INPUT, (0, 0), name="x", params={"value": np.array(3.0), "requires_grad": True}
    )
    graph, y = graph.with_node("square", (0, 0), name="y")
    graph, _ = graph.with_wire(x, "y", y, "x")
    run = Run("r", (Grad(((y, "y"),), (x,), create_graph=True), Backward((GradRef(0, x),))))
    text = export_code(graph, "numpy", run).text
    assert "d_x = x_bar" in text
    assert "# left out: action 2; a gradient of a gradient needs a tape" in text
