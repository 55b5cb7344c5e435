"""The losses of torch.nn.functional."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.python.failures import program_error, refuse_others
from core.importers.python.machine import Machine, need
from core.importers.python.torch import norms, pointwise, reductions
from core.tensor import Tensor


def _loss(op: str, **defaults: Any) -> Callable[..., Tensor]:
    def function(
        m: Machine,
        input: Any,
        target: Any,
        *args: Any,
        reduction: str = "mean",
        size_average: Any = None,
        reduce: Any = None,
        **kwargs: Any,
    ) -> Tensor:
        refuse_others(op, size_average=(size_average, None), reduce=(reduce, None))
        x, y = need(input, op), need(target, op, 2)
        for name in kwargs:
            if name not in defaults:
                raise program_error(
                    "TypeError", f"{op}() got an unexpected keyword argument '{name}'"
                )
        params = {**defaults, **dict(zip(defaults, args, strict=False)), **kwargs}
        if reduction == "batchmean":
            total = m.op(op, *m.promoted([x, y]), reduction="sum", **params)
            return pointwise.div(m, total, x.shape[0])
        made: Tensor = m.op(op, *m.promoted([x, y]), reduction=reduction, **params)
        return made

    return function


def _same_shape(loss: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    """A loss that takes no broadcasting."""

    def function(m: Machine, input: Any, target: Any, *args: Any, **kwargs: Any) -> Tensor:
        x, y = need(input, name), need(target, name, 2)
        if x.shape != y.shape:
            raise program_error(
                "ValueError",
                f"Using a target size (torch.Size({list(y.shape)})) that is different to the "
                f"input size (torch.Size({list(x.shape)})) is deprecated. Please ensure they have "
                "the same size.",
            )
        return loss(m, x, y, *args, **kwargs)

    return function


def cross_entropy(
    m: Machine,
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """-log softmax(input)[target]"""
    refuse_others("cross_entropy", size_average=(size_average, None), reduce=(reduce, None))
    made: Tensor = m.op(
        "cross_entropy", need(input, "cross_entropy"), _classes(m, target), weight,
        reduction=reduction, ignore_index=int(ignore_index), label_smoothing=float(label_smoothing),
    )  # fmt: skip
    return made


def nll_loss(
    m: Machine,
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """-input[target]"""
    refuse_others("nll_loss", size_average=(size_average, None), reduce=(reduce, None))
    made: Tensor = m.op(
        "nll_loss", need(input, "nll_loss"), _classes(m, target), weight,
        reduction=reduction, ignore_index=int(ignore_index),
    )  # fmt: skip
    return made


def _classes(m: Machine, target: Any) -> Tensor:
    y = need(target, "cross_entropy", 2)
    if y.dtype.kind in "iu" and y.dtype != np.int64:
        raise program_error("RuntimeError", "expected scalar type Long but found another type")
    return y


def bce(m: Machine, input: Any, target: Any, weight: Any = None, *, reduction: str = "mean",
        **_: Any) -> Tensor:  # fmt: skip
    """binary cross entropy of probabilities"""
    x, y = need(input, "binary_cross_entropy"), need(target, "binary_cross_entropy", 2)
    if (
        x._data.size
        and not (x.data.min() >= 0 and x.data.max() <= 1)
        and not np.isnan(x.data).any()
    ):
        raise program_error("RuntimeError", "all elements of input should be between 0 and 1")
    return _weighted(m, "binary_cross_entropy", [x, y], weight, reduction)


def bce_with_logits(
    m: Machine,
    input: Any,
    target: Any,
    weight: Any = None,
    *,
    reduction: str = "mean",
    pos_weight: Any = None,
    **_: Any,
) -> Tensor:
    """binary cross entropy of logits"""
    op = "binary_cross_entropy_with_logits"
    given = [need(input, op), need(target, op, 2), pos_weight]
    return _weighted(m, op, given, weight, reduction)


def _weighted(m: Machine, op: str, given: list[Any], weight: Any, reduction: str) -> Tensor:
    if weight is None:
        made: Tensor = m.op(op, *given, reduction=reduction)
        return made
    each = pointwise.FUNCTIONS["mul"](m, m.op(op, *given, reduction="none"), weight)
    if reduction == "none":
        return each  # type: ignore[no-any-return]
    return reductions.FUNCTIONS[reduction](m, each)  # type: ignore[no-any-return]


def gaussian_nll(
    m: Machine,
    input: Any,
    target: Any,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """negative log likelihood of normal distributions"""
    made: Tensor = m.op(
        "gaussian_nll_loss", input, target, var, full=bool(full), eps=float(eps),
        reduction=reduction,
    )  # fmt: skip
    return made


def margin_ranking(
    m: Machine, input1: Any, input2: Any, target: Any, margin: float = 0.0, *_: Any,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, -target · (input1 - input2) + margin)"""
    made: Tensor = m.op(
        "margin_ranking_loss", input1, input2, target, margin=float(margin), reduction=reduction
    )
    return made


def triplet_margin(
    m: Machine, anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2,
    eps: float = 1e-6, *_: Any, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, d(anchor, positive) - d(anchor, negative) + margin)"""
    made: Tensor = m.op(
        "triplet_margin_loss", anchor, positive, negative, margin=float(margin), p=float(p),
        eps=float(eps), reduction=reduction,
    )  # fmt: skip
    return made


def cosine_similarity(m: Machine, x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """the cosine of the angle between vectors"""
    made: Tensor = m.pointwise("cosine_similarity", x1, x2, axis=int(dim), eps=float(eps))
    return made


def pairwise_distance(
    m: Machine, x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """distances of vectors, row by row"""
    apart = pointwise.add(m, pointwise.sub(m, x1, x2), eps)
    return norms.norm(m, apart, p, -1, keepdim)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "mse_loss": _loss("mse_loss"), "l1_loss": _loss("l1_loss"),
    "smooth_l1_loss": _loss("smooth_l1_loss", beta=1.0), "huber_loss": _loss("huber_loss",
    delta=1.0), "kl_div": _loss("kl_div", log_target=False),
    "poisson_nll_loss": _loss("poisson_nll_loss", log_input=True, full=False, eps=1e-8),
    "hinge_embedding_loss": _loss("hinge_embedding_loss", margin=1.0),
    "gaussian_nll_loss": gaussian_nll, "margin_ranking_loss": margin_ranking,
    "triplet_margin_loss": triplet_margin, "cross_entropy": cross_entropy, "nll_loss": nll_loss,
    "binary_cross_entropy": _same_shape(bce, "binary_cross_entropy"),
    "binary_cross_entropy_with_logits": _same_shape(bce_with_logits, "bce_with_logits"),
    "cosine_similarity": cosine_similarity, "pairwise_distance": pairwise_distance,
}  # fmt: skip
