"""Losses that are negative log-likelihoods of a value: how unlikely the target was."""

from __future__ import annotations

import math

import numpy as np

from core.library.checks import not_broadcastable
from core.library.reducing import REDUCTION, difference, reduced, share
from core.library.spec import Array, OpSpec, Param, Sample, Vjp


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


OPS = (POISSON_NLL_LOSS, GAUSSIAN_NLL_LOSS, BOUNDED)
