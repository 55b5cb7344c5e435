"""Numbers, arrays and parameters as they are written in a program, exact to the last bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.export.exported import INDENT, WIDTH, Array

#: Values with more elements are loaded from a file instead of written out.
MOST_WRITTEN = 1000
#: Values all alike with more elements than this are written as ``ones`` and the like.
_FEW = 6


def number(value: Any) -> str:
    """A Python or NumPy number, read back as the same number of the same type."""
    if isinstance(value, complex | np.complexfloating):
        if math.isfinite(value.real) and math.isfinite(value.imag):
            return str(value)
        return f"complex({number(value.real)}, {number(value.imag)})"
    text = str(value)
    return f'float("{text}")' if text in ("nan", "inf", "-inf") else text


def nested(value: Array, lead: int = 0, room: int = WIDTH) -> str:
    """An array as nested lists: on one line if that fits, else rows under each other.

    Args:
        value: at least one element, or one axis.
        lead: where its lines begin if it needs several.
        room: characters that one line may take.
    """
    if not value.ndim:
        return number(value[()])
    rows = np.array2string(
        value,
        separator=", ",
        threshold=value.size + 1,
        max_line_width=WIDTH - 2,
        prefix=" " * lead,
        formatter={"all": number},
    )
    line = " ".join(rows.split())
    return line if len(line) <= room else rows


class ArrayWords:
    """How one library writes its arrays.

    Args:
        module: ``"np"``, ``"torch"`` or ``"jnp"``.
        make: the function that makes an array of nested lists.
        default: dtype that floating numbers get when nothing is said.
    """

    def __init__(self, module: str, make: str, default: str = "float64") -> None:
        self.module, self.make, self.default = module, make, default

    def dtype(self, dtype: np.dtype[Any]) -> str:
        """The name of a dtype."""
        return f"{self.module}.{dtype.name}"

    def array(self, value: Array, *more: str, lead: int = 0) -> str:
        """An expression for an array; ``more`` are further arguments of the call."""
        options = [*more]
        if not self._understood(value):
            options.insert(0, f"dtype={self.dtype(value.dtype)}")
        alike = self._alike(value, options)
        if alike:
            return alike
        opening = f"{self.module}.{self.make}("
        room = WIDTH - lead - len(opening) - sum(len(o) + 2 for o in options) - 1
        inner = nested(value, len(INDENT), room)
        if len(inner) <= room and "\n" not in inner:
            return f"{opening}{', '.join([inner, *options])})"
        tail = "".join(f"{INDENT}{o},\n" for o in options)
        return f"{opening}\n{INDENT}{inner},\n{tail})"

    def _understood(self, value: Array) -> bool:
        """Whether the numbers alone say what type they have."""
        dtype = str(value.dtype)
        if not value.size:
            return dtype == self.default
        if self.default == "float64" and dtype == "complex128":
            return True
        return dtype in (self.default, "int64", "bool")

    def _alike(self, value: Array, options: list[str]) -> str | None:
        """``zeros``, ``ones`` or ``full`` where all elements are the same."""
        if value.size and (value.size <= _FEW or not value.ndim):
            return None
        first = value.ravel()[:1]
        if value.size and not (value == first).all():
            return None
        if value.size and value.dtype.kind == "f" and not value.any() and np.signbit(value).any():
            return None  # −0
        if value.dtype.name != self.default and not any("dtype" in o for o in options):
            options = [f"dtype={self.dtype(value.dtype)}", *options]
        shape = sized(value.shape)
        if not value.size or not value.any():
            return f"{self.module}.zeros({', '.join([shape, *options])})"
        if (value == 1).all():
            return f"{self.module}.ones({', '.join([shape, *options])})"
        fill = number(value.ravel()[0])
        return f"{self.module}.full({', '.join([shape, fill, *options])})"


def sized(shape: tuple[int, ...]) -> str:
    """A shape as a tuple."""
    return repr(tuple(int(n) for n in shape))


def plain(value: Any) -> str:
    """A parameter: numbers, text, and tuples of them (lists are written as tuples)."""
    if isinstance(value, list | tuple):
        inner = ", ".join(plain(v) for v in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, float | complex | np.generic):
        return number(value)
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return f"slice({', '.join(map(plain, parts))})"
    if value is Ellipsis:
        return "..."
    return repr(value)
