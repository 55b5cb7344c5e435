"""Elementwise operations and activations in PyTorch."""

from __future__ import annotations

from core.export.literals import number
from core.export.outline import Operand, Step
from core.export.spelling import Spelling, call, infix, text

#: Called the same in torch, or nearly.
_NAMES = {
    "negative": "neg", "absolute": "abs", "rint": "round", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "gammaln": "lgamma", "copy": "clone",
    **{name: name for name in (
        "reciprocal", "square", "sqrt", "rsqrt", "hypot", "floor", "ceil", "trunc", "remainder",
        "fmod", "maximum", "minimum", "fmax", "fmin", "copysign", "exp", "exp2", "expm1", "log",
        "log2", "log10", "log1p", "logaddexp", "logaddexp2", "xlogy", "sin", "cos", "tan", "sinh",
        "cosh", "tanh", "sinc", "deg2rad", "erf", "erfc", "erfinv", "digamma", "sigmoid",
        "relu", "lerp",
    )},
}  # fmt: skip


def _sign(step: Step) -> str:
    """torch has another name for complex signs."""
    (x,) = step.given
    return f"torch.sgn({x.text})" if x.dtype.kind == "c" else f"torch.sign({x.text})"


def _clip(step: Step) -> str:
    """torch refuses a clamp without bounds."""
    (x,) = step.given
    bounds = [f"{k}={number(step.params[k])}" for k in ("min", "max") if step.params[k] is not None]
    return f"torch.clamp({', '.join([x.text, *bounds])})" if bounds else f"{x.text}.clone()"


def _of_complex(function: str) -> Spelling:
    """real and conj give real tensors back as they are; a copy is a tensor of its own."""

    def spelled(step: Step) -> str:
        (x,) = step.given
        return f"{function}({x.text})" if x.dtype.kind == "c" else f"{x.text}.clone()"

    return spelled


def _imag(step: Step) -> str:
    (x,) = step.given
    return f"torch.imag({x.text})" if x.dtype.kind == "c" else f"{x.text} * 0"


def _prelu(step: Step) -> str:
    """F.prelu wants the channels on axis 1 of at least two axes, or one slope."""
    x, weight = step.given
    if weight.ndim and (weight.value.size == 1 or x.ndim > 1):
        return f"F.prelu({x.text}, {weight.text})"
    return f"torch.where({x.text} >= 0, {x.text}, {weight.text} * {x.text})"


def mask(x: Operand) -> str:
    """A condition: torch takes masks of truth values only."""
    return x.text if x.dtype.kind == "b" else f"({x.text} != 0)"


def _where(step: Step) -> str:
    condition, a, b = step.given
    return f"torch.where({mask(condition)}, {a.text}, {b.text})"


def _masked_fill(step: Step) -> str:
    x, where = step.given
    return f"torch.masked_fill({x.text}, {mask(where)}, {number(step.params['value'])})"


def _dropout(step: Step) -> str:
    """The mask is given, so F.dropout, which draws its own, cannot say it."""
    x, kept = step.given
    return f"torch.where({mask(kept)}, {x.text} / (1 - {number(step.params['p'])}), 0.0)"


TABLE: dict[str, Spelling] = {
    "add": infix("+"), "subtract": infix("-"), "multiply": infix("*"), "divide": infix("/"),
    "power": infix("**"),
    **{op: call(f"torch.{name}") for op, name in _NAMES.items()},
    "sign": _sign, "clip": _clip, "real": _of_complex("torch.real"),
    "conj": _of_complex("torch.conj"), "imag": _imag, "angle": call("torch.angle"),
    "logit": call("torch.logit", "eps"),
    "nan_to_num": call("torch.nan_to_num", "nan", "posinf", "neginf"),
    "where": _where, "masked_fill": _masked_fill, "dropout": _dropout,
    "logsigmoid": call("F.logsigmoid"), "softplus": call("F.softplus", "beta", "threshold"),
    "silu": call("F.silu"), "mish": call("F.mish"), "gelu": call("F.gelu", "approximate"),
    "softsign": call("F.softsign"), "glu": call("F.glu", "axis:dim"),
    "softmax": call("torch.softmax", "axis:dim!"),
    "log_softmax": call("torch.log_softmax", "axis:dim!"), "relu6": call("F.relu6"),
    "leaky_relu": call("F.leaky_relu", "negative_slope"), "prelu": _prelu,
    "elu": call("F.elu", "alpha"), "selu": call("F.selu"), "celu": call("F.celu", "alpha"),
    "hardtanh": call("F.hardtanh", "min_val", "max_val"), "hardsigmoid": call("F.hardsigmoid"),
    "hardswish": call("F.hardswish"), "softshrink": call("F.softshrink", "lambd"),
    "hardshrink": call("F.hardshrink", "lambd"),
    "threshold": text("F.threshold({x}, {threshold}, {value})"),
}  # fmt: skip
