"""What is computed of constants and shapes only, while the model is read.

Exporters compute the shape of a reshape by a chain of these. Where their inputs are data they have
no counterpart here: nothing of what they give has a gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.building.refs import Untranslatable
from core.onnx.reading.call import Call, Result, Translator
from core.onnx.records import DTYPES, Array

_MOST_ELEMENTS = 50_000_000


def _constant(call: Call) -> Result:
    for name in ("value", "value_float", "value_floats", "value_int", "value_ints"):
        value = call.attribute(name)
        if value is not None:
            single = np.float32 if "float" in name else np.int64
            return call.constant(value if isinstance(value, np.ndarray) else single(value))
    raise Untranslatable("it is no number")


def _shape(call: Call) -> Result:
    shape = call.x.known_shape
    part = shape[call.attribute("start", 0) : call.attribute("end")]
    return call.constant(np.array(part, np.int64))


def _filled(call: Call) -> Result:
    shape = call.whole(0) or ()
    value = call.attribute("value", np.zeros(1, np.float32))
    if np.prod(shape, dtype=float) > _MOST_ELEMENTS:
        raise Untranslatable("it would be too large")
    return call.constant(np.full(shape, value.reshape(-1)[0], value.dtype))


def _range(call: Call) -> Result:
    start, stop, step = (call.needed(k) for k in range(3))
    if not abs(float(stop - start)) <= _MOST_ELEMENTS * abs(float(step)):
        raise Untranslatable("it would be too long")
    return call.constant(np.arange(start.item(), stop.item(), step.item(), dtype=start.dtype))


def _eye(call: Call) -> Result:
    rows, columns = call.x.known_shape
    dtype = DTYPES.get(call.attribute("dtype", 0), call.x.dtype)
    return call.constant(np.eye(rows, columns, call.attribute("k", 0), dtype))


def _folded(function: Callable[..., Any]) -> Translator:
    """A function of NumPy's, of constants."""

    def translate(call: Call) -> Result:
        values: list[Array] = []
        for ref in call.inputs:
            if ref is None or ref.value is None or not ref.constant:
                raise Untranslatable("there is no such operation here, and its inputs are data")
            values.append(ref.value)
        return call.constant(function(*values))

    return translate


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "And": np.logical_and,
    "Equal": np.equal,
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "Less": np.less,
    "LessOrEqual": np.less_equal,
    "NonZero": lambda x: np.array(np.nonzero(x), np.int64),
    "Not": np.logical_not,
    "Or": np.logical_or,
    "Xor": np.logical_xor,
}

TRANSLATORS: dict[str, Translator] = {
    "Constant": _constant,
    "ConstantOfShape": _filled,
    "EyeLike": _eye,
    "Range": _range,
    "Shape": _shape,
    "Size": lambda call: call.constant(np.int64(np.prod(call.x.known_shape))),
    **{onnx: _folded(function) for onnx, function in _FUNCTIONS.items()},
}
