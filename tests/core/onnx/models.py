"""Small ONNX models, and what ONNX's own evaluator makes of them."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from core.session import Session

OPSET = 21


def value(name, array_or_shape):
    """A declaration: of an array's type and shape, or of float32 and a shape."""
    if isinstance(array_or_shape, np.ndarray):
        number = helper.np_dtype_to_tensor_dtype(array_or_shape.dtype)
        return helper.make_tensor_value_info(name, number, array_or_shape.shape)
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, array_or_shape)


def model(nodes, inputs=(), outputs=("y",), weights=None, opset=OPSET, **options):
    """A model of these nodes; outputs are declared without a shape."""
    graph = helper.make_graph(
        list(nodes),
        "test",
        list(inputs),
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(np.asarray(a), name) for name, a in (weights or {}).items()],
    )
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, ir_version=10, opset_imports=opsets, **options)


def reference(proto, inputs=None):
    """The outputs by ONNX's own evaluator."""
    return ReferenceEvaluator(proto).run(None, inputs or {})


def values(graph):
    """The first output of every node, by name."""
    found = Session(graph).snapshot().values
    return {graph.nodes[node_id].name: arrays[0] for node_id, arrays in found.items()}


def outputs(read):
    """The values of a model's outputs in our graph."""
    found = Session(read.graph).snapshot().values
    made = []
    for node_id, port in read.outputs.values():
        spec = read.graph.nodes[node_id].spec
        number = int(port[2:-1]) if port.endswith("]") else 0
        names = spec.outputs if spec else ()
        made.append(found[node_id][names.index(port) if port in names else number])
    return made
