"""Where the windows lie, cut out and put back: what both kinds of pooling share."""

from __future__ import annotations

import numpy as np

from core.errors import OperandError
from core.library.spec import Array, OpSpec, Param, Sample, Vjp
from core.library.windows import Grid, Ints, Shape, one_number, per_axis, points, put_back


def grid_of(
    op: str,
    n: int,
    shape: Shape,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
) -> Grid:
    """Where the windows lie over the last n axes of ``shape``."""
    kernel, dilations, pads = per_axis(kernel_size, n), per_axis(dilation, n), per_axis(padding, n)
    strides = kernel if stride is None or stride == [] else per_axis(stride, n)
    counts = {len(kernel), len(strides), len(pads), len(dilations)}
    if counts != {n} or min(*kernel, *strides, *dilations) < 1 or min(pads) < 0:
        raise OperandError(
            f"{op}: kernel_size {kernel_size}, stride {stride}, padding {padding} and dilation "
            f"{dilation} must be one number for all {n} axes or one for each, sizes and steps at "
            "least 1, padding at least 0.",
            next_step="Correct these parameters.",
        )
    if len(shape) < n or any(2 * p > k for p, k in zip(pads, kernel, strict=True)):
        raise OperandError(
            f"{op}: x is {shape}, kernel_size {kernel_size} and padding {padding}: it needs {n} "
            "axes or more, and a padding of at most half the window.",
            next_step="Lower the padding, or insert an axis.",
            port="x",
        )
    borders, outs = [], []
    for size, k, s, p, d in zip(shape[-n:], kernel, strides, pads, dilations, strict=True):
        extent = d * (k - 1) + 1
        room = size + 2 * p - extent
        out = (-(-room // s) if ceil_mode else room // s) + 1
        if ceil_mode and (out - 1) * s >= size + p:
            out -= 1  # a window that begins in the padding at the end
        outs.append(out)
        borders.append((p, max((out - 1) * s + extent - size - p, 0)))
    if min(outs) < 1:
        raise OperandError(
            f"{op}: x is {shape}, which is smaller than a window of {kernel_size}.",
            next_step="Use a smaller window, or a larger x.",
            port="x",
        )
    return Grid(kernel, strides, tuple(borders), dilations, tuple(outs))


def unfold(x: Array, grid: Grid, fill: float = 0.0) -> Array:
    """(..., points, *out): the points of a window, in row-major order, come before the windows."""
    return np.stack(points(x, grid, fill), axis=-len(grid.kernel) - 1)


def over_points(x: Array, grid: Grid) -> Array:
    """One value a window, (..., *out), with an axis of size 1 for the points."""
    return np.expand_dims(x, -len(grid.kernel) - 1)


def _fold(x: Array, grid: Grid, size: Shape) -> Array:
    front = x.shape[: x.ndim - len(size) - 1]
    return put_back(x.reshape((*front, *grid.kernel, *grid.out)), grid, size)


SMALL = Grid((2,), (1,), ((0, 0),), (1,), (3,))
_LARGE = Grid((2, 2), (2, 1), ((1, 1), (0, 1)), (1, 2), (2, 3))

UNFOLD = OpSpec(
    name="unfold",
    label="unfold",
    category="nn",
    ports=("x",),
    hidden=True,
    forward=unfold,
    vjps={
        "x": Vjp(
            lambda g, x_shape, grid: FOLD(g, grid=grid, size=x_shape[-len(grid.kernel) :]),
            r"\bar{x}=\mathrm{fold}(g)",
        ),
    },
    formula=r"y_{ki}=x_{is+kd-p}",
    summary="The windows of an array.",
    params=(Param("grid", "ints", SMALL, "Where the windows lie."),),
    samples=(Sample((2, 4)), Sample((2, 3, 4), grid=_LARGE)),
)

FOLD: OpSpec = OpSpec(
    name="fold",
    label="fold",
    category="nn",
    ports=("x",),
    hidden=True,
    forward=_fold,
    vjps={"x": Vjp(lambda g, grid: UNFOLD(g, grid=grid), r"\bar{x}=\mathrm{unfold}(g)")},
    formula=r"y_{j}=\sum_{ik:\,is+kd-p=j}x_{ki}",
    summary="Windows added up where they lie.",
    params=(
        Param("grid", "ints", SMALL, "Where the windows lie."),
        Param("size", "shape", (4,), "Last axes of the result."),
    ),
    samples=(Sample((2, 2, 3)), Sample((2, 4, 2, 3), grid=_LARGE, size=(3, 4))),
)

CEIL = Param("ceil_mode", "bool", False, "Keep a last window that is not whole.")


def size_params(n: int) -> tuple[Param, ...]:
    return (
        Param("kernel_size", "ints", one_number(n, 2), "Size of a window."),
        Param("stride", "ints", None, "Step from one window to the next; empty: its size."),
        Param("padding", "ints", one_number(n, 0), "Border around x, at most half a window."),
    )
