"""torch's elementwise functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core import ops
from core.importers.python import dtypes
from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, need
from core.importers.python.values import NdArray
from core.tensor import Tensor

#: Of real numbers: integers become floats first. torch's name -> operation.
_FLOATING = {
    "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2",
    "log10": "log10", "log1p": "log1p", "sqrt": "sqrt", "rsqrt": "rsqrt",
    "reciprocal": "reciprocal", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin",
    "arcsin": "arcsin", "acos": "arccos", "arccos": "arccos", "atan": "arctan",
    "arctan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh",
    "arcsinh": "arcsinh", "acosh": "arccosh", "arccosh": "arccosh", "atanh": "arctanh",
    "arctanh": "arctanh", "sinc": "sinc", "deg2rad": "deg2rad", "erf": "erf", "erfc": "erfc",
    "erfinv": "erfinv", "lgamma": "gammaln", "gammaln": "gammaln", "digamma": "digamma",
    "sigmoid": "sigmoid", "expit": "sigmoid", "angle": "angle", "log_expit": "logsigmoid",
}  # fmt: skip
#: These keep integers.
_KEEPING = {
    "neg": "negative", "negative": "negative", "abs": "absolute", "absolute": "absolute",
    "sign": "sign", "sgn": "sign", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
    "fix": "trunc", "square": "square", "relu": "relu", "conj": "conj", "conj_physical": "conj",
    "resolve_conj": "copy", "real": "real", "imag": "imag",
}  # fmt: skip
_BINARY = {
    "mul": "multiply", "multiply": "multiply", "remainder": "remainder", "fmod": "fmod",
    "maximum": "maximum", "minimum": "minimum", "fmax": "fmax", "fmin": "fmin",
    "copysign": "copysign",
}  # fmt: skip
_BINARY_FLOATING = {
    "true_divide": "divide", "atan2": "arctan2", "arctan2": "arctan2", "hypot": "hypot",
    "logaddexp": "logaddexp", "logaddexp2": "logaddexp2", "xlogy": "xlogy",
}  # fmt: skip
_COMPARING: dict[str, Callable[..., Any]] = {
    "eq": np.equal, "ne": np.not_equal, "not_equal": np.not_equal, "lt": np.less,
    "less": np.less, "le": np.less_equal, "less_equal": np.less_equal, "gt": np.greater,
    "greater": np.greater, "ge": np.greater_equal, "greater_equal": np.greater_equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
}  # fmt: skip
_ASKING: dict[str, Callable[..., Any]] = {
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "logical_not": np.logical_not,
    "signbit": np.signbit, "isposinf": np.isposinf, "isneginf": np.isneginf,
}  # fmt: skip


def _unary(op: str, floating: bool) -> Callable[..., Tensor]:
    def function(m: Machine, input: Any) -> Tensor:
        x = need(input, op)
        if not floating and x.dtype.kind == "b" and op == "negative":
            raise program_error(
                "RuntimeError",
                "Negation, the `-` operator, on a bool tensor is not supported. If you are trying "
                "to invert a mask, use the `~` or `logical_not()` operator instead.",
            )
        if op in ("real", "conj") and x.dtype.kind != "c":
            return x
        made: Tensor = m.pointwise(op, x, floating=floating)
        return made

    return function


def _binary(op: str, floating: bool) -> Callable[..., Tensor]:
    def function(m: Machine, input: Any, other: Any) -> Tensor:
        made: Tensor = m.pointwise(op, _operand(input), _operand(other), floating=floating)
        return made

    return function


def _operand(x: Any) -> Any:
    if isinstance(x, Tensor | int | float | complex):
        return x
    if isinstance(x, NdArray):
        return x.tensor
    raise program_error(
        "TypeError", f"unsupported operand type(s): 'Tensor' and '{type(x).__name__}'"
    )


def plain(m: Machine, function: Callable[..., Any], *operands: Any) -> Tensor:
    """A comparison or another question: its answer has no gradient."""
    arrays = [x._data if isinstance(x, Tensor) else x for x in map(_operand, operands)]
    m.budget.shape(np.broadcast_shapes(*[np.shape(a) for a in arrays]))
    with np.errstate(all="ignore"):
        return m.constant(function(*arrays))


def _comparison(function: Callable[..., Any]) -> Callable[..., Tensor]:
    return lambda m, input, other: plain(m, function, input, other)


def _question(function: Callable[..., Any]) -> Callable[..., Tensor]:
    return lambda m, input: plain(m, function, input)


def add(m: Machine, input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """input + alpha · other"""
    a, b = _operand(input), _operand(other)
    if alpha != 1:
        b = m.pointwise("multiply", b, alpha)
    if all(_is_bool(x) for x in (a, b)):
        return plain(m, np.logical_or, a, b)
    made: Tensor = m.pointwise("add", a, b)
    return made


def sub(m: Machine, input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """input - alpha · other"""
    a, b = _operand(input), _operand(other)
    if any(_is_bool(x) for x in (a, b)):
        raise program_error(
            "RuntimeError",
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
            "to invert a mask, use the `~` or `logical_not()` operator instead.",
        )
    if alpha != 1:
        b = m.pointwise("multiply", b, alpha)
    made: Tensor = m.pointwise("subtract", a, b)
    return made


def _is_bool(x: Any) -> bool:
    return x.dtype.kind == "b" if isinstance(x, Tensor) else isinstance(x, bool)


def rsub(m: Machine, input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """other - alpha · input"""
    return sub(m, other, input, alpha=alpha)


def div(m: Machine, input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """input / other, rounded if wished"""
    a, b = _operand(input), _operand(other)
    if rounding_mode is None and not isinstance(a, Tensor):
        return _number_over(m, a, b)
    if rounding_mode is None:
        made: Tensor = m.pointwise("divide", a, b, floating=True)
        return made
    wanted = dtypes.result_type([a, b], m.default)
    quotient = m.pointwise("divide", a, b, floating=True)
    rounded: Tensor = m.op("floor" if rounding_mode == "floor" else "trunc", quotient)
    return m.cast(rounded, wanted)


def _number_over(m: Machine, number: Any, x: Tensor) -> Tensor:
    """number / x, which torch computes as number · (1 / x): that decides what is saved."""
    number, x = m.promoted([number, x], floating=True)
    with m.recorder.paused():
        made: Tensor = m.op("multiply", m.op("reciprocal", x), number)
    m.recorder.operation(ops.find("divide"), [number, x], {}, (made,))
    return made


def floor_divide(m: Machine, input: Any, other: Any) -> Tensor:
    """input // other"""
    return div(m, input, other, rounding_mode="floor")


def pow_(m: Machine, input: Any, exponent: Any) -> Tensor:
    """input ** exponent"""
    a, b = _operand(input), _operand(exponent)
    wanted = dtypes.result_type([a, b], m.default)
    if dtypes.category(wanted) < 2:
        if isinstance(b, int) and b < 0:
            raise program_error(
                "RuntimeError", "Integers to negative integer powers are not allowed."
            )
        arrays = [x._data if isinstance(x, Tensor) else x for x in (a, b)]
        return m.constant(np.power(arrays[0], arrays[1]).astype(wanted))
    made: Tensor = m.pointwise("power", a, b)
    return made


def float_power(m: Machine, input: Any, exponent: Any) -> Tensor:
    """input ** exponent in double precision"""
    a = m.cast(need(input, "float_power"), "float64")
    made: Tensor = m.pointwise("power", a, _operand(exponent))
    return made


def clamp(m: Machine, input: Any, min: Any = None, max: Any = None) -> Tensor:
    """input within min and max"""
    x = need(input, "clamp")
    if min is None and max is None:
        raise program_error(
            "RuntimeError", "torch.clamp: At least one of 'min' or 'max' must not be None"
        )
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        # Gradients of bounds that are tensors: inside to x, outside to the bound, at a tie to x.
        y = x
        if min is not None:
            y = m.pointwise("where", plain(m, np.less, y, min), min, y)
        if max is not None:
            y = m.pointwise("where", plain(m, np.greater, y, max), max, y)
        return y
    wanted = dtypes.result_type([x, *[b for b in (min, max) if b is not None]], m.default)
    bounds = {k: v if v is None else float(v) for k, v in (("min", min), ("max", max))}
    y = m.op("clip", m.cast(x, wanted), **bounds)
    return m.cast(y, wanted)


def clamp_min(m: Machine, input: Any, min: Any) -> Tensor:
    """input, at least min"""
    return clamp(m, input, min)


def clamp_max(m: Machine, input: Any, max: Any) -> Tensor:
    """input, at most max"""
    return clamp(m, input, None, max)


def round_(m: Machine, input: Any, *, decimals: int = 0) -> Tensor:
    """input rounded, halves to even"""
    x = need(input, "round")
    if not decimals:
        made: Tensor = m.op("rint", x) if x.dtype.kind in "fc" else x
        return made
    scale = 10.0**decimals
    scaled: Tensor = m.pointwise("rint", m.pointwise("multiply", x, scale))
    return div(m, scaled, scale)


def frac(m: Machine, input: Any) -> Tensor:
    """the part behind the point"""
    return sub(m, input, m.op("trunc", need(input, "frac")))


def rad2deg(m: Machine, input: Any) -> Tensor:
    """degrees of radians"""
    made: Tensor = m.pointwise("multiply", need(input, "rad2deg"), 180.0 / np.pi)
    return made


def logit(m: Machine, input: Any, eps: float | None = None) -> Tensor:
    """log(x / (1 - x))"""
    made: Tensor = m.op("logit", need(input, "logit"), eps=eps)
    return made


def lerp(m: Machine, input: Any, end: Any, weight: Any) -> Tensor:
    """input + weight · (end - input)"""
    made: Tensor = m.pointwise("lerp", need(input, "lerp"), end, weight)
    return made


def addcmul(m: Machine, input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Tensor:
    """input + value · tensor1 · tensor2"""
    return add(m, input, m.pointwise("multiply", tensor1, tensor2), alpha=value)


def addcdiv(m: Machine, input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Tensor:
    """input + value · tensor1 / tensor2"""
    return add(m, input, m.pointwise("divide", tensor1, tensor2, floating=True), alpha=value)


def where(m: Machine, condition: Any, input: Any = None, other: Any = None) -> Any:
    """input where condition holds, else other"""
    mask = need(condition, "where")
    if input is None:
        m.budget.shape((mask._data.size, mask.ndim))
        return tuple(m.constant(part) for part in np.nonzero(mask.data))
    if mask.dtype.kind != "b":
        raise program_error(
            "RuntimeError", "where expected condition to be a boolean tensor, but got another type"
        )
    a, b = m.promoted([_operand(input), _operand(other)])
    return m.op("where", mask, a, b)


def nan_to_num(
    m: Machine,
    input: Any,
    nan: float | None = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """numbers for NaN and infinities"""
    made: Tensor = m.op(
        "nan_to_num", need(input, "nan_to_num"), nan=float(nan or 0), posinf=posinf, neginf=neginf
    )
    return made


def isclose(
    m: Machine, input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8,
    equal_nan: bool = False,
) -> Tensor:  # fmt: skip
    """whether they are nearly equal"""
    close = lambda a, b: np.isclose(a, b, rtol, atol, equal_nan)  # noqa: E731
    return plain(m, close, input, other)


def allclose(
    m: Machine, input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8,
    equal_nan: bool = False,
) -> bool:  # fmt: skip
    """whether all are nearly equal"""
    return bool(np.all(isclose(m, input, other, rtol, atol, equal_nan)._data))


def equal(m: Machine, input: Any, other: Any) -> bool:
    """whether shape and all elements are equal"""
    return bool(np.array_equal(need(input, "equal")._data, need(other, "equal", 2)._data))


def bitwise(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """&, | and ^ of integers and masks."""

    def apply(m: Machine, input: Any, other: Any) -> Tensor:
        for x in (input, other):
            kind = x.dtype.kind if isinstance(x, Tensor) else "b" if x in (0, 1) else "i"
            if kind in "fc":
                raise program_error(
                    "RuntimeError", '"bitwise" is not implemented for floating tensors'
                )
        return plain(m, function, input, other)

    return apply


def bitwise_not(m: Machine, input: Any) -> Tensor:
    """~x"""
    x = need(input, "bitwise_not")
    if x.dtype.kind in "fc":
        raise program_error("RuntimeError", '"bitwise_not" is not implemented for floating tensors')
    return plain(m, np.invert, x)


def heaviside(m: Machine, input: Any, values: Any) -> Tensor:
    """the step function"""
    return plain(m, np.heaviside, input, values)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _unary(op, True) for name, op in _FLOATING.items()},
    **{name: _unary(op, False) for name, op in _KEEPING.items()},
    **{name: _binary(op, False) for name, op in _BINARY.items()},
    **{name: _binary(op, True) for name, op in _BINARY_FLOATING.items()},
    **{name: _comparison(function) for name, function in _COMPARING.items()},
    **{name: _question(function) for name, function in _ASKING.items()},
    "add": add, "sub": sub, "subtract": sub, "rsub": rsub, "div": div, "divide": div,
    "floor_divide": floor_divide, "pow": pow_, "float_power": float_power, "clamp": clamp,
    "clip": clamp, "clamp_min": clamp_min, "clamp_max": clamp_max, "round": round_, "frac": frac,
    "rad2deg": rad2deg, "logit": logit, "lerp": lerp, "addcmul": addcmul, "addcdiv": addcdiv,
    "where": where, "nan_to_num": nan_to_num, "isclose": isclose, "allclose": allclose,
    "equal": equal, "bitwise_and": bitwise(np.bitwise_and), "bitwise_or": bitwise(np.bitwise_or),
    "bitwise_xor": bitwise(np.bitwise_xor), "bitwise_not": bitwise_not, "heaviside": heaviside,
}  # fmt: skip
