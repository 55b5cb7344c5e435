"""Shape: the same elements with other axes. ``joining`` and ``layout`` have the rest of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.errors import OperandError
from core.library.axes import as_axes, as_tuple, axes_of, inverse
from core.library.checks import misfit
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

_SHAPED_BACK = Vjp(lambda g, x_shape: g.reshape(x_shape), r"\bar{x}=\text{reshape}(g)")

# -- other axes ------------------------------------------------------------------------------------


def _reshape(x: Array, shape: int | Sequence[int]) -> Array:
    shape = as_tuple(shape)
    known = math.prod(n for n in shape if n != -1)
    holes = shape.count(-1)
    fits = x.size == known if not holes else holes == 1 and known > 0 and x.size % known == 0
    if not fits:
        needs = f"{known}" if not holes else f"a multiple of {known}" if holes == 1 else "one -1"
        raise OperandError(
            f"reshape: x has {x.size} elements, shape {shape} needs {needs}.",
            next_step="Choose a shape whose sizes multiply to that number; "
            "a single -1 is worked out.",
            port="x",
        )
    return x.reshape(shape)


RESHAPE = OpSpec(
    name="reshape", label="reshape", glyph="▭", category="shape", ports=("x",),
    forward=_reshape, numpy=(np.reshape,), vjps={"x": _SHAPED_BACK},
    params=(Param("shape", "shape", default=(-1,), doc="New shape; one -1 is worked out."),),
    formula=r"y=\text{reshape}(x)", summary="The same elements in another shape.",
    aliases=("view",), keywords=("resize",),
    samples=(
        Sample((2, 3), shape=(3, 2)), Sample((2, 3), shape=(-1,)), Sample((2, 3), shape=(3, -1)),
        Sample((1,), shape=()), Sample((), shape=(1, 1)), Sample((0, 3), shape=(3, 0)),
    ),
)  # fmt: skip

RAVEL = OpSpec(
    name="ravel", label="ravel", glyph="▭→", category="shape", ports=("x",),
    forward=lambda x: x.reshape(-1), numpy=(np.ravel,), vjps={"x": _SHAPED_BACK},
    formula=r"y=\text{reshape}(x,-1)", summary="All elements in a row.", aliases=("flatten",),
    samples=(Sample((2, 3)), Sample(()), Sample((4,)), Sample((0, 2))),
)  # fmt: skip


def _transpose(x: Array, axes: Sequence[int] | None) -> Array:
    if axes is None:
        return x.transpose()
    if sorted(axes_of(axes, max(x.ndim, 1))) != list(range(x.ndim)):
        raise misfit(
            "transpose",
            f"axes {tuple(axes)} must name each of its {x.ndim} axes once",
            "List all axes in their new order, or leave axes empty to reverse them.",
            port="x",
            x=x,
        )
    return x.transpose(axes)


def _transpose_vjp(g: Array, axes: Sequence[int] | None) -> Array:
    return g.T if axes is None else np.transpose(g, inverse(axes))


TRANSPOSE = OpSpec(
    name="transpose", label="transpose", glyph="xᵀ", category="shape", ports=("x",),
    forward=_transpose, numpy=(np.transpose,),
    params=(Param("axes", "ints", doc="New order of the axes; empty to reverse them."),),
    vjps={"x": Vjp(_transpose_vjp, r"\bar{x}=\text{transpose}(g,\text{inverse permutation})")},
    formula=r"y=\text{permute axes of }x", summary="Axes in another order; rows become columns.",
    aliases=("permute", "T"), samples=(
        Sample((2, 3)), Sample((2, 3, 4)), Sample((2, 3, 4), axes=(1, 2, 0)),
        Sample((2, 3), axes=(-1, 0)), Sample((3,)),
    ),
)  # fmt: skip

SWAPAXES = OpSpec(
    name="swapaxes", label="swap axes", glyph="⇄", category="shape", ports=("x",),
    forward=lambda x, axis1, axis2: np.swapaxes(x, axis1, axis2), numpy=(np.swapaxes,),
    params=(
        Param("axis1", "axis", default=0, doc="One axis."),
        Param("axis2", "axis", default=1, doc="The axis it changes places with."),
    ),
    vjps={
        "x": Vjp(
            lambda g, axis1, axis2: np.swapaxes(g, axis1, axis2), r"\bar{x}=\text{swapaxes}(g)"
        )
    },
    formula=r"y=\text{swap two axes of }x", summary="Two axes change places.",
    keywords=("transpose",), samples=(Sample((2, 3)), Sample((2, 3, 4), axis1=0, axis2=-1)),
)  # fmt: skip

MOVEAXIS = OpSpec(
    name="moveaxis", label="move axes", glyph="↷", category="shape", ports=("x",),
    forward=lambda x, source, destination: np.moveaxis(x, source, destination),
    numpy=(np.moveaxis,),
    params=(
        Param("source", "axes", default=0, doc="Axes to move."),
        Param("destination", "axes", default=-1, doc="Where each of them goes."),
    ),
    vjps={
        "x": Vjp(
            lambda g, source, destination: np.moveaxis(g, destination, source),
            r"\bar{x}=\text{moveaxis}(g,\text{destination}\to\text{source})",
        )
    },
    formula=r"y=\text{move axes of }x",
    summary="Axes move to another place; the others keep order.",
    aliases=("movedim",), keywords=("transpose", "permute"),
    samples=(Sample((2, 3)), Sample((2, 3, 4), source=(0, 1), destination=(1, 2))),
)  # fmt: skip

EXPAND_DIMS = OpSpec(
    name="expand_dims", label="expand dims", glyph="+1", category="shape", ports=("x",),
    forward=lambda x, axis: np.expand_dims(x, as_tuple(axis)), numpy=(np.expand_dims,),
    params=(Param("axis", "axes", default=0, doc="Where axes of size 1 appear in the result."),),
    vjps={"x": _SHAPED_BACK},
    formula=r"y=\text{insert axes of size 1}", summary="Inserts axes of size 1.",
    aliases=("unsqueeze",), keywords=("newaxis",),
    samples=(Sample((3,)), Sample((2, 3), axis=-1), Sample((3,), axis=(0, 2)), Sample(())),
)  # fmt: skip

SQUEEZE = OpSpec(
    name="squeeze", label="squeeze", glyph="−1", category="shape", ports=("x",),
    forward=lambda x, axis: np.squeeze(x, as_axes(axis)), numpy=(np.squeeze,),
    params=(Param("axis", "axes", doc="Axes of size 1 to drop; empty for all of them."),),
    vjps={"x": _SHAPED_BACK},
    formula=r"y=\text{drop axes of size 1}", summary="Drops axes of size 1.",
    notes=("An axis of another size is refused, as in NumPy.",),
    samples=(Sample((1, 3, 1)), Sample((1, 3, 1), axis=0), Sample((1, 1)), Sample((1, 2), axis=())),
)  # fmt: skip


def _broadcast_to(x: Array, shape: int | Sequence[int]) -> Array:
    shape = as_tuple(shape)
    try:
        return np.broadcast_to(x, shape)
    except ValueError:
        raise OperandError(
            f"broadcast_to: x {x.shape} does not fit {shape}: counted from the last axis, each "
            "size of x must be 1 or the new one.",
            next_step="Insert axes of size 1 with expand_dims first, or choose another shape.",
            port="x",
        ) from None


BROADCAST_TO = OpSpec(
    name="broadcast_to", label="broadcast", glyph="▭▭", category="shape", ports=("x",),
    forward=_broadcast_to, numpy=(np.broadcast_to,),
    params=(Param("shape", "shape", default=(), doc="Shape of the result."),),
    # Summing over broadcast axes is what the engine does with every VJP.
    vjps={"x": Vjp(lambda g: g, r"\bar{x}=\text{sum of }g\text{ over the copies}")},
    formula=r"y=\text{broadcast}(x)", summary="Repeats x along new axes and axes of size 1.",
    aliases=("expand",), keywords=("repeat",),
    samples=(
        Sample((3,), shape=(2, 3)), Sample((2, 1), shape=(2, 3)), Sample((), shape=(2, 2)),
        Sample((1, 3), shape=(0, 3)), Sample((), shape=()),
    ),
)  # fmt: skip

COPY = OpSpec(
    name="copy", label="copy", glyph="=", category="shape", ports=("x",), elementwise=True,
    forward=np.array, numpy=(np.copy, np.positive), vjps={"x": Vjp(lambda g: g, r"\bar{x}=g")},
    formula=r"y=x", summary="The same values in memory of their own.",
    aliases=("clone",), keywords=("identity",), samples=(Sample((3,)), Sample((2, 3)), Sample(())),
)  # fmt: skip

OPS = (
    RESHAPE, RAVEL, TRANSPOSE, SWAPAXES, MOVEAXIS, EXPAND_DIMS, SQUEEZE, BROADCAST_TO, COPY,
)  # fmt: skip
