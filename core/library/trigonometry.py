"""Trigonometric and hyperbolic functions and their inverses; angles are in radians."""

from __future__ import annotations

import math

import numpy as np

from core.library.spec import Array, OpSpec, Sample, Vjp

_ANY = (Sample((3,)), Sample((2, 3)), Sample(()))
_UNIT = tuple(Sample(shape, low=-0.9, high=0.9) for shape in ((3,), (2, 3), ()))

SIN = OpSpec(
    name="sin", label="sin", glyph="sin", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.sin, numpy=(np.sin,),
    vjps={"x": Vjp(lambda g, x: g * np.cos(x), r"\bar{x}=g\,\cos x")},
    formula=r"y=\sin x", summary="Sine.", samples=_ANY,
)  # fmt: skip

COS = OpSpec(
    name="cos", label="cos", glyph="cos", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.cos, numpy=(np.cos,),
    vjps={"x": Vjp(lambda g, x: -g * np.sin(x), r"\bar{x}=-g\,\sin x")},
    formula=r"y=\cos x", summary="Cosine.", samples=_ANY,
)  # fmt: skip

TAN = OpSpec(
    name="tan", label="tan", glyph="tan", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.tan, numpy=(np.tan,),
    vjps={"x": Vjp(lambda g, y: g * (1 + y * y), r"\bar{x}=g\,(1+y^{2})")},
    formula=r"y=\tan x", summary="Tangent.", domain="x ≠ π/2 + kπ",
    samples=tuple(Sample(shape, low=-1.2, high=1.2) for shape in ((3,), (2, 3), ())),
)  # fmt: skip

ARCSIN = OpSpec(
    name="arcsin", label="arcsin", glyph="asin", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.arcsin, numpy=(np.arcsin,),
    vjps={"x": Vjp(lambda g, x: g / np.sqrt(1 - x * x), r"\bar{x}=\frac{g}{\sqrt{1-x^{2}}}")},
    formula=r"y=\arcsin x", summary="Angle with the given sine.", aliases=("asin",),
    keywords=("inverse",), domain="|x| ≤ 1", notes=("x = ±1: the derivative is infinite.",),
    samples=_UNIT,
)  # fmt: skip

ARCCOS = OpSpec(
    name="arccos", label="arccos", glyph="acos", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.arccos, numpy=(np.arccos,),
    vjps={"x": Vjp(lambda g, x: -g / np.sqrt(1 - x * x), r"\bar{x}=\frac{-g}{\sqrt{1-x^{2}}}")},
    formula=r"y=\arccos x", summary="Angle with the given cosine.", aliases=("acos",),
    keywords=("inverse",), domain="|x| ≤ 1", notes=("x = ±1: the derivative is −∞.",),
    samples=_UNIT,
)  # fmt: skip

ARCTAN = OpSpec(
    name="arctan", label="arctan", glyph="atan", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.arctan, numpy=(np.arctan,),
    vjps={"x": Vjp(lambda g, x: g / (1 + x * x), r"\bar{x}=\frac{g}{1+x^{2}}")},
    formula=r"y=\arctan x", summary="Angle with the given tangent.", aliases=("atan",),
    keywords=("inverse",), samples=_ANY,
)  # fmt: skip


def _over_square(side: Array, a: Array, b: Array) -> Array:
    """side / (a² + b²), and 0 at the origin, where every direction is as good."""
    square = a * a + b * b
    return side / np.where(square == 0, 1.0, square)


ARCTAN2 = OpSpec(
    name="arctan2", label="arctan2", glyph="atan2", category="trigonometry", ports=("a", "b"),
    elementwise=True, forward=np.arctan2, numpy=(np.arctan2,),
    vjps={
        "a": Vjp(lambda g, a, b: g * _over_square(b, a, b), r"\bar{a}=\frac{g\,b}{a^{2}+b^{2}}"),
        "b": Vjp(lambda g, a, b: -g * _over_square(a, a, b), r"\bar{b}=\frac{-g\,a}{a^{2}+b^{2}}"),
    },
    formula=r"y=\operatorname{atan2}(a,b)", summary="Angle of the point (b, a), from −π to π.",
    aliases=("atan2",), keywords=("angle", "polar", "direction"), domain="(a, b) ≠ (0, 0)",
    notes=("(0, 0): both derivatives are 0.",),
    samples=(Sample((3,), (3,), low=0.4), Sample((2, 1), (1, 3), low=-2.0, high=-0.4)),
)  # fmt: skip

SINH = OpSpec(
    name="sinh", label="sinh", glyph="sinh", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.sinh, numpy=(np.sinh,),
    vjps={"x": Vjp(lambda g, x: g * np.cosh(x), r"\bar{x}=g\,\cosh x")},
    formula=r"y=\sinh x", summary="Hyperbolic sine.", samples=_ANY,
)  # fmt: skip

COSH = OpSpec(
    name="cosh", label="cosh", glyph="cosh", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.cosh, numpy=(np.cosh,),
    vjps={"x": Vjp(lambda g, x: g * np.sinh(x), r"\bar{x}=g\,\sinh x")},
    formula=r"y=\cosh x", summary="Hyperbolic cosine.", samples=_ANY,
)  # fmt: skip

TANH = OpSpec(
    name="tanh", label="tanh", glyph="tanh", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.tanh, numpy=(np.tanh,),
    # Written with the output, not x: it is at hand, and nothing else is saved.
    vjps={"x": Vjp(lambda g, y: g * (1 - y * y), r"\bar{x}=g\,(1-y^{2})")},
    formula=r"y=\tanh x", summary="Hyperbolic tangent: squeezes to −1 … 1.",
    keywords=("activation", "squash"), samples=_ANY,
)  # fmt: skip

ARCSINH = OpSpec(
    name="arcsinh", label="arcsinh", glyph="asinh", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.arcsinh, numpy=(np.arcsinh,),
    vjps={"x": Vjp(lambda g, x: g / np.sqrt(x * x + 1), r"\bar{x}=\frac{g}{\sqrt{x^{2}+1}}")},
    formula=r"y=\operatorname{arsinh}x", summary="Inverse of the hyperbolic sine.",
    aliases=("asinh", "arsinh"), keywords=("inverse",), samples=_ANY,
)  # fmt: skip

ARCCOSH = OpSpec(
    name="arccosh", label="arccosh", glyph="acosh", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.arccosh, numpy=(np.arccosh,),
    vjps={"x": Vjp(lambda g, x: g / np.sqrt(x * x - 1), r"\bar{x}=\frac{g}{\sqrt{x^{2}-1}}")},
    formula=r"y=\operatorname{arcosh}x", summary="Inverse of the hyperbolic cosine.",
    aliases=("acosh", "arcosh"), keywords=("inverse",), domain="x ≥ 1",
    notes=("x = 1: the derivative is infinite.",),
    samples=tuple(Sample(shape, low=1.3, high=3.0) for shape in ((3,), (2, 3), ())),
)  # fmt: skip

ARCTANH = OpSpec(
    name="arctanh", label="arctanh", glyph="atanh", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.arctanh, numpy=(np.arctanh,),
    vjps={"x": Vjp(lambda g, x: g / (1 - x * x), r"\bar{x}=\frac{g}{1-x^{2}}")},
    formula=r"y=\operatorname{artanh}x", summary="Inverse of the hyperbolic tangent.",
    aliases=("atanh", "artanh"), keywords=("inverse", "fisher"), domain="|x| < 1",
    notes=("x = ±1: value and derivative are infinite.",), samples=_UNIT,
)  # fmt: skip


def _sinc_slope(x: Array, y: Array) -> Array:
    """(cos πx − sinc x) / x, by its power series near the removable point 0."""
    z = (math.pi * x) ** 2
    series = 1 - z / 10 * (1 - z / 28 * (1 - z / 54 * (1 - z / 88 * (1 - z / 130))))
    near = np.absolute(x) < 0.1
    away = np.where(near, 1.0, x)
    return np.where(near, -(math.pi**2 / 3) * x * series, (np.cos(math.pi * x) - y) / away)


SINC = OpSpec(
    name="sinc", label="sinc", glyph="sinc", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.sinc, numpy=(np.sinc,),
    vjps={"x": Vjp(lambda g, x, y: g * _sinc_slope(x, y), r"\bar{x}=g\,\frac{\cos\pi x-y}{x}")},
    formula=r"y=\frac{\sin\pi x}{\pi x}", summary="Sine of πx over πx, and 1 at 0.",
    keywords=("sampling", "filter"),
    notes=("At 0 the value is 1, the derivative 0 and the second derivative −π²/3.",),
    samples=(*_ANY, Sample(np.array([0.0, 0.05]))),
)  # fmt: skip

DEG2RAD = OpSpec(
    name="deg2rad", label="deg2rad", glyph="°→r", category="trigonometry", ports=("x",),
    elementwise=True, forward=np.deg2rad, numpy=(np.deg2rad, np.radians),
    vjps={"x": Vjp(lambda g: g * (math.pi / 180), r"\bar{x}=g\,\pi/180")},
    formula=r"y=\pi x/180", summary="Degrees to radians.", aliases=("radians",),
    keywords=("angle", "convert"), samples=_ANY,
)  # fmt: skip

OPS = (
    SIN, COS, TAN, ARCSIN, ARCCOS, ARCTAN, ARCTAN2, SINH, COSH, TANH, ARCSINH, ARCCOSH, ARCTANH,
    SINC, DEG2RAD,
)  # fmt: skip
