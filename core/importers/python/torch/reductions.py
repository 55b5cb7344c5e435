"""torch's reductions and cumulative functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, need
from core.importers.python.torch.axes import axis_of, checked_axes
from core.importers.python.values import DType, Record
from core.tensor import Tensor

Axes = int | tuple[int, ...] | list[int] | None


def cast_first(m: Machine, x: Tensor, dtype: DType | None) -> Tensor:
    """In the dtype that was asked for, if one was."""
    return x if dtype is None else m.cast(x, dtype.numpy)


def needs_float(m: Machine, x: Tensor, name: str) -> Tensor:
    """The tensor itself; refused, as torch does, if it holds no floating or complex numbers."""
    if x.dtype.kind not in "fc":
        kind = {"b": "Bool", "i": "Long", "u": "Byte"}[x.dtype.kind]
        raise program_error(
            "RuntimeError",
            f"{name}(): could not infer output dtype. Input dtype must be either a floating point "
            f"or complex dtype. Got: {kind}",
        )
    return x


def sum_(
    m: Machine, input: Any, dim: Axes = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """the sum of all elements, or along axes"""
    x = cast_first(m, need(input, "sum"), dtype)
    if x.dtype.kind == "b":
        x = m.cast(x, np.int64)
    made: Tensor = m.op("sum", x, axis=checked_axes(x, dim), keepdims=bool(keepdim))
    return made


def mean(
    m: Machine, input: Any, dim: Axes = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """the mean"""
    x = needs_float(m, cast_first(m, need(input, "mean"), dtype), "mean")
    made: Tensor = m.op("mean", x, axis=checked_axes(x, dim), keepdims=bool(keepdim))
    return made


def prod(
    m: Machine, input: Any, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """the product"""
    x = cast_first(m, need(input, "prod"), dtype)
    made: Tensor = m.op("prod", x, axis=checked_axes(x, dim), keepdims=bool(keepdim))
    return made


def _spread(name: str) -> Callable[..., Tensor]:
    def function(
        m: Machine,
        input: Any,
        dim: Any = None,
        unbiased: Any = None,
        keepdim: bool = False,
        *,
        correction: Any = None,
    ) -> Tensor:
        x = needs_float(m, need(input, name), name)
        if isinstance(dim, bool):  # std(x, unbiased)
            dim, unbiased = None, dim
        ddof = 1 if correction is None else correction
        if unbiased is not None:
            ddof = int(unbiased)
        axis = checked_axes(x, dim)
        made: Tensor = m.op(name, x, axis=axis, keepdims=bool(keepdim), ddof=int(ddof))
        return made

    return function


var, std = _spread("var"), _spread("std")


def _simple(op: str) -> Callable[..., Tensor]:
    def function(m: Machine, input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
        x = need(input, op)
        if op in ("logsumexp",) and x.dtype.kind not in "fc":
            x = m.cast(x, m.default)
        made: Tensor = m.op(op, x, axis=checked_axes(x, dim), keepdims=bool(keepdim))
        return made

    return function


def _extreme(name: str) -> Callable[..., Any]:
    """max and min: of all, along an axis with the indices, or of two tensors."""
    pick = np.argmax if name == "max" else np.argmin

    def function(m: Machine, input: Any, dim: Any = None, keepdim: bool = False) -> Any:
        x = need(input, name)
        if isinstance(dim, Tensor):
            return m.pointwise(f"{name}imum", x, dim)
        if dim is None:
            if not x._data.size:
                raise program_error(
                    "RuntimeError",
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                    "Specify the reduction dim with the 'dim' argument.",
                )
            return m.op(name, x)
        axis = checked_axes(x, dim)
        indices = np.asarray(pick(x.data, axis=axis))
        values = m.op(name, x, axis=axis, keepdims=bool(keepdim))
        if keepdim and axis is not None:
            indices = np.expand_dims(indices, axis)
        return Record(name, {"values": values, "indices": m.constant(indices)})

    return function


max_, min_ = _extreme("max"), _extreme("min")


def _arg(function: Callable[..., Any]) -> Callable[..., Tensor]:
    def apply(m: Machine, input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
        x = need(input, "argmax")
        axis = None if dim is None else checked_axes(x, dim)
        found = np.asarray(function(x.data, axis=axis))
        if keepdim and axis is not None:
            found = np.expand_dims(found, axis)
        return m.constant(found)

    return apply


def _truth(function: Callable[..., Any]) -> Callable[..., Tensor]:
    def apply(m: Machine, input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
        x = need(input, "all")
        return m.constant(np.asarray(function(x.data, axis=checked_axes(x, dim), keepdims=keepdim)))

    return apply


def count_nonzero(m: Machine, input: Any, dim: Any = None) -> Tensor:
    """how many are not 0"""
    x = need(input, "count_nonzero")
    return m.constant(np.asarray(np.count_nonzero(x.data, axis=checked_axes(x, dim))))


def quantile(
    m: Machine, input: Any, q: Any, dim: Any = None, keepdim: bool = False, **_: Any
) -> Tensor:
    """a quantile, interpolated"""
    x = need(input, "quantile")
    q = float(q.item()) if isinstance(q, Tensor) else float(q)
    made: Tensor = m.op("quantile", x, q=q, axis=checked_axes(x, dim), keepdims=bool(keepdim))
    return made


def _cumulative(op: str) -> Callable[..., Tensor]:
    def function(m: Machine, input: Any, dim: int, *, dtype: DType | None = None) -> Tensor:
        x = cast_first(m, need(input, op), dtype)
        made: Tensor = m.op(op, x, axis=axis_of(x, dim)) if x.ndim else x
        return made

    return function


def _running(op: str) -> Callable[..., Record]:
    best = np.maximum if op == "cummax" else np.minimum

    def function(m: Machine, input: Any, dim: int) -> Record:
        x = need(input, op)
        axis = axis_of(x, dim)
        values = m.op(op, x, axis=axis)
        place = np.arange(x.shape[axis]).reshape(
            [-1 if k == axis % x.ndim else 1 for k in range(x.ndim)]
        )
        hits = np.where(x.data == best.accumulate(x.data, axis=axis), place, 0)
        return Record(
            op,
            {"values": values, "indices": m.constant(np.maximum.accumulate(hits, axis=axis))},
        )

    return function


def diff(m: Machine, input: Any, n: int = 1, dim: int = -1) -> Tensor:
    """differences of neighbours"""
    made: Tensor = m.op("diff", need(input, "diff"), n=int(n), axis=int(dim))
    return made


def both(name: str) -> Callable[..., Any]:
    """std_mean and var_mean."""

    def function(m: Machine, input: Any, dim: Any = None, *args: Any, **kwargs: Any) -> Any:
        spread = var if name == "var" else std
        keepdim = bool(kwargs.get("keepdim", False))
        return spread(m, input, dim, *args, **kwargs), mean(m, input, dim, keepdim)

    return function


def aminmax(m: Machine, input: Any, *, dim: Any = None, keepdim: bool = False) -> Record:
    """the least and the greatest"""
    low, high = FUNCTIONS["amin"], FUNCTIONS["amax"]
    return Record(
        "aminmax", {"min": low(m, input, dim, keepdim), "max": high(m, input, dim, keepdim)}
    )


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sum": sum_, "mean": mean, "prod": prod, "var": var, "std": std, "var_mean": both("var"),
    "std_mean": both("std"), "max": max_, "min": min_, "quantile": quantile, "diff": diff,
    "count_nonzero": count_nonzero, "aminmax": aminmax, "argmax": _arg(np.argmax),
    "argmin": _arg(np.argmin), "all": _truth(np.all), "any": _truth(np.any),
    **{op: _simple(op) for op in ("amax", "amin", "logsumexp", "nansum", "nanmean")},
    **{op: _cumulative(op) for op in ("cumsum", "cumprod", "logcumsumexp")},
    **{op: _running(op) for op in ("cummax", "cummin")},
}  # fmt: skip
