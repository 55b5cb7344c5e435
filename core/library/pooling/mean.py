"""The mean of every window."""

from __future__ import annotations

import math

import numpy as np

from core.library.pooling.grids import CEIL, FOLD, grid_of, over_points, size_params
from core.library.spec import Array, OpSpec, Param, Sample, Vjp
from core.library.windows import Grid, Ints, Shape, per_axis, reduce_windows


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
        grid = grid_of(op, n, x.shape, kernel_size, stride, padding, 1, ceil_mode)
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
        grid = grid_of(op, n, x_shape, kernel_size, stride, padding, 1, ceil_mode)
        part = g / divisors(x_shape, grid, padding, count_include_pad, g.dtype)
        shape = (*y_shape[:-n], math.prod(grid.kernel), *grid.out)
        shared = np.broadcast_to(over_points(part, grid), shape)
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
            *size_params(n),
            CEIL,
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
