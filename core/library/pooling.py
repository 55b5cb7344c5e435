"""Pooling: the largest or the mean value of every window.

Two hidden operations, each the transpose of the other, let the rules be differentiated again:
``unfold`` cuts out the windows, ``fold`` adds them up where they lie.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.errors import OperandError
from core.library.spec import Array, OpSpec, Param, Sample, Vjp
from core.library.windows import (
    Grid,
    Ints,
    Shape,
    one_number,
    per_axis,
    points,
    put_back,
    reduce_windows,
)

# -- windows ---------------------------------------------------------------------------------------


def _grid(
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


def _unfold(x: Array, grid: Grid, fill: float = 0.0) -> Array:
    """(..., points, *out): the points of a window, in row-major order, come before the windows."""
    return np.stack(points(x, grid, fill), axis=-len(grid.kernel) - 1)


def _over_points(x: Array, grid: Grid) -> Array:
    """One value a window, (..., *out), with an axis of size 1 for the points."""
    return np.expand_dims(x, -len(grid.kernel) - 1)


def _fold(x: Array, grid: Grid, size: Shape) -> Array:
    front = x.shape[: x.ndim - len(size) - 1]
    return put_back(x.reshape((*front, *grid.kernel, *grid.out)), grid, size)


_SMALL = Grid((2,), (1,), ((0, 0),), (1,), (3,))
_LARGE = Grid((2, 2), (2, 1), ((1, 1), (0, 1)), (1, 2), (2, 3))

UNFOLD = OpSpec(
    name="unfold",
    label="unfold",
    category="nn",
    ports=("x",),
    hidden=True,
    forward=_unfold,
    vjps={
        "x": Vjp(
            lambda g, x_shape, grid: FOLD(g, grid=grid, size=x_shape[-len(grid.kernel) :]),
            r"\bar{x}=\mathrm{fold}(g)",
        ),
    },
    formula=r"y_{ki}=x_{is+kd-p}",
    summary="The windows of an array.",
    params=(Param("grid", "ints", _SMALL, "Where the windows lie."),),
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
        Param("grid", "ints", _SMALL, "Where the windows lie."),
        Param("size", "shape", (4,), "Last axes of the result."),
    ),
    samples=(Sample((2, 2, 3)), Sample((2, 4, 2, 3), grid=_LARGE, size=(3, 4))),
)

# -- the largest value -----------------------------------------------------------------------------


def _lowest(dtype: np.dtype[Any]) -> float:
    """What the padding counts as: less than every value."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _first_largest(x: Array, grid: Grid) -> Array:
    values = _unfold(x, grid, _lowest(x.dtype))
    n = len(grid.kernel)
    place = np.arange(math.prod(grid.kernel)).reshape((-1,) + (1,) * n)
    return place == _over_points(values.argmax(axis=-n - 1), grid)


# Which point of every window is the largest: all that the VJP needs of x.
FIRST_LARGEST = OpSpec(
    name="first_largest",
    label="first largest",
    category="nn",
    ports=("x",),
    hidden=True,
    nondiff_ports=frozenset({"x"}),
    forward=_first_largest,
    vjps={},
    formula=r"y_{ki}=[k=\mathrm{argmax}_{k}\,x_{is+kd-p}]",
    summary="The place of the largest value in each window.",
    params=(Param("grid", "ints", _SMALL, "Where the windows lie."),),
    samples=(Sample((2, 4)),),
)


_CEIL = Param("ceil_mode", "bool", False, "Keep a last window that is not whole.")


def _size_params(n: int) -> tuple[Param, ...]:
    return (
        Param("kernel_size", "ints", one_number(n, 2), "Size of a window."),
        Param("stride", "ints", None, "Step from one window to the next; empty: its size."),
        Param("padding", "ints", one_number(n, 0), "Border around x, at most half a window."),
    )


def _max_pooling(n: int, samples: tuple[Sample, ...]) -> OpSpec:
    """The record of the largest value over windows of n axes."""
    op = f"max_pool{n}d"

    def forward(
        x: Array,
        kernel_size: Ints,
        stride: Ints | None,
        padding: Ints,
        dilation: Ints,
        ceil_mode: bool,
    ) -> Array:
        if x.dtype.kind not in "fiu":
            raise OperandError(
                f"{op}: x is {x.dtype}, and the largest of such values is not defined here.",
                next_step="Give it real numbers.",
                port="x",
            )
        grid = _grid(op, n, x.shape, kernel_size, stride, padding, dilation, ceil_mode)
        return reduce_windows(np.maximum, x, grid, _lowest(x.dtype))

    def rule(
        g: Array,
        x: Array,
        x_shape: Shape,
        kernel_size: Ints,
        stride: Ints | None,
        padding: Ints,
        dilation: Ints,
        ceil_mode: bool,
    ) -> Array:
        grid = _grid(op, n, x_shape, kernel_size, stride, padding, dilation, ceil_mode)
        shared = np.where(FIRST_LARGEST(x, grid=grid), _over_points(g, grid), 0.0)
        return FOLD(shared, grid=grid, size=x_shape[-n:])

    return OpSpec(
        name=op,
        label=f"max pool {n}d",
        glyph=f"mx{n}",
        category="nn",
        ports=("x",),
        forward=forward,
        vjps={"x": Vjp(rule, r"\bar{x}_j=\sum_{\mathrm{windows}\ i}g_i\,[j=\mathrm{argmax}_i]")},
        formula=r"y_i=\max_k x_{is+kd-p}",
        summary="Largest value of every window.",
        params=(
            *_size_params(n),
            Param("dilation", "ints", one_number(n, 1), "Step between the points of a window."),
            _CEIL,
        ),
        aliases=(f"F.max_pool{n}d", f"nn.MaxPool{n}d"),
        keywords=("pooling", "downsample", "maximum", "cnn"),
        notes=(
            "Ties: the first value of the window takes the cotangent, in row-major order.",
            "The padding counts as −∞.",
        ),
        samples=samples,
    )


def _distinct(*shape: int) -> np.ndarray[Shape, np.dtype[np.float64]]:
    """Values of which no two are equal or close: maxima that stay what they are."""
    size = math.prod(shape)
    # Steps of about the golden section; np.random would take as long to import as all of this.
    step = next(k for k in range(round(0.382 * size) + 1, 2 * size + 2) if math.gcd(k, size) == 1)
    return (np.arange(size) * step % size / size).reshape(shape)


MAX_POOL1D = _max_pooling(
    1,
    (
        Sample(_distinct(1, 2, 6)),
        Sample(_distinct(2, 1, 5), kernel_size=3, stride=1, padding=1),
        Sample(_distinct(2, 6), kernel_size=3, stride=2, ceil_mode=True),
        Sample(_distinct(1, 1, 6), kernel_size=2, stride=1, dilation=2),
    ),
)
MAX_POOL2D = _max_pooling(
    2,
    (
        Sample(_distinct(1, 1, 4, 4)),
        Sample(_distinct(1, 2, 5, 4), kernel_size=[3, 2], stride=[2, 1], padding=[1, 0]),
        Sample(
            _distinct(2, 3, 4), kernel_size=[2, 2], stride=[1, 2], dilation=[1, 2], ceil_mode=True
        ),
    ),
)

# -- the mean --------------------------------------------------------------------------------------


def _counts(grid: Grid, size: Shape, padding: Shape, count_include_pad: bool) -> Array:
    """What each sum is divided by: how many points of the window count."""
    counts = np.ones(())
    for out, k, s, n, p in zip(grid.out, grid.kernel, grid.stride, size, padding, strict=True):
        begin = np.arange(out) * s - p
        end = np.minimum(begin + k, n + p)
        if not count_include_pad:
            begin, end = np.maximum(begin, 0), np.minimum(end, n)
        counts = counts[..., None] * (end - begin)
    return counts


def _avg_pooling(n: int, samples: tuple[Sample, ...]) -> OpSpec:
    """The record of the mean over windows of n axes."""
    op = f"avg_pool{n}d"

    def divisors(
        x_shape: Shape, grid: Grid, padding: Ints, include: bool, dtype: np.dtype[np.generic]
    ) -> Array:
        return _counts(grid, x_shape[-n:], per_axis(padding, n), include).astype(dtype)

    def forward(
        x: Array,
        kernel_size: Ints,
        stride: Ints | None,
        padding: Ints,
        ceil_mode: bool,
        count_include_pad: bool,
    ) -> Array:
        grid = _grid(op, n, x.shape, kernel_size, stride, padding, 1, ceil_mode)
        total = reduce_windows(np.add, x, grid)
        return total / divisors(x.shape, grid, padding, count_include_pad, total.dtype)

    def rule(
        g: Array,
        x_shape: Shape,
        y_shape: Shape,
        kernel_size: Ints,
        stride: Ints | None,
        padding: Ints,
        ceil_mode: bool,
        count_include_pad: bool,
    ) -> Array:
        grid = _grid(op, n, x_shape, kernel_size, stride, padding, 1, ceil_mode)
        part = g / divisors(x_shape, grid, padding, count_include_pad, g.dtype)
        shape = (*y_shape[:-n], math.prod(grid.kernel), *grid.out)
        shared = np.broadcast_to(_over_points(part, grid), shape)
        return FOLD(shared, grid=grid, size=x_shape[-n:])

    return OpSpec(
        name=op,
        label=f"avg pool {n}d",
        glyph=f"av{n}",
        category="nn",
        ports=("x",),
        forward=forward,
        vjps={"x": Vjp(rule, r"\bar{x}_j=\sum_{\mathrm{windows}\ i\ni j}g_i/m_i")},
        formula=r"y_i=\frac{1}{m_i}\sum_k x_{is+k-p}",
        summary="Mean of every window.",
        params=(
            *_size_params(n),
            _CEIL,
            Param("count_include_pad", "bool", True, "Whether the padding counts as values."),
        ),
        aliases=(f"F.avg_pool{n}d", f"nn.AvgPool{n}d"),
        keywords=("pooling", "downsample", "mean", "average", "cnn"),
        notes=("The padding is 0; m counts it only with count_include_pad.",),
        samples=samples,
    )


AVG_POOL1D = _avg_pooling(
    1,
    (
        Sample((1, 2, 6)),
        Sample((1, 1, 5), kernel_size=3, stride=2, padding=1),
        Sample((2, 5), kernel_size=3, stride=2, padding=1, count_include_pad=False),
        Sample((1, 2, 6), kernel_size=4, stride=3, padding=1, ceil_mode=True),
    ),
)
AVG_POOL2D = _avg_pooling(
    2,
    (
        Sample((1, 1, 4, 4)),
        Sample((1, 2, 5, 4), kernel_size=[3, 2], stride=[2, 1], padding=[1, 0]),
        Sample(
            (2, 3, 3), kernel_size=[2, 2], stride=[1, 1], padding=[1, 1], count_include_pad=False
        ),
    ),
)

OPS = (MAX_POOL1D, MAX_POOL2D, AVG_POOL1D, AVG_POOL2D, UNFOLD, FOLD, FIRST_LARGEST)
