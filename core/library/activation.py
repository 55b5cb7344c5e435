"""Smooth activations: sigmoid, softmax and what is built from them."""

from __future__ import annotations

import numpy as np

from core.library.spec import Array, OpSpec, Param, Sample, Vjp

_SHAPES = (Sample((4,)), Sample((2, 3)), Sample(()), Sample((0, 3)))


def _sigmoid(x: Array) -> Array:
    # Where exp(-x) overflows, 1/inf is the right 0: no second branch for negative x is needed.
    if type(x) is not np.ndarray or x.dtype.kind != "f":
        return 1.0 / (1.0 + np.exp(-x))
    y = np.negative(x)
    np.exp(y, out=y)
    y += 1.0
    return np.reciprocal(y, out=y)


SIGMOID = OpSpec(
    name="sigmoid", label="sigmoid", glyph="σ", category="activation", ports=("x",),
    elementwise=True, forward=_sigmoid,
    # In this order NumPy reuses the memory of each intermediate.
    vjps={"x": Vjp(lambda g, y: (1.0 - y) * y * g, r"\bar{x}=g\,y\,(1-y)")},
    formula=r"y=\frac{1}{1+e^{-x}}", summary="Squashes every number into (0, 1).",
    aliases=("expit", "F.sigmoid", "nn.Sigmoid", "special.expit"),
    keywords=("logistic", "squash", "probability", "activation"),
    samples=(*_SHAPES, Sample((3,), low=-50.0, high=50.0)),
)

# -- softmax ---------------------------------------------------------------------------------------

_AXIS = Param("axis", "axis", -1, "axis whose entries sum to 1")
_SOFTMAX_SAMPLES = (
    Sample((4,)), Sample((2, 3)), Sample((3, 2), axis=0), Sample((2, 3, 2), axis=1),
    Sample((3,), low=500.0, high=1000.0),
)


def _shifted(x: Array, axis: int) -> Array:
    """``x`` less its maximum along ``axis``, so that no exponential overflows."""
    return x - x.max(axis=axis, keepdims=True) if x.size else x


def _softmax(x: Array, axis: int) -> Array:
    y = np.exp(_shifted(x, axis))
    y /= y.sum(axis=axis, keepdims=True)
    return y


def _log_softmax(x: Array, axis: int) -> Array:
    z = _shifted(x, axis)
    return z - np.log(np.exp(z).sum(axis=axis, keepdims=True))


SOFTMAX = OpSpec(
    name="softmax", label="softmax", glyph="smax", category="activation", ports=("x",),
    forward=_softmax,
    vjps={
        "x": Vjp(
            lambda g, y, axis: (g - (g * y).sum(axis=axis, keepdims=True)) * y,
            r"\bar{x}=y\left(g-\sum_{\mathrm{axis}}g\,y\right)",
        ),
    },
    formula=r"y=\frac{e^{x-m}}{\sum_{\mathrm{axis}}e^{x-m}},\quad m=\max x",
    summary="Turns scores into probabilities that sum to 1.", params=(_AXIS,),
    aliases=("F.softmax", "nn.Softmax", "special.softmax"),
    keywords=("probabilities", "normalise", "attention", "boltzmann", "activation"),
    notes=("Only −∞ along the axis: NaN, since 0/0 has no value.",),
    samples=_SOFTMAX_SAMPLES,
)

LOG_SOFTMAX = OpSpec(
    name="log_softmax", label="log softmax", glyph="lsm", category="activation", ports=("x",),
    forward=_log_softmax,
    vjps={
        "x": Vjp(
            lambda g, y, axis: g - np.exp(y) * g.sum(axis=axis, keepdims=True),
            r"\bar{x}=g-e^{y}\sum_{\mathrm{axis}}g",
        ),
    },
    formula=r"y=x-m-\ln\sum_{\mathrm{axis}}e^{x-m},\quad m=\max x",
    summary="Logarithms of the softmax, without overflow.", params=(_AXIS,),
    aliases=("logsoftmax", "F.log_softmax", "nn.LogSoftmax", "special.log_softmax"),
    keywords=("log probabilities", "normalise", "logits", "activation"),
    notes=("Only −∞ along the axis: NaN, since 0/0 has no value.",),
    samples=_SOFTMAX_SAMPLES,
)

OPS = (SIGMOID, SOFTMAX, LOG_SOFTMAX)
