"""Indexing and selection: reading, replacing and reordering elements.

The VJP of reading is adding into zeros where it was read. Three hidden operations do that, so that
the rules can be differentiated again: ``scatter`` for an index, ``take_back`` for ``take``,
``place`` for a mask.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.errors import OperandError
from core.library.axes import along
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

_AXIS = Param("axis", "axis", default=-1, doc="Axis along which elements are picked.")
_INDEX = Param("index", "index", default=(), doc="A NumPy index, such as 0, 1:3 or ..., -1.")
_SHAPE = Param("shape", "shape", default=(), doc="Shape of the zeros that are added into.")

# -- by index --------------------------------------------------------------------------------------


def _as_index(index: Any) -> Any:
    return tuple(index) if isinstance(index, list) else index


def _picks_once(index: Any) -> bool:
    """Whether no element can be picked twice: there are no integer arrays in ``index``."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(
        part is None
        or part is Ellipsis
        or isinstance(part, slice | int | np.integer)
        or (isinstance(part, np.ndarray) and part.dtype.kind == "b")
        for part in parts
    )


def _getitem(x: Array, index: Any) -> Array:
    return x[_as_index(index)]


def _scatter(x: Array, index: Any, shape: tuple[int, ...]) -> Array:
    index = _as_index(index)
    y = np.zeros(shape, x.dtype)
    if _picks_once(index):
        y[index] = x
    else:
        np.add.at(y, index, x)
    return y


SCATTER = OpSpec(
    name="scatter", label="scatter", category="indexing", ports=("x",), hidden=True,
    forward=_scatter, params=(_INDEX, _SHAPE),
    vjps={"x": Vjp(lambda g, index: GETITEM(g, index=index), r"\bar{x}=g[\mathrm{index}]")},
    formula=r"y=0;\ y[\mathrm{index}]{+}{=}x", summary="x added into zeros at an index.",
    notes=("Repeated integer indices accumulate.",),
    samples=(
        Sample((2,), index=(slice(1, 3),), shape=(4,)),
        Sample((3,), index=(np.array([0, 2, 0]),), shape=(4,)),
    ),
)  # fmt: skip

GETITEM: OpSpec = OpSpec(
    name="getitem", label="index", glyph="x[i]", category="indexing", ports=("x",),
    forward=_getitem, params=(_INDEX,),
    vjps={
        "x": Vjp(
            lambda g, x_shape, index: SCATTER(g, index=index, shape=x_shape),
            r"\bar{x}=0;\ \bar{x}[\mathrm{index}]{+}{=}g",
        )
    },
    formula=r"y=x[\mathrm{index}]", summary="Elements picked by a NumPy index.",
    aliases=("__getitem__", "index", "slice"), keywords=("select", "gather", "pick"),
    notes=("Repeated integer indices accumulate.",),
    samples=(
        Sample((4,), index=(slice(0, 3),)), Sample((3, 2), index=(1,)),
        Sample((3, 2), index=(..., 0)), Sample((3,), index=(None, slice(None, None, -1))),
        Sample((4,), index=(np.array([0, 2, 0, -1]),)), Sample((2, 3), index=()),
        Sample((3,), index=(np.array([True, False, True]),)), Sample((3,), index=(slice(0, 0),)),
    ),
)  # fmt: skip


def _setitem(x: Array, value: Array, index: Any) -> Array:
    index = _as_index(index)
    y = np.array(x, dtype=np.result_type(x, value))
    picked = np.shape(y[index])
    try:
        fits = np.broadcast_shapes(picked, np.shape(value)) == picked
    except ValueError:
        fits = False
    if not fits:
        raise OperandError(
            f"setitem: the index picks shape {picked} of x, where value {np.shape(value)} does "
            "not fit.",
            next_step=f"Give value the shape {picked}, or one that broadcasts to it.",
            port="value",
        )
    y[index] = value
    return y


SETITEM: OpSpec = OpSpec(
    name="setitem", label="set index", glyph="x[i]=", category="indexing", ports=("x", "value"),
    forward=_setitem, params=(_INDEX,),
    vjps={
        "x": Vjp(
            lambda g, index: SETITEM(g, 0.0, index=index),
            r"\bar{x}=g\text{ with }\bar{x}[\mathrm{index}]=0",
        ),
        "value": Vjp(lambda g, index: GETITEM(g, index=index), r"\bar{v}=g[\mathrm{index}]"),
    },
    formula=r"y=x\text{ with }y[\mathrm{index}]=\mathrm{value}",
    summary="A copy of x with some elements replaced.",
    aliases=("__setitem__", "index_put"), keywords=("assign", "replace", "update"),
    notes=("An index that repeats leaves open which value is taken.",),
    samples=(
        Sample((4,), (2,), index=(slice(1, 3),)), Sample((3, 2), (), index=(0,)),
        Sample((3, 3), (3,), index=(np.array([0, 2]),)),
    ),
)  # fmt: skip

# -- by positions given as values ------------------------------------------------------------------


def _take_back(x: Array, indices: Array, axis: int | None, shape: tuple[int, ...]) -> Array:
    y = np.zeros(math.prod(shape) if axis is None else shape, x.dtype)
    np.add.at(y, indices if axis is None else along(axis, len(shape), indices), x)
    return y.reshape(shape)


_TAKE_AXIS = Param("axis", "axis", doc="Axis to take along; empty for all elements in order.")

TAKE_BACK = OpSpec(
    name="take_back", label="take back", category="indexing", ports=("x", "indices"), hidden=True,
    nondiff_ports=frozenset({"indices"}), forward=_take_back, params=(_TAKE_AXIS, _SHAPE),
    vjps={
        "x": Vjp(
            lambda g, indices, axis: TAKE(g, indices, axis=axis), r"\bar{x}=g[\mathrm{indices}]"
        )
    },
    formula=r"y=0;\ y[\ldots,\mathrm{indices},\ldots]{+}{=}x",
    summary="x added into zeros at the indices along an axis.",
    samples=(
        Sample((3,), np.array([0, 2, 2]), shape=(4,)),
        Sample((3, 2), np.array([1, 1]), axis=1, shape=(3, 4)),
    ),
)  # fmt: skip

TAKE: OpSpec = OpSpec(
    name="take", label="take", glyph="take", category="indexing", ports=("x", "indices"),
    nondiff_ports=frozenset({"indices"}), numpy=(np.take,), params=(_TAKE_AXIS,),
    forward=lambda x, indices, axis: np.take(x, indices, axis=axis),
    vjps={
        "x": Vjp(
            lambda g, indices, x_shape, axis: TAKE_BACK(g, indices, axis=axis, shape=x_shape),
            r"\bar{x}=0;\ \bar{x}[\mathrm{indices}]{+}{=}g",
        )
    },
    formula=r"y=x[\ldots,\mathrm{indices},\ldots]", summary="Elements at the given positions.",
    aliases=("index_select",), keywords=("gather", "pick", "lookup"),
    notes=("Repeated indices accumulate.",),
    samples=(
        Sample((4,), np.array([0, 2, 2])), Sample((3, 4), np.array([1, -1]), axis=1),
        Sample((3, 4), np.array([[0, 2], [2, 1]]), axis=0), Sample((2, 3), np.array(4)),
    ),
)  # fmt: skip


def _region(shape: tuple[int, ...], axis: int) -> tuple[slice, ...]:
    """The leading part that indices of ``shape`` reach on the other axes; all of ``axis``."""
    return tuple(slice(None) if k == axis % len(shape) else slice(n) for k, n in enumerate(shape))


def _grid(indices: Array, axis: int) -> tuple[Array, ...]:
    """The index that picks ``indices`` along ``axis`` and each element's own place elsewhere."""
    grid = list(np.ogrid[tuple(slice(n) for n in indices.shape)])
    grid[axis] = indices
    return tuple(grid)


def _scatter_add(x: Array, indices: Array, src: Array, axis: int) -> Array:
    if not indices.ndim == x.ndim == src.ndim or any(
        n > m for n, m in zip(indices.shape, src.shape, strict=True)
    ):
        raise OperandError(
            f"scatter_add: x is {x.shape}, indices {indices.shape}, src {src.shape}: they need "
            "the same number of axes, and src at least the sizes of indices.",
            next_step="Give src the shape of indices.",
            port="src",
        )
    y = np.array(x, dtype=np.result_type(x, src))
    np.add.at(y, _grid(indices, axis), src[tuple(slice(n) for n in indices.shape)])
    return y


def _gather_source(g: Array, indices: Array, src_shape: tuple[int, ...], axis: int) -> Array:
    picked = TAKE_ALONG_AXIS(g[_region(indices.shape, axis)], indices, axis=axis)
    if indices.shape == src_shape:
        return picked
    reached = tuple(slice(n) for n in indices.shape)
    return SCATTER(picked, index=reached, shape=src_shape)


SCATTER_ADD = OpSpec(
    name="scatter_add", label="scatter add", glyph="+=", category="indexing",
    ports=("x", "indices", "src"), nondiff_ports=frozenset({"indices"}),
    forward=_scatter_add,
    params=(Param("axis", "axis", default=0, doc="Axis along which indices count."),),
    vjps={
        "x": Vjp(lambda g: g, r"\bar{x}=g"),
        "src": Vjp(_gather_source, r"\bar{s}=g\text{ gathered at the indices}"),
    },
    formula=r"y=x;\ y_{\mathrm{indices}}{+}{=}\mathrm{src}",
    summary="src added into a copy of x at the indices along an axis.",
    keywords=("accumulate", "histogram"),
    notes=(
        "Repeated indices accumulate.",
        "Indices smaller than x or src reach only the leading part of the other axes.",
    ),
    samples=(
        Sample((3,), np.array([0, 2, 0]), (3,)), Sample((2, 3), np.array([[1, 0, 1]]), (1, 3)),
        Sample((2, 3), np.array([[0, 2], [1, 1]]), (2, 3), axis=1),
    ),
)  # fmt: skip


def _take_along_axis_vjp(
    g: Array,
    indices: Array,
    x_shape: tuple[int, ...],
    y_shape: tuple[int, ...],
    axis: int | None,
) -> Array:
    if axis is None:
        return TAKE_BACK(g, indices, axis=None, shape=x_shape)
    if indices.shape != y_shape:
        indices = np.broadcast_to(indices, y_shape)
    length = x_shape[axis]
    shape = tuple(length if k == axis % len(y_shape) else n for k, n in enumerate(y_shape))
    return SCATTER_ADD(np.zeros(shape, g.dtype), indices, g, axis=axis)


TAKE_ALONG_AXIS: OpSpec = OpSpec(
    name="take_along_axis", label="take along axis", glyph="take", category="indexing",
    ports=("x", "indices"), nondiff_ports=frozenset({"indices"}), numpy=(np.take_along_axis,),
    forward=lambda x, indices, axis: np.take_along_axis(x, indices, axis), params=(_AXIS,),
    vjps={
        "x": Vjp(_take_along_axis_vjp, r"\bar{x}=0;\ \bar{x}_{\mathrm{indices}}{+}{=}g"),
    },
    formula=r"y_{i}=x_{\mathrm{indices}_i}\text{ along axis}",
    summary="For each line along an axis, the elements at its own indices.",
    aliases=("take_along_dim", "gather"), keywords=("pick", "lookup"),
    notes=("Repeated indices accumulate.",),
    samples=(
        Sample((2, 3), np.array([[0, 2], [1, 1]])), Sample((3, 2), np.array([[2, 0]]), axis=0),
        Sample((4,), np.array([3, 0, 0, 1])), Sample((1, 3), np.array([[0], [2]])),
    ),
)  # fmt: skip


def _put_along_axis(x: Array, indices: Array, values: Array, axis: int) -> Array:
    y = np.array(x, dtype=np.result_type(x, values))
    np.put_along_axis(y, indices, values, axis)
    return y


PUT_ALONG_AXIS: OpSpec = OpSpec(
    name="put_along_axis", label="put along axis", glyph="put", category="indexing",
    ports=("x", "indices", "values"), nondiff_ports=frozenset({"indices"}),
    forward=_put_along_axis, params=(_AXIS,),
    vjps={
        "x": Vjp(
            lambda g, indices, axis: PUT_ALONG_AXIS(g, indices, 0.0, axis=axis),
            r"\bar{x}=g\text{ with 0 at the indices}",
        ),
        "values": Vjp(
            lambda g, indices, axis: TAKE_ALONG_AXIS(g, indices, axis=axis),
            r"\bar{v}=g\text{ gathered at the indices}",
        ),
    },
    formula=r"y=x\text{ with }y_{\mathrm{indices}}=\mathrm{values}\text{ along axis}",
    summary="A copy of x with the elements at the indices replaced.",
    keywords=("assign", "replace", "scatter"),
    notes=("Indices that repeat leave open which value is taken.",),
    samples=(
        Sample((2, 3), np.array([[0, 2], [1, 0]]), (2, 2)),
        Sample((3, 2), np.array([[2, 0]]), (1, 2), axis=0), Sample((4,), np.array([1]), ()),
    ),
)  # fmt: skip

OPS = (
    GETITEM, SETITEM, TAKE, TAKE_ALONG_AXIS, PUT_ALONG_AXIS, SCATTER_ADD, SCATTER, TAKE_BACK,
)  # fmt: skip
