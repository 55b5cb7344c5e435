"""Losses, written out but for those of classes, which ONNX has."""

from __future__ import annotations

import math

import numpy as np

from core.onnx.writing.emit import Emit, Inexpressible, Result, Rule
from core.onnx.writing.reductions import power_norm


def _reduced(e: Emit, losses: str) -> str:
    """The losses as ``reduction`` wants them."""
    how = e.params["reduction"]
    if how == "none":
        return losses
    if how == "batchmean":
        shape = e.operand().shape
        total = e.reduced("ReduceSum", losses, None)
        return e("Div", total, e.constant(shape[0] if shape else 1))
    return e.reduced("ReduceMean" if how == "mean" else "ReduceSum", losses, None)


def _difference(e: Emit) -> str:
    return e("Sub", e.x(0), e.x(1))


def _mse(e: Emit) -> Result:
    d = _difference(e)
    return _reduced(e, e("Mul", d, d))


def _smooth_l1(e: Emit) -> Result:
    d, beta = e("Abs", _difference(e)), e.params["beta"]
    near = e("Div", e("Mul", d, d), e.constant(2 * (beta or 1)))
    far = e("Sub", d, e.constant(beta / 2))
    return _reduced(e, e("Where", e("Less", d, e.constant(beta)), near, far))


def _huber(e: Emit) -> Result:
    d, delta = e("Abs", _difference(e)), e.params["delta"]
    near = e("Mul", e.constant(0.5), e("Mul", d, d))
    far = e("Mul", e.constant(delta), e("Sub", d, e.constant(delta / 2)))
    return _reduced(e, e("Where", e("Greater", d, e.constant(delta)), far, near))


def _poisson(e: Emit) -> Result:
    x, t = e.x(0), e.x(1)
    if e.params["log_input"]:
        rate, log_rate = e("Exp", x), x
    else:
        rate, log_rate = x, e("Log", e("Add", x, e.constant(e.params["eps"])))
    losses = e("Sub", rate, e("Mul", t, log_rate))
    if e.params["full"]:
        many = e("Greater", t, e.constant(1))
        safe = e("Where", many, t, e.constant(1))
        stirling = e("Sub", e("Mul", safe, e("Log", safe)), safe)
        half_log = e("Log", e("Mul", e.constant(2 * math.pi), safe))
        stirling = e("Add", stirling, e("Mul", e.constant(0.5), half_log))
        losses = e("Add", losses, e("Where", many, stirling, e.constant(0)))
    return _reduced(e, losses)


def _gaussian(e: Emit) -> Result:
    d = _difference(e)
    v = e("Max", e.x(2), e.constant(e.params["eps"]))
    shape = e.operand(0).shape
    if shape and e.operand(2).shape == shape[:-1]:
        v = e("Unsqueeze", v, e.ints(-1))
    losses = e("Add", e("Log", v), e("Div", e("Mul", d, d), v))
    losses = e("Mul", e.constant(0.5), losses)
    if e.params["full"]:
        losses = e("Add", losses, e.constant(0.5 * math.log(2 * math.pi)))
    return _reduced(e, losses)


# -- classes --------------------------------------------------------------------------------------


def _of_classes(e: Emit, op: str) -> str:
    """ONNX's own loss; it takes a batch."""
    x, target = e.x(0), e.indices(1)
    single = e.operand(0).ndim == 1
    if single:
        x = e("Unsqueeze", x, e.ints(0))
        target = e("Reshape", target, e.ints(1))
    how = e.params["reduction"]
    ignored = e.params["ignore_index"]
    y = e(op, x, target, e.maybe(2), reduction=how, ignore_index=ignored)
    return e("Squeeze", y, e.ints(0)) if single and how == "none" else y


def _cross_entropy(e: Emit) -> Result:
    smoothing = e.params["label_smoothing"]
    x, target = e.operand(0), e.operand(1)
    if target.dtype.kind in "iu":
        if smoothing:
            raise Inexpressible("its labels are smoothed")
        return _of_classes(e, "SoftmaxCrossEntropyLoss")
    axis = 0 if x.ndim == 1 else 1
    classes = x.shape[axis]
    wanted = e.x(1)
    if smoothing:
        wanted = e("Mul", wanted, e.constant(1 - smoothing))
        wanted = e("Add", wanted, e.constant(smoothing / classes))
    if e.has(2):
        column = e.reshaped(e.x(2), (classes, *(1,) * max(x.ndim - 2, 0)))
        wanted = e("Mul", wanted, column)
    logs = e("Mul", wanted, e("LogSoftmax", e.x(0), axis=axis))
    return _reduced(e, e("Neg", e.reduced("ReduceSum", logs, (axis,))))


# -- probabilities --------------------------------------------------------------------------------


def _bce(e: Emit) -> Result:
    x, t, one, least = e.x(0), e.x(1), e.constant(1), e.constant(-100)
    yes = e("Mul", t, e("Max", e("Log", x), least))
    no = e("Mul", e("Sub", one, t), e("Max", e("Log", e("Sub", one, x)), least))
    return _reduced(e, e("Neg", e("Add", yes, no)))


def _bce_with_logits(e: Emit) -> Result:
    x, t, one = e.x(0), e.x(1), e.constant(1)
    no = e("Mul", e("Sub", one, t), x)
    yes = e("Softplus", e("Neg", x))
    if e.has(2):
        weight = e("Add", one, e("Mul", e("Sub", e.x(2), one), t))
        yes = e("Mul", weight, yes)
    return _reduced(e, e("Add", no, yes))


def _kl(e: Emit) -> Result:
    x, t = e.x(0), e.x(1)
    if e.params["log_target"]:
        return _reduced(e, e("Mul", e("Exp", t), e("Sub", t, x)))
    zero = e("Equal", t, e.constant(0))
    logs = e("Log", e("Where", zero, e.constant(1), t))
    return _reduced(e, e("Sub", e("Mul", t, logs), e("Mul", t, x)))


# -- margins --------------------------------------------------------------------------------------


def _hinge_embedding(e: Emit) -> Result:
    x, t, zero = e.x(0), e.x(1), e.constant(0)
    alike = e("Where", e("Equal", t, e.constant(-1)), zero, x)
    hinge = e("Max", e("Sub", e.constant(e.params["margin"]), x), zero)
    apart = e("Where", e("Equal", t, e.constant(1)), zero, hinge)
    return _reduced(e, e("Add", alike, apart))


def _margin_ranking(e: Emit) -> Result:
    gap = e("Mul", e.x(2), e("Sub", e.x(0), e.x(1)))
    hinge = e("Sub", e.constant(e.params["margin"]), gap)
    return _reduced(e, e("Max", hinge, e.constant(0)))


def _cosine(e: Emit) -> Result:
    axis = e.params["axis"]
    shape = np.broadcast_shapes(e.operand(0).shape, e.operand(1).shape)
    parts = []
    for k in (0, 1):
        x = e.x(k)
        if e.operand(k).shape != shape:
            x = e("Expand", x, e.ints(*shape))
        norm = e("Max", e.reduced("ReduceL2", x, (axis,), True), e.constant(e.params["eps"]))
        parts.append(e("Div", x, norm))
    return e.reduced("ReduceSum", e("Mul", *parts), (axis,))


def _triplet(e: Emit) -> Result:
    def distance(k: int) -> str:
        d = e("Add", e("Sub", e.x(0), e.x(k)), e.constant(e.params["eps"]))
        return power_norm(e, d, e.params["p"], (-1,), False)

    hinge = e("Add", e("Sub", distance(1), distance(2)), e.constant(e.params["margin"]))
    return _reduced(e, e("Max", hinge, e.constant(0)))


def _distances(e: Emit) -> Result:
    rows, columns = e("Unsqueeze", e.x(0), e.ints(-2)), e("Unsqueeze", e.x(1), e.ints(-3))
    return power_norm(e, e("Sub", rows, columns), e.params["p"], (-1,), False)


RULES: dict[str, Rule] = {
    "binary_cross_entropy": _bce,
    "binary_cross_entropy_with_logits": _bce_with_logits,
    "cdist": _distances,
    "cosine_similarity": _cosine,
    "cross_entropy": _cross_entropy,
    "gaussian_nll_loss": _gaussian,
    "hinge_embedding_loss": _hinge_embedding,
    "huber_loss": _huber,
    "kl_div": _kl,
    "l1_loss": lambda e: _reduced(e, e("Abs", _difference(e))),
    "margin_ranking_loss": _margin_ranking,
    "mse_loss": _mse,
    "nll_loss": lambda e: _of_classes(e, "NegativeLogLikelihoodLoss"),
    "poisson_nll_loss": _poisson,
    "smooth_l1_loss": _smooth_l1,
    "triplet_margin_loss": _triplet,
}
