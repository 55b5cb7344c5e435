"""Losses of predicted class scores or probabilities.

Cross-entropy and nll_loss share how a target of class numbers weighs the log-probabilities: the
hidden operation ``class_weights`` says with which weight each of them enters the loss.
"""

from __future__ import annotations

import numpy as np

from core.errors import OperandError
from core.library.activation import LOG_SOFTMAX, SOFTMAX
from core.library.checks import misfit
from core.library.reducing import REDUCTION
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

_IGNORE = Param("ignore_index", "int", -100, "Class number whose elements do not count.")
_SMOOTHING = Param(
    "label_smoothing", "float", 0.0, "Share of the target spread over all classes.", low=0, high=1
)


def _class_axis(ndim: int) -> int:
    """Classes lie on axis 1, or on the only axis."""
    return 0 if ndim == 1 else 1


def _safe(target: Array, ignore_index: int) -> tuple[Array, Array]:
    """Which targets count, and the targets with the others replaced by class 0."""
    counts = target != ignore_index
    return counts, np.where(counts, target, 0)


def _checked(
    op: str, input: Array, target: Array, weight: Array | None, ignore_index: int
) -> tuple[Array, Array]:
    """What ``_safe`` gives, once the target fits the input."""
    axis = _class_axis(input.ndim)
    if target.dtype.kind not in "iu":
        raise OperandError(
            f"{op}: target is {target.dtype}; class numbers are integers.",
            next_step="Cast the target to int64.",
            port="target",
        )
    if not input.ndim or target.shape != input.shape[:axis] + input.shape[axis + 1 :]:
        raise misfit(
            op,
            "a target of class numbers has the shape of the input without its class axis",
            "Classes are on axis 1 of the input (on axis 0 if it has one axis).",
            port="target",
            input=input,
            target=target,
        )
    _check_weight(op, input, weight)
    counts, safe = _safe(target, ignore_index)
    classes = input.shape[axis]
    if safe.size and (safe.min() < 0 or safe.max() >= classes):
        wrong = safe[(safe < 0) | (safe >= classes)].flat[0]
        raise OperandError(
            f"{op}: target holds class {wrong}, but the input scores classes 0 to {classes - 1}.",
            next_step="Correct the target, or set ignore_index to that number.",
            port="target",
        )
    return counts, safe


def _check_weight(op: str, input: Array, weight: Array | None) -> None:
    classes = input.shape[_class_axis(input.ndim)]
    if weight is not None and weight.shape != (classes,):
        raise misfit(
            op,
            f"weight must hold one value for each of the {classes} classes",
            "Give it that many values.",
            port="weight",
            input=input,
            weight=weight,
        )


def _counted(input: Array, weight: Array | None, counts: Array, safe: Array) -> Array:
    """The weight of each element's class, 0 for ignored elements."""
    of_class = np.ones((), input.dtype) if weight is None else weight[safe]
    return np.where(counts, of_class, np.zeros((), input.dtype))


def _places(safe: Array, ndim: int) -> tuple[Array, ...]:
    """The index that picks each element's class from an input of ``ndim`` axes."""
    if ndim == 1:
        return (safe,)
    rows, *others = (
        np.arange(n).reshape((n,) + (1,) * (safe.ndim - 1 - k)) for k, n in enumerate(safe.shape)
    )
    return (rows, safe, *others)


def _averaged(losses: Array, total: Array, reduction: str) -> Array:
    """The losses as ``reduction`` wants them, a mean being over ``total``, the sum of weights."""
    if reduction == "none":
        return losses
    return losses.sum() / total if reduction == "mean" else losses.sum()


def _class_weights(
    input: Array, target: Array, weight: Array | None, ignore_index: int, label_smoothing: float
) -> tuple[Array, Array]:
    counts, safe = _safe(target, ignore_index)
    axis = _class_axis(input.ndim)
    of_target = _counted(input, weight, counts, safe)
    weights = np.zeros(input.shape, input.dtype)
    weights[_places(safe, input.ndim)] = of_target
    if label_smoothing:
        column = np.ones(input.shape[axis]) if weight is None else weight
        spread = column.reshape((-1,) + (1,) * (input.ndim - axis - 1)) / input.shape[axis]
        spread = np.where(np.expand_dims(counts, axis), spread, 0.0)
        weights = (1 - label_smoothing) * weights + label_smoothing * spread
    return weights.astype(input.dtype, copy=False), np.asarray(of_target.sum())


CLASS_WEIGHTS = OpSpec(
    name="class_weights",
    label="class weights",
    category="loss",
    hidden=True,
    ports=("input", "target", "weight"),
    optional_ports=frozenset({"weight"}),
    nondiff_ports=frozenset({"input", "target", "weight"}),
    outputs=("weights", "total"),
    forward=_class_weights,
    vjps={},
    formula=r"T_{nc}=w_c\left((1-\epsilon)[c=t_n]+\epsilon/C\right),\quad N=\sum_n w_{t_n}",
    summary="The weight with which each log-probability enters a loss, and the mean's divisor.",
    params=(_IGNORE, _SMOOTHING),
    samples=(Sample((2, 3), np.array([2, 0]), (3,), low=0.5),),
)


def _spread(g: Array, total: Array, axis: int, reduction: str) -> Array:
    """The cotangent shared among elements, with an axis of size 1 where the classes are."""
    if reduction == "none":
        return np.expand_dims(g, axis)
    # If nothing counts, every slope is 0: dividing by 1 keeps 0 · ∞ away.
    return g / np.where(total == 0, 1.0, total) if reduction == "mean" else g


# -- negative log-likelihood -----------------------------------------------------------------------


def _nll(
    input: Array, target: Array, weight: Array | None, reduction: str, ignore_index: int
) -> Array:
    counts, safe = _checked("nll_loss", input, target, weight, ignore_index)
    of_target = _counted(input, weight, counts, safe)
    losses = np.where(counts, -of_target * input[_places(safe, input.ndim)], 0.0)
    return _averaged(losses, of_target.sum(), reduction)


def _nll_slope(
    g: Array, input: Array, target: Array, weight: Array | None, reduction: str, ignore_index: int
) -> Array:
    weights, total = CLASS_WEIGHTS(input, target, weight, ignore_index=ignore_index)
    return _spread(g, total, _class_axis(input.ndim), reduction) * -weights


NLL_LOSS = OpSpec(
    name="nll_loss",
    label="NLL loss",
    glyph="NLL",
    category="loss",
    ports=("input", "target", "weight"),
    optional_ports=frozenset({"weight"}),
    nondiff_ports=frozenset({"target", "weight"}),
    forward=_nll,
    vjps={
        "input": Vjp(_nll_slope, r"\bar{x}_{n,t_n}=-g\,w_{t_n}/\sum w,\quad 0\ \mathrm{elsewhere}"),
    },
    formula=r"y=-\sum_n w_{t_n}x_{n,t_n}/\sum_n w_{t_n}",
    summary="Negative log-likelihood of the target classes, from log-probabilities.",
    params=(REDUCTION, _IGNORE),
    aliases=("F.nll_loss", "nn.NLLLoss", "NLLLoss"),
    keywords=("classification", "likelihood", "log probabilities"),
    notes=(
        "The mean divides by the sum of the weights that count; if nothing counts it is NaN, "
        "and the gradient 0.",
    ),
    samples=(
        Sample((3, 4), np.array([1, 0, 3]), None),
        Sample((3, 4), np.array([1, -100, 3]), np.array([0.5, 1.0, 2.0, 1.5])),
        Sample((4,), np.array(2), None, reduction="sum"),
        Sample((2, 3, 2), np.array([[0, 2], [1, 1]]), None, reduction="none", ignore_index=1),
    ),
)

# -- cross-entropy ---------------------------------------------------------------------------------


def _is_classes(target: Array) -> bool:
    """Whether a target holds class numbers, not probabilities."""
    return target.dtype.kind in "iu"


def _wanted(input: Array, target: Array, weight: Array | None, label_smoothing: float) -> Array:
    """The weights of the log-probabilities when the target holds probabilities."""
    classes = input.shape[_class_axis(input.ndim)]
    wanted = target
    if label_smoothing:
        wanted = (1 - label_smoothing) * target + label_smoothing / classes
    return wanted if weight is None else wanted * _column(weight, input.ndim)


def _column(weight: Array, ndim: int) -> Array:
    """One weight a class, shaped to lie along the class axis."""
    return weight.reshape((-1,) + (1,) * max(ndim - 2, 0))


def _elements(input: Array) -> int:
    """How many distributions over classes the input holds."""
    return int(input.size // max(input.shape[_class_axis(input.ndim)], 1))


def _cross_entropy(
    input: Array,
    target: Array,
    weight: Array | None,
    reduction: str,
    ignore_index: int,
    label_smoothing: float,
) -> Array:
    axis = _class_axis(input.ndim)
    if not _is_classes(target):
        if target.shape != input.shape or not input.ndim:
            raise misfit(
                "cross_entropy",
                "a target of probabilities has the input's shape, class axis included",
                "Use integers for a target of class numbers.",
                port="target",
                input=input,
                target=target,
            )
        _check_weight("cross_entropy", input, weight)
        wanted = _wanted(input, target, weight, label_smoothing)
        losses = -(wanted * LOG_SOFTMAX(input, axis=axis)).sum(axis=axis)
        return _averaged(losses, _elements(input), reduction)
    counts, safe = _checked("cross_entropy", input, target, weight, ignore_index)
    logs = LOG_SOFTMAX(input, axis=axis)
    of_target = _counted(input, weight, counts, safe)
    losses = np.where(counts, -of_target * logs[_places(safe, input.ndim)], 0.0)
    if label_smoothing:
        weighed = logs if weight is None else logs * _column(weight, input.ndim)
        spread = np.where(counts, -weighed.sum(axis=axis) / input.shape[axis], 0.0)
        losses = (1 - label_smoothing) * losses + label_smoothing * spread
    return _averaged(losses, of_target.sum(), reduction)


def _cross_entropy_input(
    g: Array,
    input: Array,
    target: Array,
    weight: Array | None,
    reduction: str,
    ignore_index: int,
    label_smoothing: float,
) -> Array:
    axis = _class_axis(input.ndim)
    if _is_classes(target):
        wanted, total = CLASS_WEIGHTS(
            input, target, weight, ignore_index=ignore_index, label_smoothing=label_smoothing
        )
    else:
        wanted, total = _wanted(input, target, weight, label_smoothing), _elements(input)
    slope = SOFTMAX(input, axis=axis) * wanted.sum(axis=axis, keepdims=True) - wanted
    return _spread(g, total, axis, reduction) * slope


def _cross_entropy_target(
    g: Array, input: Array, weight: Array | None, reduction: str, label_smoothing: float
) -> Array:
    axis = _class_axis(input.ndim)
    slope = (label_smoothing - 1) * LOG_SOFTMAX(input, axis=axis)
    if weight is not None:
        slope = slope * _column(weight, input.ndim)
    return _spread(g, _elements(input), axis, reduction) * slope


CROSS_ENTROPY = OpSpec(
    name="cross_entropy",
    label="cross entropy",
    glyph="CE",
    category="loss",
    ports=("input", "target", "weight"),
    optional_ports=frozenset({"weight"}),
    nondiff_ports=frozenset({"weight"}),
    forward=_cross_entropy,
    vjps={
        "input": Vjp(
            _cross_entropy_input,
            r"\bar{x}=\frac{g\,w_t}{\sum w_t}\left(\mathrm{softmax}(x)-\mathrm{onehot}(t)\right)",
        ),
        "target": Vjp(_cross_entropy_target, r"\bar{t}=-\frac{g}{N}\,w\ln\mathrm{softmax}(x)"),
    },
    formula=r"y=-\sum w_t\ln\mathrm{softmax}(x)_t/\sum w_t",
    summary="Softmax and negative log-likelihood in one, from raw scores (logits).",
    params=(REDUCTION, _IGNORE, _SMOOTHING),
    aliases=("F.cross_entropy", "nn.CrossEntropyLoss", "CrossEntropyLoss", "softmax_cross_entropy"),
    keywords=("classification", "logits", "softmax", "log loss", "likelihood"),
    notes=(
        "Classes are on axis 1. An integer target holds class numbers; a float target of the "
        "input's shape holds probabilities, and has a gradient of its own.",
        "The mean divides by the sum of the weights of the elements that count (by the number of "
        "elements for probabilities). If nothing counts it is NaN, and the gradient 0.",
    ),
    samples=(
        Sample((3, 4), np.array([1, 0, 3]), None),
        Sample((3, 4), np.array([1, -100, 3]), np.array([0.5, 1.0, 2.0, 1.5]), label_smoothing=0.2),
        Sample((2, 3), (2, 3), None, low=0.1, high=0.9),
        Sample((2, 3), (2, 3), np.array([0.5, 1.0, 2.0]), low=0.1, high=0.9, label_smoothing=0.1),
        Sample((2, 3, 2), np.array([[0, 2], [1, 1]]), None, reduction="none", ignore_index=1),
        Sample((4,), np.array(2), None, reduction="sum"),
    ),
)

OPS = (NLL_LOSS, CROSS_ENTROPY, CLASS_WEIGHTS)
