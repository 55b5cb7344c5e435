"""Arithmetic: the four operations, powers and roots. ``piecewise`` has the rest of the category.

At a pole every rule follows PyTorch; the ``notes`` of the record say how.
"""

from __future__ import annotations

import numpy as np

from core.errors import OperandError
from core.library.spec import Array, OpSpec, Sample, Vjp

# -- the four operations ---------------------------------------------------------------------------

_PAIRS = (Sample((3,), (3,)), Sample((2, 1), (1, 3)), Sample((), (2, 2)), Sample((1,), (0,)))

ADD = OpSpec(
    name="add", label="add", glyph="+", category="arithmetic", ports=("a", "b"),
    elementwise=True, forward=np.add, numpy=(np.add,),
    vjps={
        "a": Vjp(lambda g: g, r"\bar{a}=g"),
        "b": Vjp(lambda g: g, r"\bar{b}=g"),
    },
    formula=r"y=a+b", summary="Sum of two values.", keywords=("plus", "sum"),
    samples=_PAIRS,
)  # fmt: skip

SUBTRACT = OpSpec(
    name="subtract", label="subtract", glyph="−", category="arithmetic", ports=("a", "b"),
    elementwise=True, forward=np.subtract, numpy=(np.subtract,),
    vjps={
        "a": Vjp(lambda g: g, r"\bar{a}=g"),
        "b": Vjp(lambda g: -g, r"\bar{b}=-g"),
    },
    formula=r"y=a-b", summary="Difference of two values.", aliases=("sub",),
    keywords=("minus", "difference"), samples=_PAIRS,
)  # fmt: skip

MULTIPLY = OpSpec(
    name="multiply", label="multiply", glyph="×", category="arithmetic", ports=("a", "b"),
    elementwise=True, forward=np.multiply, numpy=(np.multiply,),
    vjps={
        "a": Vjp(lambda g, b: g * b, r"\bar{a}=g\,b"),
        "b": Vjp(lambda g, a: g * a, r"\bar{b}=g\,a"),
    },
    formula=r"y=a\,b", summary="Product of two values, element by element.",
    aliases=("mul", "times"), keywords=("product", "hadamard", "scale"), samples=_PAIRS,
)  # fmt: skip

DIVIDE = OpSpec(
    name="divide", label="divide", glyph="÷", category="arithmetic", ports=("a", "b"),
    elementwise=True, forward=np.divide, numpy=(np.divide,),
    vjps={
        "a": Vjp(lambda g, b: g / b, r"\bar{a}=g/b"),
        "b": Vjp(lambda g, y, b: -g * y / b, r"\bar{b}=-g\,y/b=-g\,a/b^{2}"),
    },
    formula=r"y=a/b", summary="Quotient of two values.", aliases=("div", "true_divide"),
    keywords=("quotient", "ratio"), domain="b ≠ 0",
    notes=("Pole at b = 0: infinities and NaN flow through, nothing is guarded.",),
    samples=(
        Sample((3,), (3,), low=0.5), Sample((2, 1), (1, 3), low=-2.0, high=-0.5),
        Sample((), (2, 2), low=0.5), Sample((1,), (0,)),
    ),
)  # fmt: skip

NEGATIVE = OpSpec(
    name="negative", label="negative", glyph="−x", category="arithmetic", ports=("x",),
    elementwise=True, forward=np.negative, numpy=(np.negative,),
    vjps={"x": Vjp(lambda g: -g, r"\bar{x}=-g")},
    formula=r"y=-x", summary="Change of sign.", aliases=("neg",), keywords=("minus", "opposite"),
    samples=(Sample((3,)), Sample((2, 3)), Sample(())),
)  # fmt: skip

LERP = OpSpec(
    name="lerp", label="lerp", glyph="lerp", category="arithmetic",
    ports=("start", "end", "weight"), elementwise=True,
    forward=lambda start, end, weight: start + weight * (end - start),
    vjps={
        "start": Vjp(lambda g, weight: g * (1 - weight), r"\bar{s}=g\,(1-w)"),
        "end": Vjp(lambda g, weight: g * weight, r"\bar{e}=g\,w"),
        "weight": Vjp(lambda g, start, end: g * (end - start), r"\bar{w}=g\,(e-s)"),
    },
    formula=r"y=s+w\,(e-s)", summary="Straight-line mixture of a start and an end.",
    keywords=("mix", "blend", "interpolate"),
    samples=(Sample((3,), (3,), (3,)), Sample((2, 3), (3,), ())),
)  # fmt: skip

# -- powers and roots ------------------------------------------------------------------------------


def _power(a: Array, b: Array) -> Array:
    if isinstance(b, float) and b == 3.0:
        return a * a * a  # a tenth of what pow costs; ** itself knows only the square
    try:
        return a**b
    except ValueError as error:
        if np.result_type(a, b).kind not in "iu":
            raise  # shapes that do not fit: NumPy says it well
        raise OperandError(
            "power: an integer to a negative power is not an integer.",
            next_step="Make the base floating, for example 2.0 instead of 2.",
            port="a",
        ) from error


def _power_by_base(g: Array, a: Array, b: Array) -> Array:
    if isinstance(b, float):
        if b == 2.0:
            return g * (2.0 * a)
        return g * (b * a ** (b - 1.0)) if b else np.zeros_like(g)
    # 0 * 0^(-1) would be NaN: where both are 0, another exponent keeps the 0.
    exponent = np.where(b == 0, np.where(a == 0, 1.0, b - 1), b - 1)
    return g * (b * a**exponent)


def _power_by_exponent(g: Array, y: Array, a: Array, b: Array) -> Array:
    # log 1 = 0 stands in for the log 0 of 0^b, b >= 0.
    return g * (y * np.log(np.where(a == 0, np.where(b >= 0, 1.0, a), a)))


POWER = OpSpec(
    name="power", label="power", glyph="aᵇ", category="arithmetic", ports=("a", "b"),
    elementwise=True, forward=_power, numpy=(np.power,),
    vjps={
        "a": Vjp(_power_by_base, r"\bar{a}=g\,b\,a^{b-1}\;[b\neq 0]"),
        "b": Vjp(_power_by_exponent, r"\bar{b}=g\,a^{b}\ln a\;[\neg(a=0\wedge b\geq 0)]"),
    },
    formula=r"y=a^{b}", summary="a to the power of b.", aliases=("pow",),
    keywords=("exponent", "cube"),
    domain="a > 0, or a of any sign with an integer b, or a = 0 with b ≥ 0",
    notes=(
        "b = 0: the derivative for a is exactly 0, also at a = 0.",
        "a = 0 and b ≥ 0: the derivative for b is exactly 0.",
        "a = 0 and 0 < b < 1: the derivative for a is infinite.",
        "a < 0: the derivative for b is NaN, the logarithm of a negative number; it is computed "
        "only if b needs a gradient.",
    ),
    samples=(
        Sample((3,), (3,), low=0.5), Sample((2, 1), (1, 3), low=0.5), Sample((4,), (), low=0.5),
        Sample(np.array([-2.0, -0.5, 1.5]), np.array(3)),
    ),
)  # fmt: skip

SQUARE = OpSpec(
    name="square", label="square", glyph="x²", category="arithmetic", ports=("x",),
    elementwise=True, forward=np.square, numpy=(np.square,),
    vjps={"x": Vjp(lambda g, x: g * (2 * x), r"\bar{x}=2\,g\,x")},
    formula=r"y=x^{2}", summary="Square.", keywords=("power", "quadratic"),
    samples=(Sample((3,)), Sample((2, 3)), Sample(())),
)  # fmt: skip

SQRT = OpSpec(
    name="sqrt", label="sqrt", glyph="√", category="arithmetic", ports=("x",),
    elementwise=True, forward=np.sqrt, numpy=(np.sqrt,),
    vjps={"x": Vjp(lambda g, y: g / (2 * y), r"\bar{x}=\frac{g}{2\,y}")},
    formula=r"y=\sqrt{x}", summary="Square root.", keywords=("root",),
    domain="x ≥ 0; x > 0 for the derivative",
    notes=("x = 0: the derivative is infinite, and a cotangent of 0 gives 0·∞ = NaN.",),
    samples=(Sample((3,), low=0.5), Sample((2, 3), low=0.5), Sample((), low=0.5)),
)  # fmt: skip

RSQRT = OpSpec(
    name="rsqrt", label="rsqrt", glyph="1/√", category="arithmetic", ports=("x",),
    elementwise=True, forward=lambda x: 1.0 / np.sqrt(x),
    vjps={"x": Vjp(lambda g, y: -0.5 * g * (y * y * y), r"\bar{x}=-\frac{1}{2}\,g\,y^{3}")},
    formula=r"y=x^{-1/2}", summary="One over the square root.",
    keywords=("root", "reciprocal", "normalize"), domain="x > 0",
    samples=(Sample((3,), low=0.5), Sample((2, 3), low=0.5), Sample((), low=0.5)),
)  # fmt: skip

RECIPROCAL = OpSpec(
    name="reciprocal", label="reciprocal", glyph="1/x", category="arithmetic", ports=("x",),
    elementwise=True, forward=lambda x: 1.0 / x, numpy=(np.reciprocal,),
    vjps={"x": Vjp(lambda g, y: -g * (y * y), r"\bar{x}=-g\,y^{2}")},
    formula=r"y=1/x", summary="One over x.", keywords=("divide", "inverse"),
    domain="x ≠ 0", notes=("Pole at 0: the value is ∞ and the derivative −∞.",),
    samples=(Sample((3,), low=0.5), Sample((2, 3), low=-2.0, high=-0.5), Sample((), low=0.5)),
)  # fmt: skip

HYPOT = OpSpec(
    name="hypot", label="hypot", glyph="⊿", category="arithmetic", ports=("a", "b"),
    elementwise=True, forward=np.hypot, numpy=(np.hypot,),
    vjps={
        "a": Vjp(lambda g, y, a: g * (a / y), r"\bar{a}=g\,a/y"),
        "b": Vjp(lambda g, y, b: g * (b / y), r"\bar{b}=g\,b/y"),
    },
    formula=r"y=\sqrt{a^{2}+b^{2}}", summary="Length of the hypotenuse of two sides.",
    keywords=("distance", "pythagoras"), domain="(a, b) ≠ (0, 0) for the derivative",
    notes=("(0, 0): the derivatives are 0/0 = NaN.",),
    samples=(Sample((3,), (3,), low=0.5), Sample((2, 1), (1, 3), low=0.5), Sample((), (), low=0.5)),
)  # fmt: skip

OPS = (
    ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, NEGATIVE, RECIPROCAL, SQUARE, SQRT, RSQRT, HYPOT, LERP,
)  # fmt: skip
