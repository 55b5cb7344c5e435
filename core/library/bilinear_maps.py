"""The three bilinear maps that convolutions are made of.

``conv`` slides a kernel over an image. Its two transposes are ``conv_adjoint`` (an image from the
cotangent and the kernel, which is also the forward rule of a transposed convolution) and
``conv_kernel`` (a kernel from image and cotangent). The rules of each are the other two, so
derivatives go on to any order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.library.products import transposed
from core.library.spec import Array, OpSpec, Param, Sample, Vjp
from core.library.windows import Grid, Shape, cut_out, put_back


@dataclass(frozen=True)
class Sweep:
    """How a kernel sweeps over an image: one entry an axis, and the number of groups."""

    stride: Shape
    padding: tuple[tuple[int, int], ...]
    dilation: Shape
    groups: int

    def grid(self, kernel: Shape, out: Shape) -> Grid:
        """The windows of ``out`` positions of a kernel."""
        return Grid(kernel, self.stride, self.padding, self.dilation, out)

    def positions(self, size: Shape, kernel: Shape) -> Shape:
        """How many positions the kernel has on an image of that size."""
        return tuple(
            (n + lo + hi - d * (k - 1) - 1) // s + 1
            for n, k, s, (lo, hi), d in zip(
                size, kernel, self.stride, self.padding, self.dilation, strict=True
            )
        )


# -- the three bilinear maps -----------------------------------------------------------------------


def _columns(x: Array, sweep: Sweep, kernel: Shape, out: Shape) -> Array:
    """(batch, groups, channels · kernel, positions): the windows as the columns of a matrix."""
    n, k = len(kernel), sweep.groups
    windows = cut_out(x, sweep.grid(kernel, out))
    order = (0, 1, *range(2 + n, 2 + 2 * n), *range(2, 2 + n))
    batch, channels = x.shape[:2]
    rows = channels // k * math.prod(kernel)
    return windows.transpose(order).reshape((batch, k, rows, math.prod(out)))


def _kernel_matrices(w: Array, groups: int) -> Array:
    """(groups, outputs, channels · kernel)."""
    return w.reshape((groups, w.shape[0] // groups, math.prod(w.shape[1:])))


def correlate(x: Array, w: Array, sweep: Sweep, size: Shape) -> Array:
    y = _kernel_matrices(w, sweep.groups) @ _columns(x, sweep, w.shape[2:], size)
    return y.reshape((x.shape[0], w.shape[0], *size))


def spread(y: Array, w: Array, sweep: Sweep, size: Shape) -> Array:
    batch, out, kernel = y.shape[0], y.shape[2:], w.shape[2:]
    flat = y.reshape((batch, sweep.groups, w.shape[0] // sweep.groups, math.prod(out)))
    columns = transposed(_kernel_matrices(w, sweep.groups)) @ flat
    windows = columns.reshape((batch, sweep.groups * w.shape[1], *kernel, *out))
    return put_back(windows, sweep.grid(kernel, out), size)


def _conv_kernel(x: Array, y: Array, sweep: Sweep, size: Shape) -> Array:
    batch, outputs, out = y.shape[0], y.shape[1], y.shape[2:]
    flat = y.reshape((batch, sweep.groups, outputs // sweep.groups, math.prod(out)))
    w = (flat @ transposed(_columns(x, sweep, size, out))).sum(axis=0)
    return w.reshape((outputs, x.shape[1] // sweep.groups, *size))


_PLAIN = Sweep((1,), ((0, 0),), (1,), 1)
_WIDE = Sweep((2, 1), ((1, 0), (1, 1)), (1, 2), 2)


def _hidden_params(what: str, default: Shape) -> tuple[Param, ...]:
    return (
        Param("sweep", "ints", _PLAIN, "Strides, paddings, dilations and groups."),
        Param("size", "shape", default, what),
    )


CONV = OpSpec(
    name="conv",
    label="conv",
    category="nn",
    ports=("x", "w"),
    hidden=True,
    forward=correlate,
    vjps={
        "x": Vjp(
            lambda g, w, sweep, x_shape: CONV_ADJOINT(g, w, sweep=sweep, size=x_shape[2:]),
            r"\bar{x}=\mathrm{conv\_adjoint}(g,w)",
        ),
        "w": Vjp(
            lambda g, x, sweep, w_shape: CONV_KERNEL(x, g, sweep=sweep, size=w_shape[2:]),
            r"\bar{w}=\mathrm{conv\_kernel}(x,g)",
        ),
    },
    formula=r"y_{oi}=\sum_{ck}w_{ock}\,x_{c,is+kd-p}",
    summary="A kernel slid over an image.",
    params=_hidden_params("Positions.", (3,)),
    samples=(
        Sample((2, 1, 4), (2, 1, 2)),
        Sample((2, 2, 4, 5), (4, 1, 2, 2), sweep=_WIDE, size=(2, 5)),
    ),
)

CONV_ADJOINT: OpSpec = OpSpec(
    name="conv_adjoint",
    label="conv adjoint",
    category="nn",
    ports=("y", "w"),
    hidden=True,
    outputs=("x",),
    forward=spread,
    vjps={
        "y": Vjp(
            lambda g, w, sweep, y_shape: CONV(g, w, sweep=sweep, size=y_shape[2:]),
            r"\bar{y}=\mathrm{conv}(g,w)",
        ),
        "w": Vjp(
            lambda g, y, sweep, w_shape: CONV_KERNEL(g, y, sweep=sweep, size=w_shape[2:]),
            r"\bar{w}=\mathrm{conv\_kernel}(g,y)",
        ),
    },
    formula=r"x_{cj}=\sum_{ok:\,is+kd-p=j}w_{ock}\,y_{oi}",
    summary="Transpose of conv in its image.",
    params=_hidden_params("Size of the image.", (4,)),
    samples=(
        Sample((2, 2, 3), (2, 1, 2)),
        Sample((2, 4, 2, 5), (4, 1, 2, 2), sweep=_WIDE, size=(4, 5)),
    ),
)

CONV_KERNEL: OpSpec = OpSpec(
    name="conv_kernel",
    label="conv kernel",
    category="nn",
    ports=("x", "y"),
    hidden=True,
    outputs=("w",),
    forward=_conv_kernel,
    vjps={
        "x": Vjp(
            lambda g, y, sweep, x_shape: CONV_ADJOINT(y, g, sweep=sweep, size=x_shape[2:]),
            r"\bar{x}=\mathrm{conv\_adjoint}(y,g)",
        ),
        "y": Vjp(
            lambda g, x, sweep, y_shape: CONV(x, g, sweep=sweep, size=y_shape[2:]),
            r"\bar{y}=\mathrm{conv}(x,g)",
        ),
    },
    formula=r"w_{ock}=\sum_i y_{oi}\,x_{c,is+kd-p}",
    summary="Transpose of conv in its kernel.",
    params=_hidden_params("Size of the kernel.", (2,)),
    samples=(
        Sample((2, 1, 4), (2, 2, 3)),
        Sample((2, 2, 4, 5), (2, 4, 2, 5), sweep=_WIDE, size=(2, 2)),
    ),
)

OPS = (CONV, CONV_ADJOINT, CONV_KERNEL)
