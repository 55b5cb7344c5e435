"""Products of every element with every other, and the vector product."""

from __future__ import annotations

import numpy as np

from core.library.checks import misfit, not_broadcastable
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

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
