"""Exponentials and logarithms.

Rules of exponentials are written with the output, which is at hand; rules of logarithms with the
input. Sums of exponentials never overflow: they are ``log(1 + exp)`` of a difference.
"""

from __future__ import annotations

import math

import numpy as np

from core.library.spec import Array, OpSpec, Param, Sample, Vjp

_LN2, _LN10 = math.log(2.0), math.log(10.0)
_ANY = (Sample((3,)), Sample((2, 3)), Sample(()))
_POSITIVE = (Sample((3,), low=0.3), Sample((2, 3), low=0.3), Sample((), low=0.3))
_LOG_NOTES = ("x = 0: the value is −∞ and the derivative infinite.",)

EXP = OpSpec(
    name="exp", label="exp", glyph="eˣ", category="exponential", ports=("x",),
    elementwise=True, forward=np.exp, numpy=(np.exp,),
    vjps={"x": Vjp(lambda g, y: g * y, r"\bar{x}=g\,y")},
    formula=r"y=e^{x}", summary="Exponential: e to the power of x.", samples=_ANY,
)  # fmt: skip

EXP2 = OpSpec(
    name="exp2", label="exp2", glyph="2ˣ", category="exponential", ports=("x",),
    elementwise=True, forward=np.exp2, numpy=(np.exp2,),
    vjps={"x": Vjp(lambda g, y: g * (y * _LN2), r"\bar{x}=g\,y\ln 2")},
    formula=r"y=2^{x}", summary="2 to the power of x.", keywords=("power", "binary"), samples=_ANY,
)  # fmt: skip

EXPM1 = OpSpec(
    name="expm1", label="expm1", glyph="eˣ−1", category="exponential", ports=("x",),
    elementwise=True, forward=np.expm1, numpy=(np.expm1,),
    vjps={"x": Vjp(lambda g, y: g * (y + 1), r"\bar{x}=g\,(y+1)")},
    formula=r"y=e^{x}-1", summary="Exponential minus 1, exact for small x.", samples=_ANY,
)  # fmt: skip

LOG = OpSpec(
    name="log", label="log", glyph="ln", category="exponential", ports=("x",),
    elementwise=True, forward=np.log, numpy=(np.log,),
    vjps={"x": Vjp(lambda g, x: g / x, r"\bar{x}=g/x")},
    formula=r"y=\ln x", summary="Natural logarithm.", aliases=("ln",), domain="x > 0",
    notes=(*_LOG_NOTES, "x < 0: the value is NaN, the derivative 1/x is not."), samples=_POSITIVE,
)  # fmt: skip

LOG2 = OpSpec(
    name="log2", label="log2", glyph="log₂", category="exponential", ports=("x",),
    elementwise=True, forward=np.log2, numpy=(np.log2,),
    vjps={"x": Vjp(lambda g, x: g / (x * _LN2), r"\bar{x}=\frac{g}{x\ln 2}")},
    formula=r"y=\log_2 x", summary="Logarithm to base 2.", keywords=("bits", "binary"),
    domain="x > 0", notes=_LOG_NOTES, samples=_POSITIVE,
)  # fmt: skip

LOG10 = OpSpec(
    name="log10", label="log10", glyph="lg", category="exponential", ports=("x",),
    elementwise=True, forward=np.log10, numpy=(np.log10,),
    vjps={"x": Vjp(lambda g, x: g / (x * _LN10), r"\bar{x}=\frac{g}{x\ln 10}")},
    formula=r"y=\log_{10} x", summary="Logarithm to base 10.", keywords=("decimal", "decibel"),
    domain="x > 0", notes=_LOG_NOTES, samples=_POSITIVE,
)  # fmt: skip

LOG1P = OpSpec(
    name="log1p", label="log1p", glyph="ln1+", category="exponential", ports=("x",),
    elementwise=True, forward=np.log1p, numpy=(np.log1p,),
    vjps={"x": Vjp(lambda g, x: g / (1 + x), r"\bar{x}=\frac{g}{1+x}")},
    formula=r"y=\ln(1+x)", summary="Logarithm of 1 + x, exact for small x.", domain="x > −1",
    notes=("x = −1: the value is −∞ and the derivative infinite.",),
    samples=(Sample((3,), low=-0.7), Sample((2, 3), low=-0.7), Sample((), low=-0.7)),
)  # fmt: skip

_PAIRS = (Sample((3,), (3,)), Sample((2, 1), (1, 3)), Sample((), (2, 2)))

LOGADDEXP = OpSpec(
    name="logaddexp", label="logaddexp", glyph="ln+", category="exponential", ports=("a", "b"),
    elementwise=True, forward=np.logaddexp, numpy=(np.logaddexp,),
    # 1 / (1 + e^(b-a)) overflows at second order; its logarithm is this operation again.
    vjps={
        "a": Vjp(
            lambda g, a, b: g * np.exp(-np.logaddexp(0.0, b - a)), r"\bar{a}=\frac{g}{1+e^{b-a}}"
        ),
        "b": Vjp(
            lambda g, a, b: g * np.exp(-np.logaddexp(0.0, a - b)), r"\bar{b}=\frac{g}{1+e^{a-b}}"
        ),
    },
    formula=r"y=\ln(e^{a}+e^{b})", summary="Logarithm of the sum of two exponentials, stable.",
    keywords=("softplus", "logsumexp"),
    notes=("a = b = −∞: the value is −∞, the derivatives are NaN.",), samples=_PAIRS,
)  # fmt: skip

LOGADDEXP2 = OpSpec(
    name="logaddexp2", label="logaddexp2", glyph="lb+", category="exponential", ports=("a", "b"),
    elementwise=True, forward=np.logaddexp2, numpy=(np.logaddexp2,),
    vjps={
        "a": Vjp(
            lambda g, a, b: g * np.exp2(-np.logaddexp2(0.0, b - a)), r"\bar{a}=\frac{g}{1+2^{b-a}}"
        ),
        "b": Vjp(
            lambda g, a, b: g * np.exp2(-np.logaddexp2(0.0, a - b)), r"\bar{b}=\frac{g}{1+2^{a-b}}"
        ),
    },
    formula=r"y=\log_2(2^{a}+2^{b})", summary="Base-2 logarithm of the sum of two powers of 2.",
    notes=("a = b = −∞: the value is −∞, the derivatives are NaN.",), samples=_PAIRS,
)  # fmt: skip


def _xlogy(a: Array, b: Array) -> Array:
    return np.where(a == 0, np.where(np.isnan(b), b, 0.0), a * np.log(b))


XLOGY = OpSpec(
    name="xlogy", label="xlogy", glyph="a·ln", category="exponential", ports=("a", "b"),
    elementwise=True, forward=_xlogy,
    vjps={
        "a": Vjp(
            # log 1 = 0 stands in where a = 0 hides the logarithm.
            lambda g, a, b: g * np.log(np.where(a == 0, np.where(b <= 0, 1.0, b), b)),
            r"\bar{a}=g\ln b\;[\neg(a=0\wedge b\leq 0)]",
        ),
        "b": Vjp(lambda g, a, b: g * (a / b), r"\bar{b}=g\,a/b"),
    },
    formula=r"y=a\ln b,\ 0\text{ if }a=0",
    summary="a times the logarithm of b, and 0 where a is 0.",
    keywords=("entropy",), domain="b > 0, or a = 0",
    notes=("a = 0 and b ≤ 0: the derivative for a is 0.",),
    samples=(
        Sample((3,), (3,), low=0.3), Sample((2, 1), (1, 3), low=0.3), Sample((), (2, 2), low=0.3),
        Sample(np.array([0.0, -1.5]), np.array([0.7, 1.2])),
    ),
)  # fmt: skip


def _logit(x: Array, eps: float | None) -> Array:
    from scipy import special

    return special.logit(x if eps is None else np.clip(x, eps, 1 - eps))


def _logit_slope(g: Array, x: Array, eps: float | None) -> Array:
    low, outside = (0.0, math.nan) if eps is None else (eps, 0.0)

    def inside(value: Array, otherwise: float) -> Array:
        return np.where(x >= low, np.where(x <= 1 - low, value, otherwise), otherwise)

    probability = inside(x, 0.5)
    return inside(g / (probability * (1 - probability)), outside)


LOGIT = OpSpec(
    name="logit", label="logit", glyph="logit", category="exponential", ports=("x",),
    elementwise=True, forward=_logit,
    vjps={"x": Vjp(_logit_slope, r"\bar{x}=\frac{g}{x(1-x)}\;[\epsilon\leq x\leq 1-\epsilon]")},
    params=(
        Param("eps", "float", low=0.0, high=0.5,
              doc="Where not empty, x is first held between eps and 1 − eps."),
    ),
    formula=r"y=\ln\frac{z}{1-z},\ z=\mathrm{clip}(x,\epsilon,1-\epsilon)",
    summary="Log-odds of a probability: the inverse of sigmoid.", keywords=("odds", "sigmoid"),
    domain="0 < x < 1; any x with eps",
    notes=("Outside [eps, 1 − eps] the derivative is 0; without eps, outside [0, 1] it is NaN.",),
    samples=(
        Sample((3,), low=0.1, high=0.9), Sample((), low=0.1, high=0.9),
        Sample(np.array([0.05, 0.4, 0.98]), eps=0.1),
    ),
)  # fmt: skip

OPS = (
    EXP, EXP2, EXPM1, LOG, LOG2, LOG10, LOG1P, LOGADDEXP, LOGADDEXP2, XLOGY, LOGIT,
)  # fmt: skip
