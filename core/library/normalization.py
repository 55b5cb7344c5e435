"""Normalisation: values brought to mean 0 and variance 1, or to length 1.

They differ in which axes are taken together. The rule is one for all: a cotangent loses its mean,
and its part along the normalised values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.library.axes import as_tuple
from core.library.checks import misfit, require_real
from core.library.norms import slope
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

Axes = tuple[int, ...]

EPS = Param("eps", "float", 1e-5, "ε added to the variance.")


def mean(x: Array, axes: Axes) -> Array:
    """The mean over ``axes``, which stay with size 1."""
    return x.sum(axis=axes, keepdims=True) / math.prod(x.shape[a] for a in axes)


def standardized(x: Array, axes: Axes, eps: float) -> tuple[Array, Array]:
    """``x`` with mean 0 and variance 1 over ``axes``, and the factor that scaled it."""
    centred = x - mean(x, axes)
    factor = 1.0 / np.sqrt(mean(centred * centred, axes) + eps)
    return centred * factor, factor


def through(h: Array, x: Array, axes: Axes, eps: float) -> Array:
    """The VJP of ``standardized``, from the cotangent ``h`` of its result."""
    hat, factor = standardized(x, axes, eps)
    return factor * (h - mean(h, axes) - hat * mean(h * hat, axes))


def scaled(x: Array, weight: Array | None, bias: Array | None) -> Array:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


# -- over the last axes ----------------------------------------------------------------------------

_SHAPE = Param("normalized_shape", "ints", [3], "Sizes of the last axes, which are taken together.")


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
    return scaled(standardized(x, axes, eps)[0], weight, bias)


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
            lambda g, x, weight, normalized_shape, eps: through(
                scaled(g, weight, None), x, _last(normalized_shape), eps
            ),
            r"\bar{x}=\frac{1}{\sqrt{\sigma^{2}+\epsilon}}"
            r"\left(h-\overline{h}-\hat{x}\,\overline{h\hat{x}}\right),\quad h=\gamma g",
        ),
        "weight": Vjp(
            lambda g, x, normalized_shape, eps: (
                g * standardized(x, _last(normalized_shape), eps)[0]
            ),
            r"\bar{\gamma}=\sum g\,\hat{x}",
        ),
        "bias": Vjp(lambda g: g, r"\bar{\beta}=\sum g"),
    },
    formula=r"y=\gamma\,\hat{x}+\beta,\quad\hat{x}=\frac{x-\mu}{\sqrt{\sigma^{2}+\epsilon}}",
    summary="Mean 0 and variance 1 over the last axes, then scaled and shifted.",
    params=(_SHAPE, EPS),
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
    return 1.0 / np.sqrt(mean(x * x, axes) + least)


def _rms_norm(
    x: Array, weight: Array | None, normalized_shape: int | Sequence[int], eps: float | None
) -> Array:
    axes = _last_axes("rms_norm", x, normalized_shape, weight=weight)
    return scaled(x * _rms_factor(x, axes, eps), weight, None)


def _rms_norm_x(
    g: Array,
    x: Array,
    weight: Array | None,
    normalized_shape: int | Sequence[int],
    eps: float | None,
) -> Array:
    axes = _last(normalized_shape)
    r, h = _rms_factor(x, axes, eps), scaled(g, weight, None)
    return r * (h - x * r * r * mean(h * x, axes))


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
        Param("eps", "float", 1e-5, "ε added to the mean square.", optional=True),
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

# -- to length 1 -----------------------------------------------------------------------------------


def _normalize(x: Array, p: float, axis: int, eps: float) -> Array:
    if not -x.ndim <= axis < x.ndim:
        raise misfit("normalize", f"it has no axis {axis}", "Choose another axis.", port="x", x=x)
    require_real("normalize", x)
    return x / np.maximum(np.linalg.norm(x, p, axis=axis, keepdims=True), eps)


def _normalize_slope(g: Array, x: Array, p: float, axis: int, eps: float) -> Array:
    norm = np.linalg.norm(x, p, axis=axis, keepdims=True)
    length = np.maximum(norm, eps)
    along = (g * x).sum(axis=axis, keepdims=True) / (length * length)
    return g / length - np.where(norm >= eps, along * slope(x, norm, p, axis), 0.0)


NORMALIZE = OpSpec(
    name="normalize",
    label="normalize",
    glyph="x̂",
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
        Param("p", "float", 2.0, "Order of the norm."),
        Param("axis", "axis", 1, "Axis of the vectors."),
        Param("eps", "float", 1e-12, "Least length ε."),
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

OPS = (LAYER_NORM, RMS_NORM, NORMALIZE)
