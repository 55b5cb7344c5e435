"""Products of vectors, matrices and tensors.

All are linear in each operand, so every rule is again a product of the cotangent with the other
operand. A vector on the left of a matrix product stands for a row, on the right for a column.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.errors import OperandError
from core.library.axes import axes_of, inverse
from core.library.checks import misfit, not_broadcastable
from core.library.spec import Array, OpSpec, Param, Sample, Vjp


def transposed(x: Array) -> Array:
    """Every matrix of a stack transposed: the last two axes swapped."""
    return np.swapaxes(x, -1, -2)


# -- matmul ----------------------------------------------------------------------------------------


def _matmul(a: Array, b: Array) -> Array:
    try:
        return np.matmul(a, b)
    except ValueError:
        if not np.ndim(a) or not np.ndim(b):
            fits, advice = "neither may be a single number", "Use multiply for a number."
        elif a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
            fits = f"the last axis of a must equal the {'first' if b.ndim < 3 else 'second-last'}"
            fits += " axis of b"
            advice = "Transpose or reshape one of them."
        else:
            fits = "the axes before the last two must broadcast"
            advice = "Insert axes of size 1 where one matrix serves for many."
        raise misfit("matmul", fits, advice, port="b", a=a, b=b) from None


def _matmul_a(g: Array, b: Array, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> Array:
    if len(b_shape) == 1:
        return np.expand_dims(g, -1) * b if len(a_shape) > 1 else g * b
    if len(a_shape) == 1:
        return b @ g if len(b_shape) == 2 else np.matmul(b, np.expand_dims(g, -1))[..., 0]
    return g @ (b.T if len(b_shape) == 2 else transposed(b))


def _matmul_b(g: Array, a: Array, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> Array:
    if len(a_shape) == 1:
        return np.expand_dims(a, -1) * np.expand_dims(g, -2) if len(b_shape) > 1 else g * a
    if len(b_shape) == 1:
        return (
            g @ a if len(a_shape) == 2 else np.matmul(transposed(a), np.expand_dims(g, -1))[..., 0]
        )
    return (a.T if len(a_shape) == 2 else transposed(a)) @ g


MATMUL = OpSpec(
    name="matmul",
    label="matmul",
    glyph="@",
    category="linalg",
    ports=("a", "b"),
    forward=_matmul,
    numpy=(np.matmul,),
    vjps={
        "a": Vjp(_matmul_a, r"\bar{A}=G\,B^{\top}"),
        "b": Vjp(_matmul_b, r"\bar{B}=A^{\top}G"),
    },
    formula=r"Y=A\,B",
    summary="Matrix product; leading axes are batches.",
    aliases=("mm", "bmm", "mv", "matvec", "vecmat"),
    keywords=("matrix", "multiply", "product", "@", "gemm"),
    notes=(
        "A one-axis operand is a row on the left, a column on the right.",
        "Axes before the last two broadcast.",
    ),
    samples=(
        Sample((2, 3), (3, 2)),
        Sample((3,), (3,)),
        Sample((2, 3), (3,)),
        Sample((3,), (3, 2)),
        Sample((2, 1, 2, 3), (3, 3, 2)),
        Sample((3,), (2, 3, 2)),
        Sample((2, 2, 3), (3,)),
        Sample((0, 3), (3, 2)),
    ),
)

# -- sums over one axis ----------------------------------------------------------------------------


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

# -- outer products --------------------------------------------------------------------------------

OUTER = OpSpec(
    name="outer",
    label="outer",
    glyph="abᵀ",
    category="linalg",
    ports=("a", "b"),
    forward=np.outer,
    numpy=(np.outer,),
    vjps={
        "a": Vjp(lambda g, b, a_shape: (g @ b.reshape(-1)).reshape(a_shape), r"\bar{a}=G\,b"),
        "b": Vjp(lambda g, a, b_shape: (a.reshape(-1) @ g).reshape(b_shape), r"\bar{b}=G^{\top}a"),
    },
    formula=r"Y=\mathrm{vec}(a)\,\mathrm{vec}(b)^{\top}",
    summary="Every value of a times every value of b.",
    aliases=("ger",),
    keywords=("product", "rank one"),
    samples=(Sample((2,), (3,)), Sample((2, 2), (3,)), Sample((), (2,))),
)


def _interleaved(a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Both shapes with 1s in front to the same length, and the axes of both in turn."""
    n = max(len(a_shape), len(b_shape))
    a_full = (1,) * (n - len(a_shape)) + a_shape
    b_full = (1,) * (n - len(b_shape)) + b_shape
    return a_full, b_full, tuple(size for pair in zip(a_full, b_full, strict=True) for size in pair)


def _kron_a(g: Array, b: Array, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> Array:
    _, b_full, both = _interleaved(a_shape, b_shape)
    n = len(b_full)
    of_b = tuple(range(1, 2 * n, 2))
    summed = np.tensordot(g.reshape(both), b.reshape(b_full), (of_b, tuple(range(n))))
    return summed.reshape(a_shape)


def _kron_b(g: Array, a: Array, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> Array:
    a_full, _, both = _interleaved(a_shape, b_shape)
    n = len(a_full)
    of_a = tuple(range(0, 2 * n, 2))
    summed = np.tensordot(g.reshape(both), a.reshape(a_full), (of_a, tuple(range(n))))
    return summed.reshape(b_shape)


KRON = OpSpec(
    name="kron",
    label="kron",
    glyph="⊗",
    category="linalg",
    ports=("a", "b"),
    forward=np.kron,
    numpy=(np.kron,),
    vjps={
        "a": Vjp(_kron_a, r"\bar{a}_{ij}=\sum_{kl}g_{(ik)(jl)}\,b_{kl}"),
        "b": Vjp(_kron_b, r"\bar{b}_{kl}=\sum_{ij}g_{(ik)(jl)}\,a_{ij}"),
    },
    formula=r"Y=A\otimes B",
    summary="Kronecker product: a copy of b for every value of a.",
    keywords=("kronecker", "tensor product"),
    samples=(Sample((2, 2), (1, 3)), Sample((2,), (3,)), Sample((2, 2), ()), Sample((2,), (2, 3))),
)


def _cross(a: Array, b: Array, axis: int) -> Array:
    try:
        a, b = np.broadcast_arrays(a, b)
    except ValueError:
        raise not_broadcastable("cross", a=a, b=b) from None
    if not a.ndim or a.shape[axis] != 3:
        raise misfit(
            "cross", f"axis {axis} must have size 3", "Choose the axis of the vectors.", a=a, b=b
        )
    return np.cross(a, b, axis=axis)


CROSS: OpSpec = OpSpec(
    name="cross",
    label="cross",
    glyph="a×b",
    category="linalg",
    ports=("a", "b"),
    forward=_cross,
    numpy=(np.cross, np.linalg.cross),
    vjps={
        "a": Vjp(lambda g, b, axis: CROSS(b, g, axis=axis), r"\bar{a}=b\times g"),
        "b": Vjp(lambda g, a, axis: CROSS(g, a, axis=axis), r"\bar{b}=g\times a"),
    },
    formula=r"y=a\times b",
    summary="Vector product of vectors of three components.",
    params=(Param("axis", "axis", -1, "Axis of the three components, after broadcasting."),),
    aliases=("linalg.cross",),
    keywords=("vector product", "torque", "rotation"),
    samples=(
        Sample((3,), (3,)),
        Sample((2, 3), (2, 3)),
        Sample((3, 2), (3, 2), axis=0),
        Sample((1, 3), (4, 3)),
        Sample((3,), (2, 3), axis=1),
    ),
)

# -- general contractions --------------------------------------------------------------------------

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

# -- chains ----------------------------------------------------------------------------------------


def _multi_dot(*xs: Array) -> Array:
    sizes = [x.shape for x in xs]
    inside = all(len(shape) == 2 for shape in sizes[1:-1])
    if len(xs) < 2 or not inside or any(len(shape) not in (1, 2) for shape in sizes):
        raise misfit(
            "linalg.multi_dot",
            "it needs two or more matrices; the first and the last may be vectors",
            "Use matmul for batches.",
            **{f"xs[{k}]": x for k, x in enumerate(xs)},
        )
    for k in range(1, len(xs)):
        if sizes[k - 1][-1] != sizes[k][0]:
            raise misfit(
                "linalg.multi_dot",
                "the last axis of each must equal the first axis of the next",
                "Transpose or reorder them.",
                **{f"xs[{k - 1}]": xs[k - 1], f"xs[{k}]": xs[k]},
            )
    return np.linalg.multi_dot(xs)


def _multi_dot_slope(
    g: Array, xs: tuple[Array, ...], xs_shapes: tuple[tuple[int, ...], ...], k: int
) -> Array:
    matrices = list(xs)
    if len(xs_shapes[0]) == 1:
        matrices[0] = np.expand_dims(matrices[0], 0)
    if len(xs_shapes[-1]) == 1:
        matrices[-1] = np.expand_dims(matrices[-1], 1)
    g = g.reshape((matrices[0].shape[0], matrices[-1].shape[1]))
    left = [transposed(x) for x in reversed(matrices[:k])]
    right = [transposed(x) for x in reversed(matrices[k + 1 :])]
    return MULTI_DOT(*left, g, *right).reshape(xs_shapes[k])


MULTI_DOT = OpSpec(
    name="linalg.multi_dot",
    label="multi_dot",
    glyph="ABC",
    category="linalg",
    ports=("xs",),
    variadic=True,
    forward=_multi_dot,
    numpy=(np.linalg.multi_dot,),
    vjps={
        "xs": Vjp(
            _multi_dot_slope,
            r"\bar{X}_i=(X_1\cdots X_{i-1})^{\top}\,G\,(X_{i+1}\cdots X_k)^{\top}",
        ),
    },
    formula=r"Y=X_1X_2\cdots X_k",
    summary="Product of a chain of matrices, in the cheapest order.",
    aliases=("multi_dot", "chain_matmul"),
    keywords=("chain", "product", "matrices"),
    samples=(
        Sample((2, 3), (3, 2), (2, 4)),
        Sample((3,), (3, 2), (2,)),
        Sample((3, 2), (2, 2)),
    ),
)

OPS = (MATMUL, DOT, INNER, OUTER, VECDOT, TENSORDOT, KRON, CROSS, MULTI_DOT)
