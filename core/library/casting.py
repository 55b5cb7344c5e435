"""Changing the dtype: not in the palette as an operation (the graph has cast nodes for it)."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.library.spec import Array, OpSpec, Param, Sample, Vjp


def _cast(x: Array, dtype: str) -> Any:
    kind = np.dtype(dtype)
    if x.dtype.kind == "c" and kind.kind != "c":
        x = np.real(x)
    return x.astype(kind)


CAST = OpSpec(
    name="cast",
    label="cast",
    category="shape",
    ports=("x",),
    forward=_cast,
    # The engine casts every VJP to its input's dtype, which is all there is to do.
    vjps={"x": Vjp(lambda g: g, r"\bar{x}=\mathrm{cast}(g)")},
    formula=r"y=\mathrm{cast}(x)",
    summary="The same values as another dtype.",
    glyph="cast",
    params=(
        Param(
            "dtype",
            "choice",
            "float64",
            "Dtype of the result.",
            choices=(
                "float64", "float32", "float16", "complex128", "complex64", "int64", "int32",
                "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool",
            ),
        ),
    ),
    elementwise=True,
    hidden=True,
    notes=("Casting to integers or booleans stops gradients.",),
    samples=(Sample((3,), dtype="float64"),),
)  # fmt: skip
