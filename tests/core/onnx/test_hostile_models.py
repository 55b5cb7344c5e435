"""Files that are broken, or want too much, end in one of our errors or in grey nodes."""

import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper
from onnx.helper import make_node as node

from core.errors import PullbackError
from core.onnx import load_onnx, read_onnx
from tests.core.onnx.models import model, value

WHOLE = model(
    [node("MatMul", ["x", "w"], ["h"], "/a/mm"), node("Softmax", ["h"], ["y"], "/a/sm", axis=-1)],
    [value("x", [2, 3])],
    weights={"w": np.ones((3, 4), np.float32)},
).SerializeToString()


@pytest.mark.parametrize(
    "data", [b"", b"\x00" * 100, b"not onnx", WHOLE[:-10], b"\xff" * 1000, WHOLE[10:]], ids=range(6)
)
def test_bytes_that_are_no_model_are_refused(data):
    with pytest.raises(PullbackError) as refused:
        load_onnx(data)
    assert refused.value.next_step


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=6))
def test_a_model_with_changed_bytes_is_read_or_refused(changes):
    data = bytearray(WHOLE)
    for place, byte in changes:
        data[place] = byte
    try:
        load_onnx(bytes(data))
    except PullbackError as error:
        assert error.next_step  # noqa: PT017 - being read is fine, too


def read(nodes, weights=None, inputs=(), outputs=("y",)):
    return load_onnx(model(nodes, inputs, outputs, weights).SerializeToString())


def test_a_node_that_takes_what_comes_later_is_refused():
    with pytest.raises(PullbackError, match="nothing before it gives"):
        read([node("Relu", ["b"], ["a"]), node("Relu", ["a"], ["b"])], outputs=["b"])


def test_an_output_that_nothing_gives_is_refused():
    with pytest.raises(PullbackError, match="gives its output 'z'"):
        read([node("Relu", ["x"], ["y"])], inputs=[value("x", [2])], outputs=["z"])


def test_an_input_too_large_to_make_up_is_refused():
    with pytest.raises(PullbackError, match="too large"):
        read([node("Relu", ["x"], ["y"])], inputs=[value("x", [10**6, 10**6])])


GREEDY = {
    "expand": [node("Expand", ["w", "huge"], ["y"])],
    "tile": [node("Tile", ["w", "huge"], ["y"])],
    "constant of shape": [node("ConstantOfShape", ["huge"], ["y"])],
    "pad": [node("Pad", ["w", "pads"], ["y"])],
    "doubled": [node("Concat", [f"v{k}"] * 2, [f"v{k + 1}"], axis=0) for k in range(40)]
    + [node("Relu", ["v40"], ["y"])],
    "outer": [node("MatMul", ["column", "row"], ["y"])],
}


@pytest.mark.parametrize("name", GREEDY)
def test_what_would_be_too_large_is_grey_and_quick(name):
    weights = {
        "w": np.ones((1, 1), np.float32),
        "v0": np.ones(1, np.float32),
        "huge": np.array([10**9, 10**9]),
        "pads": np.array([0, 0, 10**9, 10**9]),
        "column": np.ones((10**4, 1), np.float32),
        "row": np.ones((1, 10**4), np.float32),
    }
    start = time.thread_time()
    done = read(GREEDY[name], weights)
    assert time.thread_time() - start < 10
    assert done.unknown


NONSENSE = {
    "axis": node("Softmax", ["w"], ["y"], axis=99),
    "text for a number": node("Softmax", ["w"], ["y"], axis="1"),
    "too few pads": node("Pad", ["w", "one"], ["y"]),
    "no shape": node("Reshape", ["w"], ["y"]),
    "no input": node("Relu", [], ["y"]),
    "steps of 0": node("Slice", ["w", "one", "one", "one", "zero"], ["y"]),
    "perm": node("Transpose", ["w"], ["y"], perm=[0, 0]),
    "kernel": node("MaxPool", ["w"], ["y"], kernel_shape=[-1, 2]),
    "block": node("SpaceToDepth", ["w"], ["y"], blocksize=0),
    "split": node("Split", ["w"], ["y", "z"], axis=7),
    "einsum": node("Einsum", ["w"], ["y"], equation="ab->->"),
    "cast": node("Cast", ["w"], ["y"], to=99),
    "too many axes": node("Expand", ["w", "many"], ["y"]),
    "a kernel of other axes": node("Conv", ["w4", "w"], ["y"]),
    "lengths": node("LSTM", ["w", "w", "w"], ["y"]),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_settings_that_make_no_sense_give_a_grey_node(name):
    weights = {"w": np.ones((2, 3), np.float32), "one": np.array([1]), "zero": np.array([0])}
    weights |= {"many": np.ones(40, np.int64), "w4": np.ones((1, 2, 3, 3), np.float32)}
    assert read([NONSENSE[name]], weights).unknown


def test_a_negative_length_is_refused_or_grey():
    info = helper.make_tensor_value_info("x", TensorProto.FLOAT, [-3, 2])
    with pytest.raises(PullbackError):
        read([node("Relu", ["x"], ["y"])], inputs=[info])


def test_weights_are_not_fetched_from_outside_the_folder(tmp_path):
    (tmp_path / "secret").write_bytes(b"\0" * 16)
    folder = tmp_path / "models"
    folder.mkdir()
    proto = model([node("Relu", ["w"], ["y"])], weights={"w": np.ones(4, np.float32)})
    tensor = proto.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, text in (("location", "../secret"), ("length", "16")):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, text
    (folder / "m.onnx").write_bytes(proto.SerializeToString())
    with pytest.raises(PullbackError, match="no ONNX model that can be read"):
        read_onnx(folder / "m.onnx")
    with pytest.raises(PullbackError):
        load_onnx(proto.SerializeToString())
