"""Normalisation over channels, groups and last axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.onnx.records import Shape
from core.onnx.writing.emit import Emit, Result, Rule
from core.onnx.writing.reductions import power_norm


def _standardised(e: Emit, x: str, axes: Sequence[int]) -> str:
    """With mean 0 and variance 1 over some axes."""
    off = e("Sub", x, e.reduced("ReduceMean", x, axes, True))
    var = e.reduced("ReduceMean", e("Mul", off, off), axes, True)
    return e("Div", off, e("Sqrt", e("Add", var, e.constant(e.params["eps"]))))


def _scaled(e: Emit, y: str, shape: Shape | None = None) -> str:
    """Times the second operand, plus the third, where they are there."""
    for k, op in ((1, "Mul"), (2, "Add")):
        if e.has(k):
            y = e(op, y, e.x(k) if shape is None else e.reshaped(e.x(k), shape))
    return y


def _channels(e: Emit) -> Shape:
    """The shape of one number a channel, to lie along the second axis."""
    return (e.operand().shape[1], *(1,) * (e.operand().ndim - 2))


def _layer_norm(e: Emit) -> Result:
    shape = e.params["normalized_shape"]
    n = 1 if isinstance(shape, int) else len(shape)
    if not e.has(1) or not e.exact(e.params["eps"]):
        return _scaled(e, _standardised(e, e.x(), range(-n, 0)))
    inputs = (e.x(0), e.x(1), e.maybe(2))
    return e("LayerNormalization", *inputs, axis=-n, epsilon=e.params["eps"])


def _rms_norm(e: Emit) -> Result:
    shape, eps, x = e.params["normalized_shape"], e.params["eps"], e.x()
    n = 1 if isinstance(shape, int) else len(shape)
    mean = e.reduced("ReduceMean", e("Mul", x, x), range(-n, 0), True)
    least = float(np.finfo(e.dtype).eps) if eps is None else eps
    y = e("Div", x, e("Sqrt", e("Add", mean, e.constant(least))))
    return e("Mul", y, e.x(1)) if e.has(1) else y


def _normalize(e: Emit) -> Result:
    norm = power_norm(e, e.x(), e.params["p"], (e.params["axis"],), True)
    return e("Div", e.x(), e("Max", norm, e.constant(e.params["eps"])))


def _batch_norm(e: Emit) -> Result:
    shape = _channels(e)
    if e.params["training"]:
        axes = [k for k in range(e.operand().ndim) if k != 1]
        return _scaled(e, _standardised(e, e.x(), axes), shape)
    if all(map(e.has, (1, 2))) and e.exact(e.params["eps"]):
        return e("BatchNormalization", *map(e.x, range(5)), epsilon=e.params["eps"])
    off = e("Sub", e.x(), e.reshaped(e.x(3), shape))
    var = e("Add", e.reshaped(e.x(4), shape), e.constant(e.params["eps"]))
    return _scaled(e, e("Div", off, e("Sqrt", var)), shape)


def _group_norm(e: Emit) -> Result:
    shape, groups = e.operand().shape, e.params["num_groups"]
    rows = (shape[0], groups, math.prod(shape[1:]) // groups)
    y = _standardised(e, e.reshaped(e.x(), rows), (-1,))
    return _scaled(e, e.reshaped(y, shape), _channels(e))


def _instance_norm(e: Emit) -> Result:
    if all(map(e.has, (1, 2))) and e.exact(e.params["eps"]):
        return e("InstanceNormalization", *map(e.x, range(3)), epsilon=e.params["eps"])
    return _scaled(e, _standardised(e, e.x(), range(2, e.operand().ndim)), _channels(e))


RULES: dict[str, Rule] = {
    "batch_norm": _batch_norm,
    "group_norm": _group_norm,
    "instance_norm": _instance_norm,
    "layer_norm": _layer_norm,
    "normalize": _normalize,
    "rms_norm": _rms_norm,
}
