"""Images made larger or smaller.

Each of these is a linear map of the rows and the same kind of map of the columns, Y = A X Bᵀ, so
the VJP is Aᵀ G B. A row of A says from which rows of x a row of y is made.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.library.checks import misfit
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

Shape = tuple[int, ...]


def _require_image(op: str, x: Array) -> None:
    if x.ndim < 2:
        raise misfit(op, "it needs rows and columns as its last axes", "Insert an axis.", "x", x=x)


def _pair(size: int | Sequence[int | None] | None, shape: Shape) -> tuple[int, int]:
    """A size for rows and columns; None keeps what is there."""
    rows, columns = (size, size) if size is None or isinstance(size, int) else size
    return shape[-2] if rows is None else rows, shape[-1] if columns is None else columns


def _back(g: Array, rows: Array, columns: Array) -> Array:
    return rows.T @ g @ columns


# -- adaptive average pooling ----------------------------------------------------------------------


def _averages(size: int, n: int, dtype: np.dtype[np.generic]) -> Array:
    """(n, size): each of n outputs averages the inputs of its share, shares overlap by one."""
    k, i = np.arange(size), np.arange(n)[:, None]
    inside = (k >= i * size // n) & (k < -((-(i + 1) * size) // n))
    return (inside / inside.sum(axis=1, keepdims=True)).astype(dtype)


def _adaptive(x: Array, output_size: int | Sequence[int | None]) -> Array:
    _require_image("adaptive_avg_pool2d", x)
    h, w = _pair(output_size, x.shape)
    return _averages(x.shape[-2], h, x.dtype) @ x @ _averages(x.shape[-1], w, x.dtype).T


def _adaptive_slope(g: Array, x_shape: Shape, output_size: int | Sequence[int | None]) -> Array:
    h, w = _pair(output_size, x_shape)
    return _back(g, _averages(x_shape[-2], h, g.dtype), _averages(x_shape[-1], w, g.dtype))


ADAPTIVE_AVG_POOL2D = OpSpec(
    name="adaptive_avg_pool2d",
    label="adaptive avg pool 2d",
    glyph="aAv2",
    category="nn",
    ports=("x",),
    forward=_adaptive,
    vjps={
        "x": Vjp(_adaptive_slope, r"\bar{X}=A^{\top}G\,B,\quad Y=A\,X\,B^{\top}"),
    },
    formula=r"y_{ij}=\mathrm{mean\ of\ rows}\ \lfloor iH/h\rfloor\ldots\lceil(i+1)H/h\rceil"
    r"\ \mathrm{and\ columns\ likewise}",
    summary="Means over as many windows as the output shall have.",
    params=(Param("output_size", "ints", [1, 1], "rows and columns of the output"),),
    aliases=("F.adaptive_avg_pool2d", "nn.AdaptiveAvgPool2d", "global_average_pool"),
    keywords=("pooling", "mean", "downsample"),
    samples=(
        Sample((1, 2, 3, 4)),
        Sample((1, 1, 5, 4), output_size=[2, 2]),
        Sample((2, 3, 3), output_size=[3, 2]),
        Sample((2, 3), output_size=[5, None]),
    ),
)

# -- interpolation ---------------------------------------------------------------------------------


def _sources(
    size: int, n: int, mode: str, align_corners: bool | None
) -> tuple[np.ndarray[Shape, np.dtype[np.int64]], np.ndarray[Shape, np.dtype[np.int64]], Array]:
    """For each of n outputs: the input before it, the one after it, and the share of the latter."""
    i = np.arange(n)
    if mode == "nearest":
        before = i * size // n
        return before, before, np.zeros(n)
    if align_corners:
        position = i * ((size - 1) / (n - 1) if n > 1 else 0.0)
    else:
        position = np.maximum((i + 0.5) * (size / n) - 0.5, 0)
    before = np.minimum(position.astype(np.int64), size - 1)
    return before, np.minimum(before + 1, size - 1), position - before


def _weights(
    size: int, n: int, mode: str, align: bool | None, dtype: np.dtype[np.generic]
) -> Array:
    """(n, size): the shares of the inputs in each of n outputs."""
    before, after, share = _sources(size, n, mode, align)
    k = np.arange(size)
    shares = (k == before[:, None]) * (1 - share[:, None]) + (k == after[:, None]) * share[:, None]
    return shares.astype(dtype)


def _interpolate(
    x: Array, size: int | Sequence[int | None], mode: str, align_corners: bool | None
) -> Array:
    _require_image("interpolate", x)
    h, w = _pair(size, x.shape)
    if min(h, w, *x.shape[-2:]) < 1:
        raise misfit(
            "interpolate", f"size is {[h, w]}, and no size may be 0", "Choose another size.", x=x
        )
    if mode == "nearest":
        # Chosen, not multiplied: an infinite pixel must not spoil its row and column.
        return x[..., _sources(x.shape[-2], h, mode, None)[0], :][
            ..., _sources(x.shape[-1], w, mode, None)[0]
        ]
    rows = _weights(x.shape[-2], h, mode, align_corners, x.dtype)
    return rows @ x @ _weights(x.shape[-1], w, mode, align_corners, x.dtype).T


def _interpolate_slope(
    g: Array,
    x_shape: Shape,
    size: int | Sequence[int | None],
    mode: str,
    align_corners: bool | None,
) -> Array:
    h, w = _pair(size, x_shape)
    rows = _weights(x_shape[-2], h, mode, align_corners, g.dtype)
    return _back(g, rows, _weights(x_shape[-1], w, mode, align_corners, g.dtype))


INTERPOLATE = OpSpec(
    name="interpolate",
    label="interpolate",
    glyph="↗",
    category="nn",
    ports=("x",),
    forward=_interpolate,
    vjps={"x": Vjp(_interpolate_slope, r"\bar{X}=A^{\top}G\,B,\quad Y=A\,X\,B^{\top}")},
    formula=r"Y=A\,X\,B^{\top}\quad(\mathrm{rows\ of}\ A,B:\ \mathrm{shares\ of\ the\ pixels})",
    summary="Images resampled to another size.",
    params=(
        Param("size", "ints", [4, 4], "rows and columns of the output"),
        Param(
            "mode",
            "choice",
            "nearest",
            "the nearest pixel, or a mix of the four around",
            choices=("nearest", "bilinear"),
        ),
        Param("align_corners", "bool", None, "bilinear: corner pixels stay in the corners"),
    ),
    aliases=("F.interpolate", "nn.Upsample", "upsample", "resize"),
    keywords=("scale", "image", "bilinear", "nearest"),
    notes=("The last two axes are rows and columns.",),
    samples=(
        Sample((1, 1, 2, 2)),
        Sample((1, 2, 2, 3), size=[3, 5], mode="bilinear", align_corners=False),
        Sample((1, 1, 3, 3), size=[5, 5], mode="bilinear", align_corners=True),
        Sample((3, 5), size=[2, 2]),
    ),
)

# -- pixel shuffle ---------------------------------------------------------------------------------


def _pixel_shuffle(x: Array, upscale_factor: int) -> Array:
    r = upscale_factor
    if x.ndim < 3 or r < 1 or x.shape[-3] % (r * r):
        raise misfit(
            "pixel_shuffle",
            f"the third-last axis (channels) must be a multiple of {r * r}, the square of "
            "upscale_factor",
            "Give it more channels, or another factor.",
            port="x",
            x=x,
        )
    *batch, c, h, w = x.shape
    return _shuffled(x.reshape((*batch, c // (r * r), r, r, h, w)), (-5, -2, -4, -1, -3)).reshape(
        (*batch, c // (r * r), h * r, w * r)
    )


def _shuffled(x: Array, last: tuple[int, ...]) -> Array:
    """The last axes reordered."""
    front = x.ndim - len(last)
    return np.transpose(x, (*range(front), *(a + x.ndim for a in last)))


def _pixel_unshuffle(g: Array, x_shape: Shape, upscale_factor: int) -> Array:
    r = upscale_factor
    *batch, c, h, w = x_shape
    parts = g.reshape((*batch, c // (r * r), h, r, w, r))
    return _shuffled(parts, (-5, -3, -1, -4, -2)).reshape(x_shape)


PIXEL_SHUFFLE = OpSpec(
    name="pixel_shuffle",
    label="pixel shuffle",
    glyph="PxSh",
    category="nn",
    ports=("x",),
    forward=_pixel_shuffle,
    vjps={"x": Vjp(_pixel_unshuffle, r"\bar{x}=\mathrm{pixel\_unshuffle}(g)")},
    formula=r"(C r^{2},H,W)\to(C,Hr,Wr)",
    summary="Channels rearranged into finer pixels.",
    params=(Param("upscale_factor", "int", 2, "factor r of rows and columns", low=1),),
    aliases=("F.pixel_shuffle", "nn.PixelShuffle", "depth_to_space"),
    keywords=("upscale", "superresolution", "channels"),
    samples=(
        Sample((1, 4, 2, 2)),
        Sample((1, 8, 1, 2)),
        Sample((2, 9, 1, 1), upscale_factor=3),
        Sample((4, 2, 3)),
    ),
)

OPS = (ADAPTIVE_AVG_POOL2D, INTERPOLATE, PIXEL_SHUFFLE)
