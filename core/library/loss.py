"""Losses that compare a value with its target, element by element.

Each is a function ℓ of the difference, or of the two values, followed by a reduction; its rule is
the slope of ℓ times the share of the cotangent that one element gets.
"""

from __future__ import annotations

import math

import numpy as np

from core.library.checks import not_broadcastable
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

REDUCTION = Param(
    "reduction",
    "choice",
    "mean",
    "What becomes of the losses of the elements.",
    choices=("none", "mean", "sum"),
)
PAIRS = (
    Sample((4,), (4,)),
    Sample((2, 3), (2, 3), reduction="sum"),
    Sample((2, 3), (3,), reduction="none"),
    Sample((2, 3), (1, 3)),
    Sample((), ()),
)


def reduced(losses: Array, reduction: str) -> Array:
    """The losses of all elements as ``reduction`` wants them (the mean of none is NaN)."""
    if reduction == "none":
        return losses
    return losses.sum() / losses.size if reduction == "mean" else losses.sum()


def share(g: Array, size: int, reduction: str) -> Array:
    """The part of the cotangent that belongs to each of ``size`` elements."""
    return g / size if reduction == "mean" else g


def difference(op: str, input: Array, target: Array) -> Array:
    """``input - target``, with an error that says which shapes do not fit."""
    try:
        return input - target
    except ValueError:
        raise not_broadcastable(op, input=input, target=target) from None


# -- of the difference -----------------------------------------------------------------------------


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

# -- negative log-likelihoods of a value -----------------------------------------------------------


def _stirling(t: Array) -> Array:
    """Stirling's approximation of ln t! for t > 1, else 0."""
    t = np.where(t > 1, t, 1.0)
    return np.where(t > 1, t * np.log(t) - t + 0.5 * np.log(2 * math.pi * t), 0.0)


def _poisson(
    input: Array, target: Array, reduction: str, log_input: bool, full: bool, eps: float
) -> Array:
    difference("poisson_nll_loss", input, target)
    rate, log_rate = (np.exp(input), input) if log_input else (input, np.log(input + eps))
    losses = rate - target * log_rate
    return reduced(losses + _stirling(target) if full else losses, reduction)


def _poisson_input(
    g: Array, input: Array, target: Array, reduction: str, log_input: bool, eps: float
) -> Array:
    slope = np.exp(input) - target if log_input else 1 - target / (input + eps)
    return share(g, slope.size, reduction) * slope


def _poisson_target(
    g: Array,
    input: Array,
    target: Array,
    reduction: str,
    log_input: bool,
    full: bool,
    eps: float,
) -> Array:
    slope = -input if log_input else -np.log(input + eps)
    if full:
        t = np.where(target > 1, target, 1.0)
        slope = slope + np.where(target > 1, np.log(t) + 0.5 / t, 0.0)
    return share(g, (input - target).size, reduction) * slope


POISSON_NLL_LOSS = OpSpec(
    name="poisson_nll_loss",
    label="Poisson NLL loss",
    glyph="Poi",
    category="loss",
    ports=("input", "target"),
    forward=_poisson,
    vjps={
        "input": Vjp(
            _poisson_input,
            r"\bar{x}=\frac{g}{N}(e^{x}-t)\quad\mathrm{or}\quad"
            r"\frac{g}{N}\left(1-\frac{t}{x+\epsilon}\right)",
        ),
        "target": Vjp(
            _poisson_target,
            r"\bar{t}=-\frac{g}{N}x\quad\mathrm{or}\quad-\frac{g}{N}\ln(x+\epsilon)",
        ),
    },
    formula=r"y=\frac{1}{N}\sum(e^{x}-t\,x)\quad\mathrm{or}\quad"
    r"\frac{1}{N}\sum(x-t\ln(x+\epsilon))",
    summary="Negative log-likelihood of counts with rate eˣ, or x.",
    params=(
        REDUCTION,
        Param("log_input", "bool", True, "Whether the input is the logarithm of the rate."),
        Param("full", "bool", False, "Add Stirling's approximation of ln t! for t > 1."),
        Param("eps", "float", 1e-8, "Keeps the logarithm from 0 if the input is the rate."),
    ),
    aliases=("F.poisson_nll_loss", "nn.PoissonNLLLoss"),
    keywords=("counts", "likelihood", "rate"),
    samples=(
        Sample((4,), (4,)),
        Sample((2, 3), (2, 3), low=0.2, high=3.0, reduction="sum", full=True),
        Sample((2, 3), (3,), low=0.2, log_input=False),
        Sample((), (), reduction="none"),
    ),
)

# torch bounds the variance without telling the gradient; so does this, to every order.
BOUNDED = OpSpec(
    name="bounded_through",
    label="bounded through",
    category="loss",
    ports=("x",),
    hidden=True,
    elementwise=True,
    forward=lambda x, low: np.maximum(x, low),
    vjps={"x": Vjp(lambda g: g, r"\bar{x}=g")},
    formula=r"y=\max(x,\mathrm{low})",
    params=(Param("low", "float", 0.0, "Lower bound."),),
    summary="At least low; the cotangent passes as if nothing had been done.",
    samples=(Sample((3,), low=0.5, high=2.0),),
)


def _variance(input: Array, var: Array, eps: float) -> Array:
    """The variances, bounded; without a last axis they serve for a whole row of the input."""
    v = BOUNDED(var, low=eps)
    return np.expand_dims(v, -1) if _one_per_row(input.shape, var.shape) else v


def _one_per_row(input_shape: tuple[int, ...], var_shape: tuple[int, ...]) -> bool:
    return len(input_shape) > 0 and var_shape == input_shape[:-1]


def _gaussian(
    input: Array, target: Array, var: Array, reduction: str, full: bool, eps: float
) -> Array:
    d, v = difference("gaussian_nll_loss", input, target), _variance(input, var, eps)
    try:
        losses = 0.5 * (np.log(v) + d * d / v)
    except ValueError:
        raise not_broadcastable("gaussian_nll_loss", input=d, var=var) from None
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


def _gaussian_input(
    g: Array, input: Array, target: Array, var: Array, reduction: str, eps: float
) -> Array:
    slope = (input - target) / _variance(input, var, eps)
    return share(g, slope.size, reduction) * slope


def _gaussian_var(
    g: Array,
    input: Array,
    target: Array,
    var: Array,
    reduction: str,
    eps: float,
    input_shape: tuple[int, ...],
    var_shape: tuple[int, ...],
) -> Array:
    v, d = _variance(input, var, eps), input - target
    slope = 0.5 * (1 - d * d / v) / v
    parts = share(g, slope.size, reduction) * slope
    return parts.sum(axis=-1) if _one_per_row(input_shape, var_shape) else parts


GAUSSIAN_NLL_LOSS = OpSpec(
    name="gaussian_nll_loss",
    label="Gaussian NLL loss",
    glyph="Gau",
    category="loss",
    ports=("input", "target", "var"),
    forward=_gaussian,
    vjps={
        "input": Vjp(_gaussian_input, r"\bar{x}=\frac{g}{N}\,\frac{x-t}{v}"),
        "target": Vjp(
            lambda g, input, target, var, reduction, eps: (
                -_gaussian_input(g, input, target, var, reduction, eps)
            ),
            r"\bar{t}=-\bar{x}",
        ),
        "var": Vjp(
            _gaussian_var,
            r"\bar{v}=\frac{g}{2N}\left(\frac{1}{v}-\frac{(x-t)^{2}}{v^{2}}\right)",
        ),
    },
    formula=r"y=\frac{1}{2N}\sum\left(\ln v+\frac{(x-t)^{2}}{v}\right),"
    r"\quad v=\max(\mathrm{var},\epsilon)",
    summary="Negative log-likelihood of a normal distribution with given variance.",
    params=(
        REDUCTION,
        Param("full", "bool", False, "Add the constant ½ ln 2π."),
        Param("eps", "float", 1e-6, "Least variance ε."),
    ),
    aliases=("F.gaussian_nll_loss", "nn.GaussianNLLLoss"),
    keywords=("normal", "likelihood", "variance", "uncertainty"),
    domain="var > 0",
    notes=(
        "var < ε counts as ε, but the gradient passes as if it had not been raised.",
        "var may have the input's shape, size 1 on the last axis, or no last axis.",
    ),
    samples=(
        Sample((4,), (4,), (4,), low=0.3),
        Sample((2, 3), (2, 3), (2, 1), low=0.3, full=True),
        Sample((2, 3), (2, 3), (2,), low=0.3, reduction="none"),
        Sample((2, 3), (3,), (), low=0.3, reduction="sum"),
    ),
)

OPS = (
    MSE_LOSS,
    L1_LOSS,
    SMOOTH_L1_LOSS,
    HUBER_LOSS,
    POISSON_NLL_LOSS,
    GAUSSIAN_NLL_LOSS,
    BOUNDED,
)
