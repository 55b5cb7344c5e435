"""The largest value of every window."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.errors import OperandError
from core.library.pooling.grids import CEIL, FOLD, SMALL, grid_of, over_points, size_params, unfold
from core.library.spec import Array, OpSpec, Param, Sample, Vjp
from core.library.windows import Grid, Ints, Shape, one_number, reduce_windows


def _lowest(dtype: np.dtype[Any]) -> float:
    """What the padding counts as: less than every value."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _first_largest(x: Array, grid: Grid) -> Array:
    values = unfold(x, grid, _lowest(x.dtype))
    n = len(grid.kernel)
    place = np.arange(math.prod(grid.kernel)).reshape((-1,) + (1,) * n)
    return place == over_points(values.argmax(axis=-n - 1), grid)


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
    params=(Param("grid", "ints", SMALL, "Where the windows lie."),),
    samples=(Sample((2, 4)),),
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
        grid = grid_of(op, n, x.shape, kernel_size, stride, padding, dilation, ceil_mode)
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
        grid = grid_of(op, n, x_shape, kernel_size, stride, padding, dilation, ceil_mode)
        shared = np.where(FIRST_LARGEST(x, grid=grid), over_points(g, grid), 0.0)
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
            *size_params(n),
            Param("dilation", "ints", one_number(n, 1), "Step between the points of a window."),
            CEIL,
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
