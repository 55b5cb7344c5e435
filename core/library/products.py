"""Products of vectors, matrices and tensors.

All are linear in each operand, so every rule is again a product of the cotangent with the other
operand. A vector on the left of a matrix product stands for a row, on the right for a column.
"""

from __future__ import annotations

import numpy as np

from core.library.checks import misfit
from core.library.spec import Array, OpSpec, Sample, Vjp


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
        return np.matmul(b, np.expand_dims(g, -1))[..., 0]
    return g @ (b.T if len(b_shape) == 2 else transposed(b))


def _matmul_b(g: Array, a: Array, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> Array:
    if len(a_shape) == 1:
        return np.expand_dims(a, -1) * np.expand_dims(g, -2) if len(b_shape) > 1 else g * a
    if len(b_shape) == 1:
        return np.matmul(transposed(a), np.expand_dims(g, -1))[..., 0]
    return (a.T if len(a_shape) == 2 else transposed(a)) @ g


MATMUL = OpSpec(
    name="matmul", label="matmul", glyph="@", category="linalg", ports=("a", "b"),
    forward=_matmul, numpy=(np.matmul,),
    vjps={
        "a": Vjp(_matmul_a, r"\bar{A}=G\,B^{\top}"),
        "b": Vjp(_matmul_b, r"\bar{B}=A^{\top}G"),
    },
    formula=r"Y=A\,B", summary="Matrix product; leading axes are batches.",
    aliases=("mm", "bmm", "mv", "matvec", "vecmat"),
    keywords=("matrix", "multiply", "product", "@", "gemm"),
    notes=(
        "A one-axis operand is a row on the left, a column on the right.",
        "Axes before the last two broadcast.",
    ),
    samples=(
        Sample((2, 3), (3, 2)), Sample((3,), (3,)), Sample((2, 3), (3,)), Sample((3,), (3, 2)),
        Sample((2, 1, 2, 3), (3, 3, 2)), Sample((3,), (2, 3, 2)), Sample((2, 2, 3), (3,)),
        Sample((0, 3), (3, 2)),
    ),
)

OPS = (MATMUL,)
