"""Windows that slide over the last axes, for convolution and pooling.

Every axis has its own kernel size, stride, dilation and padding. The windows of an array are cut
out without copying it; putting them back adds up where they overlap, by one addition for each
position in the window (never for each window).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from core.library.spec import Array

Shape = tuple[int, ...]
Ints = int | Sequence[int]


@dataclass(frozen=True)
class Grid:
    """Where windows lie, axis by axis.

    Attributes:
        kernel: points of a window.
        stride: from one window to the next.
        padding: before and after the array.
        dilation: from one point of a window to the next.
        out: number of windows.
    """

    kernel: Shape
    stride: Shape
    padding: tuple[tuple[int, int], ...]
    dilation: Shape
    out: Shape

    @property
    def extent(self) -> Shape:
        """From the first point of a window to its last, both included."""
        return tuple(d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilation, strict=True))


def per_axis(value: Ints, n: int) -> Shape:
    """One number for each of n axes; a single one serves for all."""
    if isinstance(value, int | np.integer):
        return (int(value),) * n
    values = tuple(int(v) for v in value)
    return values * n if len(values) == 1 else values


def one_number(n: int, value: int) -> int | list[int]:
    """The same default for each of n axes, as parameters show it: one axis has no list."""
    return value if n == 1 else [value] * n


def padded(x: Array, padding: tuple[tuple[int, int], ...], fill: float = 0.0) -> Array:
    """``x`` with a border around its last axes."""
    if not any(lo or hi for lo, hi in padding):
        return x
    before = ((0, 0),) * (x.ndim - len(padding))
    return np.pad(x, (*before, *padding), constant_values=fill)


def cut_out(x: Array, grid: Grid, fill: float = 0.0) -> Array:
    """The windows of ``x``: (..., *out, *kernel), a view where nothing is padded."""
    n = len(grid.kernel)
    x = padded(x, grid.padding, fill)
    views = sliding_window_view(x, grid.extent, axis=tuple(range(x.ndim - n, x.ndim)))
    picks = tuple(
        slice(0, (out - 1) * s + 1, s) if out else slice(0, 0)
        for out, s in zip(grid.out, grid.stride, strict=True)
    )
    points = tuple(slice(None, None, d) for d in grid.dilation)
    return views[(..., *picks, *points)]


def points(x: Array, grid: Grid, fill: float = 0.0) -> list[Array]:
    """For each point of a window, its values in all windows: (..., *out), in row-major order.

    Arithmetic on these is arithmetic on whole arrays; on the windows themselves it would be many
    times that of a few values.
    """
    windows = cut_out(x, grid, fill)
    return [windows[(..., *point)] for point in itertools.product(*map(range, grid.kernel))]


def reduce_windows(ufunc: np.ufunc, x: Array, grid: Grid, fill: float = 0.0) -> Array:
    """One value a window: its points combined by ``ufunc``."""
    first, *others = points(x, grid, fill)
    if not others:
        return first.copy()
    y = ufunc(first, others[0])
    for point in others[1:]:
        ufunc(y, point, out=y)
    return y


def put_back(windows: Array, grid: Grid, size: Shape) -> Array:
    """The transpose of ``cut_out``: windows added up where they lie.

    Args:
        windows: (..., *kernel, *out).
        grid: where they lie.
        size: the last axes of the result.
    """
    n = len(size)
    borders = [lo + hi for lo, hi in grid.padding]
    whole = tuple(s + border for s, border in zip(size, borders, strict=True))
    x: Array = np.zeros((*windows.shape[: windows.ndim - 2 * n], *whole), windows.dtype)
    if all(grid.out):
        for point in itertools.product(*map(range, grid.kernel)):
            places = tuple(
                slice(p * d, p * d + (out - 1) * s + 1, s)
                for p, d, s, out in zip(point, grid.dilation, grid.stride, grid.out, strict=True)
            )
            every = (slice(None),) * n
            x[(..., *places)] += windows[(..., *point, *every)]
    inside = tuple(slice(lo, lo + s) for (lo, _), s in zip(grid.padding, size, strict=True))
    return x[(..., *inside)]
