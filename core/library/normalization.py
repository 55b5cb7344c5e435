"""Normalisation: values brought to mean 0 and variance 1, or to length 1.

They differ in which axes are taken together. The rule is one for all: a cotangent loses its mean,
and its part along the normalised values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.errors import OperandError
from core.library.axes import as_tuple
from core.library.checks import misfit
from core.library.norms import slope
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

Axes = tuple[int, ...]

_EPS = Param("eps", "float", 1e-5, "ε added to the variance")


def _mean(x: Array, axes: Axes) -> Array:
    """The mean over ``axes``, which stay with size 1."""
    return x.sum(axis=axes, keepdims=True) / math.prod(x.shape[a] for a in axes)


def _standardized(x: Array, axes: Axes, eps: float) -> tuple[Array, Array]:
    """``x`` with mean 0 and variance 1 over ``axes``, and the factor that scaled it."""
    centred = x - _mean(x, axes)
    factor = 1.0 / np.sqrt(_mean(centred * centred, axes) + eps)
    return centred * factor, factor


def _through(h: Array, x: Array, axes: Axes, eps: float) -> Array:
    """The VJP of ``_standardized``, from the cotangent ``h`` of its result."""
    hat, factor = _standardized(x, axes, eps)
    return factor * (h - _mean(h, axes) - hat * _mean(h * hat, axes))


def _scaled(x: Array, weight: Array | None, bias: Array | None) -> Array:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def _column(v: Array, ndim: int) -> Array:
    """One value a channel, shaped to lie along axis 1."""
    return None if v is None else v.reshape((-1,) + (1,) * (ndim - 2))


def _channel_sum(x: Array) -> Array:
    """The sum over all axes but the channels."""
    return x.sum(axis=tuple(i for i in range(x.ndim) if i != 1))


def _check_channels(op: str, x: Array, least: int, **ports: Array | None) -> None:
    if x.ndim < least:
        raise misfit(
            op,
            f"it needs {least} axes or more: batch, channels, positions",
            "Insert an axis.",
            port="x",
            x=x,
        )
    for port, v in ports.items():
        if v is not None and v.shape != (x.shape[1],):
            raise misfit(
                op,
                f"{port} must hold one value for each of the {x.shape[1]} channels (axis 1 of x)",
                "Give it that many values.",
                port=port,
                x=x,
                **{port: v},
            )


# -- over the last axes ----------------------------------------------------------------------------

_SHAPE = Param("normalized_shape", "ints", [3], "sizes of the last axes, which are taken together")


def _last_axes(
    op: str, x: Array, normalized_shape: int | Sequence[int], **ports: Array | None
) -> Axes:
    shape = as_tuple(normalized_shape)
    n = len(shape)
    if not n or x.shape[max(x.ndim - n, 0) :] != shape:
        raise misfit(
            op,
            f"normalized_shape is {list(shape)}, but these are not the sizes of its last axes",
            "Set normalized_shape to the sizes of the axes to be normalised.",
            port="x",
            x=x,
        )
    for port, v in ports.items():
        if v is not None and v.shape != shape:
            raise misfit(
                op, f"{port} must have the shape {shape}", "Reshape it.", port=port, **{port: v}
            )
    return _last(normalized_shape)


def _last(normalized_shape: int | Sequence[int]) -> Axes:
    return tuple(range(-len(as_tuple(normalized_shape)), 0))


def _layer_norm(
    x: Array,
    weight: Array | None,
    bias: Array | None,
    normalized_shape: int | Sequence[int],
    eps: float,
) -> Array:
    axes = _last_axes("layer_norm", x, normalized_shape, weight=weight, bias=bias)
    return _scaled(_standardized(x, axes, eps)[0], weight, bias)


LAYER_NORM = OpSpec(
    name="layer_norm",
    label="layer norm",
    glyph="LN",
    category="nn",
    ports=("x", "weight", "bias"),
    optional_ports=frozenset({"weight", "bias"}),
    forward=_layer_norm,
    vjps={
        "x": Vjp(
            lambda g, x, weight, normalized_shape, eps: _through(
                _scaled(g, weight, None), x, _last(normalized_shape), eps
            ),
            r"\bar{x}=\frac{1}{\sqrt{\sigma^{2}+\epsilon}}"
            r"\left(h-\overline{h}-\hat{x}\,\overline{h\hat{x}}\right),\quad h=\gamma g",
        ),
        "weight": Vjp(
            lambda g, x, normalized_shape, eps: (
                g * _standardized(x, _last(normalized_shape), eps)[0]
            ),
            r"\bar{\gamma}=\sum g\,\hat{x}",
        ),
        "bias": Vjp(lambda g: g, r"\bar{\beta}=\sum g"),
    },
    formula=r"y=\gamma\,\hat{x}+\beta,\quad\hat{x}=\frac{x-\mu}{\sqrt{\sigma^{2}+\epsilon}}",
    summary="Mean 0 and variance 1 over the last axes, then scaled and shifted.",
    params=(_SHAPE, _EPS),
    aliases=("F.layer_norm", "nn.LayerNorm"),
    keywords=("normalize", "transformer", "standardize"),
    notes=("The variance divides by the number of values.",),
    samples=(
        Sample((2, 3), (3,), (3,)),
        Sample((2, 4), None, None, normalized_shape=[4]),
        Sample((2, 2, 3), (2, 3), (2, 3), normalized_shape=[2, 3], eps=0.01),
    ),
)


def _rms_factor(x: Array, axes: Axes, eps: float | None) -> Array:
    least = float(np.finfo(x.dtype).eps) if eps is None else eps
    return 1.0 / np.sqrt(_mean(x * x, axes) + least)


def _rms_norm(
    x: Array, weight: Array | None, normalized_shape: int | Sequence[int], eps: float | None
) -> Array:
    axes = _last_axes("rms_norm", x, normalized_shape, weight=weight)
    return _scaled(x * _rms_factor(x, axes, eps), weight, None)


def _rms_norm_x(
    g: Array,
    x: Array,
    weight: Array | None,
    normalized_shape: int | Sequence[int],
    eps: float | None,
) -> Array:
    axes = _last(normalized_shape)
    r, h = _rms_factor(x, axes, eps), _scaled(g, weight, None)
    return r * (h - x * r * r * _mean(h * x, axes))


RMS_NORM = OpSpec(
    name="rms_norm",
    label="RMS norm",
    glyph="RMS",
    category="nn",
    ports=("x", "weight"),
    optional_ports=frozenset({"weight"}),
    forward=_rms_norm,
    vjps={
        "x": Vjp(
            _rms_norm_x,
            r"\bar{x}=r\left(h-x\,r^{2}\,\overline{h\,x}\right),\quad h=\gamma g",
        ),
        "weight": Vjp(
            lambda g, x, normalized_shape, eps: (
                g * x * _rms_factor(x, _last(normalized_shape), eps)
            ),
            r"\bar{\gamma}=\sum g\,x\,r",
        ),
    },
    formula=r"y=\gamma\,x\,r,\quad r=\left(\overline{x^{2}}+\epsilon\right)^{-1/2}",
    summary="Root mean square 1 over the last axes, then scaled.",
    params=(
        _SHAPE,
        Param("eps", "float", 1e-5, "ε added to the mean square", optional=True),
    ),
    aliases=("F.rms_norm", "nn.RMSNorm"),
    keywords=("normalize", "transformer", "root mean square"),
    notes=("eps left empty: the spacing of the dtype's numbers at 1.",),
    samples=(
        Sample((2, 3), (3,)),
        Sample((2, 4), None, normalized_shape=[4], eps=0.001),
        Sample((2, 2, 3), (2, 3), normalized_shape=[2, 3]),
    ),
)

# -- by channel ------------------------------------------------------------------------------------


def _but_channels(ndim: int) -> Axes:
    return tuple(i for i in range(ndim) if i != 1)


def _batch_norm(
    x: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Array:
    _check_channels(
        "batch_norm",
        x,
        2,
        weight=weight,
        bias=bias,
        running_mean=running_mean,
        running_var=running_var,
    )
    if training and x.size and x.size <= x.shape[1]:
        raise misfit(
            "batch_norm",
            "in training it needs more than one value per channel",
            "Use a larger batch, or set training to false and give it running statistics.",
            port="x",
            x=x,
        )
    if not training and (running_mean is None or running_var is None):
        raise OperandError(
            "batch_norm: with training off it needs running_mean and running_var.",
            next_step="Give it both, or set training to true.",
            port="running_mean" if running_mean is None else "running_var",
        )
    hat = _batch_hat(x, running_mean, running_var, training, eps)
    return _scaled(hat, _column(weight, x.ndim), _column(bias, x.ndim))


def _batch_hat(
    x: Array, running_mean: Array | None, running_var: Array | None, training: bool, eps: float
) -> Array:
    """The normalised values, by the batch's statistics or by the running ones."""
    if training:
        return _standardized(x, _but_channels(x.ndim), eps)[0]
    centred = x - _column(running_mean, x.ndim)
    return centred / np.sqrt(_column(running_var, x.ndim) + eps)


def _batch_norm_x(
    g: Array, x: Array, weight: Array | None, running_var: Array | None, training: bool, eps: float
) -> Array:
    h = _scaled(g, _column(weight, x.ndim), None)
    if training:
        return _through(h, x, _but_channels(x.ndim), eps)
    return h / np.sqrt(_column(running_var, x.ndim) + eps)


_STATISTICS = frozenset({"running_mean", "running_var"})

BATCH_NORM = OpSpec(
    name="batch_norm",
    label="batch norm",
    glyph="BN",
    category="nn",
    ports=("x", "weight", "bias", "running_mean", "running_var"),
    optional_ports=frozenset({"weight", "bias"}) | _STATISTICS,
    nondiff_ports=_STATISTICS,
    forward=_batch_norm,
    vjps={
        "x": Vjp(
            _batch_norm_x,
            r"\bar{x}=\frac{1}{\sqrt{\sigma^{2}+\epsilon}}"
            r"\left(h-\overline{h}-\hat{x}\,\overline{h\hat{x}}\right),\quad h=\gamma g",
        ),
        "weight": Vjp(
            lambda g, x, running_mean, running_var, training, eps: _channel_sum(
                g * _batch_hat(x, running_mean, running_var, training, eps)
            ),
            r"\bar{\gamma}=\sum g\,\hat{x}",
        ),
        "bias": Vjp(_channel_sum, r"\bar{\beta}=\sum g"),
    },
    formula=r"y=\gamma\,\hat{x}+\beta,\quad\hat{x}=\frac{x-\mu}{\sqrt{\sigma^{2}+\epsilon}}",
    summary="Mean 0 and variance 1 for each channel over the batch, then scaled and shifted.",
    params=(
        Param("training", "bool", True, "statistics of this batch; otherwise the running ones"),
        Param("momentum", "float", 0.1, "weight of this batch in running statistics; y ignores it"),
        _EPS,
    ),
    aliases=("F.batch_norm", "nn.BatchNorm1d", "nn.BatchNorm2d"),
    keywords=("normalize", "standardize", "channels"),
    notes=(
        "Channels are on axis 1. With training off, μ and σ² are constants: x̄ = γg/√(σ²+ε).",
        "Running statistics are read, never changed.",
    ),
    samples=(
        Sample((4, 2), (2,), (2,), None, None),
        Sample((2, 2, 3), (2,), (2,), (2,), (2,), low=0.5),
        Sample((3, 2), (2,), None, (2,), (2,), low=0.5, training=False),
        Sample((2, 2, 2, 2), None, None, None, None, eps=0.01, momentum=0.2),
    ),
)


def _grouped(x: Array, num_groups: int) -> Array:
    return x.reshape((x.shape[0], num_groups, math.prod(x.shape[1:]) // num_groups))


def _group_norm(
    x: Array, weight: Array | None, bias: Array | None, num_groups: int, eps: float
) -> Array:
    _check_channels("group_norm", x, 2, weight=weight, bias=bias)
    if num_groups < 1 or x.shape[1] % num_groups:
        raise misfit(
            "group_norm",
            f"its {x.shape[1]} channels (axis 1) do not make {num_groups} equal groups",
            "Set num_groups to a divisor of the number of channels.",
            port="x",
            x=x,
        )
    return _scaled(_group_hat(x, num_groups, eps), _column(weight, x.ndim), _column(bias, x.ndim))


def _group_hat(x: Array, num_groups: int, eps: float) -> Array:
    return _standardized(_grouped(x, num_groups), (-1,), eps)[0].reshape(x.shape)


def _group_norm_x(g: Array, x: Array, weight: Array | None, num_groups: int, eps: float) -> Array:
    h = _scaled(g, _column(weight, x.ndim), None)
    return _through(_grouped(h, num_groups), _grouped(x, num_groups), (-1,), eps).reshape(x.shape)


GROUP_NORM = OpSpec(
    name="group_norm",
    label="group norm",
    glyph="GN",
    category="nn",
    ports=("x", "weight", "bias"),
    optional_ports=frozenset({"weight", "bias"}),
    forward=_group_norm,
    vjps={
        "x": Vjp(
            _group_norm_x,
            r"\bar{x}=\frac{1}{\sqrt{\sigma^{2}+\epsilon}}"
            r"\left(h-\overline{h}-\hat{x}\,\overline{h\hat{x}}\right),\quad h=\gamma g",
        ),
        "weight": Vjp(
            lambda g, x, num_groups, eps: _channel_sum(g * _group_hat(x, num_groups, eps)),
            r"\bar{\gamma}=\sum g\,\hat{x}",
        ),
        "bias": Vjp(_channel_sum, r"\bar{\beta}=\sum g"),
    },
    formula=r"y=\gamma\,\hat{x}+\beta,\quad\hat{x}=\frac{x-\mu}{\sqrt{\sigma^{2}+\epsilon}}",
    summary="Mean 0 and variance 1 for each group of channels, then scaled and shifted.",
    params=(Param("num_groups", "int", 1, "number of groups of channels", low=1), _EPS),
    aliases=("F.group_norm", "nn.GroupNorm"),
    keywords=("normalize", "standardize", "channels"),
    notes=("Channels are on axis 1; each sample is normalised by itself.",),
    samples=(
        Sample((2, 4, 3), (4,), (4,), num_groups=2),
        Sample((2, 4), None, None, num_groups=2),
        Sample((1, 3, 2, 2), (3,), None, num_groups=3, eps=0.01),
        Sample((2, 3), (3,), (3,)),
    ),
)


def _positions(ndim: int) -> Axes:
    return tuple(range(2, ndim))


def _instance_norm(x: Array, weight: Array | None, bias: Array | None, eps: float) -> Array:
    _check_channels("instance_norm", x, 3, weight=weight, bias=bias)
    if x.size and math.prod(x.shape[2:]) == 1:
        raise misfit(
            "instance_norm",
            "it needs more than one position per channel",
            "Give it more positions, or use layer_norm.",
            port="x",
            x=x,
        )
    hat = _standardized(x, _positions(x.ndim), eps)[0]
    return _scaled(hat, _column(weight, x.ndim), _column(bias, x.ndim))


INSTANCE_NORM = OpSpec(
    name="instance_norm",
    label="instance norm",
    glyph="IN",
    category="nn",
    ports=("x", "weight", "bias"),
    optional_ports=frozenset({"weight", "bias"}),
    forward=_instance_norm,
    vjps={
        "x": Vjp(
            lambda g, x, weight, eps: _through(
                _scaled(g, _column(weight, x.ndim), None), x, _positions(x.ndim), eps
            ),
            r"\bar{x}=\frac{1}{\sqrt{\sigma^{2}+\epsilon}}"
            r"\left(h-\overline{h}-\hat{x}\,\overline{h\hat{x}}\right),\quad h=\gamma g",
        ),
        "weight": Vjp(
            lambda g, x, eps: _channel_sum(g * _standardized(x, _positions(x.ndim), eps)[0]),
            r"\bar{\gamma}=\sum g\,\hat{x}",
        ),
        "bias": Vjp(_channel_sum, r"\bar{\beta}=\sum g"),
    },
    formula=r"y=\gamma\,\hat{x}+\beta,\quad\hat{x}=\frac{x-\mu}{\sqrt{\sigma^{2}+\epsilon}}",
    summary="Mean 0 and variance 1 over the positions of each sample and channel.",
    params=(_EPS,),
    aliases=("F.instance_norm", "nn.InstanceNorm2d"),
    keywords=("normalize", "standardize", "style"),
    notes=("Axes: batch, channels, positions.",),
    samples=(
        Sample((2, 2, 3), (2,), (2,)),
        Sample((1, 2, 2, 2), None, None),
        Sample((2, 1, 4), (1,), None, eps=0.01),
    ),
)

# -- to length 1 -----------------------------------------------------------------------------------


def _normalize(x: Array, p: float, axis: int, eps: float) -> Array:
    if not -x.ndim <= axis < x.ndim:
        raise misfit("normalize", f"it has no axis {axis}", "Choose another axis.", port="x", x=x)
    return x / np.maximum(np.linalg.norm(x, p, axis=axis, keepdims=True), eps)


def _normalize_slope(g: Array, x: Array, p: float, axis: int, eps: float) -> Array:
    norm = np.linalg.norm(x, p, axis=axis, keepdims=True)
    length = np.maximum(norm, eps)
    along = (g * x).sum(axis=axis, keepdims=True) / (length * length)
    return g / length - np.where(norm >= eps, along * slope(x, norm, p, axis), 0.0)


NORMALIZE = OpSpec(
    name="normalize",
    label="normalize",
    glyph="x/‖x‖",
    category="nn",
    ports=("x",),
    forward=_normalize,
    vjps={
        "x": Vjp(
            _normalize_slope,
            r"\bar{x}=\frac{1}{n}\left(g-y\sum_{\mathrm{axis}}g\,y\right)"
            r"\quad(p=2,\ n=\|x\|>\epsilon)",
        ),
    },
    formula=r"y=\frac{x}{\max(\|x\|_p,\epsilon)}",
    summary="Vectors scaled to length 1.",
    params=(
        Param("p", "float", 2.0, "order of the norm"),
        Param("axis", "axis", 1, "axis of the vectors"),
        Param("eps", "float", 1e-12, "least length ε"),
    ),
    aliases=("F.normalize",),
    keywords=("unit", "direction", "length"),
    notes=("x = 0: y = 0 and x̄ = g/ε.",),
    samples=(
        Sample((2, 3)),
        Sample((2, 3), axis=0),
        Sample((2, 3), p=1.0),
        Sample((2, 3), p=3.0, eps=0.1),
    ),
)

OPS = (LAYER_NORM, RMS_NORM, BATCH_NORM, GROUP_NORM, INSTANCE_NORM, NORMALIZE)
