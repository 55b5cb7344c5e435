"""Layout: copies, reversals, borders and diagonals. They belong to the category of ``shape``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.errors import OperandError
from core.library.axes import Axis, along, as_axes, as_tuple
from core.library.checks import misfit, require_matrix
from core.library.indexing import SCATTER
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

# -- copies ----------------------------------------------------------------------------------------


def _tile_vjp(g: Array, x_shape: tuple[int, ...], reps: int | Sequence[int]) -> Array:
    reps = as_tuple(reps)
    ndim = max(len(reps), len(x_shape))
    reps = (1,) * (ndim - len(reps)) + reps
    sizes = (1,) * (ndim - len(x_shape)) + x_shape
    copies = g.reshape(tuple(n for pair in zip(reps, sizes, strict=True) for n in pair))
    return np.sum(copies, axis=tuple(range(0, 2 * ndim, 2))).reshape(x_shape)


TILE = OpSpec(
    name="tile", label="tile", glyph="▦", category="shape", ports=("x",),
    forward=lambda x, reps: np.tile(x, reps), numpy=(np.tile,),
    params=(Param("reps", "ints", default=(2,), doc="Copies along each axis."),),
    vjps={"x": Vjp(_tile_vjp, r"\bar{x}=\text{sum of }g\text{ over the copies}")},
    formula=r"y=\text{repeat the whole of }x", summary="Copies of x side by side.",
    keywords=("repeat", "copy"),
    samples=(
        Sample((3,)), Sample((2, 3), reps=(2, 1)), Sample((2, 3), reps=2),
        Sample((3,), reps=(2, 2)), Sample((), reps=(3,)), Sample((2,), reps=(0,)),
    ),
)  # fmt: skip


def _repeat_vjp(
    g: Array, x_shape: tuple[int, ...], repeats: int | Sequence[int], axis: int | None
) -> Array:
    shape = (math.prod(x_shape),) if axis is None else x_shape
    place = 0 if axis is None else axis % len(shape)
    n = shape[place]
    counts = as_tuple(repeats)
    if len(counts) == 1:
        runs = g.reshape((*shape[:place], n, counts[0], *shape[place + 1 :]))
        return np.sum(runs, axis=place + 1).reshape(x_shape)
    index = along(place, len(shape), np.repeat(np.arange(n), counts))
    return SCATTER(g, index=index, shape=shape).reshape(x_shape)


REPEAT = OpSpec(
    name="repeat", label="repeat", glyph="aabb", category="shape", ports=("x",),
    forward=lambda x, repeats, axis: np.repeat(x, repeats, axis=axis), numpy=(np.repeat,),
    params=(
        Param("repeats", "ints", default=2, doc="How often, for all elements or for each."),
        Param("axis", "axis", doc="Axis to repeat along; empty for all elements in a row."),
    ),
    vjps={"x": Vjp(_repeat_vjp, r"\bar{x}=\text{sum of }g\text{ over each element's run}")},
    formula=r"y=\text{repeat each element of }x", summary="Each element several times in a row.",
    aliases=("repeat_interleave",), keywords=("copy", "upsample"),
    samples=(
        Sample((3,)), Sample((2, 3), repeats=3, axis=1), Sample((2, 2)),
        Sample((3,), repeats=(2, 0, 1)), Sample((2, 3), repeats=(1, 2), axis=0),
    ),
)  # fmt: skip

# -- reversals -------------------------------------------------------------------------------------


def _flip(x: Array, axis: Axis) -> Array:
    return np.flip(x, as_axes(axis))


FLIP = OpSpec(
    name="flip", label="flip", glyph="⇋", category="shape", ports=("x",),
    forward=_flip, numpy=(np.flip,),
    params=(Param("axis", "axes", doc="Axes to reverse; empty for all."),),
    vjps={"x": Vjp(lambda g, axis: np.flip(g, as_axes(axis)), r"\bar{x}=\text{flip}(g)")},
    formula=r"y=\text{reverse }x\text{ along axes}", summary="Reverses the order along axes.",
    keywords=("reverse", "mirror"),
    samples=(Sample((3,)), Sample((2, 3), axis=1), Sample((2, 3, 2), axis=(0, 2)), Sample((2, 3))),
)  # fmt: skip


def _roll_vjp(g: Array, shift: int | Sequence[int], axis: Axis) -> Array:
    return np.roll(g, tuple(-s for s in as_tuple(shift)), axis=as_axes(axis))


ROLL = OpSpec(
    name="roll", label="roll", glyph="↻", category="shape", ports=("x",),
    forward=lambda x, shift, axis: np.roll(x, shift, axis=as_axes(axis)), numpy=(np.roll,),
    params=(
        Param("shift", "ints", default=1, doc="Places to move on, for each axis."),
        Param("axis", "axes", doc="Axes to roll along; empty for all elements in a row."),
    ),
    vjps={"x": Vjp(_roll_vjp, r"\bar{x}=\text{roll}(g,-\mathrm{shift})")},
    formula=r"y=\text{rotate}(x,\mathrm{shift})",
    summary="Moves elements on; what leaves at the end comes back at the start.",
    keywords=("shift", "rotate", "circular"),
    samples=(
        Sample((4,)), Sample((2, 3), shift=-1, axis=1), Sample((2, 3)),
        Sample((2, 3), shift=(1, 2), axis=(0, 1)),
    ),
)  # fmt: skip

ROT90 = OpSpec(
    name="rot90", label="rotate 90°", glyph="90°", category="shape", ports=("x",),
    forward=lambda x, k, axes: np.rot90(x, k, tuple(axes)), numpy=(np.rot90,),
    params=(
        Param("k", "int", default=1, doc="Quarter turns."),
        Param("axes", "ints", default=(0, 1), doc="The plane: turns the first to the second axis."),
    ),
    vjps={
        "x": Vjp(lambda g, k, axes: np.rot90(g, -k, tuple(axes)), r"\bar{x}=\text{rot90}(g,-k)")
    },
    formula=r"y=\text{rotate }x\text{ by }90^\circ k", summary="Quarter turns in a plane.",
    samples=(Sample((2, 3)), Sample((2, 3, 2), k=2, axes=(1, 2)), Sample((2, 3), k=-1)),
)  # fmt: skip

# -- borders ---------------------------------------------------------------------------------------

_MODES = ("constant", "reflect", "symmetric", "edge", "wrap")


def _widths(pad_width: Any, ndim: int) -> list[tuple[int, int]]:
    """``pad_width`` as a pair for every axis: n, (before, after), or pairs for each axis."""
    pairs = np.broadcast_to(np.asarray(pad_width, dtype=int), (ndim, 2))
    return [(int(before), int(after)) for before, after in pairs]


def _pad(x: Array, pad_width: Any, mode: str, constant_values: float) -> Array:
    try:
        widths = _widths(pad_width, x.ndim)
    except ValueError:
        raise OperandError(
            f"pad: pad_width {pad_width} does not give a pair (before, after) for each of the "
            f"{x.ndim} axes of x.",
            next_step="Give one pair for all axes, or one pair an axis.",
            port="x",
        ) from None
    if any(n < 0 for pair in widths for n in pair):
        raise OperandError(
            f"pad: pad_width {pad_width} has a negative width.",
            next_step="Cut a border off with an index instead, for example 1:-1.",
            port="x",
        )
    if mode == "constant":
        return np.pad(x, widths, constant_values=constant_values)
    return np.pad(x, widths, mode=mode)  # type: ignore[call-overload]


def _pad_vjp(g: Array, x_shape: tuple[int, ...], pad_width: Any, mode: str) -> Array:
    widths = _widths(pad_width, len(x_shape))
    if mode == "constant":
        sizes = zip(widths, x_shape, strict=True)
        return g[tuple(slice(before, before + n) for (before, _), n in sizes)]
    sizes_now = [n + sum(pair) for pair, n in zip(widths, x_shape, strict=True)]
    for axis, (pair, n) in enumerate(zip(widths, x_shape, strict=True)):
        if any(pair):
            # Which element each place was copied from.
            source = np.pad(np.arange(n), pair, mode=mode)  # type: ignore[call-overload]
            sizes_now[axis] = n
            g = SCATTER(g, index=along(axis, len(x_shape), source), shape=tuple(sizes_now))
    return g


PAD = OpSpec(
    name="pad", label="pad", glyph="▣", category="shape", ports=("x",),
    forward=_pad, numpy=(np.pad,),
    params=(
        Param("pad_width", "ints", default=((1, 1),), doc="(before, after) for all or each axis."),
        Param("mode", "choice", default="constant", choices=_MODES, doc="What the border holds."),
        Param("constant_values", "float", default=0.0, doc="The border of mode constant."),
    ),
    vjps={
        "x": Vjp(
            _pad_vjp,
            r"\bar{x}=\text{crop}(g)\text{, plus each copied cotangent at its source}",
        )
    },
    formula=r"y=\text{pad}(x)", summary="A border around x.", keywords=("border", "margin"),
    notes=("Other modes than constant add each border cotangent to the element it came from.",),
    samples=(
        Sample((3,), pad_width=((1, 2),)), Sample((2, 3), pad_width=((0, 1), (2, 0))),
        Sample((2, 3)), Sample((4,), pad_width=((2, 1),), mode="reflect"),
        Sample((2, 3), pad_width=((1, 0), (1, 2)), mode="edge"),
        Sample((3,), pad_width=((2, 4),), mode="wrap"),
        Sample((3,), pad_width=((1, 1),), mode="symmetric"),
        Sample((2,), pad_width=1, constant_values=2.0),
    ),
)  # fmt: skip

# -- triangles and diagonals -----------------------------------------------------------------------

_DIAGONAL = Param("k", "int", default=0, doc="Which diagonal: 0 the main one, above it positive.")


def _tril(x: Array, k: int) -> Array:
    require_matrix("tril", x)
    return np.tril(x, k)


def _triu(x: Array, k: int) -> Array:
    require_matrix("triu", x)
    return np.triu(x, k)


TRIL = OpSpec(
    name="tril", label="lower triangle", glyph="◣", category="shape", ports=("x",),
    forward=_tril, numpy=(np.tril,), params=(_DIAGONAL,),
    vjps={"x": Vjp(lambda g, k: np.tril(g, k), r"\bar{x}=\text{tril}(g,k)")},
    formula=r"y_{ij}=x_{ij}\,[j\leq i+k]", summary="Zeros above a diagonal.",
    keywords=("triangular", "causal", "mask"),
    samples=(Sample((3, 3)), Sample((2, 4), k=1), Sample((2, 3, 3), k=-1)),
)  # fmt: skip

TRIU = OpSpec(
    name="triu", label="upper triangle", glyph="◥", category="shape", ports=("x",),
    forward=_triu, numpy=(np.triu,), params=(_DIAGONAL,),
    vjps={"x": Vjp(lambda g, k: np.triu(g, k), r"\bar{x}=\text{triu}(g,k)")},
    formula=r"y_{ij}=x_{ij}\,[j\geq i+k]", summary="Zeros below a diagonal.",
    keywords=("triangular", "mask"),
    samples=(Sample((3, 3)), Sample((2, 4), k=1), Sample((2, 3, 3), k=-1)),
)  # fmt: skip


def _diag(x: Array, k: int) -> Array:
    if x.ndim not in (1, 2):
        raise misfit(
            "diag",
            "it needs one axis, or two",
            "Use diagonal for the diagonals of a stack of matrices.",
            port="x",
            x=x,
        )
    return np.diag(x, k)


def _on_diagonal(rows: int, columns: int, k: int) -> tuple[Array, Array]:
    """Indices of the diagonal ``k`` of a matrix."""
    along_it = np.arange(max(min(rows + min(k, 0), columns - max(k, 0)), 0))
    return along_it - min(k, 0), along_it + max(k, 0)


def _diag_vjp(g: Array, x_shape: tuple[int, ...], k: int) -> Array:
    if len(x_shape) == 1:
        return np.diagonal(g, k)
    rows, columns = x_shape
    return SCATTER(g, index=_on_diagonal(rows, columns, k), shape=x_shape)


DIAG = OpSpec(
    name="diag", label="diag", glyph="⟍", category="shape", ports=("x",),
    forward=_diag, numpy=(np.diag,), params=(_DIAGONAL,),
    vjps={"x": Vjp(_diag_vjp, r"\bar{x}=\text{diag}(g,k)")},
    formula=r"y=\text{diag}(x,k)",
    summary="A matrix with x on its diagonal; of a matrix, its diagonal.",
    samples=(
        Sample((3,)), Sample((3, 3)), Sample((2,), k=1), Sample((3, 4), k=-1), Sample((2, 3), k=1),
    ),
)  # fmt: skip


def _diagonal_vjp(g: Array, x_shape: tuple[int, ...], offset: int, axis1: int, axis2: int) -> Array:
    pair = (axis1 % len(x_shape), axis2 % len(x_shape))
    rest = tuple(n for k, n in enumerate(x_shape) if k not in pair)
    rows, columns = x_shape[axis1], x_shape[axis2]
    index = (..., *_on_diagonal(rows, columns, offset))
    matrices = SCATTER(g, index=index, shape=(*rest, rows, columns))
    return np.moveaxis(matrices, (-2, -1), pair)


DIAGONAL = OpSpec(
    name="diagonal", label="diagonal", glyph="⟍x", category="shape", ports=("x",),
    forward=lambda x, offset, axis1, axis2: np.diagonal(x, offset, axis1, axis2),
    numpy=(np.diagonal,),
    params=(
        Param("offset", "int", default=0, doc="Which diagonal: 0 the main one."),
        Param("axis1", "axis", default=0, doc="Axis of the rows."),
        Param("axis2", "axis", default=1, doc="Axis of the columns."),
    ),
    vjps={"x": Vjp(_diagonal_vjp, r"\bar{x}=g\text{ on that diagonal, 0 elsewhere}")},
    formula=r"y_{\ldots i}=x_{i,\,i+\mathrm{offset},\ldots}",
    summary="The diagonals of two axes, as a last axis.",
    samples=(
        Sample((3, 3)), Sample((2, 3), offset=1), Sample((2, 3, 3), axis1=1, axis2=2),
        Sample((3, 2, 3), axis1=-1, axis2=0, offset=-1),
    ),
)  # fmt: skip

OPS = (TILE, REPEAT, FLIP, ROLL, ROT90, PAD, TRIL, TRIU, DIAG, DIAGONAL)
