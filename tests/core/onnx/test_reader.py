"""Models read into graphs: leaves, names, frames, and values equal to ONNX's own evaluator."""

import sys

import numpy as np
import pytest
from onnx import helper, numpy_helper
from onnx.helper import make_node as node

from core.errors import FileFormatError
from core.files import dumps, loads
from core.graph import INPUT, UNKNOWN
from core.onnx import load_onnx, read_onnx
from core.session import Session
from tests.core.onnx.models import model, outputs, reference, value, values

RNG = np.random.default_rng(0)


def random(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def read(proto, inputs=None, **options):
    return load_onnx(proto.SerializeToString(), inputs, **options)


@pytest.fixture
def mlp():
    """Two layers in scopes, as torch exports them."""
    weights = {
        "layer1.weight": random(5, 3),
        "layer1.bias": random(5),
        "layer2.weight": random(2, 5),
        "layer2.bias": random(2),
    }
    nodes = [
        node("Gemm", ["x", "layer1.weight", "layer1.bias"], ["h"], "/layer1/Gemm", transB=1),
        node("Tanh", ["h"], ["a"], "/act/Tanh"),
        node("Gemm", ["a", "layer2.weight", "layer2.bias"], ["y"], "/layer2/Gemm", transB=1),
    ]
    return model(nodes, [value("x", ["batch", 3])], weights=weights)


def test_weights_are_leaves_and_keep_their_names(mlp):
    graph = read(mlp).graph
    leaves = {n.name for n in graph.nodes.values() if n.params.get("requires_grad")}
    assert leaves == {"layer1.weight", "layer1.bias", "layer2.weight", "layer2.bias"}
    assert not graph.named("x").params["requires_grad"]
    assert {n.op for n in graph.nodes.values()} == {INPUT, "linear", "tanh"}
    assert graph.named("y").op == "linear"


def test_values_are_those_of_onnx_and_the_run_gives_gradients(mlp):
    x = random(4, 3)
    done = read(mlp, {"x": x})
    np.testing.assert_allclose(outputs(done)[0], reference(mlp, {"x": x})[0], rtol=1e-6)
    result = Session(done.graph).run(done.graph.run("backward"))
    bias = done.graph.named("layer2.bias").id
    np.testing.assert_allclose(result.grads[bias], [4, 4])


def test_scopes_become_frames(mlp):
    graph = read(mlp).graph
    assert [frame.title for frame in graph.frames.values()] == ["layer1", "layer2"]
    frame = next(iter(graph.frames.values()))
    inside = {n.name for n in graph.nodes.values() if frame.holds(n)}
    assert inside == {"layer1.weight", "layer1.bias", "Gemm"}


def test_what_a_scope_repeats_of_its_outer_one_is_left_out():
    nodes = [
        node("Relu", ["x"], ["a"], "/layers/layers.0/Relu"),
        node("Relu", ["a"], ["b"], "/layers/layers.0/Relu_1"),
        node("Relu", ["b"], ["y"], "/layers/layers.1/Relu"),
    ]
    graph = read(model(nodes, [value("x", [2])])).graph
    assert [frame.title for frame in graph.frames.values()] == ["layers", "layers/0"]


def test_an_open_axis_is_said(mlp):
    done = read(mlp)
    assert done.graph.named("x").params["value"].shape == (1, 3)
    assert any("'x'" in note for note in done.notes)


def test_a_weight_used_twice_is_kept_once():
    nodes = [node("MatMul", ["x", "w"], ["h"]), node("MatMul", ["h", "w"], ["y"])]
    done = read(model(nodes, [value("x", [2, 2])], weights={"w": random(2, 2)}))
    assert sorted(n.name for n in done.graph.nodes.values()) == ["matmul", "w", "x", "y"]


def test_an_operator_that_is_not_there_is_grey_and_said():
    nodes = [
        node("Relu", ["x"], ["a"]),
        node("NonMaxSuppression", ["a", "s"], ["b"], "picking"),
        node("Cast", ["b"], ["y"], to=1),
    ]
    done = read(model(nodes, [value("x", [1, 2, 4]), value("s", [1, 1, 2])]))
    grey = done.graph.named("picking")
    assert grey.op == UNKNOWN
    assert grey.params["op"] == "onnx.NonMaxSuppression"
    assert done.graph.named("relu").id in done.graph.ancestors(grey.id)
    assert list(done.unknown) == ["picking"]
    assert any("'picking'" in note for note in done.notes)
    assert dumps(loads(dumps(done.graph))) == dumps(done.graph)


def test_a_shape_that_is_computed_needs_no_nodes():
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "first"], ["n"]),
        node("Unsqueeze", ["n", "zero"], ["n1"]),
        node("Concat", ["n1", "rest"], ["shape"], axis=0),
        node("Reshape", ["x", "shape"], ["y"]),
    ]
    weights = {"first": np.int64(0), "zero": np.array([0]), "rest": np.array([-1])}
    done = read(model(nodes, [value("x", [2, 3, 4])], weights=weights))
    assert {n.op for n in done.graph.nodes.values()} == {INPUT, "reshape"}
    assert outputs(done)[0].shape == (2, 12)


def test_statistics_are_no_leaves():
    weights = {name: np.abs(random(3)) for name in ("scale", "shift", "mean", "var")}
    nodes = [node("BatchNormalization", ["x", "scale", "shift", "mean", "var"], ["y"])]
    graph = read(model(nodes, [value("x", [2, 3, 4, 4])], weights=weights)).graph
    leaves = {n.name for n in graph.nodes.values() if n.params.get("requires_grad")}
    assert leaves == {"scale", "shift"}


def test_a_composition_is_framed():
    nodes = [
        node("Relu", ["x"], ["a"]),
        node("LRN", ["a"], ["b"], "norm", size=3),
        node("Relu", ["b"], ["y"]),
    ]
    graph = read(model(nodes, [value("x", [1, 4, 2, 2])])).graph
    assert [frame.title for frame in graph.frames.values()] == ["LRN norm"]


def test_two_models_in_one_run_from_a_file(tmp_path, mlp):
    path = tmp_path / "mlp.onnx"
    path.write_bytes(mlp.SerializeToString())
    assert dumps(read_onnx(path).graph) == dumps(read(mlp).graph)


def lstm(direction="forward", peepholes=False, **attributes):
    ways = 2 if direction == "bidirectional" else 1
    shapes = {"W": (ways, 20, 3), "R": (ways, 20, 5), "B": (ways, 40), "h": (ways, 2, 5)}
    shapes |= {"c": (ways, 2, 5)} | ({"P": (ways, 15)} if peepholes else {})
    names = ["x", "W", "R", "B", "", "h", "c", *(["P"] if peepholes else [])]
    ends = ["y", "last_h", "last_c"]
    made = node("LSTM", names, ends, direction=direction, hidden_size=5, **attributes)
    weights = {name: random(*shape) for name, shape in shapes.items()}
    return model([made], [value("x", [4, 2, 3])], ends, weights), (4, 2, 3)


def gru(**attributes):
    weights = {"W": random(1, 15, 3), "R": random(1, 15, 5), "B": random(1, 30)}
    made = node("GRU", ["x", "W", "R", "B"], ["y", "h"], hidden_size=5, **attributes)
    return model([made], [value("x", [3, 2, 3])], ["y", "h"], weights), (3, 2, 3)


def simple(op, shape, *others, opset=21, **attributes):
    names = [f"w{k}" for k in range(len(others))]
    weights = dict(zip(names, others, strict=True))
    made = node(op, ["x", *names], ["y"], **attributes)
    return model([made], [value("x", list(shape))], weights=weights, opset=opset), shape


def resized(scales, **attributes):
    made = node("Resize", ["x", "", "scales"], ["y"], **attributes)
    weights = {"scales": np.float32(scales)}
    return model([made], [value("x", [1, 2, 4, 4])], weights=weights), (1, 2, 4, 4)


MODELS = {
    "LSTM": lambda: lstm(),
    "LSTM with peepholes": lambda: lstm(peepholes=True),
    "GRU": lambda: gru(),
    "GRU as torch has it": lambda: gru(linear_before_reset=1),
    "Conv with uneven pads": lambda: simple(
        "Conv", (1, 2, 5, 5), random(3, 2, 3, 3), pads=[0, 1, 2, 1], strides=[2, 1]
    ),
    "Conv of the same size": lambda: simple(
        "Conv", (1, 2, 5, 5), random(4, 1, 2, 2), auto_pad="SAME_UPPER", group=2
    ),
    "ConvTranspose": lambda: simple(
        "ConvTranspose", (1, 2, 4), random(2, 3, 3), pads=[1, 0], strides=[2]
    ),
    "AveragePool with uneven pads": lambda: simple(
        "AveragePool", (1, 2, 6), kernel_shape=[3], pads=[2, 1], strides=[2]
    ),
    "MaxPool with wide pads": lambda: simple(
        "MaxPool", (1, 2, 5, 5), kernel_shape=[2, 2], pads=[1, 1, 1, 1]
    ),
    "MaxPool over three axes": lambda: simple(
        "MaxPool",
        (1, 2, 4, 5, 4),
        kernel_shape=[2, 3, 2],
        strides=[1, 2, 2],
        pads=[1, 0, 0, 0, 1, 1],
    ),
    "AveragePool over three axes": lambda: simple(
        "AveragePool", (1, 2, 4, 5, 4), kernel_shape=[2, 2, 2], strides=[2, 1, 1]
    ),
    "Conv over three axes": lambda: simple(
        "Conv", (2, 2, 4, 4, 3), random(4, 1, 2, 3, 2), random(4), pads=[1] * 6, group=2
    ),
    "LpPool": lambda: simple("LpPool", (1, 2, 6, 6), kernel_shape=[2, 2], p=3, strides=[2, 2]),
    "Gemm": lambda: simple("Gemm", (3, 2), random(3, 4), random(4), transA=1, alpha=0.5, beta=2.0),
    "Slice backwards": lambda: simple(
        "Slice", (4, 5), np.array([-1]), np.array([-100]), np.array([1]), np.array([-2])
    ),
    "CumSum": lambda: simple("CumSum", (3, 4), np.int64(1), exclusive=1, reverse=1),
    "ScatterND that adds": lambda: simple(
        "ScatterND", (4, 2), np.array([[1], [1], [3]]), random(3, 2), reduction="add"
    ),
    "GatherND": lambda: simple("GatherND", (2, 3, 4), np.array([[1], [0]]), batch_dims=1),
    "PRelu by channels": lambda: simple("PRelu", (2, 3, 4), random(3, 1)),
    "ReduceL2": lambda: simple("ReduceL2", (2, 3, 4), np.array([0, 2]), keepdims=0),
    "Shrink": lambda: simple("Shrink", (3, 4), lambd=0.5, bias=0.2),
    "SpaceToDepth": lambda: simple("SpaceToDepth", (1, 2, 4, 4), blocksize=2),
    "Resize": lambda: resized([1, 1, 2, 2], mode="nearest"),
    "Resize by lines": lambda: resized([1, 1, 2, 0.5], mode="linear"),
    "Resize by cubics": lambda: resized([1, 1, 1.5, 1.5], mode="cubic", cubic_coeff_a=-0.5),
    "DepthToSpace": lambda: simple("DepthToSpace", (1, 8, 2, 2), blocksize=2),
}


@pytest.mark.parametrize(
    ("attributes", "params"),
    [
        (
            {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
            {"size": (8, 8)},
        ),
        ({"mode": "linear"}, {"size": (8, 8), "mode": "bilinear", "align_corners": False}),
    ],
)
def test_what_torch_resizes_is_one_node(attributes, params):
    proto, shape = resized([1, 1, 2, 2], **attributes)
    graph = read(proto, {"x": random(*shape)}).graph
    assert graph.named("y").op == "interpolate"
    assert dict(graph.named("y").params) == params


@pytest.mark.parametrize("name", MODELS)
def test_what_needs_several_of_our_nodes_agrees_with_onnx(name):
    proto, shape = MODELS[name]()
    x = random(*shape)
    done = read(proto, {"x": x}, layout=False)
    assert not done.unknown
    for ours, theirs in zip(outputs(done), reference(proto, {"x": x}), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def test_long_windows_are_not_too_much():
    window = {"kernel_shape": [200], "pads": [100, 100], "strides": [10]}
    proto, shape = simple("MaxPool", (1, 1, 50_000), **window)
    assert not read(proto, {"x": random(*shape)}).unknown


def test_layers_in_both_directions_are_read():
    # ONNX's own evaluator does not do these: the reverse one is the forward one on reversed time.
    proto, shape = lstm("bidirectional")
    x = random(*shape)
    both = outputs(read(proto, {"x": x}, layout=False))[0]
    for tensor in proto.graph.initializer:
        tensor.CopyFrom(_half(tensor))
    proto.graph.node[0].attribute[0].s = b"forward"
    turned = outputs(read(proto, {"x": x[::-1].copy()}, layout=False))[0]
    np.testing.assert_allclose(both[:, 1], turned[::-1, 0], rtol=1e-6)


def _half(tensor):
    return numpy_helper.from_array(numpy_helper.to_array(tensor)[1:], tensor.name)


def test_the_softmax_of_old_is_over_all_axes_from_its_own():
    proto, shape = simple("Softmax", (2, 3, 4), opset=11, axis=1)
    y = outputs(read(proto, {"x": random(*shape)}))[0]
    np.testing.assert_allclose(y.sum(axis=(1, 2)), [1, 1], rtol=1e-6)


def test_a_local_response_is_over_the_channels_around():
    # ONNX's own evaluator stops after as many channels as the batch has elements.
    proto, _ = simple("LRN", (1, 4, 1), size=3, alpha=3.0, beta=1.0)
    y = outputs(read(proto, {"x": np.float32([[[1], [2], [3], [4]]])}))[0]
    expected = [1 / 6, 2 / 15, 3 / 30, 4 / 26]
    np.testing.assert_allclose(y.reshape(-1), expected, rtol=1e-6)


def test_functions_of_a_model_are_read_too():
    twice = [node("Add", ["a", "a"], ["b"])]
    opsets = [helper.make_opsetid("", 21)]
    function = helper.make_function("mine", "Twice", ["a"], ["b"], twice, opsets)
    proto = model([node("Twice", ["x"], ["y"], domain="mine")], [value("x", [2])])
    proto.functions.append(function)
    proto.opset_import.append(helper.make_opsetid("mine", 1))
    done = read(proto, {"x": np.float32([1, 2])})
    np.testing.assert_array_equal(values(done.graph)["y"], [2, 4])


def test_without_the_package_the_way_to_it_is_said(monkeypatch, mlp):
    data = mlp.SerializeToString()
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(FileFormatError, match=r"pip install 'pullback\[onnx\]'"):
        load_onnx(data)
