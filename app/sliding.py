"""What a slider slides over, and what it says while a hand drags it. Knows no widget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from core.errors import EditRefusedError

Array = np.ndarray[Any, Any]

#: Positions a slider has at most.
MOST_STEPS = 100_000
#: Arrays of more elements have no slider: nobody would find the element again.
MOST_ELEMENTS = 1000


@dataclass(frozen=True, slots=True)
class Slide:
    """A value on its way: ``drag`` while the hand is down, then ``drop``, or ``cancel`` for Esc.

    Attributes:
        node: id of the input node.
        array: its whole value now; None for ``cancel``.
        merge: see ``Document.edit``.
    """

    phase: Literal["drag", "drop", "cancel"]
    node: str
    array: Array | None = None
    merge: str = ""


@dataclass(frozen=True, slots=True)
class SliderRange:
    """From ``low`` to ``high`` in steps."""

    low: float
    high: float
    step: float

    def __post_init__(self) -> None:
        """Refuse what cannot be slid over.

        Raises:
            EditRefusedError: in words.
        """
        if not all(map(math.isfinite, (self.low, self.high, self.step))):
            raise EditRefusedError("A slider has no end.", next_step="Give finite numbers.")
        if not self.low < self.high:
            raise EditRefusedError(
                "The slider's least value is not below its greatest.",
                next_step="Give a smaller min, or a larger max.",
            )
        if not 0 < self.step <= self.high - self.low:
            raise EditRefusedError(
                "This step does not fit between min and max.",
                next_step="Give a step above 0 that is smaller than their difference.",
            )
        if (self.high - self.low) / self.step > MOST_STEPS:
            raise EditRefusedError(
                f"The slider would have more than {MOST_STEPS:,} steps.",
                next_step="Give a larger step.",
            )

    @property
    def steps(self) -> int:
        """How many positions there are after the first."""
        return max(1, round((self.high - self.low) / self.step))

    def value_at(self, position: int) -> float:
        """The value at a position; the ends are met exactly."""
        if position >= self.steps:
            return self.high
        # 0.1 * 3 shall read 0.3.
        return float(f"{self.low + position * self.step:.12g}")

    def position(self, value: float) -> int:
        """The position nearest to a value."""
        if not math.isfinite(value):
            return 0
        return round(min(max((value - self.low) / self.step, 0), self.steps))

    def source(self) -> dict[str, Any]:
        """What an input node remembers of its slider."""
        return {"kind": "slider", "low": self.low, "high": self.high, "step": self.step}


def around(value: float, *, whole: bool = False) -> SliderRange:
    """A range that fits a value: to the next power of ten on both sides of 0.

    Args:
        whole: whether only whole numbers will do.
    """
    size = abs(value) if math.isfinite(value) and value else 0.1
    power = min(max(math.floor(math.log10(size)) + 1, -300), 300)
    top = 10.0**power
    if whole:
        return SliderRange(-max(10.0, top), max(10.0, top), max(1.0, 10.0 ** (power - 3)))
    return SliderRange(-top, top, float(f"{top / 100:.12g}"))


def range_of(array: Array, element: int, source: Mapping[str, Any] | None) -> SliderRange:
    """The range of an element's slider: the one remembered, else one that fits its value.

    Args:
        element: its place in the flattened array.
        source: of the node; one of kind ``slider`` remembers a range.
    """
    value = float(array.reshape(-1)[element])
    if source is not None and is_slider(source):
        try:
            return SliderRange(*(float(source[key]) for key in ("low", "high", "step")))
        except (KeyError, TypeError, ValueError, EditRefusedError):
            pass  # a file may say anything
    return around(value, whole=array.dtype.kind in "iu")


def is_slider(source: Mapping[str, Any] | None) -> bool:
    """Whether a node's source is the memory of a slider, which outlives its value."""
    return source is not None and source.get("kind") == "slider"


def can_slide(array: Array) -> bool:
    """Whether there is an element to slide: real numbers, and not too many."""
    return array.dtype.kind in "fiu" and 1 <= array.size <= MOST_ELEMENTS


def with_element(array: Array, element: int, value: float) -> Array:
    """The array with one element (by its place in the flattened array) changed."""
    changed = array.copy()
    flat = changed.reshape(-1)
    if array.dtype.kind in "iu":
        limits = np.iinfo(array.dtype)
        value = min(max(round(value), int(limits.min)), int(limits.max))
    flat[element] = value
    return changed
