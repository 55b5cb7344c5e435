"""Joining arrays and cutting them apart. They belong to the category of ``shape``."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.errors import OperandError
from core.library.axes import along
from core.library.checks import misfit
from core.library.spec import Array, OpSpec, Param, Sample, Vjp


def _part(g: Array, xs_shapes: tuple[tuple[int, ...], ...], k: int, axis: int | None) -> Array:
    shape = xs_shapes[k]
    if axis is None:
        start = sum(math.prod(s) for s in xs_shapes[:k])
        return g[start : start + math.prod(shape)].reshape(shape)
    start = sum(s[axis] for s in xs_shapes[:k])
    return g[along(axis, len(shape), slice(start, start + shape[axis]))]


def _concatenate(*xs: Array, axis: int | None) -> Array:
    try:
        return np.concatenate(xs, axis=axis)
    except np.exceptions.AxisError:
        raise
    except ValueError:
        raise misfit(
            "concatenate",
            f"all sizes but that of axis {axis} must agree",
            "Reshape them first, or join along another axis; stack adds a new axis.",
            **{f"xs[{k}]": x for k, x in enumerate(xs)},
        ) from None


def _stack(*xs: Array, axis: int) -> Array:
    if len({x.shape for x in xs}) > 1:
        raise misfit(
            "stack",
            "all shapes must be the same",
            "Reshape or broadcast them first; concatenate joins along an axis they have.",
            **{f"xs[{k}]": x for k, x in enumerate(xs)},
        )
    return np.stack(xs, axis=axis)


CONCATENATE = OpSpec(
    name="concatenate", label="concatenate", glyph="[a b]", category="shape", ports=("xs",),
    variadic=True, forward=_concatenate,
    numpy=(np.concatenate,),
    params=(Param("axis", "axis", default=0, optional=True, doc="Axis that grows; empty to "
                  "join all elements in a row."),),
    vjps={"xs": Vjp(_part, r"\bar{x}_k=\text{slice of }g")},
    formula=r"y=[x_1\;x_2\;\cdots]", summary="Joins arrays along an axis they have.",
    aliases=("cat", "concat"), keywords=("append", "join", "hstack", "vstack"),
    samples=(
        Sample((2, 3), (1, 3)), Sample((2, 1), (2, 2), axis=1), Sample((2,), (0,), (3,)),
        Sample((2, 3), (2, 1), axis=-1), Sample((2, 2), (3,), axis=None),
    ),
)  # fmt: skip

STACK = OpSpec(
    name="stack", label="stack", glyph="≡", category="shape", ports=("xs",), variadic=True,
    forward=_stack, numpy=(np.stack,),
    params=(Param("axis", "axis", default=0, doc="Where the new axis appears in the result."),),
    vjps={
        "xs": Vjp(
            lambda g, y_shape, k, axis: g[along(axis, len(y_shape), k)],
            r"\bar{x}_k=g[\ldots,k,\ldots]",
        )
    },
    formula=r"y=\text{join along a new axis}",
    summary="Joins arrays of one shape along a new axis.",
    keywords=("join",),
    samples=(Sample((3,), (3,)), Sample((2, 3), (2, 3), axis=-1), Sample((), (), ())),
)  # fmt: skip


def _split(x: Array, indices_or_sections: int | Sequence[int], axis: int) -> tuple[Array, ...]:
    n = x.shape[axis]
    if isinstance(indices_or_sections, int | np.integer):
        if indices_or_sections < 1 or n % indices_or_sections:
            raise OperandError(
                f"split: axis {axis} of x has {n} elements, which {indices_or_sections} equal "
                "parts do not divide.",
                next_step="Choose a number of parts that divides it, or a list of places to cut.",
                port="x",
            )
    else:
        cuts = [max(0, min(i + n if i < 0 else i, n)) for i in indices_or_sections]
        if cuts != sorted(cuts):
            raise OperandError(
                f"split: the places to cut {list(indices_or_sections)} do not increase.",
                next_step="Put them in ascending order.",
            )
    return tuple(np.split(x, indices_or_sections, axis))


SPLIT = OpSpec(
    name="split", label="split", glyph="✂", category="shape", ports=("x",), outputs=("y*",),
    forward=_split, numpy=(np.split,),
    params=(
        Param("indices_or_sections", "ints", default=2,
              doc="A number of equal parts, or the list of places to cut."),
        Param("axis", "axis", default=0, doc="Axis to cut."),
    ),
    vjps={
        "x": Vjp(
            lambda g, axis: np.concatenate(g, axis=axis),
            r"\bar{x}=\text{concatenate}(g_1,g_2,\ldots)",
        )
    },
    formula=r"(y_1,y_2,\ldots)=\text{cut }x\text{ along axis}", summary="Cuts x along an axis.",
    aliases=("tensor_split", "chunk"), notes=("A part that nothing reaches sends back zeros.",),
    samples=(
        Sample((4, 2)), Sample((2, 5), indices_or_sections=(1, 3), axis=1),
        Sample((3,), indices_or_sections=(0, 2)),
    ),
)  # fmt: skip


def _unstack(x: Array, axis: int) -> tuple[Array, ...]:
    return tuple(np.moveaxis(x, axis, 0))


UNSTACK = OpSpec(
    name="unstack", label="unstack", glyph="≢", category="shape", ports=("x",), outputs=("y*",),
    forward=_unstack, numpy=(np.unstack,) if hasattr(np, "unstack") else (),
    params=(Param("axis", "axis", default=0, doc="Axis whose slices become the outputs."),),
    vjps={
        "x": Vjp(
            lambda g, axis: np.stack(g, axis=axis), r"\bar{x}=\text{stack}(g_1,g_2,\ldots)"
        )
    },
    formula=r"y_k=x[\ldots,k,\ldots]", summary="The slices of x along an axis, one by one.",
    aliases=("unbind",), keywords=("rows", "slices"),
    samples=(Sample((2, 3)), Sample((2, 3), axis=-1), Sample((2, 3, 2), axis=1)),
)  # fmt: skip

OPS = (CONCATENATE, STACK, SPLIT, UNSTACK)
