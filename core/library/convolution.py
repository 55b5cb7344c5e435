"""Convolutions, as neural networks mean them: kernels slide, and are not flipped.

What is computed, and its rules, is in ``bilinear_maps``; here are the operations a user chooses,
their parameters, and what does not fit.
"""

from __future__ import annotations

from core.errors import OperandError
from core.library.bilinear_maps import CONV_ADJOINT, CONV_KERNEL, correlate
from core.library.sliding import (
    LAYOUT,
    batched,
    bias_sum,
    check,
    finished,
    params_of,
    require_room,
    sweep_of,
)
from core.library.spec import Array, OpSpec, Sample, Vjp
from core.library.windows import Ints, Shape


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
        check(op, n, x, weight, bias, groups, into=1)
        kernel = weight.shape[2:]
        sweep = sweep_of(op, n, kernel, stride, padding, dilation, groups)
        if padding == "same" and max(sweep.stride) > 1:
            raise OperandError(
                f"{op}: padding 'same' needs stride 1, not {stride}.",
                next_step="Give the padding as numbers.",
            )
        size = sweep.positions(x.shape[-n:], kernel)
        require_room(op, size, x, weight)
        return finished(correlate(batched(x, n), weight, sweep, size), bias, x.ndim, n)

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
        sweep = sweep_of(op, n, weight_shape[2:], stride, padding, dilation, groups)
        x_bar = CONV_ADJOINT(batched(g, n), weight, sweep=sweep, size=x_shape[-n:])
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
        sweep = sweep_of(op, n, weight_shape[2:], stride, padding, dilation, groups)
        return CONV_KERNEL(batched(x, n), batched(g, n), sweep=sweep, size=weight_shape[2:])

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
            "bias": Vjp(bias_sum(n), r"\bar{b}_{o}=\sum_{n,i}g_{n,o,i}"),
        },
        formula=r"y_{n,o,i}=b_{o}+\sum_{c,k}w_{o,c,k}\,x_{n,c,is+kd-p}",
        summary=f"Kernels slid over {'a signal' if n == 1 else 'an image'}.",
        params=params_of(n, padding_words=("same", "valid")),
        aliases=(f"F.conv{n}d", f"nn.Conv{n}d"),
        keywords=("convolution", "kernel", "filter", "correlation", "cnn"),
        notes=(
            f"x has the axes {LAYOUT[n]}; weight (outputs, channels of a group, kernel).",
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

OPS = (CONV1D, CONV2D)
