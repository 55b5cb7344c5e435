"""Arithmetic with kinks and jumps: signs, rounding, remainders, the larger or smaller of two.

At a kink or a tie every rule follows PyTorch; the ``notes`` of the record say how.
"""

from __future__ import annotations

import numpy as np

from core.library.checks import require_real
from core.library.masking import gate
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

# -- signs and rounding ----------------------------------------------------------------------------


def _direction(x: Array) -> Array:
    """x / |x| conjugated, 0 at 0: the slope of the absolute value."""
    if x.dtype.kind != "c":
        return np.sign(x)
    size = np.absolute(x)
    return np.conj(x) / np.where(size == 0, 1.0, size)


ABSOLUTE = OpSpec(
    name="absolute", label="absolute", glyph="|x|", category="arithmetic", ports=("x",),
    elementwise=True, forward=np.absolute, numpy=(np.absolute, np.fabs),
    vjps={"x": Vjp(lambda g, x: g * _direction(x), r"\bar{x}=g\,\operatorname{sgn}(x)")},
    formula=r"y=|x|", summary="Absolute value.", aliases=("abs",),
    keywords=("magnitude", "modulus"),
    notes=("Kink at 0: the derivative is 0.", "Complex x: the VJP is Re(g) x/|x|, and 0 at 0."),
    samples=(
        Sample((3,), low=0.5), Sample((2, 3), low=-2.0, high=-0.5), Sample((), low=0.5),
        Sample(np.array([1.5 + 0.5j, -0.5 + 1j])),
    ),
)  # fmt: skip

_FLAT = {"x": Vjp(lambda g: np.zeros_like(g), r"\bar{x}=0")}
_FLAT_NOTE = ("The derivative is 0 everywhere, also at the jumps.",)
_BETWEEN_JUMPS = (
    Sample(np.array([-1.3, 0.2, 1.7])), Sample(np.array([[0.3, -0.4], [2.2, 1.2]])),
    Sample(np.array(0.3)),
)  # fmt: skip


def _sign(x: Array) -> Array:
    require_real("sign", x)
    return np.sign(x)


SIGN = OpSpec(
    name="sign", label="sign", glyph="sgn", category="arithmetic", ports=("x",),
    elementwise=True, forward=_sign, numpy=(np.sign,), vjps=_FLAT,
    formula=r"y=\operatorname{sgn}(x)", summary="−1, 0 or 1: the sign of x.", aliases=("sgn",),
    notes=_FLAT_NOTE, samples=_BETWEEN_JUMPS,
)  # fmt: skip

FLOOR = OpSpec(
    name="floor", label="floor", glyph="⌊x⌋", category="arithmetic", ports=("x",),
    elementwise=True, forward=np.floor, numpy=(np.floor,), vjps=_FLAT,
    formula=r"y=\lfloor x\rfloor", summary="Largest integer not above x.",
    keywords=("round", "down"), notes=_FLAT_NOTE, samples=_BETWEEN_JUMPS,
)  # fmt: skip

CEIL = OpSpec(
    name="ceil", label="ceil", glyph="⌈x⌉", category="arithmetic", ports=("x",),
    elementwise=True, forward=np.ceil, numpy=(np.ceil,), vjps=_FLAT,
    formula=r"y=\lceil x\rceil", summary="Smallest integer not below x.",
    aliases=("ceiling",), keywords=("round", "up"), notes=_FLAT_NOTE, samples=_BETWEEN_JUMPS,
)  # fmt: skip

RINT = OpSpec(
    name="rint", label="round", glyph="⌊x⌉", category="arithmetic", ports=("x",),
    elementwise=True, forward=np.rint, numpy=(np.rint, np.round), vjps=_FLAT,
    formula=r"y=\operatorname{round}_{\mathrm{half\,even}}(x)",
    summary="Nearest integer; halves go to the even one.", aliases=("round",),
    keywords=("nearest",), notes=_FLAT_NOTE, samples=_BETWEEN_JUMPS,
)  # fmt: skip

TRUNC = OpSpec(
    name="trunc", label="trunc", glyph="tr", category="arithmetic", ports=("x",),
    elementwise=True, forward=np.trunc, numpy=(np.trunc,), vjps=_FLAT,
    formula=r"y=\operatorname{trunc}(x)", summary="x without its decimals: rounding towards 0.",
    aliases=("fix",), keywords=("round", "integer part"), notes=_FLAT_NOTE,
    samples=_BETWEEN_JUMPS,
)  # fmt: skip

COPYSIGN = OpSpec(
    name="copysign", label="copysign", glyph="±", category="arithmetic", ports=("a", "b"),
    elementwise=True, forward=np.copysign, numpy=(np.copysign,),
    vjps={
        "a": Vjp(
            lambda g, a, b: g * (np.sign(a) * np.copysign(1.0, b)),
            r"\bar{a}=g\,y/a\;[a\neq 0]",
        ),
        "b": Vjp(lambda g: np.zeros_like(g), r"\bar{b}=0"),
    },
    formula=r"y=|a|\operatorname{sgn}(b)", summary="The size of a with the sign of b.",
    notes=("a = 0: the derivative is 0.", "The derivative for b is 0 everywhere."),
    samples=(Sample((3,), (3,), low=0.5), Sample((2, 1), (1, 3), low=-2.0, high=-0.5)),
)  # fmt: skip

# -- remainders ------------------------------------------------------------------------------------

_REMAINDERS = (
    Sample(np.array([1.5, -2.2, 4.1]), np.array([0.7, 1.3, -1.5])),
    Sample(np.array([[2.3], [-1.2]]), np.array([0.9, 1.7])),
    Sample(np.array(2.5), np.array(0.8)),
)  # fmt: skip

REMAINDER = OpSpec(
    name="remainder", label="remainder", glyph="mod", category="arithmetic", ports=("a", "b"),
    elementwise=True, forward=np.remainder, numpy=(np.remainder,),
    vjps={
        "a": Vjp(lambda g: g, r"\bar{a}=g"),
        "b": Vjp(lambda g, a, b: -g * np.floor_divide(a, b), r"\bar{b}=-g\lfloor a/b\rfloor"),
    },
    formula=r"y=a-b\lfloor a/b\rfloor", summary="What is left of a after whole steps of b; "
    "it has the sign of b.", aliases=("mod", "modulo"), domain="b ≠ 0",
    notes=("At multiples of b the formula is used as it stands.",), samples=_REMAINDERS,
)  # fmt: skip

FMOD = OpSpec(
    name="fmod", label="fmod", glyph="fmod", category="arithmetic", ports=("a", "b"),
    elementwise=True, forward=np.fmod, numpy=(np.fmod,),
    vjps={
        "a": Vjp(lambda g: g, r"\bar{a}=g"),
        "b": Vjp(
            lambda g, a, b: -g * np.trunc(a / b), r"\bar{b}=-g\operatorname{trunc}(a/b)"
        ),
    },
    formula=r"y=a-b\operatorname{trunc}(a/b)", summary="What is left of a after whole steps of b; "
    "it has the sign of a.", keywords=("remainder", "modulo"), domain="b ≠ 0",
    notes=("At multiples of b the formula is used as it stands.",), samples=_REMAINDERS,
)  # fmt: skip

# -- the larger, the smaller, the bounded ----------------------------------------------------------

_APART = (
    Sample(np.array([1.0, -0.5, 2.0]), np.array([0.2, 0.5, -1.0])),
    Sample(np.array([[0.3], [-1.2]]), np.array([-0.6, 1.4, 0.9])),
    Sample(np.array(0.7), np.array(-0.4)),
)  # fmt: skip


def _shared(g: Array, lost: Array, tie: Array) -> Array:
    """The cotangent where this side did not lose, half of it at a tie."""
    h = gate(g, ~lost)
    if type(tie) is np.ndarray and not tie.any():
        return h
    return h * np.where(tie, g.dtype.type(0.5), 1.0)


_TIE = ("Tie a = b: half of the cotangent to each side.",)
_TIE_TO_A = ("Tie a = b: the whole cotangent to a.", "A NaN on one side is ignored.")

MAXIMUM = OpSpec(
    name="maximum", label="maximum", glyph="max", category="arithmetic", ports=("a", "b"),
    elementwise=True, forward=np.maximum, numpy=(np.maximum,),
    vjps={
        "a": Vjp(
            lambda g, a, b: _shared(g, a < b, a == b), r"\bar{a}=g\,([a>b]+\frac{1}{2}[a=b])"
        ),
        "b": Vjp(
            lambda g, a, b: _shared(g, b < a, a == b), r"\bar{b}=g\,([b>a]+\frac{1}{2}[a=b])"
        ),
    },
    formula=r"y=\max(a,b)", summary="The larger of two values, element by element.",
    keywords=("max", "larger", "relu"), notes=_TIE, samples=_APART,
)  # fmt: skip

MINIMUM = OpSpec(
    name="minimum", label="minimum", glyph="min", category="arithmetic", ports=("a", "b"),
    elementwise=True, forward=np.minimum, numpy=(np.minimum,),
    vjps={
        "a": Vjp(
            lambda g, a, b: _shared(g, a > b, a == b), r"\bar{a}=g\,([a<b]+\frac{1}{2}[a=b])"
        ),
        "b": Vjp(
            lambda g, a, b: _shared(g, b > a, a == b), r"\bar{b}=g\,([b<a]+\frac{1}{2}[a=b])"
        ),
    },
    formula=r"y=\min(a,b)", summary="The smaller of two values, element by element.",
    keywords=("min", "smaller"), notes=_TIE, samples=_APART,
)  # fmt: skip

FMAX = OpSpec(
    name="fmax", label="fmax", glyph="fmax", category="arithmetic", ports=("a", "b"),
    elementwise=True, forward=np.fmax, numpy=(np.fmax,),
    vjps={
        "a": Vjp(
            lambda g, a, b: np.where(a >= b, g, np.where(np.isnan(b), g, 0.0)),
            r"\bar{a}=g\,[a\geq b\vee b\text{ is NaN}]",
        ),
        "b": Vjp(
            lambda g, a, b: np.where(a >= b, 0.0, np.where(np.isnan(b), 0.0, g)),
            r"\bar{b}=g\,[\neg(a\geq b\vee b\text{ is NaN})]",
        ),
    },
    formula=r"y=\max(a,b)\text{ ignoring NaN}", summary="The larger of two values, ignoring NaN.",
    keywords=("max", "larger", "nan"), notes=_TIE_TO_A, samples=_APART,
)  # fmt: skip

FMIN = OpSpec(
    name="fmin", label="fmin", glyph="fmin", category="arithmetic", ports=("a", "b"),
    elementwise=True, forward=np.fmin, numpy=(np.fmin,),
    vjps={
        "a": Vjp(
            lambda g, a, b: np.where(a <= b, g, np.where(np.isnan(b), g, 0.0)),
            r"\bar{a}=g\,[a\leq b\vee b\text{ is NaN}]",
        ),
        "b": Vjp(
            lambda g, a, b: np.where(a <= b, 0.0, np.where(np.isnan(b), 0.0, g)),
            r"\bar{b}=g\,[\neg(a\leq b\vee b\text{ is NaN})]",
        ),
    },
    formula=r"y=\min(a,b)\text{ ignoring NaN}", summary="The smaller of two values, ignoring NaN.",
    keywords=("min", "smaller", "nan"), notes=_TIE_TO_A, samples=_APART,
)  # fmt: skip


def _clip(x: Array, min: float | None, max: float | None) -> Array:
    # NumPy 2.0's clip refuses to be given no bound.
    if min is None:
        return np.array(x) if max is None else np.minimum(x, max)
    return np.maximum(x, min) if max is None else np.clip(x, min, max)


def _inside(g: Array, x: Array, min: float | None, max: float | None) -> Array:
    if min is None:
        return g if max is None else gate(g, x <= max)
    return gate(g, x >= min if max is None else (x >= min) & (x <= max))


CLIP = OpSpec(
    name="clip", label="clip", glyph="clip", category="arithmetic", ports=("x",),
    elementwise=True, forward=_clip, numpy=(np.clip,),
    vjps={"x": Vjp(_inside, r"\bar{x}=g\,[\mathrm{min}\leq x\leq\mathrm{max}]")},
    params=(
        Param("min", "float", doc="Lower bound; empty for none."),
        Param("max", "float", doc="Upper bound; empty for none."),
    ),
    formula=r"y=\min(\max(x,\mathrm{min}),\mathrm{max})", summary="x held between two bounds.",
    aliases=("clamp",), keywords=("limit", "bound", "saturate"),
    notes=("Both bounds count as inside: the derivative is 1 at x = min and at x = max.",),
    samples=(
        Sample(np.array([-1.5, 0.2, 1.7]), min=-1.0, max=1.0),
        Sample(np.array([0.4, -0.3]), max=0.1),
        Sample(np.array([[0.4, -0.3]]), min=0.0), Sample(np.array(0.5)),
    ),
)  # fmt: skip

OPS = (
    ABSOLUTE, SIGN, FLOOR, CEIL, RINT, TRUNC, REMAINDER, FMOD, MAXIMUM, MINIMUM, FMAX, FMIN, CLIP,
    COPYSIGN,
)  # fmt: skip
