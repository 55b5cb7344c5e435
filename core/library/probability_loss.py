"""Losses of predicted probabilities, element by element: binary cross-entropy and divergence."""

from __future__ import annotations

import numpy as np

from core.library.activation import SIGMOID
from core.library.checks import not_broadcastable
from core.library.exponential import XLOGY
from core.library.reducing import REDUCTION, difference, reduced, share
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

# -- binary cross-entropy --------------------------------------------------------------------------

_LEAST_LOG = -100.0  # bounds the loss of a certain and wrong prediction, as PyTorch does
_LEAST_VARIANCE = 1e-12


def _bce(input: Array, target: Array, reduction: str) -> Array:
    difference("binary_cross_entropy", input, target)
    log_one = np.maximum(np.log(input), _LEAST_LOG)
    log_zero = np.maximum(np.log1p(-input), _LEAST_LOG)
    return reduced(-(target * log_one + (1 - target) * log_zero), reduction)


def _bce_input(g: Array, input: Array, target: Array, reduction: str) -> Array:
    d = input - target
    return share(g, d.size, reduction) * d / np.maximum(input * (1 - input), _LEAST_VARIANCE)


def _bce_target(g: Array, input: Array, target: Array, reduction: str) -> Array:
    size = (input - target).size
    return share(g, size, reduction) * (np.log1p(-input) - np.log(input))


BINARY_CROSS_ENTROPY = OpSpec(
    name="binary_cross_entropy",
    label="binary cross entropy",
    glyph="BCE",
    category="loss",
    ports=("input", "target"),
    forward=_bce,
    vjps={
        "input": Vjp(_bce_input, r"\bar{x}=\frac{g}{N}\,\frac{x-t}{\max(x(1-x),10^{-12})}"),
        "target": Vjp(_bce_target, r"\bar{t}=\frac{g}{N}\left(\ln(1-x)-\ln x\right)"),
    },
    formula=r"y=-\frac{1}{N}\sum\left(t\ln x+(1-t)\ln(1-x)\right)",
    summary="Cross-entropy of yes-or-no probabilities.",
    params=(REDUCTION,),
    aliases=("F.binary_cross_entropy", "nn.BCELoss", "bce_loss"),
    keywords=("classification", "likelihood", "bernoulli", "log loss"),
    domain="0 ≤ x ≤ 1, 0 ≤ t ≤ 1",
    notes=(
        "Logarithms are bounded below by −100, so the loss stays finite at x = 0 and x = 1.",
        "There, the input's slope divides by 10⁻¹² and the target's is infinite.",
    ),
    samples=(
        Sample((4,), (4,), low=0.1, high=0.9),
        Sample((), (), low=0.1, high=0.9),
        Sample((2, 3), (2, 3), low=0.1, high=0.9, reduction="sum"),
        Sample((2, 3), (3,), low=0.1, high=0.9, reduction="none"),
    ),
)


def _bce_logits(input: Array, target: Array, pos_weight: Array | None, reduction: str) -> Array:
    difference("binary_cross_entropy_with_logits", input, target)
    try:
        losses = (1 - target) * input + _positive(target, pos_weight) * np.logaddexp(0, -input)
    except ValueError:
        raise not_broadcastable(
            "binary_cross_entropy_with_logits", target=target, pos_weight=pos_weight
        ) from None
    return reduced(losses, reduction)


def _positive(target: Array, pos_weight: Array | None) -> Array:
    """How much an element's softplus weighs: ``pos_weight`` for a yes, 1 for a no."""
    return 1.0 if pos_weight is None else 1 + (pos_weight - 1) * target


def _bce_logits_input(
    g: Array, input: Array, target: Array, pos_weight: Array | None, reduction: str
) -> Array:
    slope = (1 - target) - _positive(target, pos_weight) * SIGMOID(-input)
    return share(g, slope.size, reduction) * slope


def _bce_logits_target(
    g: Array, input: Array, target: Array, pos_weight: Array | None, reduction: str
) -> Array:
    size = (input - target).size
    slope = -input
    if pos_weight is not None:
        slope = slope + (pos_weight - 1) * np.logaddexp(0, -input)
    return share(g, size, reduction) * slope


BINARY_CROSS_ENTROPY_WITH_LOGITS = OpSpec(
    name="binary_cross_entropy_with_logits",
    label="BCE with logits",
    glyph="BCEl",
    category="loss",
    ports=("input", "target", "pos_weight"),
    optional_ports=frozenset({"pos_weight"}),
    nondiff_ports=frozenset({"pos_weight"}),
    forward=_bce_logits,
    vjps={
        "input": Vjp(_bce_logits_input, r"\bar{x}=\frac{g}{N}\left((1-t)-w\,\sigma(-x)\right)"),
        "target": Vjp(_bce_logits_target, r"\bar{t}=\frac{g}{N}\left(-x+(p-1)\ln(1+e^{-x})\right)"),
    },
    formula=r"y=\frac{1}{N}\sum\left((1-t)\,x+w\ln(1+e^{-x})\right),\quad w=1+(p-1)\,t",
    summary="Sigmoid and binary cross-entropy in one, without overflow.",
    params=(REDUCTION,),
    aliases=("F.binary_cross_entropy_with_logits", "nn.BCEWithLogitsLoss", "bce_with_logits"),
    keywords=("classification", "sigmoid", "logits", "bernoulli", "log loss"),
    notes=("pos_weight p weighs the positive class; empty means 1.",),
    samples=(
        Sample((4,), (4,), None),
        Sample((2, 3), (2, 3), (3,), low=0.1, reduction="sum"),
        Sample((2, 3), (3,), None, reduction="none"),
        Sample((), (), None),
    ),
)

# -- Kullback-Leibler divergence -------------------------------------------------------------------

_BATCH_REDUCTION = Param(
    "reduction",
    "choice",
    "mean",
    "What becomes of the losses; batchmean: their sum over the size of the first axis.",
    choices=("none", "mean", "sum", "batchmean"),
)


def _kl(input: Array, target: Array, reduction: str, log_target: bool) -> Array:
    difference("kl_div", input, target)
    if log_target:
        losses = np.exp(target) * (target - input)
    else:
        losses = XLOGY(target, target) - target * input
    if reduction == "batchmean":
        return losses.sum() / _rows(input.shape)
    return reduced(losses, reduction)


def _rows(shape: tuple[int, ...]) -> int:
    return shape[0] if shape else 1


def _kl_share(g: Array, input: Array, target: Array, reduction: str) -> Array:
    if reduction == "batchmean":
        return g / _rows(input.shape)
    return share(g, (input - target).size, reduction)


def _kl_input(g: Array, input: Array, target: Array, reduction: str, log_target: bool) -> Array:
    weight = np.exp(target) if log_target else target
    return -_kl_share(g, input, target, reduction) * weight


def _kl_target(g: Array, input: Array, target: Array, reduction: str, log_target: bool) -> Array:
    shift = target + 1 if log_target else np.log(target) + 1
    slope = (shift - input) * (np.exp(target) if log_target else 1.0)
    return _kl_share(g, input, target, reduction) * slope


KL_DIV = OpSpec(
    name="kl_div",
    label="KL divergence",
    glyph="KL",
    category="loss",
    ports=("input", "target"),
    forward=_kl,
    vjps={
        "input": Vjp(_kl_input, r"\bar{x}=-\frac{g}{N}\,t\quad\mathrm{or}\quad-\frac{g}{N}\,e^{t}"),
        "target": Vjp(
            _kl_target,
            r"\bar{t}=\frac{g}{N}(\ln t+1-x)\quad\mathrm{or}\quad\frac{g}{N}\,e^{t}(t+1-x)",
        ),
    },
    formula=r"y=\frac{1}{N}\sum t(\ln t-x)\quad\mathrm{or}\quad\frac{1}{N}\sum e^{t}(t-x)",
    summary="Kullback-Leibler divergence of a target from log-probabilities x.",
    params=(
        _BATCH_REDUCTION,
        Param("log_target", "bool", False, "Whether the target holds log-probabilities too."),
    ),
    aliases=("F.kl_div", "nn.KLDivLoss", "kullback_leibler"),
    keywords=("divergence", "distribution", "relative entropy", "distillation"),
    domain="t ≥ 0, unless log_target",
    notes=("t = 0: the loss is 0, and the target's slope infinite.",),
    samples=(
        Sample((4,), (4,), low=0.1),
        Sample((2, 3), (2, 3), low=0.1, reduction="batchmean"),
        Sample((2, 3), (2, 3), reduction="sum", log_target=True),
        Sample((2, 3), (3,), low=0.1, reduction="none"),
        Sample((), (), low=0.1),
    ),
)

OPS = (BINARY_CROSS_ENTROPY, BINARY_CROSS_ENTROPY_WITH_LOGITS, KL_DIV)
