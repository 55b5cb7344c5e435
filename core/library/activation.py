"""Smooth activations: sigmoid, softmax and what is built from them."""

from __future__ import annotations

import math

import numpy as np

from core.library.checks import misfit
from core.library.spec import Array, OpSpec, Param, Sample, Vjp
from core.library.special import ERFC

_SHAPES = (Sample((4,)), Sample((2, 3)), Sample(()), Sample((0, 3)))


def _sigmoid(x: Array) -> Array:
    # Where exp(-x) overflows, 1/inf is the right 0: no second branch for negative x is needed.
    if type(x) is not np.ndarray or not x.ndim or x.dtype.kind != "f":
        return 1.0 / (1.0 + np.exp(-x))
    y = np.negative(x)
    np.exp(y, out=y)
    y += 1.0
    return np.reciprocal(y, out=y)


SIGMOID = OpSpec(
    name="sigmoid",
    label="sigmoid",
    glyph="σ",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=_sigmoid,
    # In this order NumPy reuses the memory of each intermediate.
    vjps={"x": Vjp(lambda g, y: (1.0 - y) * y * g, r"\bar{x}=g\,y\,(1-y)")},
    formula=r"y=\frac{1}{1+e^{-x}}",
    summary="Squashes every number into (0, 1).",
    aliases=("expit", "F.sigmoid", "nn.Sigmoid", "special.expit"),
    keywords=("logistic", "squash", "probability", "activation"),
    samples=(*_SHAPES, Sample((3,), low=-50.0, high=50.0)),
)

LOGSIGMOID = OpSpec(
    name="logsigmoid",
    label="log sigmoid",
    glyph="lnσ",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x: -np.logaddexp(0, -x),
    # sigma(-x) = 1 - e^y, and expm1 keeps its digits where e^y is close to 1.
    vjps={"x": Vjp(lambda g, y: -np.expm1(y) * g, r"\bar{x}=g\,\sigma(-x)=g\,(1-e^{y})")},
    formula=r"y=\ln\sigma(x)=-\ln(1+e^{-x})",
    summary="Logarithm of the sigmoid, without overflow.",
    aliases=("log_sigmoid", "F.logsigmoid", "nn.LogSigmoid", "log_expit"),
    keywords=("logistic", "log probability"),
    samples=_SHAPES,
)

SOFTPLUS = OpSpec(
    name="softplus",
    label="softplus",
    glyph="sp",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x, beta, threshold: np.where(
        beta * x > threshold, x, np.logaddexp(0, beta * x) / beta
    ),
    vjps={
        "x": Vjp(
            lambda g, x, beta, threshold: np.where(beta * x > threshold, g, g * SIGMOID(beta * x)),
            r"\bar{x}=g\,\sigma(\beta x)\quad(g\ \mathrm{beyond\ the\ threshold})",
        ),
    },
    formula=r"y=\frac{1}{\beta}\ln(1+e^{\beta x})\quad"
    r"(x\ \mathrm{where}\ \beta x>\mathrm{threshold})",
    summary="Smooth ReLU.",
    params=(
        Param("beta", "float", 1.0, "Sharpness β."),
        Param("threshold", "float", 20.0, "Where βx exceeds it, y is x itself."),
    ),
    aliases=("F.softplus", "nn.Softplus"),
    keywords=("smooth", "rectifier", "log1p exp"),
    notes=("βx exactly at the threshold: still the smooth formula.",),
    samples=(*_SHAPES, Sample((5,), beta=2.0, threshold=3.0)),
)


def _silu_slope(g: Array, x: Array) -> Array:
    s = SIGMOID(x)
    return (x * (1.0 - s) + 1.0) * s * g


SILU = OpSpec(
    name="silu",
    label="SiLU",
    glyph="SiLU",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x: x * _sigmoid(x),
    vjps={"x": Vjp(_silu_slope, r"\bar{x}=g\,\sigma(x)\left(1+x(1-\sigma(x))\right)")},
    formula=r"y=x\,\sigma(x)",
    summary="x times its sigmoid (swish).",
    aliases=("swish", "F.silu", "nn.SiLU"),
    keywords=("smooth", "gate"),
    samples=_SHAPES,
)


def _mish_slope(g: Array, x: Array) -> Array:
    t = np.tanh(np.logaddexp(0, x))
    return g * (t + x * SIGMOID(x) * (1.0 - t * t))


MISH = OpSpec(
    name="mish",
    label="Mish",
    glyph="Mish",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x: x * np.tanh(np.logaddexp(0, x)),
    vjps={
        "x": Vjp(
            _mish_slope,
            r"\bar{x}=g\left(t+x\,\sigma(x)(1-t^{2})\right),\quad t=\tanh(\mathrm{softplus}\,x)",
        ),
    },
    formula=r"y=x\tanh(\ln(1+e^{x}))",
    summary="x times the tanh of its softplus.",
    aliases=("F.mish", "nn.Mish"),
    keywords=("smooth", "gate"),
    samples=_SHAPES,
)

SOFTSIGN = OpSpec(
    name="softsign",
    label="softsign",
    glyph="ssgn",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x: x / (1 + np.abs(x)),
    vjps={"x": Vjp(lambda g, x: g / np.square(1 + np.abs(x)), r"\bar{x}=\frac{g}{(1+|x|)^{2}}")},
    formula=r"y=\frac{x}{1+|x|}",
    summary="Slowly saturating relative of tanh.",
    aliases=("F.softsign", "nn.Softsign"),
    keywords=("squash", "bounded"),
    notes=("x = 0: derivative 1; the second derivative takes sgn 0 = 0.",),
    samples=_SHAPES,
)

# -- gelu ------------------------------------------------------------------------------------------

_SQRT_HALF = math.sqrt(0.5)
_SQRT_2_OVER_PI = math.sqrt(2 / math.pi)
_NORMAL_PEAK = 1 / math.sqrt(2 * math.pi)
_CUBIC = 0.044715  # of Hendrycks and Gimpel, Gaussian Error Linear Units (2016)


def _gelu(x: Array, approximate: str) -> Array:
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(_SQRT_2_OVER_PI * (x + _CUBIC * x * x * x)))
    # By erfc, not 1 + erf: for very negative x the latter is 0 too early.
    return 0.5 * x * ERFC(-_SQRT_HALF * x)


def _gelu_slope(g: Array, x: Array, approximate: str) -> Array:
    if approximate == "tanh":
        t = np.tanh(_SQRT_2_OVER_PI * (x + _CUBIC * x * x * x))
        inner = _SQRT_2_OVER_PI * (1 + 3 * _CUBIC * x * x)
        return 0.5 * g * (1 + t + x * (1 - t * t) * inner)
    density = _NORMAL_PEAK * np.exp(-0.5 * x * x)
    return g * (0.5 * ERFC(-_SQRT_HALF * x) + x * density)


GELU = OpSpec(
    name="gelu",
    label="GELU",
    glyph="GELU",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=_gelu,
    vjps={
        "x": Vjp(
            _gelu_slope,
            r"\bar{x}=g\left(\Phi(x)+x\,\varphi(x)\right),\quad"
            r"\varphi(x)=\frac{1}{\sqrt{2\pi}}e^{-x^{2}/2}",
        ),
    },
    formula=r"y=x\,\Phi(x)=\frac{x}{2}\,\mathrm{erfc}\left(-\frac{x}{\sqrt{2}}\right)",
    summary="x times the probability that a normal variable is below it.",
    params=(
        Param(
            "approximate",
            "choice",
            "none",
            "none: exact; tanh: x/2·(1 + tanh(√(2/π)(x + 0.044715 x³))).",
            choices=("none", "tanh"),
        ),
    ),
    aliases=("F.gelu", "nn.GELU"),
    keywords=("gaussian", "transformer", "smooth"),
    samples=(*_SHAPES, Sample((2, 3), approximate="tanh")),
)

# -- gated linear unit -----------------------------------------------------------------------------


def _glu(x: Array, axis: int) -> Array:
    if not x.ndim or x.shape[axis] % 2:
        raise misfit(
            "glu",
            f"axis {axis} must have an even size, for it is cut into two halves",
            "Pad it, or choose another axis.",
            port="x",
            x=x,
        )
    value, control = np.split(x, 2, axis)
    return value * _sigmoid(control)


def _glu_slope(g: Array, x: Array, axis: int) -> Array:
    value, control = np.split(x, 2, axis)
    s = SIGMOID(control)
    through = g * s
    return np.concatenate([through, through * value * (1.0 - s)], axis=axis)


GLU = OpSpec(
    name="glu",
    label="GLU",
    glyph="GLU",
    category="activation",
    ports=("x",),
    forward=_glu,
    vjps={
        "x": Vjp(_glu_slope, r"\bar{u}=g\,\sigma(v),\quad\bar{v}=g\,u\,\sigma(v)(1-\sigma(v))"),
    },
    formula=r"y=u\,\sigma(v),\quad[u\;v]=x",
    params=(Param("axis", "axis", -1, "Axis that is halved."),),
    summary="First half of an axis, gated by the sigmoid of the second.",
    aliases=("F.glu", "nn.GLU"),
    keywords=("gated", "linear unit"),
    samples=(Sample((4,)), Sample((2, 4)), Sample((4, 2), axis=0)),
)

# -- softmax ---------------------------------------------------------------------------------------

_AXIS = Param("axis", "axis", -1, "Axis whose entries sum to 1.")
_SOFTMAX_SAMPLES = (
    Sample((4,)),
    Sample((2, 3)),
    Sample((3, 2), axis=0),
    Sample((2, 3, 2), axis=1),
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
    name="softmax",
    label="softmax",
    glyph="smax",
    category="activation",
    ports=("x",),
    forward=_softmax,
    vjps={
        "x": Vjp(
            lambda g, y, axis: (g - (g * y).sum(axis=axis, keepdims=True)) * y,
            r"\bar{x}=y\left(g-\sum_{\mathrm{axis}}g\,y\right)",
        ),
    },
    formula=r"y=\frac{e^{x-m}}{\sum_{\mathrm{axis}}e^{x-m}},\quad m=\max x",
    summary="Turns scores into probabilities that sum to 1.",
    params=(_AXIS,),
    aliases=("F.softmax", "nn.Softmax", "special.softmax"),
    keywords=("probabilities", "normalise", "attention", "boltzmann", "activation"),
    notes=("Only −∞ along the axis: NaN, since 0/0 has no value.",),
    samples=_SOFTMAX_SAMPLES,
)

LOG_SOFTMAX = OpSpec(
    name="log_softmax",
    label="log softmax",
    glyph="lsm",
    category="activation",
    ports=("x",),
    forward=_log_softmax,
    vjps={
        "x": Vjp(
            lambda g, y, axis: g - np.exp(y) * g.sum(axis=axis, keepdims=True),
            r"\bar{x}=g-e^{y}\sum_{\mathrm{axis}}g",
        ),
    },
    formula=r"y=x-m-\ln\sum_{\mathrm{axis}}e^{x-m},\quad m=\max x",
    summary="Logarithms of the softmax, without overflow.",
    params=(_AXIS,),
    aliases=("logsoftmax", "F.log_softmax", "nn.LogSoftmax", "special.log_softmax"),
    keywords=("log probabilities", "normalise", "logits", "activation"),
    notes=("Only −∞ along the axis: NaN, since 0/0 has no value.",),
    samples=_SOFTMAX_SAMPLES,
)

OPS = (
    SIGMOID,
    LOGSIGMOID,
    SOFTPLUS,
    SILU,
    MISH,
    GELU,
    SOFTSIGN,
    GLU,
    SOFTMAX,
    LOG_SOFTMAX,
)
