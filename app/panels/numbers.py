"""Arrays as short lines of text, in the canvas's way of writing numbers."""

from __future__ import annotations

import numpy as np

from app.canvas.format import Array, Shown, elements, number


def bytes_text(count: int) -> str:
    """A size in memory: ``96 B``, ``1.5 kB``, ``12 MB``."""
    if count < 1000:
        return f"{count} B"
    power = min(3, (len(str(count)) - 1) // 3)
    return f"{count / 1000**power:.3g} {('kB', 'MB', 'GB')[power - 1]}"


def inline_text(array: Shown, limit: int = 6, *, signed: bool = False) -> str:
    """A scalar or a short vector in one line; anything longer as its first elements and ``…``.

    Args:
        signed: show plus signs, as gradients do.
    """
    words = [number(x, signed=signed) for x in elements(array)[:limit]]
    if not array.shape:
        return words[0]
    more = ", …" if np.prod(array.shape) > limit else ""
    return "[" + ", ".join(words) + more + "]"


def grid_text(array: Array, *, signed: bool = False) -> str:
    """A small matrix as lines with aligned columns."""
    cells = [[number(x, signed=signed) for x in row] for row in array]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in cells
    )
