"""Numbers and arrays in few characters: four significant digits, a real minus, small strips."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.canvas.curves import Floats
from core.trace import Summary

Array = np.ndarray[Any, Any]
Shown = Array | Summary

MINUS = "\N{MINUS SIGN}"
_NUMBERED_KINDS = "fciu"

#: A strip has at most this many cells across and down.
STRIP_COLUMNS = 16
STRIP_ROWS = 4


@dataclass(frozen=True, slots=True)
class Size:
    """How large an array is and which way it leans: root mean square and mean."""

    rms: float
    mean: float


def number(value: Any, digits: int = 4, *, signed: bool = False) -> str:
    """A number with that many significant digits; ``signed`` adds a plus to positive ones."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, complex | np.complexfloating):
        imag = number(value.imag, digits, signed=True)
        return f"{number(value.real, digits)}{imag}i"
    value = float(value)
    if math.isnan(value):
        return "NaN"
    text = "∞" if math.isinf(value) else _plain(abs(value), digits)
    if value < 0:
        return MINUS + text
    return f"+{text}" if signed and value > 0 else text


def _plain(value: float, digits: int) -> str:
    """A positive number: 1234, 0.001235 or 1.235e−7, without trailing zeros."""
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(value))
    whole = value == int(value)
    if -4 <= exponent < digits or (whole and exponent <= digits + 1):
        text = f"{value:.{max(0, digits - 1 - exponent)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}e{int(power)}".replace("-", MINUS)


def dtype_text(dtype: Any) -> str:
    """``f64``, ``i32``, ``bool``."""
    dtype = np.dtype(dtype)
    return f"{dtype.kind}{8 * dtype.itemsize}" if dtype.kind in _NUMBERED_KINDS else dtype.name


def shape_text(value: Shown) -> str:
    """Type and shape: ``f64`` for a scalar, ``f64[2,3]`` for a matrix."""
    shape = ",".join(map(str, value.shape))
    return f"{dtype_text(value.dtype)}[{shape}]" if value.shape else dtype_text(value.dtype)


def size_of(value: Shown) -> Size:
    """Root mean square and mean; of complex arrays those of modulus and real part."""
    if isinstance(value, Summary):
        return Size(value.rms, value.mean)
    if value.size == 0:
        return Size(0.0, 0.0)
    if value.size == 1:
        item = value.item()
        return Size(abs(item), item.real)
    flat = value.ravel()
    if flat.dtype.kind == "c":
        return Size(float(np.sqrt(np.mean(np.abs(flat) ** 2))), float(flat.real.mean()))
    with np.errstate(over="ignore", invalid="ignore"):
        flat = flat.astype(float, copy=False)
        return Size(math.sqrt(float(flat @ flat) / flat.size), float(flat.mean()))


def elements(value: Shown) -> Array:
    """All elements in a flat array; the kept sample of a summary."""
    return value.sample.ravel() if isinstance(value, Summary) else value.ravel()


def strip(value: Shown) -> Floats:
    """An array as a small grid of numbers from -1 to 1, for painting; NaN stays NaN.

    Larger arrays are sampled evenly. The scale is symmetric about zero and ends at the largest
    finite magnitude; infinities are at its ends.

    Returns:
        Shape (rows, columns), at most ``STRIP_ROWS`` by ``STRIP_COLUMNS``.
    """
    grid = _grid(value)
    if grid.dtype.kind == "c":
        grid = grid.real
    grid = grid.astype(float)
    finite = np.abs(grid[np.isfinite(grid)])
    largest = float(finite.max(initial=0.0)) or 1.0
    return np.clip(grid / largest, -1.0, 1.0)


def _grid(value: Shown) -> Array:
    if isinstance(value, Summary):
        return value.sample.reshape(1, -1)
    grid = (
        value.reshape(-1, value.shape[-1] if value.ndim else 1) if value.size else np.zeros((1, 1))
    )
    picked: Array = grid[
        np.ix_(_spread(grid.shape[0], STRIP_ROWS), _spread(grid.shape[1], STRIP_COLUMNS))
    ]
    return picked


def _spread(count: int, most: int) -> Array:
    """At most ``most`` indices, evenly over ``count``."""
    if count <= most:
        return np.arange(count)
    return np.linspace(0, count - 1, most).round().astype(np.intp)
