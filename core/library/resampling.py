"""Images made larger or smaller.

Each of these is a linear map of the rows and the same kind of map of the columns, Y = A X Bᵀ, so
the VJP is Aᵀ G B. A row of A says from which rows of x a row of y is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.library.checks import misfit
from core.library.products import transposed
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

Shape = tuple[int, ...]
Size = int | Sequence[int | None] | None


def _mixed(x: Array, shares: Array) -> Array:
    """``x`` times the transpose of ``shares`` (outputs, inputs), most of which are 0.

    Only the inputs that have a share are looked at, so that an infinite pixel (0 · ∞ is NaN) spoils
    no others.
    """
    most = int(np.count_nonzero(shares, axis=1).max(initial=1))
    inputs = np.argsort(shares == 0, axis=1, kind="stable")[:, :most]
    weights = np.take_along_axis(shares, inputs, axis=1)
    return np.where(weights != 0, x[..., inputs] * weights, 0).sum(axis=-1)


def _resampled(x: Array, rows: Array, columns: Array) -> Array:
    """A X Bᵀ."""
    return transposed(_mixed(transposed(_mixed(x, columns)), rows))


def _as_share(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of shares of values of that dtype: integers have no halves."""
    return np.result_type(dtype, np.float32)


def _parts(size: Size) -> tuple[int | None, ...]:
    return (size,) if size is None or isinstance(size, int | np.integer) else tuple(size)


def _wanted(size: Size, shape: Shape) -> tuple[int, int]:
    """A size for rows and columns; None keeps what is there."""
    parts = _parts(size)
    rows, columns = parts * 2 if len(parts) == 1 else parts
    return shape[-2] if rows is None else rows, shape[-1] if columns is None else columns


def _check(op: str, x: Array, name: str, size: Size) -> None:
    """Refuse what has no rows and columns, and sizes that are no two numbers from 1 on."""
    if x.ndim < 2 or not all(x.shape[-2:]):
        raise misfit(
            op,
            "its last two axes must be rows and columns, at least one of each",
            "Insert an axis.",
            port="x",
            x=x,
        )
    parts = _parts(size)
    if len(parts) not in (1, 2) or any(n is not None and n < 1 for n in parts):
        raise misfit(
            op,
            f"{name} is {size}, and must be one number for both axes or one for each, at least 1",
            f"Correct {name}.",
            x=x,
        )


# -- adaptive average pooling ----------------------------------------------------------------------


def _averages(size: int, n: int, dtype: np.dtype[Any]) -> Array:
    """(n, size): each of n outputs averages the inputs of its share, shares overlap by one."""
    k, i = np.arange(size), np.arange(n)[:, None]
    inside = (k >= i * size // n) & (k < -((-(i + 1) * size) // n))
    return (inside / inside.sum(axis=1, keepdims=True)).astype(dtype)


def _adaptive_maps(shape: Shape, output_size: Size, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """The shares of the rows, and of the columns."""
    h, w = _wanted(output_size, shape)
    share = _as_share(dtype)
    return _averages(shape[-2], h, share), _averages(shape[-1], w, share)


def _adaptive(x: Array, output_size: Size) -> Array:
    _check("adaptive_avg_pool2d", x, "output_size", output_size)
    return _resampled(x, *_adaptive_maps(x.shape, output_size, x.dtype))


def _adaptive_slope(g: Array, x_shape: Shape, output_size: Size) -> Array:
    rows, columns = _adaptive_maps(x_shape, output_size, g.dtype)
    return _resampled(g, rows.T, columns.T)


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
    params=(Param("output_size", "ints", [1, 1], "Rows and columns of the output."),),
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


def _weights(size: int, n: int, mode: str, align: bool | None, dtype: np.dtype[Any]) -> Array:
    """(n, size): the shares of the inputs in each of n outputs."""
    before, after, share = _sources(size, n, mode, align)
    k = np.arange(size)
    shares = (k == before[:, None]) * (1 - share[:, None]) + (k == after[:, None]) * share[:, None]
    return shares.astype(dtype)


def _interpolation_maps(
    shape: Shape, size: Size, mode: str, align: bool | None, dtype: np.dtype[Any]
) -> tuple[Array, Array]:
    """The shares of the rows, and of the columns."""
    h, w = _wanted(size, shape)
    kind = dtype if mode == "nearest" else _as_share(dtype)
    return _weights(shape[-2], h, mode, align, kind), _weights(shape[-1], w, mode, align, kind)


def _interpolate(x: Array, size: Size, mode: str, align_corners: bool | None) -> Array:
    _check("interpolate", x, "size", size)
    return _resampled(x, *_interpolation_maps(x.shape, size, mode, align_corners, x.dtype))


def _interpolate_slope(
    g: Array, x_shape: Shape, size: Size, mode: str, align_corners: bool | None
) -> Array:
    rows, columns = _interpolation_maps(x_shape, size, mode, align_corners, g.dtype)
    return _resampled(g, rows.T, columns.T)


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
        Param("size", "ints", [4, 4], "Rows and columns of the output."),
        Param(
            "mode",
            "choice",
            "nearest",
            "The nearest pixel, or a mix of the four around.",
            choices=("nearest", "bilinear"),
        ),
        Param("align_corners", "bool", None, "Whether corner pixels stay in corners (bilinear)."),
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
    params=(Param("upscale_factor", "int", 2, "Factor r of rows and columns.", low=1),),
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
