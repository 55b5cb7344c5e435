"""Models as bytes. The only module that knows the package ``onnx``, which need not be installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from core.errors import FileFormatError
from core.onnx.records import BFLOAT16, DTYPES, OPAQUE, Array, OnnxModel, OnnxNode, OnnxValue

#: The version of the file format and of the operators that are written: those of ONNX 1.16, which
#: every viewer and runtime of today reads.
IR_VERSION, OPSET = 10, 21
#: More nodes than any graph that can be looked at.
MOST_NODES = 100_000


def onnx_package() -> ModuleType:
    """The package ``onnx``, with the parts of it that are used here.

    Raises:
        FileFormatError: it is not installed.
    """
    try:
        import onnx
        import onnx.external_data_helper
        import onnx.inliner
        import onnx.numpy_helper
    except ImportError:
        raise FileFormatError(
            "ONNX files need the package 'onnx', which is not installed.",
            next_step="Install it with: pip install 'pullback[onnx]'",
        ) from None
    return onnx


# -- reading --------------------------------------------------------------------------------------


def parse(data: bytes, folder: Path | None = None) -> OnnxModel:
    """A model from the bytes of its file.

    Args:
        folder: where files with further weights lie, if the model has any.

    Raises:
        FileFormatError: these are not the bytes of a whole ONNX model, or ``onnx`` is missing.
    """
    onnx = onnx_package()
    try:
        proto = onnx.load_model_from_string(data)
        if not proto.graph.node and not proto.graph.output:
            raise ValueError("it has neither nodes nor outputs")
        if folder is not None:
            onnx.external_data_helper.load_external_data_for_model(proto, str(folder))
        if proto.functions:
            proto = onnx.inliner.inline_local_functions(proto)
        return _model(proto)
    except FileFormatError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever protobuf and onnx make of foreign bytes
        raise FileFormatError(
            f"This is no ONNX model that can be read: {_first_line(error)}.",
            next_step="Export it again; onnx.checker.check_model says what is wrong with it.",
        ) from None


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")[:200]


def _model(proto: Any) -> OnnxModel:
    graph = proto.graph
    if len(graph.node) > MOST_NODES:
        raise FileFormatError(
            f"The model has {len(graph.node):,} nodes, more than {MOST_NODES:,}.",
            next_step="Export a part of it.",
        )
    opsets = {entry.domain: entry.version for entry in proto.opset_import}
    initializers = {_text(tensor.name): _array(tensor) for tensor in graph.initializer}
    for sparse in graph.sparse_initializer:
        initializers[sparse.values.name] = None
    return OnnxModel(
        nodes=tuple(map(_node, graph.node)),
        initializers=initializers,
        # Up to version 3 of the format every initializer had to be among the inputs, too.
        inputs=tuple(
            _value(info)
            for info in graph.input
            if proto.ir_version >= 4 or info.name not in initializers
        ),
        outputs=tuple(map(_value, graph.output)),
        opset=opsets.get("", opsets.get("ai.onnx", 1)),
        infer=lambda: _inferred(proto),
    )


def _inferred(proto: Any) -> Mapping[str, OnnxValue]:
    inference = onnx_package().shape_inference
    try:
        graph = inference.infer_shapes(proto).graph
    except Exception:  # noqa: BLE001 - it only helps: without it less is known
        return {}
    return {info.name: _value(info) for info in (*graph.value_info, *graph.output)}


def _node(proto: Any) -> OnnxNode:
    return OnnxNode(
        op=_text(proto.op_type),
        inputs=tuple(map(_text, proto.input)),
        outputs=tuple(map(_text, proto.output)),
        attributes={_text(a.name): _attribute(a) for a in proto.attribute},
        name=_text(proto.name),
        domain="" if proto.domain == "ai.onnx" else _text(proto.domain),
        text=_printed(proto),
    )


def _text(name: Any) -> str:
    """A name; protobuf gives bytes that are no UTF-8 as they are."""
    if not isinstance(name, str):
        raise ValueError("it has a name that is no text")
    return name


def _printed(proto: Any) -> str:
    """The node without the numbers it holds, which may be many."""
    shown = ", ".join(
        f"{a.name}={_short(_attribute(a))}" for a in proto.attribute if not a.ref_attr_name
    )
    left, right = ", ".join(proto.output), ", ".join(proto.input)
    return f"{left} = {proto.op_type}({right})" + (f" <{shown}>" if shown else "")


def _short(value: Any) -> str:
    if value is OPAQUE:
        return "..."
    text = f"array{value.shape}" if isinstance(value, np.ndarray) else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _attribute(proto: Any) -> Any:
    value = onnx_package().helper.get_attribute_value(proto)
    if proto.type == proto.TENSOR:
        array = _array(value)
        return OPAQUE if array is None else array
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, int | float):
        return value
    if proto.type in (proto.INTS, proto.FLOATS):
        return tuple(value)
    if proto.type == proto.STRINGS:
        return tuple(text.decode("utf-8", "replace") for text in value)
    return OPAQUE


def _array(tensor: Any) -> Array | None:
    """A tensor's numbers; None if they are of a type NumPy does not have."""
    if tensor.data_type not in DTYPES and tensor.data_type != BFLOAT16:
        return None
    array = np.asarray(onnx_package().numpy_helper.to_array(tensor))
    return array.astype(np.float32) if tensor.data_type == BFLOAT16 else array


def _value(info: Any) -> OnnxValue:
    tensor = info.type.tensor_type if info.type.HasField("tensor_type") else None
    if tensor is None:
        return OnnxValue(_text(info.name))
    shape = None
    if tensor.HasField("shape"):
        shape = tuple(
            dim.dim_value if dim.HasField("dim_value") else _text(dim.dim_param) or None
            for dim in tensor.shape.dim
        )
    return OnnxValue(
        info.name, DTYPES.get(1 if tensor.elem_type == BFLOAT16 else tensor.elem_type), shape
    )


# -- writing --------------------------------------------------------------------------------------


def serialise(model: OnnxModel, name: str) -> bytes:
    """The bytes of a model's file, checked by ONNX's own checker.

    Raises:
        FileFormatError: ``onnx`` is missing, or the file would be larger than protobuf allows.
    """
    onnx = onnx_package()
    helper = onnx.helper
    graph = helper.make_graph(
        [
            helper.make_node(n.op, n.inputs, n.outputs, n.name or None, **_attributes(onnx, n))
            for n in model.nodes
        ],
        name,
        _infos(helper, model.inputs),
        _infos(helper, model.outputs),
        [onnx.numpy_helper.from_array(array, key) for key, array in model.initializers.items()],
    )
    opsets = [helper.make_opsetid("", model.opset)]
    proto = helper.make_model(
        graph, producer_name="Pullback", ir_version=IR_VERSION, opset_imports=opsets
    )
    try:
        onnx.checker.check_model(proto, full_check=True)
        data: bytes = proto.SerializeToString()
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise FileFormatError(
            f"ONNX's own checker refuses the model: {_first_line(error)}.",
            next_step="Its operators take fewer types than NumPy: try float32 or float64.",
        ) from None
    except ValueError:
        raise FileFormatError(
            "The model would be larger than the 2 GB that one ONNX file may have.",
            next_step="Save it as a Pullback file.",
        ) from None
    return data


def _attributes(onnx: ModuleType, node: OnnxNode) -> dict[str, Any]:
    return {
        key: onnx.numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value
        for key, value in node.attributes.items()
    }


def _infos(helper: ModuleType, values: Iterable[OnnxValue]) -> list[Any]:
    return [
        helper.make_tensor_value_info(
            value.name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape
        )
        for value in values
    ]
