"""Convolutions and pooling in JAX: its primitives say every window in full."""

from __future__ import annotations

import math
from typing import Any

from core.export.handwritten.known import CannotFoldError
from core.export.outline import Operand, Step
from core.export.spelling import Spelling


def each(value: Any, n: int) -> tuple[int, ...]:
    """A setting of every axis: one number may serve for all."""
    parts = tuple(value) if isinstance(value, list | tuple) else (value,) * n
    return tuple(int(p) for p in (parts * n if len(parts) == 1 else parts))


def convolution(n: int) -> Spelling:
    """JAX's most general convolution, which wants a batch axis."""

    def spelled(step: Step) -> str:
        x, weight = step.given[:2]
        p = step.params
        pads = tuple((k, k) for k in each(p["padding"], n))
        made = (
            f"jax.lax.conv_general_dilated({_batched(x, n)}, {weight.text}, "
            f"{each(p['stride'], n)}, {pads}, rhs_dilation={each(p['dilation'], n)}, "
            f"feature_group_count={p['groups']})"
        )
        return _finished(made, x, step.inputs[2], n)

    return spelled


def transposed_convolution(n: int) -> Spelling:
    """The same with a flipped kernel over an input spread by the stride."""

    def spelled(step: Step) -> str:
        x, weight = step.given[:2]
        p = step.params
        if p["groups"] != 1:
            raise CannotFoldError
        dilation, extra = each(p["dilation"], n), each(p["output_padding"], n)
        reach = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:], strict=True)]
        lows = [r - q for r, q in zip(reach, each(p["padding"], n), strict=True)]
        pads = tuple((low, low + more) for low, more in zip(lows, extra, strict=True))
        axes = tuple(range(2, 2 + n))
        made = (
            f"jax.lax.conv_general_dilated({_batched(x, n)}, "
            f"jnp.flip({weight.text}.swapaxes(0, 1), {axes}), {(1,) * n}, {pads}, "
            f"lhs_dilation={each(p['stride'], n)}, rhs_dilation={dilation})"
        )
        return _finished(made, x, step.inputs[2], n)

    return spelled


def _batched(x: Operand, n: int) -> str:
    return x.text if x.ndim == n + 2 else f"{x.text}[None]"


def _finished(made: str, x: Operand, bias: Operand | None, n: int) -> str:
    if x.ndim != n + 2:
        made = f"{made}[0]"
    return made if bias is None else f"{made} + {bias.text}.reshape({(-1,) + (1,) * n})"


def largest(n: int) -> Spelling:
    """max_pool."""

    def spelled(step: Step) -> str:
        dilation = each(step.params["dilation"], n)
        if set(dilation) != {1}:  # JAX has no VJP for those
            raise CannotFoldError
        return _windows(step, n, "-jnp.inf", "jax.lax.max", step.given[0].text)

    return spelled


def average(n: int) -> Spelling:
    """avg_pool: sums by how many were added."""

    def spelled(step: Step) -> str:
        x, p = step.given[0], step.params
        if p["ceil_mode"]:
            raise CannotFoldError
        total = _windows(step, n, "0.0", "jax.lax.add", x.text)
        if p["count_include_pad"] or not any(each(p["padding"], n)):
            return f"{total} / {math.prod(each(p['kernel_size'], n))}"
        return f"{total} / {_windows(step, n, '0.0', 'jax.lax.add', _ones(x))}"

    return spelled


def _ones(x: Operand) -> str:
    return f"jnp.ones_like({x.text})"


def _windows(step: Step, n: int, start: str, combine: str, text: str) -> str:
    """reduce_window with as many windows as the output has."""
    p, x, y = step.params, step.given[0], step.outputs[0]
    kernel = each(p["kernel_size"], n)
    stride = kernel if p["stride"] in (None, [], ()) else each(p["stride"], n)
    lead = x.ndim - n
    pads = [(0, 0)] * lead
    for k in range(n):
        low = each(p["padding"], n)[k]
        reach = (y.shape[lead + k] - 1) * stride[k] + kernel[k]
        pads.append((low, max(reach - x.shape[lead + k] - low, 0)))
    ones = (1,) * lead
    return (
        f"jax.lax.reduce_window({text}, {start}, {combine}, {ones + kernel}, "
        f"{ones + stride}, {tuple(pads)})"
    )


def shuffled(step: Step) -> str:
    """pixel_shuffle: channels spread over pixels."""
    (x,) = step.given
    r = step.params["upscale_factor"]
    *lead, channels, height, width = x.shape
    n = len(lead)
    apart = (*lead, channels // r**2, r, r, height, width)
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return f"{x.text}.reshape({apart}).transpose({order}).reshape({step.outputs[0].shape})"


def adaptive_average(step: Step) -> str:
    """adaptive_avg_pool2d where the fields are all of one size."""
    (x,) = step.given
    *lead, height, width = x.shape
    rows, columns = step.outputs[0].shape[-2:]
    if not rows or not columns or height % rows or width % columns:
        raise CannotFoldError
    n = len(lead)
    apart = (*lead, rows, height // rows, columns, width // columns)
    return f"{x.text}.reshape({apart}).mean(axis={(n + 1, n + 3)})"
