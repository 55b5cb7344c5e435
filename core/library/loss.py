"""Losses that compare a value with its target, element by element.

Each is a function ℓ of the difference (or of the two values) followed by a reduction; its rule is
the slope ℓ' times the share of the cotangent that one element gets.
"""

from __future__ import annotations

import numpy as np

from core.library.checks import not_broadcastable
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

REDUCTION = Param(
    "reduction",
    "choice",
    "mean",
    "what becomes of the losses of the elements",
    choices=("none", "mean", "sum"),
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


# -- squared error ---------------------------------------------------------------------------------


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
    name="mse_loss", label="MSE loss", glyph="MSE", category="loss", ports=("input", "target"),
    forward=_mse,
    vjps={
        "input": Vjp(_mse_slope, r"\bar{x}=\frac{2}{N}\,g\,(x-t)"),
        "target": Vjp(
            lambda g, input, target, reduction: -_mse_slope(g, input, target, reduction),
            r"\bar{t}=-\bar{x}",
        ),
    },
    formula=r"y=\frac{1}{N}\sum(x-t)^{2}", summary="Mean squared error.", params=(REDUCTION,),
    aliases=("F.mse_loss", "nn.MSELoss", "MSELoss", "mean_squared_error", "l2_loss"),
    keywords=("regression", "squared", "error", "least squares"),
    notes=("N counts all elements for the mean; for sum and none it is 1.",),
    samples=(
        Sample((4,), (4,)), Sample((2, 3), (2, 3), reduction="sum"),
        Sample((2, 3), (3,), reduction="none"), Sample((2, 3), (1, 3)), Sample((), ()),
    ),
)

OPS = (MSE_LOSS,)
