"""Elements picked by indices, and put back by them."""

from __future__ import annotations

import math

import numpy as np

from core.onnx.records import Array
from core.onnx.writing.emit import Emit, Inexpressible, Result, Rule
from core.onnx.writing.shapes import FAR, numbered, picking


def _getitem(e: Emit) -> Result:
    index = e.params["index"]
    parts = index if isinstance(index, tuple) else (index,)
    shape = e.operand().shape
    plain = all(isinstance(part, slice) or type(part) is int for part in parts)
    if not plain or len(parts) > len(shape) or 0 in (*shape, *e.shape):
        return picking("getitem")(e)
    bounds, gone = [], []
    for axis, part in enumerate(parts):
        if isinstance(part, slice):
            start, stop, step = part.indices(shape[axis])
            if (start, stop, step) != (0, shape[axis], 1):
                bounds.append((start, stop if stop >= 0 else -FAR, axis, step))
        else:
            bounds.append((part % shape[axis], part % shape[axis] + 1, axis, 1))
            gone.append(axis)
    x = e.x()
    if bounds:
        x = e("Slice", x, *(e.ints(*column) for column in zip(*bounds, strict=True)))
    if gone:
        x = e("Squeeze", x, e.ints(*gone))
    return x


def _setitem(e: Emit) -> Result:
    places = np.asarray(numbered(e)[e.params["index"]])
    value = e("Expand", e.x(1), e.ints(*places.shape)) if places.shape else e.x(1)
    if value and len(e.operand(1).shape) > places.ndim:
        value = e.reshaped(e.x(1), places.shape)
    return _put(e, places.reshape(-1), e.reshaped(value, (places.size,)))


def _put(e: Emit, places: Array, values: str) -> str:
    """Values at numbered places of the flattened operand."""
    if not places.size:
        return e("Identity", e.x())
    flat = e("Reshape", e.x(), e.ints(-1))
    y = e("ScatterElements", flat, e.constant(places, np.int64), values, axis=0)
    return e.reshaped(y, e.shape)


def _take(e: Emit) -> Result:
    axis, x = e.params["axis"], e.x()
    if axis is None:
        x, axis = e("Reshape", x, e.ints(-1)), 0
    return e("Gather", x, e.indices(1), axis=axis)


def _along(e: Emit) -> tuple[str, str, int]:
    """An operand and indices with the same lengths but along the axis."""
    axis, x, shape = e.params["axis"], e.x(), e.operand().shape
    if axis is None:
        return e("Reshape", x, e.ints(-1)), e("Reshape", e.indices(1), e.ints(-1)), 0
    given = e.operand(1).shape
    k = axis % len(shape)
    rest = np.broadcast_shapes(_without(shape, k), _without(given, k))
    wide = (*rest[:k], shape[k], *rest[k:])
    narrow = (*rest[:k], given[k], *rest[k:])
    x = x if shape == wide else e("Expand", x, e.ints(*wide))
    indices = e.indices(1)
    return x, indices if given == narrow else e("Expand", indices, e.ints(*narrow)), k


def _without(shape: tuple[int, ...], k: int) -> tuple[int, ...]:
    return (*shape[:k], *shape[k + 1 :])


def _take_along_axis(e: Emit) -> Result:
    x, indices, axis = _along(e)
    return e("GatherElements", x, indices, axis=axis)


def _put_along_axis(e: Emit) -> Result:
    x, indices, axis = _along(e)
    shape = e.operand(1).shape
    if e.params["axis"] is None:
        shape = (math.prod(shape),)
    values = e("Expand", e.x(2), e.ints(*shape))
    y = e("ScatterElements", x, indices, values, axis=axis)
    return e.reshaped(y, e.shape) if e.params["axis"] is None else y


def _scatter_add(e: Emit) -> Result:
    axis = e.params["axis"]
    indices, source = e.operand(1), e.operand(2)
    values = e.x(2)
    if source.shape != indices.shape:
        if source.ndim != indices.ndim:
            raise Inexpressible("what it adds has other axes than its indices")
        cut = e.ints(*indices.shape)
        values = e("Slice", values, e.ints(*(0,) * indices.ndim), cut)
    return e("ScatterElements", e.x(), e.indices(1), values, axis=axis, reduction="add")


def _extract(e: Emit) -> Result:
    shape = np.broadcast_shapes(e.operand(0).shape, e.operand(1).shape)
    mask, x = (
        e("Reshape", e("Expand", name, e.ints(*shape)), e.ints(-1)) for name in (e.truth(0), e.x(1))
    )
    return e("Compress", x, mask, axis=0)


RULES: dict[str, Rule] = {
    "extract": _extract,
    "getitem": _getitem,
    "put_along_axis": _put_along_axis,
    "scatter_add": _scatter_add,
    "setitem": _setitem,
    "take": _take,
    "take_along_axis": _take_along_axis,
}
