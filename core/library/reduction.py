"""Reductions: sums, means, spreads and products over one, some or all axes.

The VJP of a reduction repeats the cotangent over the axes that went away (``unreduce``) and
weights it by how much each element contributed. ``extremes`` has extremes and order statistics.
"""

from __future__ import annotations

import math

import numpy as np

from core.library.axes import (
    Axis,
    as_axes,
    axes_of,
    extent,
    merge_last,
    split_last,
    unreduce,
)
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

REDUCTION_PARAMS = (
    Param("axis", "axes", doc="Axis or axes to reduce; empty for all."),
    Param("keepdims", "bool", default=False, doc="Keep reduced axes with size 1."),
)  # fmt: skip
_SAMPLES = (
    Sample((4,)), Sample((2, 3), axis=1), Sample((2, 3), axis=0, keepdims=True),
    Sample((2, 3, 2), axis=(0, -1)), Sample(()),
)  # fmt: skip


def _conjugate(x: Array) -> Array:
    return np.conj(x) if x.dtype.kind == "c" else x


# -- sums ------------------------------------------------------------------------------------------


def _sum(x: Array, axis: Axis, keepdims: bool) -> Array:
    return np.add.reduce(x, axis=as_axes(axis), keepdims=keepdims)  # type: ignore[call-overload]


SUM = OpSpec(
    name="sum", label="sum", glyph="Σ", category="reduction", ports=("x",),
    forward=_sum, numpy=(np.sum,), params=REDUCTION_PARAMS,
    vjps={
        "x": Vjp(
            lambda g, x_shape, axis, keepdims: unreduce(g, x_shape, axis, keepdims),
            r"\bar{x}=\operatorname{expand}(g)",
        )
    },
    formula=r"y=\sum_{\mathrm{axis}}x", summary="Sum over axes.", keywords=("total", "add"),
    notes=("The sum of nothing is 0.",),
    samples=(*_SAMPLES, Sample((0, 2)), Sample((0, 2), axis=0)),
)  # fmt: skip


def _mean(x: Array, axis: Axis, keepdims: bool) -> Array:
    # np.mean costs twice as much, and warns about means of nothing.
    return _sum(x, axis, keepdims) / extent(x.shape, axis)


def _mean_vjp(g: Array, x_shape: tuple[int, ...], axis: Axis, keepdims: bool) -> Array:
    return unreduce(g / extent(x_shape, axis), x_shape, axis, keepdims)


MEAN = OpSpec(
    name="mean", label="mean", glyph="mean", category="reduction", ports=("x",),
    forward=_mean, numpy=(np.mean,), params=REDUCTION_PARAMS,
    vjps={"x": Vjp(_mean_vjp, r"\bar{x}=\operatorname{expand}(g)/n")},
    formula=r"y=\frac{1}{n}\sum_{\mathrm{axis}}x", summary="Average over axes.",
    aliases=("average",), keywords=("expectation",), notes=("The mean of nothing is NaN.",),
    samples=_SAMPLES,
)  # fmt: skip


def _nansum(x: Array, axis: Axis, keepdims: bool) -> Array:
    return _sum(np.where(np.isnan(x), 0, x), axis, keepdims)


def _only_numbers(g: Array, x: Array, axis: Axis, keepdims: bool) -> Array:
    return np.where(np.isnan(x), 0.0, unreduce(g, x.shape, axis, keepdims))


_WITH_NAN = np.array([[1.0, np.nan, -0.5], [0.3, 2.0, np.nan]])
_NAN_SAMPLES = (
    Sample(_WITH_NAN), Sample(_WITH_NAN, axis=1), Sample(_WITH_NAN, axis=0, keepdims=True),
    Sample((2, 3, 2), axis=(0, -1)), Sample(()),
)  # fmt: skip

NANSUM = OpSpec(
    name="nansum", label="nansum", glyph="Σ·", category="reduction", ports=("x",),
    forward=_nansum, numpy=(np.nansum,), params=REDUCTION_PARAMS,
    vjps={"x": Vjp(_only_numbers, r"\bar{x}=\operatorname{expand}(g)\,[x\text{ not NaN}]")},
    formula=r"y=\sum x\,[x\text{ not NaN}]", summary="Sum of what is not NaN.",
    keywords=("missing",), notes=("NaN entries get 0.",), samples=_NAN_SAMPLES,
)  # fmt: skip


def _numbers(x: Array, axis: Axis, keepdims: bool) -> Array:
    """How many elements are numbers, in the dtype of ``x``."""
    return SUM(np.where(np.isnan(x), 0.0, x.dtype.type(1)), axis=axis, keepdims=keepdims)


def _nanmean(x: Array, axis: Axis, keepdims: bool) -> Array:
    return _nansum(x, axis, keepdims) / _numbers(x, axis, keepdims)


def _nanmean_vjp(g: Array, x: Array, axis: Axis, keepdims: bool) -> Array:
    return _only_numbers(g / _numbers(x, axis, keepdims), x, axis, keepdims)


NANMEAN = OpSpec(
    name="nanmean", label="nanmean", glyph="mean·", category="reduction", ports=("x",),
    forward=_nanmean, numpy=(np.nanmean,), params=REDUCTION_PARAMS,
    vjps={"x": Vjp(_nanmean_vjp, r"\bar{x}=\operatorname{expand}(g/c)\,[x\text{ not NaN}]")},
    formula=r"y=\frac{1}{c}\sum x\,[x\text{ not NaN}],\ c=\sum[x\text{ not NaN}]",
    summary="Average of what is not NaN.", keywords=("missing",),
    notes=("NaN entries get 0.", "A slice of NaN only has the mean NaN."), samples=_NAN_SAMPLES,
)  # fmt: skip


# -- of exponentials ------------------------------------------------------------------------------


def _logsumexp(x: Array, axis: Axis, keepdims: bool) -> Array:
    peak = np.maximum.reduce(x, axis=as_axes(axis), keepdims=True, initial=-np.inf)
    # ∞ − ∞ would be NaN: an infinite peak is not taken off.
    peak = np.where(np.isfinite(peak), peak, 0.0)
    y = np.log(_sum(np.exp(x - peak), axis, True)) + peak
    return y if keepdims else np.squeeze(y, axes_of(axis, x.ndim))


LOGSUMEXP = OpSpec(
    name="logsumexp", label="logsumexp", glyph="lnΣe", category="reduction", ports=("x",),
    forward=_logsumexp, params=REDUCTION_PARAMS,
    vjps={
        "x": Vjp(
            lambda g, x, y, axis, keepdims: unreduce(g, x.shape, axis, keepdims)
            * np.exp(x - unreduce(y, x.shape, axis, keepdims)),
            r"\bar{x}=\operatorname{expand}(g)\,e^{x-\operatorname{expand}(y)}",
        )
    },
    formula=r"y=m+\ln\sum_{\mathrm{axis}}e^{x-m},\ m=\max x",
    summary="Logarithm of a sum of exponentials, stable.", keywords=("softmax", "softplus"),
    notes=("Only −∞: the value is −∞, the derivative NaN.", "Of nothing the value is −∞."),
    samples=_SAMPLES,
)  # fmt: skip


# -- spread ----------------------------------------------------------------------------------------


def _var(x: Array, axis: Axis, keepdims: bool, ddof: int) -> Array:
    # Two passes: the mean of squares minus the squared mean would cancel. np.var warns too often.
    deviation = x - _mean(x, axis, True)
    if deviation.dtype.kind == "c":
        deviation = np.absolute(deviation)
    freedom = max(extent(x.shape, axis) - ddof, 0)
    deviation *= deviation
    return _sum(deviation, axis, keepdims) / freedom


def _freedom(shape: tuple[int, ...], axis: Axis, ddof: int) -> float:
    return max(extent(shape, axis) - ddof, 0) or math.nan


def _var_vjp(g: Array, x: Array, axis: Axis, keepdims: bool, ddof: int) -> Array:
    deviation = _conjugate(x - MEAN(x, axis=axis, keepdims=True))
    scale = 2.0 / _freedom(x.shape, axis, ddof)
    spread = unreduce(scale * g, x.shape, axis, keepdims)
    if type(deviation) is type(spread) is np.ndarray and deviation.dtype == spread.dtype:
        deviation *= spread
        return deviation
    return spread * deviation


_DDOF = Param("ddof", "int", default=0, doc="The divisor is n − ddof; 1 for a sample's variance.")

VAR = OpSpec(
    name="var", label="var", glyph="σ²", category="reduction", ports=("x",),
    forward=_var, numpy=(np.var,), params=(*REDUCTION_PARAMS, _DDOF),
    vjps={
        "x": Vjp(
            _var_vjp,
            r"\bar{x}=\frac{2}{n-\mathrm{ddof}}(x-\mu)\,\operatorname{expand}(g)",
        )
    },
    formula=r"y=\frac{1}{n-\mathrm{ddof}}\sum(x-\mu)^{2}", summary="Variance over axes.",
    aliases=("variance",), keywords=("spread",), domain="n > ddof",
    notes=("n ≤ ddof: the derivative is NaN.",),
    samples=(*_SAMPLES, Sample((4,), ddof=1), Sample((2, 3), axis=1, ddof=1)),
)  # fmt: skip


def _std(x: Array, axis: Axis, keepdims: bool, ddof: int) -> Array:
    return np.sqrt(_var(x, axis, keepdims, ddof))


def _std_vjp(g: Array, x: Array, y: Array, axis: Axis, keepdims: bool, ddof: int) -> Array:
    deviation = _conjugate(x - MEAN(x, axis=axis, keepdims=True))
    per_std = np.where(y == 0, 0.0, g / np.where(y == 0, 1.0, y))
    scale = 1.0 / _freedom(x.shape, axis, ddof)
    return unreduce(scale * per_std, x.shape, axis, keepdims) * deviation


STD = OpSpec(
    name="std", label="std", glyph="σ", category="reduction", ports=("x",),
    forward=_std, numpy=(np.std,), params=(*REDUCTION_PARAMS, _DDOF),
    vjps={
        "x": Vjp(
            _std_vjp,
            r"\bar{x}=\operatorname{expand}(g)\frac{x-\mu}{(n-\mathrm{ddof})\,y}\;[y\neq 0]",
        )
    },
    formula=r"y=\sqrt{\frac{1}{n-\mathrm{ddof}}\sum(x-\mu)^{2}}",
    summary="Standard deviation over axes.", keywords=("spread", "deviation"),
    domain="n > ddof, y > 0", notes=("y = 0, a constant slice: the derivative is 0.",),
    samples=(
        Sample((4,)), Sample((2, 3), axis=1), Sample((2, 3), axis=0, keepdims=True),
        Sample((2, 3, 2), axis=(0, -1)), Sample((4,), ddof=1),
    ),
)  # fmt: skip


# -- products --------------------------------------------------------------------------------------


def _prod(x: Array, axis: Axis, keepdims: bool) -> Array:
    return np.prod(x, axis=as_axes(axis), keepdims=keepdims)


def _product_of_others(x: Array) -> Array:
    """For each element of the last axis, the product of all others: a tree, no division."""
    n = x.shape[-1]
    if n < 2:
        return np.ones_like(x)
    if n % 2:
        head, last = x[..., :-1], x[..., -1:]
        return np.concatenate([_product_of_others(head) * last, _whole(head)], axis=-1)
    left, right = x[..., 0::2], x[..., 1::2]
    others = _product_of_others(left * right)
    return np.stack([others * right, others * left], axis=-1).reshape(x.shape)


def _whole(x: Array) -> Array:
    return PROD(x, axis=-1, keepdims=True)


def _prod_vjp(g: Array, x: Array, axis: Axis, keepdims: bool) -> Array:
    others = split_last(_product_of_others(merge_last(x, axis)), x.shape, axis)
    return unreduce(g, x.shape, axis, keepdims) * others


PROD = OpSpec(
    name="prod", label="prod", glyph="Π", category="reduction", ports=("x",),
    forward=_prod, numpy=(np.prod,), params=REDUCTION_PARAMS,
    vjps={
        "x": Vjp(_prod_vjp, r"\bar{x}_i=\operatorname{expand}(g)\prod_{j\neq i}x_j"),
    },
    formula=r"y=\prod_{\mathrm{axis}}x", summary="Product over axes.", aliases=("product",),
    notes=(
        "Zeros: the product of the other elements is taken, never y/x.",
        "The product of nothing is 1.",
    ),
    samples=(*_SAMPLES, Sample((5,)), Sample(np.array([2.0, 0.0, 3.0])), Sample((0, 2), axis=0)),
)  # fmt: skip

OPS = (SUM, MEAN, VAR, STD, PROD, LOGSUMEXP, NANSUM, NANMEAN)
