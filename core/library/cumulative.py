"""Running sums, products and extremes along one axis, and their differences.

What a running operation sends back is another running operation from the other end.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.library.axes import along
from core.library.indexing import SCATTER_ADD
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

_FLAT_AXIS = Param("axis", "axis", doc="Axis to run along; empty for all elements in order.")
_AXIS = Param("axis", "axis", default=0, doc="Axis to run along.")
_SAMPLES = (Sample((4,)), Sample((2, 3), axis=1), Sample((2, 3), axis=0))


def _reverse_cumsum(g: Array, x_shape: tuple[int, ...], axis: int | None) -> Array:
    end = 0 if axis is None else axis
    return np.flip(np.cumsum(np.flip(g, end), axis=end), end).reshape(x_shape)


CUMSUM = OpSpec(
    name="cumsum", label="cumsum", glyph="Σ→", category="cumulative", ports=("x",),
    forward=lambda x, axis: np.cumsum(x, axis=axis), numpy=(np.cumsum,), params=(_FLAT_AXIS,),
    vjps={"x": Vjp(_reverse_cumsum, r"\bar{x}_i=\sum_{j\geq i}g_j")},
    formula=r"y_i=\sum_{j\leq i}x_j", summary="Running sum.", keywords=("integrate", "prefix"),
    samples=(*_SAMPLES, Sample((2, 3)), Sample((0,))),
)  # fmt: skip


def _carried_back(g: Array, factors: Array, axis: int) -> Array:
    """The solution of s_k = g_k + f_k s_{k+1} along ``axis``, which ends with s_n = g_n.

    Args:
        g: n entries along the axis.
        factors: f_1 to f_{n-1}.
    """
    n = factors.shape[axis] + 1
    total, step = g, 1
    while step < n:
        # After each round, total_k holds step terms, and factors_k the product of step factors.
        head = total[along(axis, factors.ndim, slice(None, -step))]
        later = total[along(axis, factors.ndim, slice(step, None))]
        last = total[along(axis, factors.ndim, slice(-step, None))]
        total = np.concatenate([head + factors * later, last], axis=axis)
        factors = (
            factors[along(axis, factors.ndim, slice(None, -step))]
            * factors[along(axis, factors.ndim, slice(step, None))]
        )
        step *= 2
    return total


def _cumprod_vjp(g: Array, x: Array, y: Array, axis: int | None) -> Array:
    shape = x.shape
    if axis is None:
        x, axis = x.reshape((-1,)), 0
    if x.size == 0:
        return g.reshape(shape)
    first = along(axis, x.ndim, slice(None, 1))
    before = np.concatenate([np.ones_like(x[first]), y[along(axis, x.ndim, slice(None, -1))]], axis)
    carried = _carried_back(g, x[along(axis, x.ndim, slice(1, None))], axis)
    return (before * carried).reshape(shape)


CUMPROD = OpSpec(
    name="cumprod", label="cumprod", glyph="Π→", category="cumulative", ports=("x",),
    forward=lambda x, axis: np.cumprod(x, axis=axis), numpy=(np.cumprod,), params=(_FLAT_AXIS,),
    vjps={
        "x": Vjp(
            _cumprod_vjp,
            r"\bar{x}_k=\sum_{i\geq k}g_i\prod_{j\leq i,\,j\neq k}x_j",
        )
    },
    formula=r"y_i=\prod_{j\leq i}x_j", summary="Running product.", keywords=("prefix",),
    notes=("Zeros: the products are formed without a division.",),
    samples=(
        *_SAMPLES, Sample((2, 3)), Sample((5,), axis=0),
        Sample(np.array([2.0, 0.0, 3.0, 0.0, 4.0]), axis=0),
    ),
)  # fmt: skip


def _running_extreme_vjp(g: Array, x: Array, y: Array, axis: int) -> Array:
    reached = (x == y) | np.isnan(x)
    place = np.arange(x.shape[axis]).reshape((-1,) + (1,) * (x.ndim - 1 - axis % x.ndim))
    last = CUMMAX(np.where(reached, place, 0), axis=axis)
    return SCATTER_ADD(np.zeros(x.shape, g.dtype), last, g, axis=axis)


def _running(ufunc: np.ufunc) -> Callable[[Array, int], Array]:
    return lambda x, axis: ufunc.accumulate(x, axis=axis)


_EXTREME_NOTES = ("Ties: the last of the equal elements reached so far takes the cotangent.",)
_DISTINCT = np.array([[0.3, 1.2, -0.5], [0.9, -0.4, 0.1]])
_EXTREMES = (Sample(_DISTINCT[0]), Sample(_DISTINCT, axis=0), Sample(_DISTINCT, axis=-1))

CUMMAX = OpSpec(
    name="cummax", label="cummax", glyph="max→", category="cumulative", ports=("x",),
    forward=_running(np.maximum), params=(_AXIS,),
    vjps={
        "x": Vjp(_running_extreme_vjp, r"\bar{x}_k=\sum_i g_i\,[k=\arg\max_{j\leq i}x_j]"),
    },
    formula=r"y_i=\max_{j\leq i}x_j", summary="Running maximum.", notes=_EXTREME_NOTES,
    samples=_EXTREMES,
)  # fmt: skip

CUMMIN = OpSpec(
    name="cummin", label="cummin", glyph="min→", category="cumulative", ports=("x",),
    forward=_running(np.minimum), params=(_AXIS,),
    vjps={
        "x": Vjp(_running_extreme_vjp, r"\bar{x}_k=\sum_i g_i\,[k=\arg\min_{j\leq i}x_j]"),
    },
    formula=r"y_i=\min_{j\leq i}x_j", summary="Running minimum.", notes=_EXTREME_NOTES,
    samples=_EXTREMES,
)  # fmt: skip


def _logcumsumexp_vjp(g: Array, x: Array, y: Array, axis: int) -> Array:
    # e^(x_k - y_i) is e^(x_k - y_k) times every e^(y_j - y_(j+1)) on the way: none overflows.
    finite = np.where(y == -np.inf, 0.0, y)
    ahead = finite[along(axis, x.ndim, slice(1, None))]
    decay = np.exp(y[along(axis, x.ndim, slice(None, -1))] - ahead)
    return np.exp(x - finite) * (_carried_back(g, decay, axis) if x.size else g)


LOGCUMSUMEXP = OpSpec(
    name="logcumsumexp", label="logcumsumexp", glyph="lnΣ→", category="cumulative", ports=("x",),
    forward=_running(np.logaddexp), params=(_AXIS,),
    vjps={"x": Vjp(_logcumsumexp_vjp, r"\bar{x}_k=\sum_{i\geq k}g_i\,e^{x_k-y_i}")},
    formula=r"y_i=\ln\sum_{j\leq i}e^{x_j}", summary="Running logarithm of a sum of exponentials.",
    samples=(Sample((4,)), Sample((2, 3), axis=1), Sample((2, 3))),
)  # fmt: skip


def _diff_vjp(g: Array, x_shape: tuple[int, ...], n: int, axis: int) -> Array:
    if n >= x_shape[axis]:
        return np.broadcast_to(np.sum(g), x_shape)  # nothing is left of x: a sum of nothing
    pads = [(n, n) if k == axis % len(x_shape) else (0, 0) for k in range(len(x_shape))]
    return (-1) ** n * np.diff(np.pad(g, pads), n=n, axis=axis)


DIFF = OpSpec(
    name="diff", label="diff", glyph="Δ", category="cumulative", ports=("x",),
    forward=lambda x, n, axis: np.diff(x, n=n, axis=axis), numpy=(np.diff,),
    params=(
        Param("n", "int", default=1, low=0, doc="How many times differences are taken."),
        Param("axis", "axis", default=-1, doc="Axis along which neighbours are subtracted."),
    ),
    vjps={"x": Vjp(_diff_vjp, r"\bar{x}_i=g_{i-1}-g_i\ (n\text{ times})")},
    formula=r"y_i=x_{i+1}-x_i\ (n\text{ times})", summary="Differences of neighbours.",
    keywords=("derivative", "delta"),
    samples=(Sample((4,)), Sample((2, 4), n=2), Sample((3, 2), axis=0), Sample((2,), n=3)),
)  # fmt: skip

OPS = (CUMSUM, CUMPROD, CUMMAX, CUMMIN, LOGCUMSUMEXP, DIFF)
