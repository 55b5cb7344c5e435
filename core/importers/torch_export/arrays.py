"""Torch's reductions and new tensors in our operations; comparisons of constants."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.building.refs import Ref, Untranslatable
from core.importers.torch_export.call import Call, Result, Translator, dtype_of, number

#: Elements of a tensor that a program fills.
_MOST_ELEMENTS = 10_000_000

# -- reductions -----------------------------------------------------------------------------------


def _reduction(name: str) -> Translator:
    def translate(call: Call) -> Result:
        x = call.x
        if call.get("dtype") is not None:
            x = call.cast(x, dtype_of(call["dtype"]))
        return call.op(name, x, axis=call.axis(), keepdims=bool(call.get("keepdim", False)))

    return translate


def _spread(name: str) -> Translator:
    """var and std: torch counts one less by default."""

    def translate(call: Call) -> Result:
        correction = call.get("correction", 1 if call.get("unbiased", True) else 0)
        return call.op(
            name,
            call.x,
            axis=call.axis(),
            keepdims=bool(call.get("keepdim", False)),
            ddof=1 if correction is None else int(correction),
        )

    return translate


def _vector_norm(call: Call) -> Result:
    return call.op(
        "linalg.norm",
        call.x,
        ord=float(call.get("ord", call.get("p", 2)) or 2),
        axis=call.axis(),
        keepdims=bool(call.get("keepdim", False)),
    )


def _along(name: str) -> Translator:
    return lambda call: call.op(name, call.x, axis=call["dim"])


# -- new tensors ----------------------------------------------------------------------------------


def _full(value: float | None) -> Translator:
    def translate(call: Call) -> Result:
        shape = tuple(number(n) for n in call["size"])
        if math.prod(shape) > _MOST_ELEMENTS:
            raise Untranslatable("it would be too large")
        fill = call["fill_value"] if value is None else value
        dtype = call.get("dtype")
        usual = np.float32 if isinstance(fill, float) else np.int64
        return call.constant(np.full(shape, fill, usual if dtype is None else dtype_of(dtype)))

    return translate


def _full_like(value: float | None) -> Translator:
    def translate(call: Call) -> Result:
        dtype, x = call.get("dtype"), call.x
        fill = call["fill_value"] if value is None else value
        kind = x.known_dtype if dtype is None else dtype_of(dtype)
        return call.constant(np.full(x.known_shape, fill, kind))

    return translate


def _arange(call: Call) -> Result:
    start, end, step = call.get("start", 0), call["end"], call.get("step", 1)
    if abs(end - start) > _MOST_ELEMENTS * abs(step):
        raise Untranslatable("it would be too long")
    dtype = call.get("dtype")
    whole = all(isinstance(n, int) for n in (start, end, step))
    usual = np.int64 if whole else np.float32
    values = np.arange(start, end, step)
    return call.constant(values.astype(usual if dtype is None else dtype_of(dtype)))


def _scalar(call: Call) -> Result:
    dtype = call.get("dtype")
    value = next(iter(call.arguments.values()))
    return call.constant(value, np.float32 if dtype is None else dtype_of(dtype))


def _folded(function: Callable[..., Any]) -> Translator:
    """A comparison: there is none here, but masks are mostly made of constants."""

    def translate(call: Call) -> Result:
        values = []
        for argument in call.arguments.values():
            if isinstance(argument, Ref) and (argument.value is None or not argument.constant):
                raise Untranslatable("there is no such operation here, and its inputs are data")
            values.append(argument.value if isinstance(argument, Ref) else argument)
        return call.constant(function(*values))

    return translate


TRANSLATORS: dict[str, Translator] = {
    **{
        theirs: _reduction(ours)
        for theirs, ours in {
            "amax": "amax", "amin": "amin", "logsumexp": "logsumexp", "max": "max", "mean": "mean",
            "min": "min", "nansum": "nansum", "prod": "prod", "sum": "sum",
        }.items()
    },
    **{
        theirs: _folded(function)
        for theirs, function in {
            "eq": np.equal, "ge": np.greater_equal, "gt": np.greater, "le": np.less_equal,
            "lt": np.less, "ne": np.not_equal, "logical_and": np.logical_and,
            "logical_not": np.logical_not, "logical_or": np.logical_or, "bitwise_not": np.invert,
        }.items()
    },
    **{name: _along(name) for name in ("cumsum", "cumprod", "logcumsumexp")},
    **dict.fromkeys(("_log_softmax", "log_softmax"), _along("log_softmax")),
    **dict.fromkeys(("_softmax", "softmax"), _along("softmax")),
    "arange": _arange,
    "full": _full(None),
    "full_like": _full_like(None),
    "linalg_vector_norm": _vector_norm,
    "norm": _vector_norm,
    "ones": _full(1.0),
    "ones_like": _full_like(1.0),
    "scalar_tensor": _scalar,
    "std": _spread("std"),
    "var": _spread("var"),
    "zeros": _full(0.0),
    "zeros_like": _full_like(0.0),
}  # fmt: skip
