"""Normalisation by channel: over the batch, over groups of channels, over positions.

Axes are batch, channels, positions. The rule is that of ``normalization``, over other axes.
"""

from __future__ import annotations

import math

import numpy as np

from core.errors import OperandError
from core.library.checks import misfit
from core.library.normalization import EPS, Axes, scaled, standardized, through
from core.library.spec import Array, OpSpec, Param, Sample, Vjp


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


# -- over the batch --------------------------------------------------------------------------------


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
    return scaled(hat, _column(weight, x.ndim), _column(bias, x.ndim))


def _batch_hat(
    x: Array, running_mean: Array | None, running_var: Array | None, training: bool, eps: float
) -> Array:
    """The normalised values, by the batch's statistics or by the running ones."""
    if training:
        return standardized(x, _but_channels(x.ndim), eps)[0]
    centred = x - _column(running_mean, x.ndim)
    return centred / np.sqrt(_column(running_var, x.ndim) + eps)


def _batch_norm_x(
    g: Array, x: Array, weight: Array | None, running_var: Array | None, training: bool, eps: float
) -> Array:
    h = scaled(g, _column(weight, x.ndim), None)
    if training:
        return through(h, x, _but_channels(x.ndim), eps)
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
        Param("training", "bool", True, "Statistics of this batch; otherwise the running ones."),
        Param("momentum", "float", 0.1, "Weight of this batch in running statistics; not in y."),
        EPS,
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


# -- over groups of channels, over positions -------------------------------------------------------


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
    return scaled(_group_hat(x, num_groups, eps), _column(weight, x.ndim), _column(bias, x.ndim))


def _group_hat(x: Array, num_groups: int, eps: float) -> Array:
    return standardized(_grouped(x, num_groups), (-1,), eps)[0].reshape(x.shape)


def _group_norm_x(g: Array, x: Array, weight: Array | None, num_groups: int, eps: float) -> Array:
    h = scaled(g, _column(weight, x.ndim), None)
    return through(_grouped(h, num_groups), _grouped(x, num_groups), (-1,), eps).reshape(x.shape)


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
    params=(Param("num_groups", "int", 1, "Number of groups of channels.", low=1), EPS),
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
    hat = standardized(x, _positions(x.ndim), eps)[0]
    return scaled(hat, _column(weight, x.ndim), _column(bias, x.ndim))


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
            lambda g, x, weight, eps: through(
                scaled(g, _column(weight, x.ndim), None), x, _positions(x.ndim), eps
            ),
            r"\bar{x}=\frac{1}{\sqrt{\sigma^{2}+\epsilon}}"
            r"\left(h-\overline{h}-\hat{x}\,\overline{h\hat{x}}\right),\quad h=\gamma g",
        ),
        "weight": Vjp(
            lambda g, x, eps: _channel_sum(g * standardized(x, _positions(x.ndim), eps)[0]),
            r"\bar{\gamma}=\sum g\,\hat{x}",
        ),
        "bias": Vjp(_channel_sum, r"\bar{\beta}=\sum g"),
    },
    formula=r"y=\gamma\,\hat{x}+\beta,\quad\hat{x}=\frac{x-\mu}{\sqrt{\sigma^{2}+\epsilon}}",
    summary="Mean 0 and variance 1 over the positions of each sample and channel.",
    params=(EPS,),
    aliases=("F.instance_norm", "nn.InstanceNorm2d"),
    keywords=("normalize", "standardize", "style"),
    notes=("Axes: batch, channels, positions.",),
    samples=(
        Sample((2, 2, 3), (2,), (2,)),
        Sample((1, 2, 2, 2), None, None),
        Sample((2, 1, 4), (1,), None, eps=0.01),
    ),
)

OPS = (BATCH_NORM, GROUP_NORM, INSTANCE_NORM)
