"""Plans give what the eager engine gives, or say why they cannot."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from core import Tensor, grad, ops
from core.errors import PlanError
from core.files import load
from core.graph import INPUT, Wire
from core.plan import Plan
from core.recording import apply
from tests.core.samples import IDS, SAMPLES, Application, random_like

EXAMPLES = sorted((Path(__file__).parents[2] / "resources/examples").glob("*.pullback"))


def with_gradients(app):
    """The outputs of an application and the VJPs of its inputs, as a function of Tensors."""

    def function(*leaves):
        inputs = [None if x is None else Tensor(x) for x in app.arrays]
        for k, leaf in zip(app.wanted, leaves, strict=True):
            inputs[k] = leaf
        made = apply(app.spec, inputs, app.params, Tensor)
        ys = [y for y in (made if isinstance(made, tuple) else (made,)) if y.requires_grad]
        rng = np.random.default_rng(0)
        cotangents = [random_like(rng, np.empty(y.shape, y.dtype)) for y in ys]
        found = grad(ys, leaves, cotangents, allow_unused=True)
        return (*ys, *(g for g in found if g is not None))

    return function


@pytest.mark.parametrize(("spec", "sample"), SAMPLES, ids=IDS)
def test_every_operation_is_planned_as_it_is_computed(spec, sample):
    app = Application(spec, sample)
    function = with_gradients(app)
    eager = function(*[Tensor(x, requires_grad=True) for x in app.point()])
    plan = Plan(function, *app.point())
    for y, z in zip(eager, plan(*[np.asarray(x)[()] for x in app.point()]), strict=True):
        assert_allclose(z, y.data, rtol=1e-12, atol=1e-12, equal_nan=True)


def as_function(graph):
    """The leaves of a graph, and its last values and their gradients as a function of them."""
    leaves = [node.id for node in graph.nodes.values() if node.params.get("requires_grad")]

    def function(*given):
        tensors = dict(zip(leaves, given, strict=True))
        for node_id in graph.order():
            node = graph.nodes[node_id]
            if node.op == INPUT and node_id not in tensors:
                tensors[node_id] = Tensor(node.params["value"])
            elif node.op != INPUT:
                operands = [
                    tensors[x.source] if isinstance(x, Wire) else x
                    for _, x in graph.operands(node_id)
                ]
                tensors[node_id] = ops.apply(node.op, *operands, **node.params)
        roots = [tensors[i] for i in graph.nodes if not graph.wires_from(i)]
        roots = [y for y in roots if y.requires_grad]
        cotangents = [Tensor(np.ones(y.shape, y.dtype)) for y in roots]
        return (*roots, *grad(roots, list(given), cotangents))

    return function, [graph.nodes[i].params["value"] for i in leaves]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_planned(path):
    function, point = as_function(load(path))
    eager = function(*[Tensor(x, requires_grad=True) for x in point])
    planned = Plan(function, *point)(*[x[()] for x in point])
    for y, z in zip(eager, planned, strict=True):
        assert_allclose(z, y.data, rtol=1e-12)


STEPS = {
    "sin": lambda x, y: np.sin(x),
    "product": lambda x, y: x * y,
    "quotient": lambda x, y: x / (2.0 + y * y),
    "matmul": lambda x, y: np.tanh(x @ y),
    "turn": lambda x, y: x.T + y,
    "row": lambda x, y: x - y.sum(axis=0),
    "picked": lambda x, y: np.maximum(x, y[:, :1]),
    "softmax": lambda x, y: ops.apply("softmax", x, axis=-1) * y,
    "constant": lambda x, y: x * 1.0 + 3.0,
}


@given(
    chosen=st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 5)), max_size=12),
    twice=st.booleans(),
    seed=st.integers(0, 2**16),
)
@settings(max_examples=60, deadline=None)
def test_random_graphs_and_their_gradients_are_planned(chosen, twice, seed):
    def function(x, y):
        values = [x, y]
        for name, k in chosen:
            values.append(STEPS[name](values[-1], values[k % len(values)]))
        found = grad(np.sum(values[-1] * values[-1]), [x, y], create_graph=twice,
                     allow_unused=True, materialize_grads=False)  # fmt: skip
        found = [g for g in found if g is not None]
        if twice and any(g.requires_grad for g in found):
            total = sum(np.sum(g * g) for g in found)
            again = grad(total, [x, y], allow_unused=True)
            found += [g for g in again if g is not None]
        return tuple(found)

    rng = np.random.default_rng(seed)
    point = rng.uniform(-1, 1, (2, 3, 3))
    plan = Plan(function, *point)
    elsewhere = rng.uniform(-1, 1, (2, 3, 3))
    eager = function(*[Tensor(x, requires_grad=True) for x in elsewhere])
    before = elsewhere.copy()
    for _ in range(2):  # a plan keeps nothing of an earlier call
        for g, h in zip(eager, plan(*elsewhere), strict=True):
            assert_allclose(h, g.data, rtol=1e-9, atol=1e-12)
    assert_array_equal(elsewhere, before)


def test_large_arrays_are_computed_in_blocks():
    x = np.linspace(0.1, 1.0, 30_000).reshape(100, 300)

    def function(x):
        y = np.exp(np.sin(x * 2.0) * x)
        return y, *grad(y, x, Tensor(np.ones(x.shape)))

    plan = Plan(function, x)
    for planned, eager in zip(plan(x), function(Tensor(x, requires_grad=True)), strict=True):
        assert_array_equal(planned, eager.data)


def test_large_intermediates_are_written_over_but_inputs_and_outputs_are_not():
    x = np.linspace(0.0, 1.0, 10_000)

    def function(x):
        a = np.sin(x)
        b = np.exp(a * a)
        return a, b / (b + 1.0), np.sum(a)

    plan = Plan(function, x)
    assert ", v" in plan.source
    a, c, _ = plan(x)
    assert_array_equal(x, np.linspace(0.0, 1.0, 10_000))
    assert_array_equal(a, np.sin(x))
    b = np.exp(a * a)
    assert_array_equal(c, b / (b + 1.0))


def test_what_is_not_needed_and_what_was_computed_before_is_left_out():
    def function(x):
        np.cos(x)
        return np.sin(x) + np.sin(x)

    plan = Plan(function, np.ones(3))
    assert len(plan.source.splitlines()) == 4  # def, sin, add, return


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 2.0 if x.data.sum() > 0 else x,
        lambda x: x * float(x.data[0]),
        lambda x: Tensor(np.asarray(x.data)) * x,
        lambda x: x * np.random.default_rng().standard_normal(3),
    ],
    ids=["branches", "reads a value", "hides a value", "is random"],
)
def test_what_values_decide_is_refused(function):
    with pytest.raises(PlanError):
        Plan(function, np.array([1.0, 2.0, 3.0]))


def test_other_shapes_are_refused():
    plan = Plan(lambda x: x + x, np.ones(3))
    with pytest.raises(PlanError, match=r"float64 \(4,\)"):
        plan(np.ones(4))
    with pytest.raises(PlanError, match="float32"):
        plan(np.ones(3, np.float32))
