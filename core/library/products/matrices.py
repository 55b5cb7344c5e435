"""Products of matrices, in stacks and in chains."""

from __future__ import annotations

import numpy as np

from core.library.checks import misfit
from core.library.spec import Array, OpSpec, Sample, Vjp


def transposed(x: Array) -> Array:
    """Every matrix of a stack transposed: the last two axes swapped."""
    return np.swapaxes(x, -1, -2)


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
    vjps={"a": Vjp(_matmul_a, r"\bar{A}=G\,B^{\top}"), "b": Vjp(_matmul_b, r"\bar{B}=A^{\top}G")},
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
            _multi_dot_slope, r"\bar{X}_i=(X_1\cdots X_{i-1})^{\top}\,G\,(X_{i+1}\cdots X_k)^{\top}"
        )
    },
    formula=r"Y=X_1X_2\cdots X_k",
    summary="Product of a chain of matrices, in the cheapest order.",
    aliases=("multi_dot", "chain_matmul"),
    keywords=("chain", "product", "matrices"),
    samples=(Sample((2, 3), (3, 2), (2, 4)), Sample((3,), (3, 2), (2,)), Sample((3, 2), (2, 2))),
)
