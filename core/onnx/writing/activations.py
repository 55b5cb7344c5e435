"""Activations and softmax.

ONNX keeps attributes as float32. Where that would move a float64 result, the activation is written
out with constants of full length.
"""

from __future__ import annotations

import math

import numpy as np

from core.onnx.writing.elementwise import plain
from core.onnx.writing.emit import Emit, Result, Rule


def _softplus(e: Emit) -> Result:
    beta, threshold = e.params["beta"], e.params["threshold"]
    x = e.x()
    scaled = x if beta == 1 else e("Mul", x, e.constant(beta))
    y = e("Softplus", scaled)
    y = y if beta == 1 else e("Div", y, e.constant(beta))
    if threshold >= 20:  # beyond it, softplus is x to nine digits
        return y
    return e("Where", e("Greater", scaled, e.constant(threshold)), x, y)


def _glu(e: Emit) -> Result:
    axis = e.params["axis"]
    half = e.operand().shape[axis] // 2
    value, gate = e.many("Split", (e.x(), e.ints(half, half)), 2, axis=axis)
    return e("Mul", value, e("Sigmoid", gate))


def _clipped(low: float, high: float) -> Rule:
    return lambda e: e("Clip", e.x(), e.constant(low), e.constant(high))


def _leaky_relu(e: Emit) -> Result:
    slope = e.params["negative_slope"]
    if e.exact(slope):
        return e("LeakyRelu", e.x(), alpha=slope)
    return _pieces(e, e("Mul", e.x(), e.constant(slope)))


def _pieces(e: Emit, below: str) -> str:
    """x above 0, something else below."""
    return e("Where", e("Greater", e.x(), e.constant(0)), e.x(), below)


def _prelu(e: Emit) -> Result:
    n, slope = e.operand().ndim, e.operand(1)
    weight = e.x(1)
    if not n:
        weight = e.reshaped(weight, ())
    elif slope.value.size > 1 and n > 2:
        weight = e.reshaped(weight, (-1, *(1,) * (n - 2)))
    return e("PRelu", e.x(), weight)


def _elu(e: Emit) -> Result:
    alpha = e.params["alpha"]
    if e.exact(alpha):
        return e("Elu", e.x(), alpha=alpha)
    return _pieces(e, e("Mul", e.constant(alpha), e("Elu", e.x())))


def _celu(e: Emit) -> Result:
    alpha = e.params["alpha"]
    if e.dtype == np.float32:
        return e("Celu", e.x(), alpha=alpha)
    inner = e("Elu", e("Div", e.x(), e.constant(alpha)))
    return _pieces(e, e("Mul", e.constant(alpha), inner))


def _selu(e: Emit) -> Result:
    if e.dtype.itemsize < 8:
        return e("Selu", e.x())
    scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
    y = _pieces(e, e("Mul", e.constant(alpha), e("Elu", e.x())))
    return e("Mul", e.constant(scale), y)


def _hard_sigmoid(e: Emit) -> Result:
    if e.dtype.itemsize < 8:
        return e("HardSigmoid", e.x(), alpha=1 / 6, beta=0.5)
    line = e("Add", e("Div", e.x(), e.constant(6)), e.constant(0.5))
    return e("Clip", line, e.constant(0), e.constant(1))


def _hard_swish(e: Emit) -> Result:
    if e.dtype.itemsize < 8:
        return e("HardSwish", e.x())
    return e("Mul", e.x(), _hard_sigmoid(e))  # type: ignore[arg-type]


def _shrunk(soft: bool) -> Rule:
    def rule(e: Emit) -> Result:
        lambd = e.params["lambd"]
        if e.exact(lambd):
            return e("Shrink", e.x(), lambd=lambd, bias=lambd if soft else 0.0)
        far = e("Greater", e("Abs", e.x()), e.constant(lambd))
        off = e("Mul", e("Sign", e.x()), e.constant(lambd))
        kept = e("Sub", e.x(), off) if soft else e.x()
        return e("Where", far, kept, e.constant(0))

    return rule


def _threshold(e: Emit) -> Result:
    above = e("Greater", e.x(), e.constant(e.params["threshold"]))
    return e("Where", above, e.x(), e.constant(e.params["value"]))


def _over_axis(op: str) -> Rule:
    return lambda e: e(op, e.x(), axis=e.params["axis"])


def _softmax(op: str) -> Rule:
    def rule(e: Emit) -> Result:
        axis = e.params["axis"]
        if axis is None:  # over all elements
            flat = e("Reshape", e.x(), e.ints(1, math.prod(e.shape)))
            return e.reshaped(e(op, flat, axis=1), e.shape)
        if not e.shape:
            return e("Squeeze", e(op, e("Unsqueeze", e.x(), e.ints(0)), axis=0), e.ints(0))
        return _over_axis(op)(e)

    return rule


RULES: dict[str, Rule] = {
    "celu": _celu,
    "elu": _elu,
    "gelu": lambda e: e("Gelu", e.x(), approximate=e.params["approximate"]),
    "glu": _glu,
    "hardshrink": _shrunk(soft=False),
    "hardsigmoid": _hard_sigmoid,
    "hardswish": _hard_swish,
    "hardtanh": lambda e: e(
        "Clip", e.x(), e.constant(e.params["min_val"]), e.constant(e.params["max_val"])
    ),
    "leaky_relu": _leaky_relu,
    "log_softmax": _softmax("LogSoftmax"),
    "logsigmoid": lambda e: e("Neg", e("Softplus", e("Neg", e.x()))),
    "mish": plain("Mish"),
    "prelu": _prelu,
    "relu": plain("Relu"),
    "relu6": _clipped(0, 6),
    "selu": _selu,
    "sigmoid": plain("Sigmoid"),
    "silu": lambda e: e("Mul", e.x(), e("Sigmoid", e.x())),
    "softmax": _softmax("Softmax"),
    "softplus": _softplus,
    "softshrink": _shrunk(soft=True),
    "softsign": lambda e: e("Div", e.x(), e("Add", e.constant(1), e("Abs", e.x()))),
    "threshold": _threshold,
}
