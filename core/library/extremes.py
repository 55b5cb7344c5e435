"""Reductions that choose: extremes, the median and quantiles over one, some or all axes.

Their VJPs send the cotangent to the chosen elements; what happens at ties is in the ``notes``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.errors import OperandError
from core.library.axes import Axis, as_axes, extent, merge_last, refuse_empty, split_last, unreduce
from core.library.reduction import REDUCTION_PARAMS, SUM
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

_DISTINCT = np.array([[1.3, -0.4, 0.9], [2.1, 0.2, -1.7]])
_CHOICES = (
    Sample(_DISTINCT), Sample(_DISTINCT, axis=1), Sample(_DISTINCT, axis=0, keepdims=True),
    Sample(_DISTINCT, axis=(0, 1)), Sample(()),
)  # fmt: skip


# -- extremes --------------------------------------------------------------------------------------


def _extreme(op: str, ufunc: np.ufunc) -> Callable[..., Array]:
    def forward(x: Array, axis: Axis, keepdims: bool) -> Array:
        refuse_empty(op, x.shape, axis)
        return ufunc.reduce(x, axis=as_axes(axis), keepdims=keepdims)

    return forward


def _even_split(g: Array, x: Array, y: Array, axis: Axis, keepdims: bool) -> Array:
    """The cotangent, shared by all elements equal to the extreme ``y``."""
    chosen = np.where(x == unreduce(y, x.shape, axis, keepdims), x.dtype.type(1), 0.0)
    count = SUM(chosen, axis=axis, keepdims=keepdims)
    return unreduce(g / count, x.shape, axis, keepdims) * chosen


_EVEN_FORMULA = r"\bar{x}=\operatorname{expand}(g/c)\,[x=y],\ c=\sum_{\mathrm{axis}}[x=y]"
_EVEN_NOTES = ("Ties: the cotangent is split evenly among the equal elements.",)

AMAX = OpSpec(
    name="amax", label="amax", glyph="max", category="reduction", ports=("x",),
    forward=_extreme("amax", np.maximum), numpy=(np.amax,), params=REDUCTION_PARAMS,
    vjps={"x": Vjp(_even_split, _EVEN_FORMULA)},
    formula=r"y=\max_{\mathrm{axis}}x", summary="Largest element over axes; ties share.",
    keywords=("maximum", "largest"), notes=_EVEN_NOTES, samples=_CHOICES,
)  # fmt: skip

AMIN = OpSpec(
    name="amin", label="amin", glyph="min", category="reduction", ports=("x",),
    forward=_extreme("amin", np.minimum), numpy=(np.amin,), params=REDUCTION_PARAMS,
    vjps={"x": Vjp(_even_split, _EVEN_FORMULA)},
    formula=r"y=\min_{\mathrm{axis}}x", summary="Smallest element over axes; ties share.",
    keywords=("minimum", "smallest"), notes=_EVEN_NOTES, samples=_CHOICES,
)  # fmt: skip


def _one_or_all(
    g: Array, x: Array, y: Array, axis: Axis, keepdims: bool, first: Callable[..., Array]
) -> Array:
    """The cotangent to the first extreme along ``axis``; an even split when all are reduced."""
    if axis is None:
        return _even_split(g, x, y, axis, keepdims)
    rows = merge_last(x, axis)
    chosen = np.arange(rows.shape[-1]) == first(rows, axis=-1, keepdims=True)
    return np.where(split_last(chosen, x.shape, axis), unreduce(g, x.shape, axis, keepdims), 0.0)


_ONE_FORMULA = r"\bar{x}=\operatorname{expand}(g)\,[i=k]"
_ONE_NOTES = (
    "With an axis, the first of equal elements takes the whole cotangent.",
    "Without an axis, equal elements share it evenly.",
)  # fmt: skip

MAX = OpSpec(
    name="max", label="max (one)", glyph="max₁", category="reduction", ports=("x",),
    forward=_extreme("max", np.maximum), numpy=(np.max,), params=REDUCTION_PARAMS,
    vjps={
        "x": Vjp(
            lambda g, x, y, axis, keepdims: _one_or_all(g, x, y, axis, keepdims, np.argmax),
            _ONE_FORMULA,
        )
    },
    formula=r"y=x_{k},\ k=\arg\max", summary="Largest element over axes; the first one takes all.",
    keywords=("maximum", "largest"), notes=_ONE_NOTES, samples=_CHOICES,
)  # fmt: skip

MIN = OpSpec(
    name="min", label="min (one)", glyph="min₁", category="reduction", ports=("x",),
    forward=_extreme("min", np.minimum), numpy=(np.min,), params=REDUCTION_PARAMS,
    vjps={
        "x": Vjp(
            lambda g, x, y, axis, keepdims: _one_or_all(g, x, y, axis, keepdims, np.argmin),
            _ONE_FORMULA,
        )
    },
    formula=r"y=x_{k},\ k=\arg\min", summary="Smallest element over axes; the first one takes all.",
    keywords=("minimum", "smallest"), notes=_ONE_NOTES, samples=_CHOICES,
)  # fmt: skip


# -- order statistics ------------------------------------------------------------------------------


def _quantile(x: Array, q: float, axis: Axis, keepdims: bool) -> Array:
    refuse_empty("quantile", x.shape, axis)
    if not 0 <= q <= 1:
        raise OperandError(
            f"quantile: q is {q}, but a quantile lies between 0 and 1.",
            next_step="Divide a percentage by 100.",
        )
    return np.quantile(x, q, axis=as_axes(axis), keepdims=keepdims)


def _median(x: Array, axis: Axis, keepdims: bool) -> Array:
    refuse_empty("median", x.shape, axis)
    return np.median(x, axis=as_axes(axis), keepdims=keepdims)


def _rank_weights(x: Array, q: float, axis: Axis) -> Array:
    """How much each element counts in the quantile: two neighbours in rank share a weight of 1."""
    rank = np.argsort(np.argsort(merge_last(x, axis), axis=-1, kind="stable"), axis=-1)
    low, share = divmod(q * (extent(x.shape, axis) - 1), 1)
    one = x.dtype.type(1)
    above = np.where(rank == low + 1, one * share, 0.0)
    weights = np.where(rank == low, one * (1.0 - share), above)
    return split_last(weights, x.shape, axis)


def _quantile_vjp(g: Array, x: Array, q: float, axis: Axis, keepdims: bool) -> Array:
    return unreduce(g, x.shape, axis, keepdims) * _rank_weights(x, q, axis)


MEDIAN = OpSpec(
    name="median", label="median", glyph="med", category="reduction", ports=("x",),
    forward=_median, numpy=(np.median,), params=REDUCTION_PARAMS,
    vjps={
        "x": Vjp(
            lambda g, x, axis, keepdims: _quantile_vjp(g, x, 0.5, axis, keepdims),
            r"\bar{x}=\operatorname{expand}(g)\text{ to the middle, or half to each of two}",
        )
    },
    formula=r"y=\frac{1}{2}(x_{(\lfloor (n-1)/2\rfloor)}+x_{(\lceil (n-1)/2\rceil)})",
    summary="Middle value, or the mean of the two middle ones.", keywords=("quantile", "robust"),
    notes=("Ties: the elements in the middle of the sorted order.",), samples=_CHOICES,
)  # fmt: skip

QUANTILE = OpSpec(
    name="quantile", label="quantile", glyph="q", category="reduction", ports=("x",),
    forward=_quantile, numpy=(np.quantile,),
    params=(
        Param("q", "float", default=0.5, doc="Which quantile, 0 to 1.", low=0, high=1),
        *REDUCTION_PARAMS,
    ),
    vjps={
        "x": Vjp(
            _quantile_vjp,
            r"\bar{x}=(1-f)\operatorname{expand}(g)\text{ to }x_{(l)},\ "
            r"f\operatorname{expand}(g)\text{ to }x_{(l+1)}",
        )
    },
    formula=r"y=(1-f)x_{(l)}+f\,x_{(l+1)},\ l+f=q(n-1)",
    summary="Value below which a share q of the elements lies.", keywords=("percentile", "median"),
    notes=(
        "Between two elements the interpolation is linear.",
        "A whole q(n−1): all of the cotangent to that element.",
    ),
    samples=(
        Sample(_DISTINCT), Sample(_DISTINCT, q=0.3, axis=1),
        Sample(_DISTINCT, q=0.9, axis=0, keepdims=True), Sample(_DISTINCT, q=0.25, axis=(0, 1)),
    ),
)  # fmt: skip

OPS = (AMAX, AMIN, MAX, MIN, MEDIAN, QUANTILE)
