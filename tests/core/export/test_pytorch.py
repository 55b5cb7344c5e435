"""A graph as a PyTorch program, read back: the same values, the same gradients."""

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from core.export import export_code
from core.export.pytorch import SPELLINGS
from core.files import load
from core.graph import (
    CAST,
    DETACH,
    INPUT,
    Assign,
    Backward,
    Forward,
    Grad,
    GradRef,
    Graph,
    Run,
    ZeroGrad,
)
from core.graph.gather import gather
from core.graph.ports import output_ports
from core.importers.python import load_program
from core.session import Session
from tests.core.export.graphs import VISIBLE, grads_by_name, op_graph, same, storable
from tests.core.export.random_graphs import random_graphs

EXAMPLES = sorted((Path(__file__).parents[3] / "resources" / "examples").glob("*.pullback"))
RUNS = [(path, run.name) for path in EXAMPLES for run in load(path).runs]


def read_back(graph, run=None):
    exported = export_code(graph, "pytorch", run)
    ast.parse(exported.text)
    program = load_program(exported.text, layout=False, arrays=exported.arrays)
    return exported, program


def assert_round_trip(graph, run, symmetric=False):
    """The program's graph has the values and, after its run, the gradients of the graph."""
    exported, program = read_back(graph, run)
    session = Session(graph)
    snapshot = session.snapshot()
    assert not exported.left_out
    wanted = (None, [], None) if run is None else grads_by_name(graph, run)
    assert (None if program.error is None else program.error.kind) == wanted[2], exported.text
    back = Session(program.graph).snapshot()
    for node_id, name in exported.identifiers.items():
        if name in program.graph.names:
            (value, *_) = back.values[program.graph.names[name]]
            assert same(value, snapshot.values[node_id][0]), f"{name}\n{exported.text}"
            assert value.dtype == snapshot.values[node_id][0].dtype, f"{name}\n{exported.text}"
        else:  # constants that nothing uses, or only as an index
            assert graph.nodes[node_id].op == INPUT
            assert not graph.nodes[node_id].params["requires_grad"]
    if run is None or not program.graph.runs:
        return
    grads, made, _ = grads_by_name(program.graph, program.graph.runs[0])
    names = {graph.nodes[n].name: name for n, name in exported.identifiers.items()}
    for name, want in wanted[0].items():
        assert same(grads[names[name]], want, symmetric), f"{name}\n{exported.text}"
    assert len(made) == len(wanted[1])
    assert all(map(same, made, wanted[1]))


def test_every_operation_has_a_spelling():
    assert {spec.name for spec in VISIBLE} == SPELLINGS.keys()


@pytest.mark.parametrize("spec", VISIBLE, ids=lambda spec: spec.name)
def test_an_operation_comes_back(spec):
    for sample in spec.samples:
        if storable(spec, sample):
            graph = op_graph(spec, sample)
            assert_round_trip(graph, next(iter(graph.runs), None), bool(spec.symmetric_ports))


@pytest.mark.parametrize(("path", "name"), RUNS, ids=[f"{p.stem}: {n}" for p, n in RUNS])
def test_an_example_comes_back(path, name):
    graph = load(path)
    assert_round_trip(graph, graph.run(name))


@settings(max_examples=60, deadline=None)
@given(random_graphs())
def test_random_graphs_come_back(drawn):
    graph, run = drawn
    assert_round_trip(graph, run)


# -- what a run does ---------------------------------------------------------------------------


def chain():
    """x → square → s (a sum); ids of the three."""
    graph, x = Graph().with_node(
        INPUT, (0, 0), name="x", params={"value": np.array([2.0, 3.0]), "requires_grad": True}
    )
    graph, y = graph.with_node("square", (200, 0), name="y")
    graph, _ = graph.with_wire(x, "y", y, "x")
    graph, s = graph.with_node("sum", (400, 0), name="s")
    graph, _ = graph.with_wire(y, "y", s, "x")
    return graph, x, y, s


@pytest.mark.parametrize("to_none", [True, False])
def test_actions_of_every_kind_come_back(to_none):
    graph, x, y, s = chain()
    run = Run(
        "a step",
        (
            Backward(((y, "y"), (s, "y")), (np.array([1.0, -1.0]), None), retain_graph=True),
            ZeroGrad(None, to_none),
            Backward(((s, "y"),), inputs=(x,)),
            Assign(x, np.array([5.0, 7.0])),
            Forward(),
            Grad(((s, "y"),), (x,), create_graph=True),
            Backward((GradRef(5, x),), (np.array([1.0, 2.0]),)),
        ),
    )
    assert_round_trip(graph, run)


def test_a_gradient_may_be_a_cotangent():
    graph, x, y, s = chain()
    run = Run(
        "twice",
        (
            Grad(((s, "y"),), (x,), retain_graph=True),
            Backward(((y, "y"),), (GradRef(0, x),)),
        ),
    )
    exported, _ = read_back(graph, run)
    assert "y.backward(d_x)" in exported.text
    assert_round_trip(graph, run)


# -- what a program looks like -----------------------------------------------------------------


def test_names_become_identifiers():
    graph = Graph()
    for name in ("w·x", "class", "2nd", "w x", "torch", "x²", "→"):
        graph, _ = graph.with_node(INPUT, (0, 0), name=name, params={"value": np.array(1.0)})
    names = list(export_code(graph, "pytorch").identifiers.values())
    assert names == ["w_x", "class_", "_2nd", "w_x2", "torch_", "x2", "node"]


def test_a_line_knows_its_nodes_and_a_node_its_lines():
    graph, _x, y, s = chain()
    exported = export_code(graph, "pytorch", Run("all", (Backward(((s, "y"),)),)))
    lines = exported.text.splitlines()
    assert exported.nodes_at(lines.index("y = torch.square(x)")) == (y,)
    assert [lines[k] for k in exported.lines_of([s])] == ["s = torch.sum(y)", "s.backward()"]
    assert exported.nodes_at(0) == ()
    assert exported.nodes_at(10_000) == ()


def test_a_no_grad_frame_is_a_with_block():
    graph, _x, _y, _s = chain()
    graph, _ = graph.with_frame("quiet", (190, -10, 100, 100), no_grad=True)
    exported, program = read_back(graph)
    assert "with torch.no_grad():\n    y = torch.square(x)\n" in exported.text
    assert not Session(program.graph).snapshot().needs_grad & {program.graph.names["s"]}
    assert_round_trip(graph, None)


def test_detach_and_cast_are_methods():
    graph, _x, y, _s = chain()
    graph, d = graph.with_node(DETACH, (0, 200), name="d")
    graph, _ = graph.with_wire(y, "y", d, "x")
    graph, c = graph.with_node(CAST, (0, 300), name="c", params={"dtype": "float32"})
    graph, _ = graph.with_wire(d, "y", c, "x")
    exported, _ = read_back(graph)
    assert "d = y.detach()" in exported.text
    assert "c = d.to(torch.float32)" in exported.text
    assert_round_trip(graph, None)


def test_a_node_without_a_value_is_left_out_with_its_reason():
    graph, _x, _y, _s = chain()
    graph, lonely = graph.with_node("add", (0, 200), name="lonely")
    graph, after = graph.with_node("exp", (0, 300), name="after")
    graph, _ = graph.with_wire(lonely, "y", after, "x")
    exported, program = read_back(graph, Run("r", (Backward(((after, "y"),)),)))
    assert exported.left_out == (lonely, after)
    assert "# left out: lonely ('lonely' needs a and b.)" in exported.text
    assert program.error is None
    assert set(program.graph.names) == {"x", "y", "s"}


def test_a_large_value_is_loaded_by_its_name():
    value = np.random.default_rng(0).normal(size=(40, 30))
    graph, w = Graph().with_node(
        INPUT, (0, 0), name="W", params={"value": value, "requires_grad": True}
    )
    graph, s = graph.with_node("sum", (200, 0), name="s")
    graph, _ = graph.with_wire(w, "y", s, "x")
    run = Run("r", (Backward(((s, "y"),)),))
    exported = export_code(graph, "pytorch", run)
    assert 'W = torch.from_numpy(np.load("W.npy"))' in exported.text
    assert exported.arrays["W.npy"] is graph.nodes[w].params["value"]
    assert_round_trip(graph, run)


@pytest.mark.parametrize(
    "value",
    [
        np.array([np.nan, np.inf, -np.inf, -0.0, 1e-300]),
        np.array([0.1, 3e30], np.float32),
        np.array([1 + 2j, complex(np.nan, -1)]),
        np.arange(7, dtype=np.int32),
        np.zeros((2, 0, 3)),
        np.full((4, 5), 2.5, np.float32),
        np.full((3, 3), -0.0),
        np.ones((4, 5), np.int64),
        np.array([True, False]),
        np.random.default_rng(1).normal(size=(9, 8)),
    ],
    ids=lambda value: f"{value.dtype}{value.shape}",
)
def test_a_value_comes_back_to_the_last_bit(value):
    graph, x = Graph().with_node(INPUT, (0, 0), name="x", params={"value": value})
    graph, y = graph.with_node("copy", (200, 0), name="y")
    graph, _ = graph.with_wire(x, "y", y, "x")
    _, program = read_back(graph)
    back = program.graph.named("x").params["value"]
    assert back.dtype == value.dtype
    assert back.tobytes() == value.tobytes()


def test_a_function_is_written_out_and_its_lines_are_its_instances():
    graph, x, y, s = chain()
    graph, call = gather(graph, [y, s], "square_sum")
    run = Run("r", (Backward(((call, output_ports(graph.nodes[call], graph)[0]),)),))
    exported = export_code(graph, "pytorch", run)
    assert exported.written_out
    lines = exported.text.splitlines()
    assert exported.nodes_at(lines.index("y = torch.square(x)")) == (call,)
    assert not differences_of(graph, exported, run, x)


def differences_of(graph, exported, run, leaf):
    program = load_program(exported.text, layout=False)
    assert program.error is None
    want = Session(graph).run(run).grads[leaf]
    back = Session(program.graph).run(program.graph.runs[0]).grads
    return not same(back[program.graph.names["x"]], want)
