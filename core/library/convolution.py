"""Convolutions, as neural networks mean them: kernels slide, and are not flipped.

What is computed, and its rules, is in ``bilinear_maps``; here are the operations a user chooses,
their parameters, and what does not fit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.errors import OperandError
from core.library.bilinear_maps import (
    CONV,
    CONV_ADJOINT,
    CONV_KERNEL,
    Sweep,
    correlate,
    spread,
)
from core.library.checks import misfit
from core.library.spec import Array, OpSpec, Param, Sample, Vjp
from core.library.windows import Ints, Shape, per_axis

# -- what both directions share --------------------------------------------------------------------

_LAYOUT = {1: "(batch, channels, length)", 2: "(batch, channels, rows, columns)"}


def _one_number(n: int, value: int) -> int | list[int]:
    return value if n == 1 else [value] * n


def _params(n: int, *more: Param) -> tuple[Param, ...]:
    return (
        Param("stride", "ints", _one_number(n, 1), "Step from one position to the next."),
        Param("padding", "ints", _one_number(n, 0), "Zeros added at both ends."),
        *more,
        Param("dilation", "ints", _one_number(n, 1), "Step between the points of the kernel."),
        Param("groups", "int", 1, "Channels are split into groups that do not mix.", low=1),
    )


def _batched(x: Array, n: int) -> Array:
    """An image without a batch axis gets one."""
    return np.expand_dims(x, 0) if x.ndim == n + 1 else x


def _sweep(
    op: str, n: int, kernel: Shape, stride: Ints, padding: Ints | str, dilation: Ints, groups: int
) -> Sweep:
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


def _check(
    op: str, n: int, x: Array, weight: Array, bias: Array | None, groups: int, into: int
) -> None:
    """Refuse what does not fit; ``into`` is the axis of weight that meets the channels of x."""
    if x.ndim not in (n + 1, n + 2) or weight.ndim != n + 2:
        raise misfit(
            op,
            f"x has the axes {_LAYOUT[n]}, the batch may be missing; weight has {n + 2} axes",
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


def _finished(y: Array, bias: Array | None, x_ndim: int, n: int) -> Array:
    if bias is not None:
        y = y + bias.reshape((-1,) + (1,) * n)
    return y if x_ndim == n + 2 else y[0]


def _bias_sum(n: int) -> Callable[..., Array]:
    """The sum over everything but the channels."""
    return lambda g: g.sum(axis=tuple(i for i in range(g.ndim) if i != g.ndim - n - 1))


def _require_room(op: str, sizes: Shape, x: Array, weight: Array) -> None:
    if min(sizes) < 1:
        raise misfit(
            op,
            f"the output would have the size {sizes}",
            "Use a smaller kernel, more padding or a larger x.",
            port="x",
            x=x,
            weight=weight,
        )


# -- convolution -----------------------------------------------------------------------------------


def _convolution(n: int, samples: tuple[Sample, ...]) -> OpSpec:
    """The record of the convolution over n axes."""
    op = f"conv{n}d"

    def forward(
        x: Array,
        weight: Array,
        bias: Array | None,
        stride: Ints,
        padding: Ints | str,
        dilation: Ints,
        groups: int,
    ) -> Array:
        _check(op, n, x, weight, bias, groups, into=1)
        kernel = weight.shape[2:]
        sweep = _sweep(op, n, kernel, stride, padding, dilation, groups)
        if padding == "same" and max(sweep.stride) > 1:
            raise OperandError(
                f"{op}: padding 'same' needs stride 1, not {stride}.",
                next_step="Give the padding as numbers.",
            )
        size = sweep.positions(x.shape[-n:], kernel)
        _require_room(op, size, x, weight)
        return _finished(correlate(_batched(x, n), weight, sweep, size), bias, x.ndim, n)

    def x_rule(
        g: Array,
        weight: Array,
        x_shape: Shape,
        weight_shape: Shape,
        stride: Ints,
        padding: Ints | str,
        dilation: Ints,
        groups: int,
    ) -> Array:
        sweep = _sweep(op, n, weight_shape[2:], stride, padding, dilation, groups)
        x_bar = CONV_ADJOINT(_batched(g, n), weight, sweep=sweep, size=x_shape[-n:])
        return x_bar.reshape(x_shape)

    def weight_rule(
        g: Array,
        x: Array,
        weight_shape: Shape,
        stride: Ints,
        padding: Ints | str,
        dilation: Ints,
        groups: int,
    ) -> Array:
        sweep = _sweep(op, n, weight_shape[2:], stride, padding, dilation, groups)
        return CONV_KERNEL(_batched(x, n), _batched(g, n), sweep=sweep, size=weight_shape[2:])

    return OpSpec(
        name=op,
        label=f"conv {n}d",
        glyph=f"✳{n}",
        category="nn",
        ports=("x", "weight", "bias"),
        optional_ports=frozenset({"bias"}),
        forward=forward,
        vjps={
            "x": Vjp(
                x_rule,
                r"\bar{x}_{n,c,j}=\sum_{o,k:\,is+kd-p=j}w_{o,c,k}\,g_{n,o,i}",
            ),
            "weight": Vjp(weight_rule, r"\bar{w}_{o,c,k}=\sum_{n,i}g_{n,o,i}\,x_{n,c,is+kd-p}"),
            "bias": Vjp(_bias_sum(n), r"\bar{b}_{o}=\sum_{n,i}g_{n,o,i}"),
        },
        formula=r"y_{n,o,i}=b_{o}+\sum_{c,k}w_{o,c,k}\,x_{n,c,is+kd-p}",
        summary=f"Kernels slid over {'a signal' if n == 1 else 'an image'}.",
        params=_params(n),
        aliases=(f"F.conv{n}d", f"nn.Conv{n}d"),
        keywords=("convolution", "kernel", "filter", "correlation", "cnn"),
        notes=(
            f"x has the axes {_LAYOUT[n]}; weight (outputs, channels of a group, kernel).",
            "The kernel is not flipped. padding may be the text same or valid.",
        ),
        samples=samples,
    )


CONV1D = _convolution(
    1,
    (
        Sample((2, 2, 5), (3, 2, 2), (3,)),
        Sample((1, 2, 6), (2, 2, 3), None, stride=2, padding=1),
        Sample((1, 1, 7), (1, 1, 2), (1,), dilation=2),
        Sample((1, 4, 4), (2, 2, 2), None, groups=2),
        Sample((2, 5), (3, 2, 2), (3,)),
        Sample((1, 1, 5), (1, 1, 2), None, padding="same"),
    ),
)
CONV2D = _convolution(
    2,
    (
        Sample((1, 1, 4, 4), (1, 1, 2, 2), (1,)),
        Sample((2, 2, 4, 3), (2, 2, 2, 2), None, padding=[1, 0]),
        Sample((1, 2, 5, 5), (2, 2, 3, 3), (2,), stride=[2, 2], padding=[1, 1]),
        Sample((1, 4, 4, 4), (4, 2, 2, 2), None, groups=2, dilation=[2, 1]),
        Sample((2, 3, 4), (2, 2, 2, 2), (2,), padding="same"),
    ),
)

# -- transposed convolution ------------------------------------------------------------------------


def _transposed_convolution(n: int, samples: tuple[Sample, ...]) -> OpSpec:
    """The record of the transposed convolution over n axes."""
    op = f"conv_transpose{n}d"

    def forward(
        x: Array,
        weight: Array,
        bias: Array | None,
        stride: Ints,
        padding: Ints,
        output_padding: Ints,
        dilation: Ints,
        groups: int,
    ) -> Array:
        _check(op, n, x, weight, bias, groups, into=0)
        kernel = weight.shape[2:]
        sweep = _sweep(op, n, kernel, stride, padding, dilation, groups)
        extra = per_axis(output_padding, n)
        if any(e >= max(s, d) for e, s, d in zip(extra, sweep.stride, sweep.dilation, strict=True)):
            raise OperandError(
                f"{op}: output_padding {output_padding} must be smaller than stride or dilation.",
                next_step="Lower output_padding, or raise the stride.",
            )
        size = tuple(
            (i - 1) * s - 2 * lo + d * (k - 1) + e + 1
            for i, k, s, (lo, _), d, e in zip(
                x.shape[-n:],
                kernel,
                sweep.stride,
                sweep.padding,
                sweep.dilation,
                extra,
                strict=True,
            )
        )
        _require_room(op, size, x, weight)
        return _finished(spread(_batched(x, n), weight, sweep, size), bias, x.ndim, n)

    def x_rule(
        g: Array,
        weight: Array,
        x_shape: Shape,
        weight_shape: Shape,
        stride: Ints,
        padding: Ints,
        dilation: Ints,
        groups: int,
    ) -> Array:
        sweep = _sweep(op, n, weight_shape[2:], stride, padding, dilation, groups)
        return CONV(_batched(g, n), weight, sweep=sweep, size=x_shape[-n:]).reshape(x_shape)

    def weight_rule(
        g: Array,
        x: Array,
        weight_shape: Shape,
        stride: Ints,
        padding: Ints,
        dilation: Ints,
        groups: int,
    ) -> Array:
        sweep = _sweep(op, n, weight_shape[2:], stride, padding, dilation, groups)
        return CONV_KERNEL(_batched(g, n), _batched(x, n), sweep=sweep, size=weight_shape[2:])

    return OpSpec(
        name=op,
        label=f"conv transpose {n}d",
        glyph=f"✳{n}ᵀ",
        category="nn",
        ports=("x", "weight", "bias"),
        optional_ports=frozenset({"bias"}),
        forward=forward,
        vjps={
            "x": Vjp(x_rule, r"\bar{x}_{n,c,i}=\sum_{o,k}w_{c,o,k}\,g_{n,o,is+kd-p}"),
            "weight": Vjp(weight_rule, r"\bar{w}_{c,o,k}=\sum_{n,i}x_{n,c,i}\,g_{n,o,is+kd-p}"),
            "bias": Vjp(_bias_sum(n), r"\bar{b}_{o}=\sum_{n,j}g_{n,o,j}"),
        },
        formula=r"y_{n,o,j}=b_{o}+\sum_{c,k:\,is+kd-p=j}w_{c,o,k}\,x_{n,c,i}",
        summary="The transpose of a convolution: spreads kernels, makes things larger.",
        params=_params(
            n,
            Param("output_padding", "ints", _one_number(n, 0), "Added to one end of the output."),
        ),
        aliases=(f"F.conv_transpose{n}d", f"nn.ConvTranspose{n}d", f"deconv{n}d"),
        keywords=("deconvolution", "upsample", "kernel", "fractional stride"),
        notes=(f"x has the axes {_LAYOUT[n]}; weight (channels, outputs of a group, kernel).",),
        samples=samples,
    )


CONV_TRANSPOSE1D = _transposed_convolution(
    1,
    (
        Sample((1, 2, 3), (2, 2, 2), (2,)),
        Sample((1, 1, 3), (1, 2, 3), None, stride=2),
        Sample((2, 2, 3), (2, 1, 2), (2,), groups=2),
        Sample((2, 3), (2, 1, 3), None, stride=2, padding=1, output_padding=1, dilation=2),
    ),
)
CONV_TRANSPOSE2D = _transposed_convolution(
    2,
    (
        Sample((1, 2, 2, 2), (2, 1, 2, 2), (1,)),
        Sample((1, 1, 2, 3), (1, 2, 2, 2), None, stride=[2, 2]),
        Sample((1, 1, 3, 3), (1, 1, 3, 3), None, padding=[1, 1]),
        Sample((2, 2, 2, 3), (2, 2, 2, 2), (4,), groups=2, stride=[2, 1], output_padding=[1, 0]),
    ),
)

# -- convolution of two sequences ------------------------------------------------------------------


def _offset(mode: str, a: int, b: int) -> tuple[int, int]:
    """Where the result of a mode begins in the full one, and how long the full one is."""
    short = min(a, b)
    start = {"full": 0, "same": (short - 1) // 2, "valid": short - 1}[mode]
    return start, a + b - 1


def _convolve(a: Array, b: Array, mode: str) -> Array:
    if a.ndim != 1 or b.ndim != 1 or not a.size or not b.size:
        raise misfit(
            "convolve",
            "both must be vectors with at least one value",
            "Use conv1d for batches.",
            port="b",
            a=a,
            b=b,
        )
    return np.convolve(a, b, mode)  # type: ignore[call-overload]


def _convolve_a(
    g: Array, b: Array, a_shape: Shape, b_shape: Shape, y_shape: Shape, mode: str
) -> Array:
    start, full = _offset(mode, a_shape[0], b_shape[0])
    whole = np.pad(g, (start, full - start - y_shape[0]))
    # NumPy swaps its operands if the second is longer; a valid part is as long either way.
    return CONVOLVE(whole, np.flip(b, 0), mode="valid")


CONVOLVE = OpSpec(
    name="convolve",
    label="convolve",
    glyph="a∗b",
    category="nn",
    ports=("a", "b"),
    forward=_convolve,
    numpy=(np.convolve,),
    vjps={
        "a": Vjp(_convolve_a, r"\bar{a}_j=\sum_k g_k\,b_{k-j}"),
        "b": Vjp(
            lambda g, a, a_shape, b_shape, y_shape, mode: _convolve_a(
                g, a, b_shape, a_shape, y_shape, mode
            ),
            r"\bar{b}_j=\sum_k g_k\,a_{k-j}",
        ),
    },
    formula=r"y_k=\sum_j a_j\,b_{k-j}",
    summary="Convolution of two sequences.",
    params=(
        Param(
            "mode",
            "choice",
            "full",
            "All overlaps, as long as the longer, or whole overlaps only.",
            choices=("full", "same", "valid"),
        ),
    ),
    keywords=("polynomial", "filter", "signal"),
    samples=(
        Sample((4,), (3,)),
        Sample((4,), (2,), mode="same"),
        Sample((5,), (3,), mode="valid"),
        Sample((2,), (5,), mode="same"),
        Sample((2,), (4,), mode="valid"),
    ),
)

OPS = (
    CONV1D,
    CONV2D,
    CONV_TRANSPOSE1D,
    CONV_TRANSPOSE2D,
    CONVOLVE,
)
