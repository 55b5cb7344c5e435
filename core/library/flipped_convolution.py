"""Convolution as signal processing means it: of two sequences, one of which is flipped."""

from __future__ import annotations

import numpy as np

from core.library.checks import misfit
from core.library.spec import Array, OpSpec, Param, Sample, Vjp
from core.library.windows import Shape


def _offset(mode: str, a: int, b: int) -> tuple[int, int]:
    """Where the result of a mode begins in the full one, and how long the full one is."""
    short = min(a, b)
    start = {"full": 0, "same": (short - 1) // 2, "valid": short - 1}[mode]
    return start, a + b - 1


def _convolve(a: Array, b: Array, mode: str) -> Array:
    if a.ndim != 1 or b.ndim != 1 or not a.size or not b.size:
        raise misfit(
            "convolve",
            "both must be vectors with at least one value",
            "Use conv1d for batches.",
            port="b",
            a=a,
            b=b,
        )
    return np.convolve(a, b, mode)  # type: ignore[call-overload]


def _convolve_a(
    g: Array, b: Array, a_shape: Shape, b_shape: Shape, y_shape: Shape, mode: str
) -> Array:
    start, full = _offset(mode, a_shape[0], b_shape[0])
    whole = np.pad(g, (start, full - start - y_shape[0]))
    # NumPy swaps its operands if the second is longer; a valid part is as long either way.
    return CONVOLVE(whole, np.flip(b, 0), mode="valid")


CONVOLVE = OpSpec(
    name="convolve",
    label="convolve",
    glyph="a∗b",
    category="nn",
    ports=("a", "b"),
    forward=_convolve,
    numpy=(np.convolve,),
    vjps={
        "a": Vjp(_convolve_a, r"\bar{a}_j=\sum_k g_k\,b_{k-j}"),
        "b": Vjp(
            lambda g, a, a_shape, b_shape, y_shape, mode: _convolve_a(
                g, a, b_shape, a_shape, y_shape, mode
            ),
            r"\bar{b}_j=\sum_k g_k\,a_{k-j}",
        ),
    },
    formula=r"y_k=\sum_j a_j\,b_{k-j}",
    summary="Convolution of two sequences.",
    params=(
        Param(
            "mode",
            "choice",
            "full",
            "All overlaps, as long as the longer, or whole overlaps only.",
            choices=("full", "same", "valid"),
        ),
    ),
    keywords=("polynomial", "filter", "signal"),
    samples=(
        Sample((4,), (3,)),
        Sample((4,), (2,), mode="same"),
        Sample((5,), (3,), mode="valid"),
        Sample((2,), (5,), mode="same"),
        Sample((2,), (4,), mode="valid"),
    ),
)

OPS = (CONVOLVE,)
