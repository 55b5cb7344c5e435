"""Shapes, joining, picking by indices.

What picks elements in a fixed way (a diagonal, any index) can always be written as a Gather of
the flattened value; where ONNX has an operator of its own for the purpose, that is written.
"""

from __future__ import annotations

import math

import numpy as np

from core import ops
from core.onnx.records import Array
from core.onnx.writing.emit import Emit, Inexpressible, Result, Rule

_FAR = int(np.iinfo(np.int64).max)


def _numbered(e: Emit) -> Array:
    """The operand's elements numbered, in its shape."""
    return np.arange(e.operand().value.size).reshape(e.operand().shape)


def _picking(name: str) -> Rule:
    """An operation that only picks elements: the same of their numbers says which."""

    def rule(e: Emit) -> Result:
        places = np.asarray(ops.find(name).forward(_numbered(e), **e.params))
        return e.picked(e.x(), places)

    return rule


def _to_shape(e: Emit) -> Result:
    shape = e.params.get("shape", (-1,))
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    shape = e.shape if 0 in (*shape, *e.operand().shape) else shape
    return e.reshaped(e.x(), shape)


def _permuted(name: str) -> Rule:
    def rule(e: Emit) -> Result:
        marked = np.empty(range(1, e.operand().ndim + 1), bool)  # axis k has length k + 1
        turned = np.asarray(ops.find(name).forward(marked, **e.params))
        return e("Transpose", e.x(), perm=tuple(n - 1 for n in turned.shape))

    return rule


def _expand_dims(e: Emit) -> Result:
    axis = e.params["axis"]
    return e("Unsqueeze", e.x(), e.ints(*(axis if isinstance(axis, tuple) else (axis,))))


def _squeeze(e: Emit) -> Result:
    axis = e.params["axis"]
    if axis is None:
        return e.reshaped(e.x(), e.shape)
    if axis == ():
        return e("Identity", e.x())
    return e("Squeeze", e.x(), e.ints(*(axis if isinstance(axis, tuple) else (axis,))))


def _concatenate(e: Emit) -> Result:
    axis = e.params["axis"]
    if axis is None:
        return e("Concat", *(e("Reshape", x, e.ints(-1)) for x in e.every()), axis=0)
    return e("Concat", *e.every(), axis=axis)


def _stack(e: Emit) -> Result:
    axis = e.params["axis"] % len(e.shape)
    return e("Concat", *(e("Unsqueeze", x, e.ints(axis)) for x in e.every()), axis=axis)


def _split(e: Emit) -> Result:
    axis = e.params["axis"]
    lengths = e.ints(*(y.shape[axis] for y in e.values))
    return e.many("Split", (e.x(), lengths), len(e.values), axis=axis)


def _unstack(e: Emit) -> Result:
    axis = e.params["axis"]
    lengths = e.ints(*(1,) * len(e.values))
    parts = e.many("Split", (e.x(), lengths), len(e.values), axis=axis)
    return tuple(e("Squeeze", part, e.ints(axis)) for part in parts)


def _tile(e: Emit) -> Result:
    reps = e.params["reps"]
    reps = (reps,) if isinstance(reps, int) else tuple(reps)
    shape = e.operand().shape
    n = max(len(reps), len(shape))
    x = e.x()
    if n > len(shape):
        x = e.reshaped(x, (1,) * (n - len(shape)) + shape)
    return e("Tile", x, e.ints(*(1,) * (n - len(reps)), *reps))


def _flip(e: Emit) -> Result:
    axis, n = e.params["axis"], e.operand().ndim
    axes = range(n) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    count = len(tuple(axes))
    if not count:
        return e("Identity", e.x())
    back = e.ints(*(-1,) * count)
    ends = e.ints(*(-_FAR,) * count)
    return e("Slice", e.x(), back, ends, e.ints(*axes), back)


def _pad(e: Emit) -> Result:
    n = e.operand().ndim
    width = np.broadcast_to(np.asarray(e.params["pad_width"]), (n, 2))
    if e.params["mode"] == "constant":
        value = e.constant(e.params["constant_values"])
        return e("Pad", e.x(), e.ints(*width[:, 0].tolist(), *width[:, 1].tolist()), value)
    x = e.x()
    for axis, (before, after) in enumerate(width.tolist()):
        if before or after:
            row = np.pad(np.arange(e.operand().shape[axis]), (before, after), e.params["mode"])
            x = e("Gather", x, e.constant(row, np.int64), axis=axis)
    return x


def _triangle(upper: int) -> Rule:
    return lambda e: e("Trilu", e.x(), e.constant(e.params["k"], np.int64), upper=upper)


def _diag(e: Emit) -> Result:
    if e.operand().ndim == 2:
        return _picking("diag")(e)
    n, k = e.operand().shape[0], e.params["k"]
    rows = np.arange(n) + max(-k, 0)
    places = np.stack([rows, rows + k], axis=1)
    return e("ScatterND", e.constant(np.zeros(e.shape)), e.constant(places, np.int64), e.x())


def _trace(e: Emit) -> Result:
    picked = np.diagonal(_numbered(e), e.params["offset"], e.params["axis1"], e.params["axis2"])
    return e.reduced("ReduceSum", e.picked(e.x(), picked), (-1,))


# -- picking --------------------------------------------------------------------------------------


def _getitem(e: Emit) -> Result:
    index = e.params["index"]
    parts = index if isinstance(index, tuple) else (index,)
    shape = e.operand().shape
    plain = all(isinstance(part, slice) or type(part) is int for part in parts)
    if not plain or len(parts) > len(shape) or 0 in (*shape, *e.shape):
        return _picking("getitem")(e)
    bounds, gone = [], []
    for axis, part in enumerate(parts):
        if isinstance(part, slice):
            start, stop, step = part.indices(shape[axis])
            if (start, stop, step) != (0, shape[axis], 1):
                bounds.append((start, stop if stop >= 0 else -_FAR, axis, step))
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
    places = np.asarray(_numbered(e)[e.params["index"]])
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
    "broadcast_to": lambda e: e("Expand", e.x(), e.ints(*e.shape)),
    "concatenate": _concatenate,
    "diag": _diag,
    "diagonal": _picking("diagonal"),
    "expand_dims": _expand_dims,
    "extract": _extract,
    "flip": _flip,
    "getitem": _getitem,
    "moveaxis": _permuted("moveaxis"),
    "pad": _pad,
    "put_along_axis": _put_along_axis,
    "ravel": _to_shape,
    "repeat": _picking("repeat"),
    "reshape": _to_shape,
    "roll": _picking("roll"),
    "rot90": _picking("rot90"),
    "scatter_add": _scatter_add,
    "setitem": _setitem,
    "split": _split,
    "squeeze": _squeeze,
    "stack": _stack,
    "swapaxes": _permuted("swapaxes"),
    "take": _take,
    "take_along_axis": _take_along_axis,
    "tile": _tile,
    "trace": _trace,
    "transpose": _permuted("transpose"),
    "tril": _triangle(0),
    "triu": _triangle(1),
    "unstack": _unstack,
}
