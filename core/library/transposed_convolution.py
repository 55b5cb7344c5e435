"""Convolutions turned round: every value spreads a kernel, and what overlaps is summed."""

from __future__ import annotations

from core.errors import OperandError
from core.library.bilinear_maps import CONV, CONV_KERNEL, spread
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
from core.library.spec import Array, OpSpec, Param, Sample, Vjp
from core.library.windows import Ints, Shape, one_number, per_axis


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
        check(op, n, x, weight, bias, groups, into=0)
        kernel = weight.shape[2:]
        sweep = sweep_of(op, n, kernel, stride, padding, dilation, groups)
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
        require_room(op, size, x, weight)
        return finished(spread(batched(x, n), weight, sweep, size), bias, x.ndim, n)

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
        sweep = sweep_of(op, n, weight_shape[2:], stride, padding, dilation, groups)
        return CONV(batched(g, n), weight, sweep=sweep, size=x_shape[-n:]).reshape(x_shape)

    def weight_rule(
        g: Array,
        x: Array,
        weight_shape: Shape,
        stride: Ints,
        padding: Ints,
        dilation: Ints,
        groups: int,
    ) -> Array:
        sweep = sweep_of(op, n, weight_shape[2:], stride, padding, dilation, groups)
        return CONV_KERNEL(batched(g, n), batched(x, n), sweep=sweep, size=weight_shape[2:])

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
            "bias": Vjp(bias_sum(n), r"\bar{b}_{o}=\sum_{n,j}g_{n,o,j}"),
        },
        formula=r"y_{n,o,j}=b_{o}+\sum_{c,k:\,is+kd-p=j}w_{c,o,k}\,x_{n,c,i}",
        summary="The transpose of a convolution: spreads kernels, makes things larger.",
        params=params_of(
            n,
            Param("output_padding", "ints", one_number(n, 0), "Added to one end of the output."),
        ),
        aliases=(f"F.conv_transpose{n}d", f"nn.ConvTranspose{n}d", f"deconv{n}d"),
        keywords=("deconvolution", "upsample", "kernel", "fractional stride"),
        notes=(f"x has the axes {LAYOUT[n]}; weight (channels, outputs of a group, kernel).",),
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

OPS = (CONV_TRANSPOSE1D, CONV_TRANSPOSE2D)
