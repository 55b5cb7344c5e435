"""Shapes, joining, padding.

What picks elements in a fixed way (a diagonal, any index) can always be written as a Gather of
the flattened value; where ONNX has an operator of its own for the purpose, that is written.
"""

from __future__ import annotations

import numpy as np

from core import ops
from core.onnx.records import Array
from core.onnx.writing.emit import Emit, Result, Rule

FAR = int(np.iinfo(np.int64).max)


def numbered(e: Emit) -> Array:
    """The operand's elements numbered, in its shape."""
    return np.arange(e.operand().value.size).reshape(e.operand().shape)


def picking(name: str) -> Rule:
    """An operation that only picks elements: the same of their numbers says which."""

    def rule(e: Emit) -> Result:
        places = np.asarray(ops.find(name).forward(numbered(e), **e.params))
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
    ends = e.ints(*(-FAR,) * count)
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
        return picking("diag")(e)
    n, k = e.operand().shape[0], e.params["k"]
    rows = np.arange(n) + max(-k, 0)
    places = np.stack([rows, rows + k], axis=1)
    return e("ScatterND", e.constant(np.zeros(e.shape)), e.constant(places, np.int64), e.x())


def _trace(e: Emit) -> Result:
    picked = np.diagonal(numbered(e), e.params["offset"], e.params["axis1"], e.params["axis2"])
    return e.reduced("ReduceSum", e.picked(e.x(), picked), (-1,))


RULES: dict[str, Rule] = {
    "broadcast_to": lambda e: e("Expand", e.x(), e.ints(*e.shape)),
    "concatenate": _concatenate,
    "diag": _diag,
    "diagonal": picking("diagonal"),
    "expand_dims": _expand_dims,
    "flip": _flip,
    "moveaxis": _permuted("moveaxis"),
    "pad": _pad,
    "ravel": _to_shape,
    "repeat": picking("repeat"),
    "reshape": _to_shape,
    "roll": picking("roll"),
    "rot90": picking("rot90"),
    "split": _split,
    "squeeze": _squeeze,
    "stack": _stack,
    "swapaxes": _permuted("swapaxes"),
    "tile": _tile,
    "trace": _trace,
    "transpose": _permuted("transpose"),
    "tril": _triangle(0),
    "triu": _triangle(1),
    "unstack": _unstack,
}
