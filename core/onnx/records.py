"""An ONNX model as plain data: what ``protobuf`` reads and writes, and all the rest works on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

#: ONNX's numbers for the types that NumPy has, too.
DTYPES = {
    number: np.dtype(name)
    for number, name in {
        1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64",
        9: "bool", 10: "float16", 11: "float64", 12: "uint32", 13: "uint64",
        14: "complex64", 15: "complex128",
    }.items()
}  # fmt: skip
#: Its number for bfloat16: every one is a float32, too, and is read as that.
BFLOAT16 = 16


@dataclass(frozen=True, slots=True)
class OnnxValue:
    """What a model says about one of its values.

    Attributes:
        dtype: None where NumPy has no such type (text, sequences, bfloat16, ...).
        shape: a length an axis; None or a name where it may vary; None when nothing is said.
    """

    name: str
    dtype: np.dtype[Any] | None = None
    shape: tuple[int | str | None, ...] | None = None

    @property
    def fixed_shape(self) -> Shape | None:
        """The shape, if every length is a number."""
        if self.shape is None:
            return None
        lengths = tuple(n for n in self.shape if isinstance(n, int))
        return lengths if len(lengths) == len(self.shape) else None


@dataclass(frozen=True, slots=True)
class OnnxNode:
    """One node of a model.

    Attributes:
        op: the operator's name.
        domain: of the operator; "" for ONNX's own.
        name: what the model calls the node; "" when nothing.
        inputs, outputs: names of values; "" for one that is left out.
        attributes: numbers, text, arrays, and tuples of them; what has no such form (a graph
            inside) is ``OPAQUE``.
        text: the node as ONNX prints it.
    """

    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    domain: str = ""
    text: str = ""


#: Stands for an attribute that has no form here.
OPAQUE = object()


def _nothing_known() -> Mapping[str, OnnxValue]:
    return {}


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """A model.

    Attributes:
        nodes: each after those that feed it.
        initializers: the values kept in the file; None for one of a type NumPy does not have.
        inputs, outputs: of the whole model, in order. An input with an initializer has it as
            its default.
        opset: the version of ONNX's own operators.
        infer: what ONNX says about the values in between; it may take a while, so it is asked for
            only when needed.
    """

    nodes: tuple[OnnxNode, ...]
    initializers: Mapping[str, Array | None]
    inputs: tuple[OnnxValue, ...]
    outputs: tuple[OnnxValue, ...]
    opset: int
    infer: Callable[[], Mapping[str, OnnxValue]] = _nothing_known
