"""A program's result as plain lists, numbers and text, ready for JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from core.errors import LimitError
from core.importers.python.values import (
    Builtin,
    Device,
    DType,
    Failure,
    Function,
    Instance,
    Items,
    Namespace,
    NdArray,
    Record,
    UserClass,
)
from core.importers.python.words import type_name
from core.tensor import Tensor

#: Numbers and texts of one result: more nobody reads.
MOST = 100_000
_DEEPEST = 100


def plain_result(value: Any) -> Any:
    """Tensors as nested lists, NaN and infinities as text, what has no form in JSON as text.

    Raises:
        LimitError: it is too large, or holds itself.
    """
    return _Plain().of(value, 0)


class _Plain:
    """One result on its way: ``room`` is how much more of it may come."""

    def __init__(self) -> None:
        self._room = MOST

    def of(self, value: Any, depth: int) -> Any:
        """A value within as many others."""
        self._take(1)
        if depth > _DEEPEST:
            raise LimitError(
                f"The result is nested more than {_DEEPEST} deep.",
                next_step="Let it hold numbers, or lists of them.",
            )
        if isinstance(value, NdArray):
            value = value.tensor
        if isinstance(value, Tensor):
            self._take(value._data.size)
            return _numbers(value._data.tolist())
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, bool | int | str | float | complex) or value is None:
            return _numbers(value)
        if isinstance(value, list | tuple | range | Items):
            return self._all(value, depth)
        if isinstance(value, set | frozenset):
            return sorted(self._all(value, depth), key=str)
        if isinstance(value, dict):
            return {_name(k): self.of(v, depth + 1) for k, v in value.items()}
        if isinstance(value, Record):
            return self._all(value.parts.values(), depth)
        if isinstance(value, Instance) and not isinstance(value, Failure):
            return f"<{value.cls.name}>"
        return str(value) if isinstance(value, _TEXTS) else f"<{type_name(value)}>"

    def _all(self, values: Iterable[Any], depth: int) -> list[Any]:
        return [self.of(v, depth + 1) for v in values]

    def _take(self, count: int) -> None:
        self._room -= count
        if self._room < 0:
            raise LimitError(
                f"The result has more than {MOST:,} numbers.",
                next_step="Let it be a sum, a mean, or a few of them.",
            )


#: What is shown as its own text.
_TEXTS = (Failure, DType, Device, Builtin, Function, Namespace, UserClass)

_KEYS = (*_TEXTS, str, int, float, complex, tuple, type(None))


def _name(key: Any) -> str:
    """A key of a dict as JSON has it."""
    return str(key) if isinstance(key, _KEYS) else f"<{type_name(key)}>"


def _numbers(value: Any) -> Any:
    """Plain numbers, in lists or not; complex ones as [real, imaginary]."""
    if isinstance(value, list):
        return [_numbers(v) for v in value]
    if isinstance(value, complex):
        return [_numbers(value.real), _numbers(value.imag)]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value
