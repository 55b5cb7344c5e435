"""torch.nn.functional: layers, and all of its names together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.python.failures import outside, program_error, refuse_others
from core.importers.python.machine import Machine, need
from core.importers.python.torch import activations, linalg, losses, shapes
from core.importers.python.torch.axes import axis_of
from core.importers.python.torch.generator import generator
from core.tensor import Tensor


def linear(m: Machine, input: Any, weight: Any, bias: Any = None) -> Tensor:
    """x Wᵀ + b"""
    x, w = need(input, "linear"), need(weight, "linear", 2)
    linalg.same_type("linear", x, w, bias)
    if x.ndim and w.ndim == 2 and x.shape[-1] != w.shape[1]:
        rows = "x".join(map(str, x.shape if x.ndim > 1 else (1, *x.shape)))
        raise program_error(
            "RuntimeError",
            f"mat1 and mat2 shapes cannot be multiplied ({rows} and {w.shape[1]}x{w.shape[0]})",
        )
    made: Tensor = m.op("linear", x, w, bias)
    return made


def bilinear(m: Machine, input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    """x1 W x2 + b"""
    made: Tensor = m.op("bilinear", input1, input2, weight, bias)
    return made


def _conv(n: int) -> Callable[..., Tensor]:
    def function(
        m: Machine, input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1,
    ) -> Tensor:  # fmt: skip
        x, w = need(input, "conv"), need(weight, "conv", 2)
        linalg.same_type("conv", x, w, bias)
        params = {
            "stride": _each(stride, n),
            "padding": padding if isinstance(padding, str) else _each(padding, n),
            "dilation": _each(dilation, n), "groups": int(groups),
        }  # fmt: skip
        return _batched(m, f"conv{n}d", x, (w, bias), n, params)

    return function


def _conv_transpose(n: int) -> Callable[..., Tensor]:
    def function(
        m: Machine, input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
    ) -> Tensor:  # fmt: skip
        params = {
            "stride": _each(stride, n), "padding": _each(padding, n),
            "output_padding": _each(output_padding, n), "dilation": _each(dilation, n),
            "groups": int(groups),
        }  # fmt: skip
        x = need(input, "conv_transpose")
        return _batched(m, f"conv_transpose{n}d", x, (weight, bias), n, params)

    return function


def _each(value: Any, n: int) -> Any:
    """A setting of every axis: one number for one axis, a tuple for two."""
    parts = tuple(value) if isinstance(value, list | tuple) else (value,) * n
    parts = tuple(int(p) for p in (parts * n if len(parts) == 1 else parts))
    return parts[0] if n == 1 else parts


def _batched(
    m: Machine, op: str, x: Tensor, more: tuple[Any, ...], n: int, params: dict[str, Any]
) -> Tensor:
    """An operation that wants a batch axis, also of inputs without one."""
    if x.ndim == n + 1:
        y = m.op(op, m.op("expand_dims", x, axis=0), *more, **params)
        return m.op("squeeze", y, axis=0)  # type: ignore[no-any-return]
    made: Tensor = m.op(op, x, *more, **params)
    return made


def _max_pool(n: int) -> Callable[..., Tensor]:
    def function(
        m: Machine, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
        dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False,
    ) -> Tensor:  # fmt: skip
        refuse_others(f"max_pool{n}d", return_indices=(return_indices, False))
        params = {
            "kernel_size": _each(kernel_size, n), "padding": _each(padding, n),
            "stride": None if stride is None else _each(stride, n),
            "dilation": _each(dilation, n), "ceil_mode": bool(ceil_mode),
        }  # fmt: skip
        return _batched(m, f"max_pool{n}d", need(input, "max_pool"), (), n, params)

    return function


def _avg_pool(n: int) -> Callable[..., Tensor]:
    def function(
        m: Machine, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
        ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: Any = None,
    ) -> Tensor:  # fmt: skip
        refuse_others(f"avg_pool{n}d", divisor_override=(divisor_override, None))
        params = {
            "kernel_size": _each(kernel_size, n), "padding": _each(padding, n),
            "stride": None if stride is None else _each(stride, n),
            "ceil_mode": bool(ceil_mode), "count_include_pad": bool(count_include_pad),
        }  # fmt: skip
        return _batched(m, f"avg_pool{n}d", need(input, "avg_pool"), (), n, params)

    return function


def adaptive_avg_pool2d(m: Machine, input: Any, output_size: Any) -> Tensor:
    """means over so many fields"""
    x = need(input, "adaptive_avg_pool2d")
    size = _each(output_size, 2)
    return _batched(m, "adaptive_avg_pool2d", x, (), 2, {"output_size": size})


def layer_norm(
    m: Machine, input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None,
    eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """each sample with mean 0 and deviation 1"""
    made: Tensor = m.op(
        "layer_norm", need(input, "layer_norm"), weight, bias,
        normalized_shape=shapes.numbers_of([normalized_shape]), eps=float(eps),
    )  # fmt: skip
    return made


def rms_norm(
    m: Machine, input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None
) -> Tensor:
    """each sample with mean square 1"""
    x = need(input, "rms_norm")
    made: Tensor = m.op(
        "rms_norm", x, weight, normalized_shape=shapes.numbers_of([normalized_shape]),
        eps=float(np.finfo(x.dtype).eps if eps is None else eps),
    )  # fmt: skip
    return made


def batch_norm(
    m: Machine, input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None,
    bias: Any = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """each channel with mean 0 and deviation 1 over the batch"""
    x = need(input, "batch_norm")
    count = x._data.size // max(x.shape[1], 1)
    if training and count == 1:
        raise program_error(
            "ValueError",
            f"Expected more than 1 value per channel when training, got input size "
            f"torch.Size({list(x.shape)})",
        )
    made: Tensor = m.op(
        "batch_norm", x, weight, bias, running_mean, running_var, training=bool(training),
        momentum=float(momentum or 0), eps=float(eps),
    )  # fmt: skip
    if training and running_mean is not None and momentum is not None:
        axes = tuple(k for k in range(x.ndim) if k != 1)
        for running, now in (
            (running_mean, x.data.mean(axis=axes)),
            (running_var, x.data.var(axis=axes) * count / (count - 1)),
        ):
            if running is not None:
                running.data[...] = (1 - momentum) * running.data + momentum * now
    return made


def group_norm(
    m: Machine, input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Tensor:
    """each group of channels with mean 0 and deviation 1"""
    made: Tensor = m.op(
        "group_norm", need(input, "group_norm"), weight, bias, num_groups=int(num_groups),
        eps=float(eps),
    )  # fmt: skip
    return made


def instance_norm(
    m: Machine, input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None,
    bias: Any = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """each channel of each sample with mean 0 and deviation 1"""
    refuse_others("instance_norm", use_input_stats=(use_input_stats, True))
    made: Tensor = m.op("instance_norm", need(input, "instance_norm"), weight, bias, eps=float(eps))
    return made


def normalize(
    m: Machine, input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12, **_: Any
) -> Tensor:
    """vectors of norm 1"""
    x = need(input, "normalize")
    made: Tensor = m.op("normalize", x, p=float(p), axis=axis_of(x, dim), eps=float(eps))
    return made


def dropout(
    m: Machine, input: Any, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """elements set to 0 at random"""
    x = need(input, "dropout")
    if not training or p == 0:
        return x
    if p == 1:
        made: Tensor = m.op("multiply", x, 0.0)
        return made
    mask = m.constant(generator(m).uniform(x.shape, np.dtype(np.float64)) >= p)
    made = m.op("dropout", x, mask, p=float(p))
    return made  # noqa: RET504


def embedding(
    m: Machine, input: Any, weight: Any, padding_idx: int | None = None, *_: Any, **__: Any
) -> Tensor:
    """rows of a table"""
    made: Tensor = m.op(
        "embedding", need(weight, "embedding", 2), need(input, "embedding"), padding_idx=padding_idx
    )
    return made


def one_hot(m: Machine, input: Any, num_classes: int = -1) -> Tensor:
    """1 at the class, 0 elsewhere"""
    x = need(input, "one_hot")
    n = int(x.data.max()) + 1 if num_classes == -1 else num_classes
    m.budget.shape((*x.shape, n))
    return m.constant((x.data[..., None] == np.arange(n)).astype(np.int64))


def attention(
    m: Machine, query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, **_: Any,
) -> Tensor:  # fmt: skip
    """softmax(q kᵀ / √d) v"""
    refuse_others("scaled_dot_product_attention", dropout_p=(dropout_p, 0.0))
    made: Tensor = m.op(
        "scaled_dot_product_attention", query, key, value, attn_mask, is_causal=bool(is_causal),
        scale=scale,
    )  # fmt: skip
    return made


def pad(m: Machine, input: Any, pad: Any, mode: str = "constant", value: Any = None) -> Tensor:
    """more elements at the edges"""
    x = need(input, "pad")
    widths = [int(n) for n in pad]
    if any(n < 0 for n in widths):
        raise outside("Padding by less than nothing is not read.", "Slice instead: x[..., 1:].")
    pairs = [(a, b) for a, b in zip(widths[::2], widths[1::2], strict=True)]
    width = (*[(0, 0)] * (x.ndim - len(pairs)), *reversed(pairs))
    modes = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
    extra = {"constant_values": float(value or 0)} if mode == "constant" else {}
    made: Tensor = m.op("pad", x, pad_width=width, mode=modes.get(mode, mode), **extra)
    return made


def interpolate(
    m: Machine, input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: Any = None, **_: Any,
) -> Tensor:  # fmt: skip
    """in another resolution"""
    x = need(input, "interpolate")
    if size is None:
        scale = scale_factor if isinstance(scale_factor, list | tuple) else (scale_factor,) * 2
        size = tuple(int(n * s) for n, s in zip(x.shape[-2:], scale, strict=True))
    made: Tensor = m.op(
        "interpolate", x, size=_each(size, 2), mode=mode, align_corners=align_corners
    )
    return made


def pixel_shuffle(m: Machine, input: Any, upscale_factor: int) -> Tensor:
    """channels spread over pixels"""
    made: Tensor = m.op(
        "pixel_shuffle", need(input, "pixel_shuffle"), upscale_factor=int(upscale_factor)
    )
    return made


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **activations.FUNCTIONS, **losses.FUNCTIONS,
    "linear": linear, "bilinear": bilinear, "conv1d": _conv(1), "conv2d": _conv(2),
    "conv_transpose1d": _conv_transpose(1), "conv_transpose2d": _conv_transpose(2),
    "max_pool1d": _max_pool(1), "max_pool2d": _max_pool(2), "avg_pool1d": _avg_pool(1),
    "avg_pool2d": _avg_pool(2), "adaptive_avg_pool2d": adaptive_avg_pool2d,
    "layer_norm": layer_norm, "rms_norm": rms_norm, "batch_norm": batch_norm,
    "group_norm": group_norm, "instance_norm": instance_norm, "normalize": normalize,
    "dropout": dropout, "embedding": embedding, "one_hot": one_hot,
    "scaled_dot_product_attention": attention, "pad": pad, "interpolate": interpolate,
    "pixel_shuffle": pixel_shuffle,
}  # fmt: skip
