"""Products summed over axes that the operands share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.errors import OperandError
from core.library.axes import axes_of, inverse
from core.library.checks import misfit, not_broadcastable
from core.library.spec import Array, OpSpec, Param, Sample, Vjp


def _no_common_axis(op: str, a: Array, b: Array) -> OperandError:
    of_b = "second-last" if op == "dot" and np.ndim(b) > 1 else "last"
    return misfit(
        op,
        f"the last axis of a and the {of_b} axis of b must have the same size",
        "Transpose or reshape one of them.",
        port="b",
        a=a,
        b=b,
    )


def _dot(a: Array, b: Array) -> Array:
    try:
        return np.dot(a, b)
    except ValueError:
        raise _no_common_axis("dot", a, b) from None


def _dot_a(g: Array, b: Array, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> Array:
    if not a_shape or not b_shape:
        return g * b if a_shape else (g * b).sum()
    free = len(b_shape) - 1  # axes of b, and of the end of g, that were not summed
    i, n = len(a_shape) - 1, len(a_shape) - 1 + free
    of_b = tuple(k for k in range(free + 1) if k != max(free - 1, 0))
    return np.tensordot(g, b, (tuple(range(i, n)), of_b))


def _dot_b(g: Array, a: Array, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> Array:
    if not a_shape or not b_shape:
        return g * a if b_shape else (g * a).sum()
    of_a = tuple(range(len(a_shape) - 1))
    summed_first = np.tensordot(a, g, (of_a, of_a))
    return np.moveaxis(summed_first, 0, -2) if len(b_shape) > 1 else summed_first


DOT = OpSpec(
    name="dot",
    label="dot",
    glyph="a·b",
    category="linalg",
    ports=("a", "b"),
    forward=_dot,
    numpy=(np.dot,),
    vjps={
        "a": Vjp(
            _dot_a, r"\bar{a}_{i\ldots k}=\sum_{j\ldots}g_{i\ldots j\ldots}\,b_{j\ldots k\ldots}"
        ),
        "b": Vjp(
            _dot_b, r"\bar{b}_{j\ldots k\ldots}=\sum_{i\ldots}a_{i\ldots k}\,g_{i\ldots j\ldots}"
        ),
    },
    formula=r"y_{i\ldots j\ldots}=\sum_k a_{i\ldots k}\,b_{j\ldots k\ldots}",
    summary="Sum over the last axis of a and the second-last of b.",
    keywords=("product", "scalar product"),
    notes=("Two vectors: their scalar product. A single number multiplies.",),
    samples=(
        Sample((3,), (3,)),
        Sample((2, 3), (3, 2)),
        Sample((2, 2, 3), (3,)),
        Sample((), (2, 3)),
        Sample((2, 3), (4, 3, 2)),
        Sample((2, 3), ()),
    ),
)


def _inner(a: Array, b: Array) -> Array:
    try:
        return np.inner(a, b)
    except ValueError:
        raise _no_common_axis("inner", a, b) from None


def _inner_a(g: Array, b: Array, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> Array:
    if not a_shape or not b_shape:
        return g * b if a_shape else (g * b).sum()
    i, j = len(a_shape) - 1, len(b_shape) - 1
    return np.tensordot(g, b, (tuple(range(i, i + j)), tuple(range(j))))


def _inner_b(g: Array, a: Array, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> Array:
    if not a_shape or not b_shape:
        return g * a if b_shape else (g * a).sum()
    free = tuple(range(len(a_shape) - 1))
    return np.tensordot(g, a, (free, free))


INNER = OpSpec(
    name="inner",
    label="inner",
    glyph="⟨,⟩",
    category="linalg",
    ports=("a", "b"),
    forward=_inner,
    numpy=(np.inner,),
    vjps={
        "a": Vjp(_inner_a, r"\bar{a}_{i\ldots k}=\sum_{j\ldots}g_{i\ldots j\ldots}\,b_{j\ldots k}"),
        "b": Vjp(_inner_b, r"\bar{b}_{j\ldots k}=\sum_{i\ldots}g_{i\ldots j\ldots}\,a_{i\ldots k}"),
    },
    formula=r"y_{i\ldots j\ldots}=\sum_k a_{i\ldots k}\,b_{j\ldots k}",
    summary="Scalar products of all rows of a with all rows of b.",
    keywords=("scalar product", "dot", "rows"),
    notes=("A single number multiplies.",),
    samples=(
        Sample((3,), (3,)),
        Sample((2, 3), (4, 3)),
        Sample((2, 3), (3,)),
        Sample((2, 3), ()),
        Sample((2, 2, 3), (4, 3)),
    ),
)


def _vecdot(a: Array, b: Array, axis: int) -> Array:
    try:
        return (np.conj(a) * b).sum(axis=axis)
    except ValueError:
        raise not_broadcastable("vecdot", a=a, b=b) from None


VECDOT = OpSpec(
    name="vecdot",
    label="vecdot",
    glyph="Σab",
    category="linalg",
    ports=("a", "b"),
    forward=_vecdot,
    numpy=(np.vecdot,),
    vjps={
        # For real values conj changes nothing.
        "a": Vjp(
            lambda g, b, axis: np.conj(np.expand_dims(g, axis) * b),
            r"\bar{a}=\mathrm{expand}(g)\,b",
        ),
        "b": Vjp(
            lambda g, a, axis: np.expand_dims(g, axis) * np.conj(a),
            r"\bar{b}=\mathrm{expand}(g)\,a",
        ),
    },
    formula=r"y=\sum_{\mathrm{axis}}a\,b",
    summary="Scalar products along an axis; others broadcast.",
    params=(Param("axis", "axis", -1, "Axis of the vectors, after broadcasting."),),
    aliases=("linalg.vecdot",),
    keywords=("scalar product", "dot", "batch"),
    samples=(Sample((2, 3), (2, 3)), Sample((3,), (2, 3)), Sample((2, 3), (2, 3), axis=0)),
)


Axes = int | Sequence[int | Sequence[int]]


def _contracted(axes: Axes, a_ndim: int, b_ndim: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of a and those of b that are summed in pairs, counted from 0."""
    if isinstance(axes, int):
        return tuple(range(a_ndim - axes, a_ndim)), tuple(range(axes))
    of_a, of_b = axes
    return axes_of(of_a, a_ndim), axes_of(of_b, b_ndim)


def _tensordot(a: Array, b: Array, axes: Axes) -> Array:
    of_a, of_b = _contracted(axes, np.ndim(a), np.ndim(b))
    of_a_sizes = [a.shape[k] if 0 <= k < a.ndim else None for k in of_a]
    of_b_sizes = [b.shape[k] if 0 <= k < b.ndim else None for k in of_b]
    if of_a_sizes != of_b_sizes or None in of_a_sizes:
        raise misfit(
            "tensordot",
            f"axes={axes} pairs axes {list(of_a)} of a with {list(of_b)} of b, "
            "and each pair must have the same size",
            "Choose other axes, or transpose one of them.",
            a=a,
            b=b,
        )
    return np.tensordot(a, b, (of_a, of_b))


def _free(of: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    return tuple(k for k in range(ndim) if k not in of)


def _tensordot_a(
    g: Array, b: Array, axes: Axes, a_shape: tuple[int, ...], b_shape: tuple[int, ...]
) -> Array:
    of_a, of_b = _contracted(axes, len(a_shape), len(b_shape))
    free_a, free_b = _free(of_a, len(a_shape)), _free(of_b, len(b_shape))
    from_b = tuple(range(len(free_a), len(free_a) + len(free_b)))
    summed = np.tensordot(g, b, (from_b, free_b))
    # Its last axes are the paired ones, in the order they have in b.
    paired = tuple(of_a[of_b.index(k)] for k in sorted(of_b))
    return np.transpose(summed, inverse(free_a + paired))


def _tensordot_b(
    g: Array, a: Array, axes: Axes, a_shape: tuple[int, ...], b_shape: tuple[int, ...]
) -> Array:
    of_a, of_b = _contracted(axes, len(a_shape), len(b_shape))
    free_a, free_b = _free(of_a, len(a_shape)), _free(of_b, len(b_shape))
    summed = np.tensordot(a, g, (free_a, tuple(range(len(free_a)))))
    # Its first axes are the paired ones, in the order they have in a.
    paired = tuple(of_b[of_a.index(k)] for k in sorted(of_a))
    return np.transpose(summed, inverse(paired + free_b))


TENSORDOT = OpSpec(
    name="tensordot",
    label="tensordot",
    glyph="a:b",
    category="linalg",
    ports=("a", "b"),
    forward=_tensordot,
    numpy=(np.tensordot,),
    vjps={
        "a": Vjp(_tensordot_a, r"\bar{a}=\sum_{\mathrm{free\ axes\ of}\ b}g\,b"),
        "b": Vjp(_tensordot_b, r"\bar{b}=\sum_{\mathrm{free\ axes\ of}\ a}a\,g"),
    },
    formula=r"y=\sum_{\mathrm{paired\ axes}}a\,b",
    summary="Sum over chosen pairs of axes.",
    params=(
        Param(
            "axes",
            "ints",
            2,
            "A number n: the last n axes of a with the first n of b; or two lists of axes.",
        ),
    ),
    keywords=("contraction", "tensor product"),
    samples=(
        Sample((2, 3), (3, 2), axes=1),
        Sample((2, 3, 2), (3, 2, 2), axes=[[1, 2], [0, 1]]),
        Sample((2, 3), (2, 3)),
        Sample((2, 3, 4), (4, 2), axes=[[2, 0], [0, 1]]),
        Sample((2,), (3,), axes=0),
        Sample((2, 3), (2, 4), axes=[[-2], [0]]),
    ),
)
