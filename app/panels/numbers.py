"""Numbers and arrays as short text: four significant digits, a real minus sign, shapes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.trace import Summary

Array = np.ndarray[Any, Any]

_DTYPES = {
    "float64": "f64",
    "float32": "f32",
    "int64": "i64",
    "int32": "i32",
    "bool": "bool",
    "complex128": "c128",
    "complex64": "c64",
}


def short_number(x: Any, *, signed: bool = False) -> str:
    """One element in at most four significant digits, such as ``1.042``, ``−3`` or ``2.5e−7``.

    Args:
        signed: show the plus sign, as gradients do.
    """
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, (complex, np.complexfloating)):
        imaginary = short_number(x.imag, signed=True)
        return f"{short_number(x.real, signed=signed)}{imaginary}i"
    value = float(x)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "−∞" if value < 0 else ("+∞" if signed else "∞")
    if isinstance(x, (int, np.integer)) and abs(int(x)) < 10**7:
        text = str(int(x))
    else:
        text = _four_digits(value)
    plus = "+" if signed and value > 0 else ""
    return plus + text.replace("-", "−")


def _four_digits(value: float) -> str:
    mantissa, _, exponent = f"{value:.4g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa


def dtype_text(dtype: np.dtype[Any] | str) -> str:
    """``f64`` for float64, and so on."""
    return _DTYPES.get(str(dtype), str(dtype))


def type_text(array: Array | Summary) -> str:
    """dtype and shape: ``f64[2, 3]``, ``f64`` for a scalar."""
    shape = ", ".join(map(str, array.shape))
    return dtype_text(array.dtype) + (f"[{shape}]" if array.shape else "")


def bytes_text(count: int) -> str:
    """A size in memory: ``96 B``, ``1.5 kB``, ``12 MB``."""
    if count < 1000:
        return f"{count} B"
    power = min(3, (len(str(count)) - 1) // 3)
    return f"{count / 1000**power:.3g} {('kB', 'MB', 'GB')[power - 1]}"


def inline_text(array: Array | Summary, limit: int = 6, *, signed: bool = False) -> str:
    """A scalar or a short vector in one line; anything longer as its first elements and ``…``."""
    flat = (array.sample if isinstance(array, Summary) else np.asarray(array)).reshape(-1)
    words = [short_number(x, signed=signed) for x in flat[:limit]]
    size = int(np.prod(array.shape))
    if not array.shape:
        return words[0]
    return "[" + ", ".join(words) + (", …" if size > limit else "") + "]"


def grid_text(array: Array, rows: int = 6, columns: int = 6, *, signed: bool = False) -> str:
    """A matrix as aligned lines, at most ``rows`` by ``columns`` of them."""
    cells = [[short_number(x, signed=signed) for x in row[:columns]] for row in array[:rows]]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    dots = "  …" if array.shape[1] > columns else ""
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) + dots
        for line in cells
    ]
    return "\n".join(lines + (["…"] if array.shape[0] > rows else []))


def rms(array: Array | Summary) -> float:
    """Root mean square; 0 for an array without elements, NaN when an element is NaN."""
    if isinstance(array, Summary):
        return array.rms
    if array.size == 0:
        return 0.0
    if not np.isfinite(array).all():
        return math.nan if np.isnan(array).any() else math.inf
    return float(np.sqrt(np.mean(np.abs(array) ** 2)))


def mean(array: Array | Summary) -> float:
    """Mean of the elements (their real parts); 0 for an array without elements."""
    if isinstance(array, Summary):
        return array.mean
    return float(np.mean(array).real) if array.size else 0.0
