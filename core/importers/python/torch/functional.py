"""torch.nn.functional: activations, losses, layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.python.failures import outside, program_error
from core.importers.python.machine import Machine, need
from core.importers.python.torch import linalg, pointwise, reductions, shapes
from core.importers.python.torch.generator import generator
from core.importers.python.values import DType
from core.tensor import Tensor

_PLAIN = ("relu6", "selu", "hardsigmoid", "hardswish", "silu", "mish", "softsign", "logsigmoid")
#: Functions with numbers: torch's parameters, in order, with their defaults.
_WITH_NUMBERS: dict[str, dict[str, Any]] = {
    "leaky_relu": {"negative_slope": 0.01},
    "elu": {"alpha": 1.0},
    "celu": {"alpha": 1.0},
    "hardtanh": {"min_val": -1.0, "max_val": 1.0},
    "softplus": {"beta": 1.0, "threshold": 20.0},
    "softshrink": {"lambd": 0.5},
    "hardshrink": {"lambd": 0.5},
    "threshold": {"threshold": 0.0, "value": 0.0},
}


def _activation(op: str) -> Callable[..., Tensor]:
    names = tuple(_WITH_NUMBERS.get(op, {}))

    def function(m: Machine, input: Any, *args: Any, inplace: bool = False, **kwargs: Any) -> Any:
        x = need(input, op)
        if len(args) > len(names):
            args = args[: len(names)]  # the rest can only be inplace
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        for name in given:
            if name not in names:
                raise program_error(
                    "TypeError", f"{op}() got an unexpected keyword argument '{name}'"
                )
        params: dict[str, Any] = {name: float(value) for name, value in given.items()}
        if inplace:
            return m.views.change(x, lambda x: m.pointwise(op, x, **params))
        return m.pointwise(op, x, floating=op not in ("relu6", "hardtanh", "threshold"), **params)

    return function


def relu(m: Machine, input: Any, inplace: bool = False) -> Tensor:
    """max(x, 0)"""
    x = need(input, "relu")
    if inplace:
        return m.views.change(x, lambda x: m.op("relu", x))
    made: Tensor = m.op("relu", x)
    return made


def gelu(m: Machine, input: Any, *, approximate: str = "none") -> Tensor:
    """x · Φ(x)"""
    made: Tensor = m.op("gelu", need(input, "gelu"), approximate=approximate)
    return made


def prelu(m: Machine, input: Any, weight: Any) -> Tensor:
    """relu with a learned slope"""
    made: Tensor = m.op("prelu", need(input, "prelu"), need(weight, "prelu", 2))
    return made


def glu(m: Machine, input: Any, dim: int = -1) -> Tensor:
    """one half gated by the other"""
    made: Tensor = m.op("glu", need(input, "glu"), axis=int(dim))
    return made


def tanhshrink(m: Machine, input: Any) -> Tensor:
    """x - tanh x"""
    return pointwise.sub(m, input, m.op("tanh", need(input, "tanhshrink")))


def _along(op: str) -> Callable[..., Tensor]:
    def function(
        m: Machine, input: Any, dim: Any = None, _stacklevel: int = 3, dtype: DType | None = None
    ) -> Tensor:
        x = need(input, op)
        if dtype is not None:
            x = m.cast(x, dtype.numpy)
        if x.dtype.kind not in "fc":
            raise program_error("RuntimeError", f'"{op}" not implemented for integers')
        axis = (0 if x.ndim in (0, 1, 3) else 1) if dim is None else reductions._axis(x, dim)
        if not x.ndim:
            y = m.op(op, m.op("reshape", x, shape=(1,)), axis=0)
            return m.op("reshape", y, shape=())  # type: ignore[no-any-return]
        made: Tensor = m.op(op, x, axis=axis)
        return made

    return function


softmax, log_softmax = _along("softmax"), _along("log_softmax")


def softmin(m: Machine, input: Any, dim: Any = None, **_: Any) -> Tensor:
    """softmax of -x"""
    return softmax(m, m.op("negative", need(input, "softmin")), dim)


# -- losses ---------------------------------------------------------------------------------------


def _loss(op: str, **defaults: Any) -> Callable[..., Tensor]:
    def function(
        m: Machine,
        input: Any,
        target: Any,
        *args: Any,
        reduction: str = "mean",
        size_average: Any = None,
        reduce: Any = None,
        **kwargs: Any,
    ) -> Tensor:
        x, y = need(input, op), need(target, op, 2)
        for name in kwargs:
            if name not in defaults:
                raise program_error(
                    "TypeError", f"{op}() got an unexpected keyword argument '{name}'"
                )
        params = {**defaults, **dict(zip(defaults, args, strict=False)), **kwargs}
        if reduction == "batchmean":
            total = m.op(op, *m.promoted([x, y]), reduction="sum", **params)
            return pointwise.div(m, total, x.shape[0])
        made: Tensor = m.op(op, *m.promoted([x, y]), reduction=reduction, **params)
        return made

    return function


def _same_shape(loss: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    """A loss that takes no broadcasting."""

    def function(m: Machine, input: Any, target: Any, *args: Any, **kwargs: Any) -> Tensor:
        x, y = need(input, name), need(target, name, 2)
        if x.shape != y.shape:
            raise program_error(
                "ValueError",
                f"Using a target size (torch.Size({list(y.shape)})) that is different to the "
                f"input size (torch.Size({list(x.shape)})) is deprecated. Please ensure they have "
                "the same size.",
            )
        return loss(m, x, y, *args, **kwargs)

    return function


def cross_entropy(
    m: Machine,
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """-log softmax(input)[target]"""
    made: Tensor = m.op(
        "cross_entropy", need(input, "cross_entropy"), _classes(m, target), weight,
        reduction=reduction, ignore_index=int(ignore_index), label_smoothing=float(label_smoothing),
    )  # fmt: skip
    return made


def nll_loss(
    m: Machine,
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """-input[target]"""
    made: Tensor = m.op(
        "nll_loss", need(input, "nll_loss"), _classes(m, target), weight,
        reduction=reduction, ignore_index=int(ignore_index),
    )  # fmt: skip
    return made


def _classes(m: Machine, target: Any) -> Tensor:
    y = need(target, "cross_entropy", 2)
    if y.dtype.kind in "iu" and y.dtype != np.int64:
        raise program_error("RuntimeError", "expected scalar type Long but found another type")
    return y


def bce(m: Machine, input: Any, target: Any, weight: Any = None, *, reduction: str = "mean",
        **_: Any) -> Tensor:  # fmt: skip
    """binary cross entropy of probabilities"""
    x, y = need(input, "binary_cross_entropy"), need(target, "binary_cross_entropy", 2)
    if (
        x._data.size
        and not (x.data.min() >= 0 and x.data.max() <= 1)
        and not np.isnan(x.data).any()
    ):
        raise program_error("RuntimeError", "all elements of input should be between 0 and 1")
    return _weighted(m, "binary_cross_entropy", [x, y], weight, reduction)


def bce_with_logits(
    m: Machine,
    input: Any,
    target: Any,
    weight: Any = None,
    *,
    reduction: str = "mean",
    pos_weight: Any = None,
    **_: Any,
) -> Tensor:
    """binary cross entropy of logits"""
    op = "binary_cross_entropy_with_logits"
    given = [need(input, op), need(target, op, 2), pos_weight]
    return _weighted(m, op, given, weight, reduction)


def _weighted(m: Machine, op: str, given: list[Any], weight: Any, reduction: str) -> Tensor:
    if weight is None:
        made: Tensor = m.op(op, *given, reduction=reduction)
        return made
    each = pointwise.FUNCTIONS["mul"](m, m.op(op, *given, reduction="none"), weight)
    if reduction == "none":
        return each  # type: ignore[no-any-return]
    return reductions.FUNCTIONS[reduction](m, each)  # type: ignore[no-any-return]


def gaussian_nll(
    m: Machine,
    input: Any,
    target: Any,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """negative log likelihood of normal distributions"""
    made: Tensor = m.op(
        "gaussian_nll_loss", input, target, var, full=bool(full), eps=float(eps),
        reduction=reduction,
    )  # fmt: skip
    return made


def margin_ranking(
    m: Machine, input1: Any, input2: Any, target: Any, margin: float = 0.0, *_: Any,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, -target · (input1 - input2) + margin)"""
    made: Tensor = m.op(
        "margin_ranking_loss", input1, input2, target, margin=float(margin), reduction=reduction
    )
    return made


def triplet_margin(
    m: Machine, anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2,
    eps: float = 1e-6, *_: Any, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, d(anchor, positive) - d(anchor, negative) + margin)"""
    made: Tensor = m.op(
        "triplet_margin_loss", anchor, positive, negative, margin=float(margin), p=float(p),
        eps=float(eps), reduction=reduction,
    )  # fmt: skip
    return made


def cosine_similarity(m: Machine, x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """the cosine of the angle between vectors"""
    made: Tensor = m.pointwise("cosine_similarity", x1, x2, axis=int(dim), eps=float(eps))
    return made


def pairwise_distance(
    m: Machine, x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """distances of vectors, row by row"""
    apart = pointwise.add(m, pointwise.sub(m, x1, x2), eps)
    return reductions.norm(m, apart, p, -1, keepdim)


# -- layers ---------------------------------------------------------------------------------------


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
        if padding == "same":
            padding = tuple(
                (k - 1) * d // 2 for k, d in zip(w.shape[2:], _each(dilation, n), strict=True)
            )
        elif padding == "valid":
            padding = 0
        params = {
            "stride": _each(stride, n), "padding": _each(padding, n),
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
        normalized_shape=shapes._flat([normalized_shape]), eps=float(eps),
    )  # fmt: skip
    return made


def rms_norm(
    m: Machine, input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None
) -> Tensor:
    """each sample with mean square 1"""
    x = need(input, "rms_norm")
    made: Tensor = m.op(
        "rms_norm", x, weight, normalized_shape=shapes._flat([normalized_shape]),
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
    made: Tensor = m.op("instance_norm", need(input, "instance_norm"), weight, bias, eps=float(eps))
    return made


def normalize(
    m: Machine, input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12, **_: Any
) -> Tensor:
    """vectors of norm 1"""
    x = need(input, "normalize")
    made: Tensor = m.op("normalize", x, p=float(p), axis=reductions._axis(x, dim), eps=float(eps))
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
    **{name: _activation(name) for name in (*_PLAIN, *_WITH_NUMBERS)},
    "relu": relu, "gelu": gelu, "prelu": prelu, "glu": glu, "tanhshrink": tanhshrink,
    "sigmoid": pointwise.FUNCTIONS["sigmoid"], "tanh": pointwise.FUNCTIONS["tanh"],
    "softmax": softmax, "log_softmax": log_softmax, "softmin": softmin,
    "mse_loss": _loss("mse_loss"), "l1_loss": _loss("l1_loss"),
    "smooth_l1_loss": _loss("smooth_l1_loss", beta=1.0), "huber_loss": _loss("huber_loss",
    delta=1.0), "kl_div": _loss("kl_div", log_target=False),
    "poisson_nll_loss": _loss("poisson_nll_loss", log_input=True, full=False, eps=1e-8),
    "hinge_embedding_loss": _loss("hinge_embedding_loss", margin=1.0),
    "gaussian_nll_loss": gaussian_nll, "margin_ranking_loss": margin_ranking,
    "triplet_margin_loss": triplet_margin, "cross_entropy": cross_entropy, "nll_loss": nll_loss,
    "binary_cross_entropy": _same_shape(bce, "binary_cross_entropy"),
    "binary_cross_entropy_with_logits": _same_shape(bce_with_logits, "bce_with_logits"),
    "cosine_similarity": cosine_similarity, "pairwise_distance": pairwise_distance,
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
