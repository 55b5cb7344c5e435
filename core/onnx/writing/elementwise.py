"""Arithmetic and functions of one number."""

from __future__ import annotations

import math

import numpy as np

from core.onnx.writing.emit import Emit, Result, Rule, refused


def plain(op: str) -> Rule:
    """An operation that ONNX has, inputs and all."""
    return lambda e: e(op, *e.every())


def _floating(op: str) -> Rule:
    """One that leaves whole numbers as they are, where ONNX has it for floats only."""
    return lambda e: e(op, e.x()) if e.dtype.kind == "f" else e("Identity", e.x())


# -- arithmetic -----------------------------------------------------------------------------------


def _rsqrt(e: Emit) -> Result:
    return e("Reciprocal", e("Sqrt", e.x()))


def _hypot(e: Emit) -> Result:
    a, b = e.every()
    return e("Sqrt", e("Add", e("Mul", a, a), e("Mul", b, b)))


def _lerp(e: Emit) -> Result:
    start, end, weight = e.every()
    return e("Add", start, e("Mul", weight, e("Sub", end, start)))


def _trunc(e: Emit) -> Result:
    x = e.x()
    if e.dtype.kind != "f":
        return e("Identity", x)
    return e("Mul", e("Sign", x), e("Floor", e("Abs", x)))


def _remainder(e: Emit) -> Result:
    a, b = e.every()
    if e.dtype.kind != "f":
        return e("Mod", a, b)
    # The sign is the divisor's; Mod of floats has the dividend's.
    over = e("Mod", a, b, fmod=1)
    zero = e.constant(0)
    other = e("Less", e("Mul", e("Sign", over), e("Sign", b)), zero)
    return e("Where", other, e("Add", over, b), over)


def _ignoring_nan(op: str) -> Rule:
    def rule(e: Emit) -> Result:
        a, b = e.every()
        if e.dtype.kind != "f":
            return e(op, a, b)
        most = e("Where", e("IsNaN", b), a, e(op, a, b))
        return e("Where", e("IsNaN", a), b, most)

    return rule


def _clip(e: Emit) -> Result:
    x = e.x()
    bounds = [e.params["min"], e.params["max"]]
    if bounds[0] is not None and bounds[1] is not None and bounds[0] > bounds[1]:
        bounds[0] = bounds[1]  # NumPy and ONNX: the upper one holds
    low, high = ("" if b is None else e.constant(b) for b in bounds)
    return e("Clip", x, low, high) if low or high else e("Identity", x)


def _copysign(e: Emit) -> Result:
    a, b = e.every()
    zero = e.constant(0)
    # One by minus zero is minus infinity: the only way to see its sign.
    negative = e("Or", e("Less", b, zero), e("Less", e("Reciprocal", b), zero))
    size = e("Abs", a)
    return e("Where", negative, e("Neg", size), size)


# -- exponentials ---------------------------------------------------------------------------------


def _scaled_log(base: float) -> Rule:
    return lambda e: e("Div", e("Log", e.x()), e.constant(math.log(base)))


def _expm1(e: Emit) -> Result:
    """2 exp(x/2) sinh(x/2), which keeps its digits near 0."""
    half = e("Mul", e.x(), e.constant(0.5))
    return e("Mul", e("Mul", e.constant(2), e("Exp", half)), e("Sinh", half))


def _log1p(e: Emit) -> Result:
    """2 atanh(x / (x + 2)) near 0, where it keeps its digits; log(1 + x) elsewhere."""
    x = e.x()
    near = e("Less", e("Abs", x), e.constant(0.5))
    ratio = e("Div", x, e("Add", x, e.constant(2)))
    small = e("Where", near, ratio, e.constant(0))
    return e(
        "Where",
        near,
        e("Mul", e.constant(2), e("Atanh", small)),
        e("Log", e("Add", x, e.constant(1))),
    )


def _logaddexp(base: float) -> Rule:
    def rule(e: Emit) -> Result:
        a, b = e.every()
        scale = math.log(base)
        gap = e("Neg", e("Abs", e("Sub", a, b)))
        if base != math.e:
            gap = e("Mul", gap, e.constant(scale))
        more = e("Softplus", gap)
        if base != math.e:
            more = e("Div", more, e.constant(scale))
        return e("Add", e("Max", a, b), more)

    return rule


def _xlogy(e: Emit) -> Result:
    a, b = e.every()
    zero = e.constant(0)
    quiet = e("And", e("Equal", a, zero), e("Not", e("IsNaN", b)))
    safe = e("Where", quiet, e.constant(1), b)
    return e("Where", quiet, zero, e("Mul", a, e("Log", safe)))


def _logit(e: Emit) -> Result:
    x, eps = e.x(), e.params["eps"]
    if eps is not None:
        x = e("Clip", x, e.constant(eps), e.constant(1 - eps))
    return e("Log", e("Div", x, e("Sub", e.constant(1), x)))


# -- trigonometry and the rest --------------------------------------------------------------------


def _arctan2(e: Emit) -> Result:
    a, b = e.every()
    zero, pi = e.constant(0), e.constant(np.pi)
    angle = e("Atan", e("Div", a, e("Where", e("Equal", b, zero), e.constant(1), b)))
    turned = e("Where", e("Less", a, zero), e("Sub", angle, pi), e("Add", angle, pi))
    aside = e("Where", e("Less", b, zero), turned, angle)
    upright = e("Mul", e("Sign", a), e.constant(np.pi / 2))
    return e("Where", e("Equal", b, zero), upright, aside)


def _sinc(e: Emit) -> Result:
    x = e("Mul", e.x(), e.constant(np.pi))
    zero = e("Equal", x, e.constant(0))
    safe = e("Where", zero, e.constant(1), x)
    return e("Where", zero, e.constant(1), e("Div", e("Sin", safe), safe))


def _masked_fill(e: Emit) -> Result:
    return e("Where", e.truth(1), e.constant(e.params["value"]), e.x())


def _where(e: Emit) -> Result:
    return e("Where", e.truth(0), e.x(1), e.x(2))


def _nan_to_num(e: Emit) -> Result:
    x = e.x()
    bounds = np.finfo(e.dtype)
    high, low = e.params["posinf"], e.params["neginf"]
    fills = (
        (e("IsNaN", x), e.params["nan"]),
        (e("IsInf", x, detect_negative=0), bounds.max if high is None else high),
        (e("IsInf", x, detect_positive=0), bounds.min if low is None else low),
    )
    for place, value in fills:
        x = e("Where", place, e.constant(value), x)
    return x


def _cast(e: Emit) -> Result:
    return e("Identity", e.x())


def _angle(e: Emit) -> Result:
    zero = e.constant(0)
    return e("Where", e("Less", e.x(), zero), e.constant(np.pi), zero)


_SPECIAL = "ONNX has no such special function"

RULES: dict[str, Rule] = {
    **{
        ours: plain(onnx)
        for ours, onnx in {
            "absolute": "Abs", "add": "Add", "arccos": "Acos", "arccosh": "Acosh",
            "arcsin": "Asin", "arcsinh": "Asinh", "arctan": "Atan", "arctanh": "Atanh",
            "copy": "Identity", "cos": "Cos", "cosh": "Cosh", "detach": "Identity",
            "divide": "Div", "erf": "Erf", "exp": "Exp", "log": "Log", "maximum": "Max",
            "minimum": "Min", "multiply": "Mul", "negative": "Neg", "power": "Pow",
            "reciprocal": "Reciprocal", "sign": "Sign", "sin": "Sin", "sinh": "Sinh",
            "sqrt": "Sqrt", "subtract": "Sub", "tan": "Tan", "tanh": "Tanh",
            "conj": "Identity", "real": "Identity",
        }.items()
    },
    "angle": _angle,
    "arctan2": _arctan2,
    "cast": _cast,
    "ceil": _floating("Ceil"),
    "clip": _clip,
    "copysign": _copysign,
    "deg2rad": lambda e: e("Mul", e.x(), e.constant(np.pi / 180)),
    "digamma": refused(_SPECIAL),
    "erfc": lambda e: e("Sub", e.constant(1), e("Erf", e.x())),
    "erfinv": refused(_SPECIAL),
    "exp2": lambda e: e("Pow", e.constant(2), e.x()),
    "expm1": _expm1,
    "floor": _floating("Floor"),
    "fmax": _ignoring_nan("Max"),
    "fmin": _ignoring_nan("Min"),
    "fmod": lambda e: e("Mod", *e.every(), fmod=1),
    "gammaln": refused(_SPECIAL),
    "hypot": _hypot,
    "imag": lambda e: e("Mul", e.x(), e.constant(0)),
    "lerp": _lerp,
    "log10": _scaled_log(10),
    "log1p": _log1p,
    "log2": _scaled_log(2),
    "logaddexp": _logaddexp(math.e),
    "logaddexp2": _logaddexp(2),
    "logit": _logit,
    "masked_fill": _masked_fill,
    "nan_to_num": _nan_to_num,
    "remainder": _remainder,
    "rint": _floating("Round"),
    "rsqrt": _rsqrt,
    "sinc": _sinc,
    "square": lambda e: e("Mul", e.x(), e.x()),
    "trunc": _trunc,
    "where": _where,
    "xlogy": _xlogy,
}  # fmt: skip
