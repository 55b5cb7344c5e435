"""Graphs written as ONNX models: the same outputs in ONNX's own evaluator, or a clear refusal."""

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from onnx.reference import ReferenceEvaluator

from app.examples import examples
from core import ops
from core.errors import EditRefusedError, PullbackError, UnsupportedError
from core.files import load
from core.graph import DETACH, INPUT, Backward, Graph, Run, gather
from core.importers.placeholders import placeholder
from core.onnx import dump_onnx, load_onnx
from core.onnx.writing.table import RULES
from core.session import Session
from tests.core.export.random_graphs import random_graphs
from tests.core.onnx.models import outputs

#: What ONNX has no operators for.
REFUSED = {
    "digamma", "erfinv", "expm", "fft.fft", "fft.fft2", "fft.ifft", "fft.irfft", "fft.rfft",
    "gammaln", "linalg.cholesky", "linalg.eigh", "linalg.eigvalsh", "linalg.inv", "linalg.pinv",
    "linalg.qr", "linalg.solve", "linalg.svd", "linalg.svdvals", "solve_triangular",
}  # fmt: skip
#: Whose samples here are all complex.
COMPLEX = {"angle", "conj", "imag", "real"}
#: Samples are written if their values are real, but for these.
REFUSED_SAMPLES = {
    "cross_entropy": "smoothed labels",
    "linalg.matrix_power": "an inverse",
    "linalg.norm": "singular values",
}


def leaf(graph, value, name=None, requires_grad=True):
    params = {"value": np.asarray(value), "requires_grad": requires_grad}
    return graph.with_node(INPUT, name=name, params=params)


def applied(op, inputs, params=None, graph=None):
    """A graph of one operation "out"; its id."""
    spec = ops.find(op)
    graph, out = (graph or Graph()).with_node(op, name="out", params=params)
    for k, value in enumerate(inputs):
        if value is not None:
            floating = np.asarray(value).dtype.kind in "fc"
            graph, source = leaf(graph, value, requires_grad=floating)
            port = f"{spec.ports[0]}[{k}]" if spec.variadic else spec.ports[k]
            graph, _ = graph.with_wire(source, "y", out, port)
    return graph, out


def drawn(sample, dtype):
    """The inputs of a sample in a type, or None if they are complex."""
    inputs = sample.draw(np.random.default_rng(0))
    if any(x is not None and x.dtype.kind == "c" for x in inputs):
        return None
    return [x.astype(dtype) if x is not None and x.dtype == np.float64 else x for x in inputs]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", sorted(set(ops.names()) - REFUSED))
def test_every_operation_gives_the_same_in_onnx(name, dtype):
    compared = 0
    for sample in ops.find(name).samples[: None if dtype == "float64" else 2]:
        inputs = drawn(sample, dtype)
        if inputs is None:
            continue
        try:
            graph, out = applied(name, inputs, sample.params)
            data = dump_onnx(graph)
        except EditRefusedError:  # parameters that graphs do not keep, such as "same"
            continue
        except UnsupportedError:
            if name not in REFUSED_SAMPLES:
                raise
            continue
        ours = Session(graph).snapshot().values[out]
        theirs = ReferenceEvaluator(data).run(None, {})
        tolerance = 1e-7 if dtype == "float64" else 1e-4
        for a, b in zip(ours, theirs, strict=True):
            assert (a.dtype, a.shape) == (np.asarray(b).dtype, np.shape(b))
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
        compared += 1
    assert compared or name in COMPLEX


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_onnx_cannot_tell_is_refused_with_the_nodes_name(name):
    inputs = drawn(ops.find(name).samples[0], "float64") or [np.eye(2, dtype=complex)]
    graph, _ = applied(name, inputs, ops.find(name).samples[0].params)
    with pytest.raises(UnsupportedError) as refused:
        dump_onnx(graph)
    assert "cannot be written in ONNX" in refused.value.what
    assert refused.value.node in graph.nodes


def test_every_operation_is_written_or_refused_on_purpose():
    assert set(ops.names()) | {"cast", DETACH} == RULES.keys()


# -- whole graphs ---------------------------------------------------------------------------------


@pytest.fixture
def layer():
    """y = tanh(x W) + 1 in a frame "layer", with data x, a leaf W and a run from its sum."""
    graph, x = leaf(Graph(), np.ones((2, 3)), "x", requires_grad=False)
    graph, w = leaf(graph, np.arange(6.0).reshape(3, 2) / 6, "layer.W")
    graph, product = graph.with_node("matmul", (300, 0), "product")
    graph, y = graph.with_node("add", (600, 0), "y", inline={"b": np.float64(1)})
    graph, tanh = graph.with_node("tanh", (450, 0), "tanh")
    for source, target, port in ((x, product, "a"), (w, product, "b"), (tanh, y, "a")):
        graph, _ = graph.with_wire(source, "y", target, port)
    graph, _ = graph.with_wire(product, "y", tanh, "x")
    return graph.with_frame("layer", (280, -40, 250, 200))[0]


def test_leaves_are_initializers_and_data_are_inputs_with_a_default(layer):
    data = dump_onnx(layer)
    proto = onnx.load_model_from_string(data)
    assert [info.name for info in proto.graph.input] == ["x"]
    assert {tensor.name for tensor in proto.graph.initializer} == {"x", "layer.W"}
    assert [info.name for info in proto.graph.output] == ["y"]
    as_it_is = ReferenceEvaluator(data).run(None, {})[0]
    other = ReferenceEvaluator(data).run(None, {"x": np.zeros((2, 3))})[0]
    np.testing.assert_allclose(as_it_is[0], np.tanh([1, 1.5]) + 1)
    np.testing.assert_allclose(other, np.ones((2, 2)))


def test_a_graph_comes_back_as_it_was(layer):
    back = load_onnx(dump_onnx(layer)).graph
    assert {n.name: n.op for n in back.nodes.values()} == {
        n.name: n.op for n in layer.nodes.values()
    }
    assert back.named("layer.W").params["requires_grad"]
    assert not back.named("x").params["requires_grad"]
    assert back.named("y").inline["b"] == 1
    (frame,) = back.frames.values()
    assert frame.title == "layer"
    assert {n.name for n in back.nodes.values() if frame.holds(n)} == {
        "product", "tanh", "layer.W"
    }  # fmt: skip
    np.testing.assert_array_equal(
        Session(back).snapshot().values[back.named("y").id][0],
        Session(layer).snapshot().values[layer.named("y").id][0],
    )


def test_where_a_run_begins_is_an_output_too(layer):
    root = (layer.named("tanh").id, "y")
    layer = layer.with_runs([Run("from the middle", (Backward((root,), (np.ones((2, 2)),)),))])
    proto = onnx.load_model_from_string(dump_onnx(layer))
    assert {info.name for info in proto.graph.output} == {"y", "tanh"}


def test_functions_are_flattened(layer):
    folded, _ = gather(layer, [layer.named("product").id, layer.named("tanh").id], "Layer")
    ours, theirs = (ReferenceEvaluator(dump_onnx(g)).run(None, {}) for g in (layer, folded))
    np.testing.assert_array_equal(ours, theirs)


def test_no_two_nodes_of_a_model_have_one_name():
    graph, _ = applied("lstm_cell", ops.find("lstm_cell").samples[0].draw(np.random.default_rng(0)))
    graph, _ = applied("gelu", [np.ones(2)], graph=graph.with_name(graph.named("out").id, "cell"))
    proto = onnx.load_model_from_string(dump_onnx(graph))
    names = [n.name for n in proto.graph.node if n.op_type != "Constant"]
    assert len(set(names)) == len(names) > 3


def test_several_outputs_have_names_of_their_own():
    graph, _ = applied("linalg.slogdet", [np.diag([2.0, 3.0])])
    proto = onnx.load_model_from_string(dump_onnx(graph))
    assert [info.name for info in proto.graph.output] == ["out.sign", "out.logabsdet"]


def test_whole_numbers_beside_floats_become_floats():
    graph, _ = applied("add", [np.array([1, 2]), np.array([0.5, 0.5], np.float32)])
    np.testing.assert_array_equal(ReferenceEvaluator(dump_onnx(graph)).run(None, {})[0], [1.5, 2.5])


@pytest.mark.parametrize("path", examples(), ids=lambda path: path.stem)
def test_the_examples_give_the_same(path):
    graph = load(path)
    data = dump_onnx(graph)
    back = load_onnx(data, layout=False)
    for a, b in zip(outputs(back), ReferenceEvaluator(data).run(None, {}), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


def test_a_placeholder_is_refused(layer):
    grey = placeholder("n99", "onnx.NonZero", "grey")
    graph = Graph.of({**layer.nodes, "n99": grey}, layer.wires, {}, (), 100)
    with pytest.raises(UnsupportedError, match="'grey'") as refused:
        dump_onnx(graph)
    assert refused.value.node == "n99"


def test_a_node_without_a_value_is_refused():
    graph, out = Graph().with_node("tanh", name="lonely")
    with pytest.raises(PullbackError, match="lonely") as refused:
        dump_onnx(graph)
    assert refused.value.node == out


def test_a_graph_of_inputs_only_is_refused():
    graph, _ = leaf(Graph(), 1.0)
    with pytest.raises(UnsupportedError, match="no operations"):
        dump_onnx(graph)


def gradients(graph):
    """Of every leaf, by name: of all that no node takes, with ones for cotangents."""
    session = Session(graph)
    snapshot = session.snapshot()
    ends = [n for n in sorted(snapshot.needs_grad) if not graph.wires_from(n)]
    ones = tuple(np.ones_like(snapshot.values[n][0]) for n in ends)
    if ends:
        session.perform(Backward(tuple((n, "y") for n in ends), ones))
    grads = session.snapshot().grads
    leaves = [n for n in graph.nodes.values() if n.params.get("requires_grad")]
    return {n.name: grads[n.id] for n in leaves if graph.wires_from(n.id)}


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(random_graphs())
def test_random_graphs_go_out_and_come_back_with_their_gradients(drawn):
    graph, _ = drawn
    if not any(n.op != INPUT for n in graph.nodes.values()):
        return
    data = dump_onnx(graph)
    back = load_onnx(data, layout=False)
    with np.errstate(all="ignore"):
        theirs = ReferenceEvaluator(data).run(None, {})
    for ours, right in zip(outputs(back), theirs, strict=True):
        np.testing.assert_allclose(ours, right, rtol=1e-6, atol=1e-9)
    before, after = gradients(graph), gradients(back.graph)
    assert before.keys() == after.keys()
    for name, g in before.items():
        np.testing.assert_allclose(after[name], g, rtol=1e-6, atol=1e-9)
