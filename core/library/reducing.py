"""What losses of elements share: the difference, and what becomes of them all together."""

from __future__ import annotations

from core.library.checks import not_broadcastable
from core.library.spec import Array, Param, Sample

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
