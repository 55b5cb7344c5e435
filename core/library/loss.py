"""Losses that compare a value with its target, element by element.

Each is a function ℓ of the difference, or of the two values, followed by a reduction; its rule is
the slope of ℓ times the share of the cotangent that one element gets.
"""

from __future__ import annotations

import numpy as np

from core.library.reducing import PAIRS, REDUCTION, difference, reduced, share
from core.library.spec import Array, OpSpec, Param, Sample, Vjp


def _mse(input: Array, target: Array, reduction: str) -> Array:
    d = difference("mse_loss", input, target)
    if reduction == "mean" and type(d) is np.ndarray and d.dtype.kind == "f":
        flat = d.reshape(-1)
        return np.dot(flat, flat) / d.size  # one pass, and no array of squares
    return reduced(d * d, reduction)


def _mse_slope(g: Array, input: Array, target: Array, reduction: str) -> Array:
    d = input - target
    return 2.0 * share(g, d.size, reduction) * d


MSE_LOSS = OpSpec(
    name="mse_loss",
    label="MSE loss",
    glyph="MSE",
    category="loss",
    ports=("input", "target"),
    forward=_mse,
    vjps={
        "input": Vjp(_mse_slope, r"\bar{x}=\frac{2}{N}\,g\,(x-t)"),
        "target": Vjp(
            lambda g, input, target, reduction: -_mse_slope(g, input, target, reduction),
            r"\bar{t}=-\bar{x}",
        ),
    },
    formula=r"y=\frac{1}{N}\sum(x-t)^{2}",
    summary="Mean squared error.",
    params=(REDUCTION,),
    aliases=("F.mse_loss", "nn.MSELoss", "mean_squared_error", "l2_loss"),
    keywords=("regression", "squared", "error", "least squares"),
    notes=("N counts all elements for the mean; for sum and none it is 1.",),
    samples=PAIRS,
)


def _l1_slope(g: Array, input: Array, target: Array, reduction: str) -> Array:
    d = input - target
    return share(g, d.size, reduction) * np.sign(d)


L1_LOSS = OpSpec(
    name="l1_loss",
    label="L1 loss",
    glyph="L1",
    category="loss",
    ports=("input", "target"),
    forward=lambda input, target, reduction: reduced(
        np.abs(difference("l1_loss", input, target)), reduction
    ),
    vjps={
        "input": Vjp(_l1_slope, r"\bar{x}=\frac{1}{N}\,g\,\mathrm{sgn}(x-t)"),
        "target": Vjp(
            lambda g, input, target, reduction: -_l1_slope(g, input, target, reduction),
            r"\bar{t}=-\bar{x}",
        ),
    },
    formula=r"y=\frac{1}{N}\sum|x-t|",
    summary="Mean absolute error.",
    params=(REDUCTION,),
    aliases=("F.l1_loss", "nn.L1Loss", "mean_absolute_error", "mae_loss"),
    keywords=("regression", "absolute", "error", "robust"),
    notes=("Kink at x = t: derivative 0.",),
    samples=PAIRS,
)


def _smooth_l1(input: Array, target: Array, reduction: str, beta: float) -> Array:
    d = np.abs(difference("smooth_l1_loss", input, target))
    return reduced(np.where(d < beta, d * d / (2 * (beta or 1)), d - beta / 2), reduction)


def _smooth_l1_slope(g: Array, input: Array, target: Array, reduction: str, beta: float) -> Array:
    d = input - target
    slope = np.where(np.abs(d) < beta, d / (beta or 1), np.sign(d))
    return share(g, d.size, reduction) * slope


SMOOTH_L1_LOSS = OpSpec(
    name="smooth_l1_loss",
    label="smooth L1 loss",
    glyph="sL1",
    category="loss",
    ports=("input", "target"),
    forward=_smooth_l1,
    vjps={
        "input": Vjp(
            _smooth_l1_slope, r"\bar{x}=\frac{1}{N}\,g\,\min(\max(d/\beta,-1),1),\quad d=x-t"
        ),
        "target": Vjp(
            lambda g, input, target, reduction, beta: (
                -_smooth_l1_slope(g, input, target, reduction, beta)
            ),
            r"\bar{t}=-\bar{x}",
        ),
    },
    formula=r"y=\frac{1}{N}\sum\left(\frac{d^{2}}{2\beta}[|d|<\beta]"
    r"+\left(|d|-\frac{\beta}{2}\right)[|d|\geq\beta]\right),\quad d=x-t",
    summary="Squared error near the target, absolute error far from it.",
    params=(REDUCTION, Param("beta", "float", 1.0, "Where the two pieces meet.", low=0.0)),
    aliases=("F.smooth_l1_loss", "nn.SmoothL1Loss"),
    keywords=("regression", "huber", "robust"),
    notes=("|x − t| = β: derivative ±1, from both sides.", "β = 0 is the L1 loss."),
    samples=(*PAIRS, Sample((4,), (4,), beta=0.5), Sample((4,), (4,), beta=0.0)),
)


def _huber(input: Array, target: Array, reduction: str, delta: float) -> Array:
    d = np.abs(difference("huber_loss", input, target))
    return reduced(np.where(d <= delta, 0.5 * d * d, delta * (d - delta / 2)), reduction)


def _huber_slope(g: Array, input: Array, target: Array, reduction: str, delta: float) -> Array:
    d = input - target
    return share(g, d.size, reduction) * np.clip(d, -delta, delta)


HUBER_LOSS = OpSpec(
    name="huber_loss",
    label="Huber loss",
    glyph="Hub",
    category="loss",
    ports=("input", "target"),
    forward=_huber,
    vjps={
        "input": Vjp(
            _huber_slope, r"\bar{x}=\frac{1}{N}\,g\,\min(\max(d,-\delta),\delta),\quad d=x-t"
        ),
        "target": Vjp(
            lambda g, input, target, reduction, delta: (
                -_huber_slope(g, input, target, reduction, delta)
            ),
            r"\bar{t}=-\bar{x}",
        ),
    },
    formula=r"y=\frac{1}{N}\sum\left(\frac{d^{2}}{2}[|d|\leq\delta]"
    r"+\delta\left(|d|-\frac{\delta}{2}\right)[|d|>\delta]\right),\quad d=x-t",
    summary="Squared error near the target, a slope of ±δ far from it.",
    params=(REDUCTION, Param("delta", "float", 1.0, "Largest slope δ.", low=0.0)),
    aliases=("F.huber_loss", "nn.HuberLoss"),
    keywords=("regression", "robust"),
    notes=("|x − t| = δ: derivative ±δ, from both sides.",),
    samples=(*PAIRS, Sample((4,), (4,), delta=0.6)),
)

OPS = (MSE_LOSS, L1_LOSS, SMOOTH_L1_LOSS, HUBER_LOSS)
