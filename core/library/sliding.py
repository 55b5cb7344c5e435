"""What kernels that slide share, whichever direction they go: parameters, and what does not fit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.errors import OperandError
from core.library.bilinear_maps import Sweep
from core.library.checks import misfit
from core.library.spec import Array, Param
from core.library.windows import Ints, Shape, one_number, per_axis

#: The axes of x, by how many of them the kernel slides along.
LAYOUT = {1: "(batch, channels, length)", 2: "(batch, channels, rows, columns)"}


def params_of(n: int, *more: Param, padding_words: tuple[str, ...] = ()) -> tuple[Param, ...]:
    """The parameters of both, with those of one before the dilation."""
    padding = "Zeros added at both ends" + (
        "; same: as many as keep the size, valid: none." if padding_words else "."
    )
    return (
        Param("stride", "ints", one_number(n, 1), "Step from one position to the next."),
        Param("padding", "ints", one_number(n, 0), padding, words=padding_words),
        *more,
        Param("dilation", "ints", one_number(n, 1), "Step between the points of the kernel."),
        Param("groups", "int", 1, "Channels are split into groups that do not mix.", low=1),
    )


def batched(x: Array, n: int) -> Array:
    """An image without a batch axis gets one."""
    return np.expand_dims(x, 0) if x.ndim == n + 1 else x


def sweep_of(
    op: str, n: int, kernel: Shape, stride: Ints, padding: Ints | str, dilation: Ints, groups: int
) -> Sweep:
    """How a kernel goes over n axes.

    Raises:
        OperandError: if a parameter is no number or text of its kind, or not one for each axis.
    """
    strides, dilations = per_axis(stride, n), per_axis(dilation, n)
    if padding == "same":
        totals = [d * (k - 1) for k, d in zip(kernel, dilations, strict=True)]
        borders = tuple((total // 2, total - total // 2) for total in totals)
    elif isinstance(padding, str) and padding != "valid":
        raise OperandError(
            f"{op}: padding is {padding!r}.", next_step="Give it numbers, or 'same' or 'valid'."
        )
    else:
        widths = per_axis(0 if isinstance(padding, str) else padding, n)
        borders = tuple((p, p) for p in widths)
    lengths = {len(strides), len(borders), len(dilations)}
    if lengths != {n} or min(*strides, *dilations) < 1 or min(borders)[0] < 0:
        raise OperandError(
            f"{op}: stride {stride}, padding {padding} and dilation {dilation} must be one number "
            f"for all {n} axes or one for each, steps at least 1, padding at least 0.",
            next_step="Correct these parameters.",
        )
    return Sweep(strides, borders, dilations, groups)


def check(
    op: str, n: int, x: Array, weight: Array, bias: Array | None, groups: int, into: int
) -> None:
    """Refuse what does not fit; ``into`` is the axis of weight that meets the channels of x."""
    if x.ndim not in (n + 1, n + 2) or weight.ndim != n + 2:
        raise misfit(
            op,
            f"x has the axes {LAYOUT[n]}, the batch may be missing; weight has {n + 2} axes",
            "Reshape it, or insert axes of size 1.",
            port="x",
            x=x,
            weight=weight,
        )
    if not all(weight.shape[2:]):
        raise misfit(
            op, "the kernel has no points", "Give it sizes from 1 on.", port="weight", weight=weight
        )
    channels = x.shape[-n - 1]
    if groups < 1 or channels % groups or weight.shape[0] % groups:
        raise misfit(
            op,
            f"{channels} channels of x and {weight.shape[0]} of weight cannot be split into "
            f"{groups} groups",
            "Set groups to a common divisor of both.",
            port="x",
            x=x,
            weight=weight,
        )
    expected = channels // groups if into else channels
    if weight.shape[into] != expected:
        of_groups = f" in {groups} groups" if groups > 1 else ""
        raise misfit(
            op,
            f"x has {channels} channels{of_groups}, so axis {into} of weight must be {expected}",
            "Change weight, or the number of groups.",
            port="weight",
            x=x,
            weight=weight,
        )
    outputs = weight.shape[0] if into else weight.shape[1] * groups
    if bias is not None and bias.shape != (outputs,):
        raise misfit(
            op, f"bias must hold {outputs} values", "Give it that many.", port="bias", bias=bias
        )


def finished(y: Array, bias: Array | None, x_ndim: int, n: int) -> Array:
    """The output with its bias; without a batch axis if x had none."""
    if bias is not None:
        y = y + bias.reshape((-1,) + (1,) * n)
    return y if x_ndim == n + 2 else y[0]


def bias_sum(n: int) -> Callable[..., Array]:
    """The sum over everything but the channels."""
    return lambda g: g.sum(axis=tuple(i for i in range(g.ndim) if i != g.ndim - n - 1))


def require_room(op: str, sizes: Shape, x: Array, weight: Array) -> None:
    """Refuse an output without elements.

    Raises:
        OperandError: if a size is less than 1.
    """
    if min(sizes) < 1:
        raise misfit(
            op,
            f"the output would have the size {sizes}",
            "Use a smaller kernel, more padding or a larger x.",
            port="x",
            x=x,
            weight=weight,
        )
