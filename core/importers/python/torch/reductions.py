"""torch's reductions, cumulative functions and sorting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.python.costs import SORTING
from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, need
from core.importers.python.torch.pointwise import FUNCTIONS as _POINTWISE
from core.importers.python.torch.pointwise import plain
from core.importers.python.values import DType, Record
from core.tensor import Tensor, make_tensor

Axes = int | tuple[int, ...] | list[int] | None


def _axes(dim: Any) -> Any:
    """() means all axes in torch."""
    if isinstance(dim, list | tuple):
        return tuple(dim) or None
    return dim


def _axis(x: Tensor, dim: Any) -> int:
    """One axis, checked as torch checks it."""
    n = max(x.ndim, 1)
    place = int(dim)
    if not -n <= place < n:
        raise program_error(
            "IndexError",
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {place})",
        )
    return place


def _checked(x: Tensor, dim: Any) -> Any:
    dim = _axes(dim)
    if dim is None or x.ndim == 0:
        return None
    return tuple(_axis(x, d) for d in dim) if isinstance(dim, tuple) else _axis(x, dim)


def _cast_first(m: Machine, x: Tensor, dtype: DType | None) -> Tensor:
    return x if dtype is None else m.cast(x, dtype.numpy)


def _needs_float(m: Machine, x: Tensor, name: str) -> Tensor:
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
    x = _cast_first(m, need(input, "sum"), dtype)
    if x.dtype.kind == "b":
        x = m.cast(x, np.int64)
    made: Tensor = m.op("sum", x, axis=_checked(x, dim), keepdims=bool(keepdim))
    return made


def mean(
    m: Machine, input: Any, dim: Axes = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """the mean"""
    x = _needs_float(m, _cast_first(m, need(input, "mean"), dtype), "mean")
    made: Tensor = m.op("mean", x, axis=_checked(x, dim), keepdims=bool(keepdim))
    return made


def prod(
    m: Machine, input: Any, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """the product"""
    x = _cast_first(m, need(input, "prod"), dtype)
    made: Tensor = m.op("prod", x, axis=_checked(x, dim), keepdims=bool(keepdim))
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
        x = _needs_float(m, need(input, name), name)
        if isinstance(dim, bool):  # std(x, unbiased)
            dim, unbiased = None, dim
        ddof = 1 if correction is None else correction
        if unbiased is not None:
            ddof = int(unbiased)
        axis = _checked(x, dim)
        made: Tensor = m.op(name, x, axis=axis, keepdims=bool(keepdim), ddof=int(ddof))
        return made

    return function


var, std = _spread("var"), _spread("std")


def _simple(op: str) -> Callable[..., Tensor]:
    def function(m: Machine, input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
        x = need(input, op)
        if op in ("logsumexp",) and x.dtype.kind not in "fc":
            x = m.cast(x, m.default)
        made: Tensor = m.op(op, x, axis=_checked(x, dim), keepdims=bool(keepdim))
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
        axis = _checked(x, dim)
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
        axis = None if dim is None else _checked(x, dim)
        found = np.asarray(function(x.data, axis=axis))
        if keepdim and axis is not None:
            found = np.expand_dims(found, axis)
        return m.constant(found)

    return apply


def _truth(function: Callable[..., Any]) -> Callable[..., Tensor]:
    def apply(m: Machine, input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
        x = need(input, "all")
        return m.constant(np.asarray(function(x.data, axis=_checked(x, dim), keepdims=keepdim)))

    return apply


def count_nonzero(m: Machine, input: Any, dim: Any = None) -> Tensor:
    """how many are not 0"""
    x = need(input, "count_nonzero")
    return m.constant(np.asarray(np.count_nonzero(x.data, axis=_checked(x, dim))))


def median(m: Machine, input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """the lower of the two middle elements (NumPy's is their mean)"""
    x = need(input, "median")
    if dim is None:
        flat = m.op("reshape", x, shape=(-1,))
        place = int(_sorted_places(m, flat, 0)[(flat.data.size - 1) // 2])
        return m.op("getitem", flat, index=(place,))
    return _kth(m, x, (x.shape[_axis(x, dim)] - 1) // 2, _axis(x, dim), keepdim, "median")


def kthvalue(m: Machine, input: Any, k: int, dim: int = -1, keepdim: bool = False) -> Record:
    """the k-th smallest along an axis"""
    x = need(input, "kthvalue")
    return _kth(m, x, k - 1, _axis(x, dim), keepdim, "kthvalue")


def _sorted_places(m: Machine, x: Tensor, axis: int) -> np.ndarray[Any, Any]:
    """Where the elements in order are; equal ones stay as they stand."""
    m.budget.work(SORTING * x._data.size)
    return np.argsort(x.data, axis=axis, kind="stable")


def _kth(m: Machine, x: Tensor, k: int, axis: int, keepdim: bool, name: str) -> Record:
    order = _sorted_places(m, x, axis)
    indices = np.expand_dims(np.take(order, k, axis=axis), axis)
    values = m.op("take_along_axis", x, m.constant(indices), axis=axis)
    if not keepdim:
        values = m.op("squeeze", values, axis=axis)
        indices = np.squeeze(indices, axis)
    return Record(name, {"values": values, "indices": m.constant(indices)})


def quantile(
    m: Machine, input: Any, q: Any, dim: Any = None, keepdim: bool = False, **_: Any
) -> Tensor:
    """a quantile, interpolated"""
    x = need(input, "quantile")
    q = float(q.item()) if isinstance(q, Tensor) else float(q)
    made: Tensor = m.op("quantile", x, q=q, axis=_checked(x, dim), keepdims=bool(keepdim))
    return made


def _cumulative(op: str) -> Callable[..., Tensor]:
    def function(m: Machine, input: Any, dim: int, *, dtype: DType | None = None) -> Tensor:
        x = _cast_first(m, need(input, op), dtype)
        made: Tensor = m.op(op, x, axis=_axis(x, dim)) if x.ndim else x
        return made

    return function


def _running(op: str) -> Callable[..., Record]:
    best = np.maximum if op == "cummax" else np.minimum

    def function(m: Machine, input: Any, dim: int) -> Record:
        x = need(input, op)
        axis = _axis(x, dim)
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


def sort(
    m: Machine, input: Any, dim: int = -1, descending: bool = False, *, stable: bool = False
) -> Record:
    """the elements in order, and where they were"""
    x = need(input, "sort")
    if not x.ndim:
        return Record("sort", {"values": x, "indices": m.constant(np.int64(0))})
    indices = argsort(m, x, dim, descending)
    values = m.op("take_along_axis", x, indices, axis=_axis(x, dim))
    return Record("sort", {"values": values, "indices": indices})


def argsort(
    m: Machine, input: Any, dim: int = -1, descending: bool = False, *, stable: bool = False
) -> Tensor:
    """where the elements in order are"""
    x = need(input, "argsort")
    axis = _axis(x, dim)
    if not descending:
        return m.constant(_sorted_places(m, x, axis))
    turned = _sorted_places(m, make_tensor(np.flip(x.data, axis)), axis)
    return m.constant(np.flip(x.shape[axis] - 1 - turned, axis).copy())


def topk(
    m: Machine, input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> Record:
    """the k largest or smallest"""
    x = need(input, "topk")
    axis = _axis(x, dim)
    order = argsort(m, x, axis, bool(largest))
    if k > x.shape[axis]:
        raise program_error("RuntimeError", "selected index k out of range")
    indices = m.constant(np.take(order.data, range(k), axis=axis))
    values = m.op("take_along_axis", x, indices, axis=axis)
    return Record("topk", {"values": values, "indices": indices})


def norm(
    m: Machine, input: Any, p: Any = None, dim: Any = None, keepdim: bool = False,
    dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    """the norm; of a matrix without axes its elements' norm"""
    x = _cast_first(m, need(input, "norm"), dtype)
    axis = _checked(x, dim)
    if p == "nuc":
        made: Tensor = m.op("linalg.norm", x, ord="nuc", axis=axis, keepdims=bool(keepdim))
        return made
    order = 2.0 if p in (None, "fro") else p
    return vector_norm(m, x, order, axis, keepdim)


def vector_norm(
    m: Machine, input: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False,
    *, dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    """the norm of all elements in a row, or along axes"""
    x = _needs_float(m, _cast_first(m, need(input, "norm"), dtype), "linalg.vector_norm")
    axis = _checked(x, dim)
    order = float(ord)
    if axis is None or isinstance(axis, tuple):
        kept = sorted(range(x.ndim) if axis is None else (a % x.ndim for a in axis))
        rest = [k for k in range(x.ndim) if k not in kept]
        shape = [x.shape[k] for k in rest]
        if len(kept) != 1 or axis is None:
            y = x
            if rest and kept:
                y = m.op("transpose", x, axes=(*rest, *kept))
            y = m.op("reshape", y, shape=(*shape, int(np.prod([x.shape[k] for k in kept]))))
            y = m.op("linalg.norm", y, ord=_order(order), axis=-1)
            if keepdim:
                full = tuple(1 if k in kept else x.shape[k] for k in range(x.ndim))
                y = m.op("reshape", y, shape=full)
            return y  # type: ignore[no-any-return]
        axis = kept[0]
    made: Tensor = m.op("linalg.norm", x, ord=_order(order), axis=axis, keepdims=bool(keepdim))
    return made


def _order(order: float) -> Any:
    if order == 2:
        return None
    return int(order) if order.is_integer() else order


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


def dist(m: Machine, input: Any, other: Any, p: float = 2) -> Tensor:
    """the norm of the difference"""
    return norm(m, _POINTWISE["sub"](m, input, other), p)


def unique(m: Machine, input: Any, **_: Any) -> Tensor:
    """each element once, in order"""
    m.budget.work(SORTING * need(input, "unique")._data.size)
    return plain(m, np.unique, input)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sum": sum_, "mean": mean, "prod": prod, "var": var, "std": std, "var_mean": both("var"),
    "std_mean": both("std"), "max": max_, "min": min_, "median": median, "kthvalue": kthvalue,
    "quantile": quantile, "norm": norm, "dist": dist, "diff": diff, "sort": sort,
    "argsort": argsort, "topk": topk, "count_nonzero": count_nonzero, "aminmax": aminmax,
    "unique": unique, "argmax": _arg(np.argmax), "argmin": _arg(np.argmin), "all": _truth(np.all),
    "any": _truth(np.any),
    **{op: _simple(op) for op in ("amax", "amin", "logsumexp", "nansum", "nanmean")},
    **{op: _cumulative(op) for op in ("cumsum", "cumprod", "logcumsumexp")},
    **{op: _running(op) for op in ("cummax", "cummin")},
}  # fmt: skip
