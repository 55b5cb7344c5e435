"""torch's functions that put elements in order, or choose by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.python.costs import SORTING
from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, need
from core.importers.python.torch.axes import axis_of
from core.importers.python.torch.pointwise import plain
from core.importers.python.values import Record
from core.tensor import Tensor, make_tensor


def _sorted_places(m: Machine, x: Tensor, axis: int) -> np.ndarray[Any, Any]:
    """Where the elements in order are; equal ones stay as they stand."""
    m.budget.work(SORTING * x._data.size)
    return np.argsort(x.data, axis=axis, kind="stable")


def sort(
    m: Machine, input: Any, dim: int = -1, descending: bool = False, *, stable: bool = False
) -> Record:
    """the elements in order, and where they were"""
    x = need(input, "sort")
    if not x.ndim:
        return Record("sort", {"values": x, "indices": m.constant(np.int64(0))})
    indices = argsort(m, x, dim, descending)
    values = m.op("take_along_axis", x, indices, axis=axis_of(x, dim))
    return Record("sort", {"values": values, "indices": indices})


def argsort(
    m: Machine, input: Any, dim: int = -1, descending: bool = False, *, stable: bool = False
) -> Tensor:
    """where the elements in order are"""
    x = need(input, "argsort")
    axis = axis_of(x, dim)
    if not descending:
        return m.constant(_sorted_places(m, x, axis))
    turned = _sorted_places(m, make_tensor(np.flip(x.data, axis)), axis)
    return m.constant(np.flip(x.shape[axis] - 1 - turned, axis).copy())


def topk(
    m: Machine, input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> Record:
    """the k largest or smallest"""
    x = need(input, "topk")
    axis = axis_of(x, dim)
    order = argsort(m, x, axis, bool(largest))
    if k > x.shape[axis]:
        raise program_error("RuntimeError", "selected index k out of range")
    indices = m.constant(np.take(order.data, range(k), axis=axis))
    values = m.op("take_along_axis", x, indices, axis=axis)
    return Record("topk", {"values": values, "indices": indices})


def _kth(m: Machine, x: Tensor, k: int, axis: int, keepdim: bool, name: str) -> Record:
    order = _sorted_places(m, x, axis)
    indices = np.expand_dims(np.take(order, k, axis=axis), axis)
    values = m.op("take_along_axis", x, m.constant(indices), axis=axis)
    if not keepdim:
        values = m.op("squeeze", values, axis=axis)
        indices = np.squeeze(indices, axis)
    return Record(name, {"values": values, "indices": m.constant(indices)})


def median(m: Machine, input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """the lower of the two middle elements (NumPy's is their mean)"""
    x = need(input, "median")
    if dim is None:
        flat = m.op("reshape", x, shape=(-1,))
        place = int(_sorted_places(m, flat, 0)[(flat.data.size - 1) // 2])
        return m.op("getitem", flat, index=(place,))
    return _kth(m, x, (x.shape[axis_of(x, dim)] - 1) // 2, axis_of(x, dim), keepdim, "median")


def kthvalue(m: Machine, input: Any, k: int, dim: int = -1, keepdim: bool = False) -> Record:
    """the k-th smallest along an axis"""
    x = need(input, "kthvalue")
    return _kth(m, x, k - 1, axis_of(x, dim), keepdim, "kthvalue")


def unique(m: Machine, input: Any, **_: Any) -> Tensor:
    """each element once, in order"""
    m.budget.work(SORTING * need(input, "unique")._data.size)
    return plain(m, np.unique, input)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sort": sort, "argsort": argsort, "topk": topk, "median": median, "kthvalue": kthvalue,
    "unique": unique,
}  # fmt: skip
