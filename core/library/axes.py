"""Reading an ``axis`` parameter, and undoing what a reduction did to the shape.

Shapes are those the user sees: rules pass the saved shape of the input, never ``g.shape``, so that
they also hold on arrays with a hidden batch axis and on Tensors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.errors import OperandError
from core.library.spec import Array

Axis = int | Sequence[int] | None


def as_axes(axis: Axis) -> int | tuple[int, ...] | None:
    """``axis`` as NumPy takes it: a list becomes a tuple."""
    return axis if axis is None or isinstance(axis, int | np.integer) else tuple(axis)


def axes_of(axis: Axis, ndim: int) -> tuple[int, ...]:
    """The axes meant by ``axis``, counted from 0; None means all."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(a % ndim for a in as_tuple(axis))


def extent(shape: Sequence[int], axis: Axis) -> int:
    """How many elements one result of a reduction over ``axis`` is made from."""
    return math.prod(shape) if axis is None else math.prod(shape[a] for a in as_tuple(axis))


def as_tuple(value: int | Sequence[int]) -> tuple[int, ...]:
    """A number or a sequence of numbers as a tuple."""
    return (int(value),) if isinstance(value, int | np.integer) else tuple(value)


def kept(shape: Sequence[int], axis: Axis) -> tuple[int, ...]:
    """``shape`` with 1 for every reduced axis, as ``keepdims=True`` leaves it."""
    axes = axes_of(axis, len(shape))
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


def unreduce(g: Array, shape: tuple[int, ...], axis: Axis, keepdims: bool) -> Array:
    """Repeat the result of a reduction over the axes it summed: the transpose of a sum.

    Args:
        g: shaped like the reduction's output.
        shape: shape of the reduction's input.
        axis, keepdims: the reduction's parameters.

    Returns:
        An array of ``shape``; a read-only view where NumPy can make one.
    """
    if axis is None and isinstance(g, np.generic):
        # What np.broadcast_to gives, in a tenth of its 2 µs: losses end in a full reduction.
        return g if not shape else np.ndarray(shape, g.dtype, g, 0, (0,) * len(shape))
    if not keepdims:
        g = g.reshape(kept(shape, axis))
    return np.broadcast_to(g, shape)


def along(axis: int, ndim: int, item: Any) -> tuple[Any, ...]:
    """The index that applies ``item`` to one axis and takes the others whole."""
    return (slice(None),) * (axis % ndim) + (item,)


def merge_last(x: Array, axis: Axis) -> Array:
    """Move the reduced axes to the end and merge them into one."""
    if isinstance(axis, int | np.integer):
        return np.moveaxis(x, axis, -1)
    axes = axes_of(axis, x.ndim)
    rest = tuple(i for i in range(x.ndim) if i not in axes)
    shape = tuple(x.shape[i] for i in rest)
    return np.transpose(x, rest + axes).reshape((*shape, extent(x.shape, axes)))


def split_last(x: Array, shape: tuple[int, ...], axis: Axis) -> Array:
    """Undo ``merge_last``: the merged axis back into the axes of ``shape``."""
    if isinstance(axis, int | np.integer):
        return np.moveaxis(x, -1, axis)
    axes = axes_of(axis, len(shape))
    order = tuple(i for i in range(len(shape)) if i not in axes) + axes
    return np.transpose(x.reshape(tuple(shape[i] for i in order)), inverse(order))


def inverse(order: Sequence[int]) -> tuple[int, ...]:
    """The permutation that undoes ``order`` (negative entries count from the end)."""
    back = [0] * len(order)
    for position, axis in enumerate(order):
        back[axis] = position
    return tuple(back)


def refuse_empty(op: str, shape: Sequence[int], axis: Axis) -> None:
    """Refuse a reduction that has no value for no elements."""
    if extent(shape, axis) == 0:
        where = "" if axis is None else f" along axis {axis}"
        raise OperandError(
            f"{op}: x has shape {tuple(shape)}, so there is nothing to choose from{where}.",
            next_step="Give it at least one element, or reduce along another axis.",
            port="x",
        )
