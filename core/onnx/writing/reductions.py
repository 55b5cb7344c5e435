"""Reductions, running results, sorting, norms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.onnx.writing.emit import Emit, Inexpressible, Result, Rule

#: Running results without an operator take as many elements as the axis has, squared.
_LONGEST = 1024


def _axes(e: Emit) -> tuple[int, ...] | None:
    axis = e.params.get("axis")
    if axis is None:
        return None
    return tuple(axis) if isinstance(axis, tuple) else (int(axis),)


def _keep(e: Emit) -> bool:
    return bool(e.params["keepdims"])


def _reduction(op: str) -> Rule:
    def rule(e: Emit) -> Result:
        if not e.operand().ndim:  # ONNX reduces nothing without axes
            return e.reduced(op, e.reshaped(e.x(), (1,)), (0,))
        return e.reduced(op, e.x(), _axes(e), _keep(e))

    return rule


def _extreme(op: str) -> Rule:
    def rule(e: Emit) -> Result:
        if e.dtype.kind in "fu" or e.dtype.name in ("int32", "int64"):
            return e.reduced(op, e.x(), _axes(e), _keep(e))
        raise Inexpressible(f"ONNX takes no {op[6:].lower()} of {e.dtype}")

    return rule


def _count(e: Emit) -> int:
    """How many elements each result is made of."""
    shape, axes = e.operand().shape, _axes(e)
    return math.prod(shape if axes is None else [shape[k] for k in axes])


def _variance(e: Emit) -> str:
    x, axes = e.x(), _axes(e)
    off = e("Sub", x, e.reduced("ReduceMean", x, axes, True))
    total = e.reduced("ReduceSumSquare", off, axes, _keep(e))
    return e("Div", total, e.constant(_count(e) - e.params["ddof"]))


def _without_nan(e: Emit, mean: bool) -> Result:
    x, axes = e.x(), _axes(e)
    nan = e("IsNaN", x)
    total = e.reduced("ReduceSum", e("Where", nan, e.constant(0), x), axes, _keep(e))
    if not mean:
        return total
    there = e("Where", nan, e.constant(0), e.constant(1))
    return e("Div", total, e.reduced("ReduceSum", there, axes, _keep(e)))


# -- order ----------------------------------------------------------------------------------------


def _sorted(e: Emit, x: str, length: int, axis: int) -> str:
    return e.many("TopK", (x, e.ints(length)), 2, axis=axis, largest=0, sorted=1)[0]


def _rows(e: Emit) -> tuple[str, int]:
    """The operand with all reduced axes as one, the last; and its length."""
    x, shape, axes = e.x(), e.operand().shape, _axes(e)
    n = len(shape)
    over = tuple(range(n)) if axes is None else tuple(k % n for k in axes)
    rest = tuple(k for k in range(n) if k not in over)
    if (*rest, *over) != tuple(range(n)):
        x = e("Transpose", x, perm=(*rest, *over))
    length = math.prod(shape[k] for k in over)
    return e.reshaped(x, (*(shape[k] for k in rest), length)), length


def _at(e: Emit, row: str, place: float) -> str:
    """The value at a place of sorted rows, between two elements if it is between two."""
    low = math.floor(place)
    lower = e("Gather", row, e.constant(low, np.int64), axis=-1)
    if place == low:
        return lower
    upper = e("Gather", row, e.constant(low + 1, np.int64), axis=-1)
    step = e("Mul", e("Sub", upper, lower), e.constant(place - low))
    return e("Add", lower, step)


def _quantile(e: Emit) -> Result:
    if not isinstance(e.params.get("q", 0.5), int | float):
        raise Inexpressible("it asks for several quantiles")
    x, length = _rows(e)
    place = float(e.params.get("q", 0.5)) * (length - 1)
    return e.reshaped(_at(e, _sorted(e, x, length, -1), place), e.shape)


def _sort(e: Emit) -> Result:
    axis = e.params["axis"]
    if axis is None:
        flat = e("Reshape", e.x(), e.ints(-1))
        return _sorted(e, flat, e.operand().value.size, 0)
    return _sorted(e, e.x(), e.operand().shape[axis], axis)


def _topk(e: Emit) -> Result:
    k, axis = e.params["k"], e.params["axis"]
    largest = int(e.params["largest"])
    return e.many("TopK", (e.x(), e.ints(k)), 2, axis=axis, largest=largest, sorted=1)[0]


# -- running --------------------------------------------------------------------------------------


def _cumsum(e: Emit) -> Result:
    axis, x = e.params["axis"], e.x()
    if axis is None:
        x, axis = e("Reshape", x, e.ints(-1)), 0
    return e("CumSum", x, e.constant(axis, np.int64))


def _running(op: str, neutral: float) -> Rule:
    """A reduction over everything up to each element, which a triangle of truth values picks."""

    def rule(e: Emit) -> Result:
        axis, x, shape = e.params["axis"], e.x(), e.operand().shape
        if axis is None:
            x, axis, shape = e("Reshape", x, e.ints(-1)), 0, (math.prod(shape),)
        if not shape:
            return e("Identity", x)
        n, k = shape[axis], axis % len(shape)
        if n > _LONGEST:
            raise Inexpressible(f"its axis has {n} elements; up to {_LONGEST} can be written")
        triangle = np.tril(np.ones((n, n), bool)).reshape(n, n, *(1,) * (len(shape) - k - 1))
        wide = e("Unsqueeze", x, e.ints(k))
        seen = e("Where", e.constant(triangle, bool), wide, e.constant(neutral))
        return e.reduced(op, seen, (k + 1,))

    return rule


def _diff(e: Emit) -> Result:
    x, axis = e.x(), e.params["axis"]
    far = np.iinfo(np.int64).max
    for _ in range(e.params["n"]):
        after = e("Slice", x, e.ints(1), e.ints(far), e.ints(axis))
        before = e("Slice", x, e.ints(0), e.ints(-1), e.ints(axis))
        x = e("Sub", after, before)
    return x


# -- norms ----------------------------------------------------------------------------------------


def power_norm(e: Emit, x: str, p: float, axes: Sequence[int] | None, keep: bool) -> str:
    """The p-norm over some axes."""
    if p in (1, 2):
        return e.reduced(f"ReduceL{int(p)}", x, axes, keep)
    size = e("Abs", x)
    if math.isinf(p):
        return e.reduced("ReduceMax" if p > 0 else "ReduceMin", size, axes, keep)
    if p == 0:
        there = e("Where", e("Equal", x, e.constant(0)), e.constant(0), e.constant(1))
        return e.reduced("ReduceSum", there, axes, keep)
    total = e.reduced("ReduceSum", e("Pow", size, e.constant(p)), axes, keep)
    return e("Pow", total, e.constant(1 / p))


def _norm(e: Emit) -> Result:
    order, axes, keep = e.params["ord"], _axes(e), _keep(e)
    n = e.operand().ndim
    matrix = len(axes) == 2 if axes is not None else n == 2
    if order is None or (order == "fro" and matrix):
        return e.reduced("ReduceL2", e.x(), axes, keep)
    if matrix:
        return _matrix_norm(e, order, axes or (0, 1), keep)
    return power_norm(e, e.x(), float(order), axes, keep)


def _matrix_norm(e: Emit, order: Any, axes: tuple[int, ...], keep: bool) -> str:
    if isinstance(order, str) or abs(order) not in (1, math.inf):
        raise Inexpressible("a norm of singular values has no form in ONNX")
    n = e.operand().ndim
    rows, columns = (k % n for k in axes)
    along, across = (rows, columns) if abs(order) == 1 else (columns, rows)
    sums = e.reduced("ReduceL1", e.x(), (along,), True)
    y = e.reduced("ReduceMax" if order > 0 else "ReduceMin", sums, (across,), True)
    return y if keep else e("Squeeze", y, e.ints(rows, columns))


RULES: dict[str, Rule] = {
    "amax": _extreme("ReduceMax"),
    "amin": _extreme("ReduceMin"),
    "cummax": _running("ReduceMax", -np.inf),
    "cummin": _running("ReduceMin", np.inf),
    "cumprod": _running("ReduceProd", 1),
    "cumsum": _cumsum,
    "diff": _diff,
    "linalg.norm": _norm,
    "logcumsumexp": _running("ReduceLogSumExp", -np.inf),
    "logsumexp": _reduction("ReduceLogSumExp"),
    "max": _extreme("ReduceMax"),
    "mean": _reduction("ReduceMean"),
    "median": _quantile,
    "min": _extreme("ReduceMin"),
    "nanmean": lambda e: _without_nan(e, mean=True),
    "nansum": lambda e: _without_nan(e, mean=False),
    "prod": _reduction("ReduceProd"),
    "quantile": _quantile,
    "sort": _sort,
    "std": lambda e: e("Sqrt", _variance(e)),
    "sum": _reduction("ReduceSum"),
    "topk": _topk,
    "var": _variance,
}
