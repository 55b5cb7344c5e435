"""torch's rules on types of number, where they are not NumPy's.

Tensors with axes decide before tensors without, and those before plain numbers; each only within
its category (bool, int, float, complex). Made of plain numbers, a tensor is float32.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from core.tensor import Tensor

#: torch's names of the types that there are here.
NAMES = {
    "float32": "float32", "float": "float32", "float64": "float64", "double": "float64",
    "float16": "float16", "half": "float16", "int8": "int8", "int16": "int16", "short": "int16",
    "int32": "int32", "int": "int32", "int64": "int64", "long": "int64", "uint8": "uint8",
    "bool": "bool", "complex64": "complex64", "cfloat": "complex64", "complex128": "complex128",
    "cdouble": "complex128",
}  # fmt: skip

_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
_COMPLEX_OF = {"float16": "complex64", "float32": "complex64", "float64": "complex128"}


def of_number(value: Any, default: np.dtype[Any]) -> np.dtype[Any]:
    """The type torch gives a plain number."""
    if isinstance(value, bool):
        return np.dtype(np.bool_)
    if isinstance(value, int):
        return np.dtype(np.int64)
    if isinstance(value, complex):
        return np.dtype(_COMPLEX_OF[default.name])
    return default


def category(dtype: np.dtype[Any]) -> int:
    """0 to 3: bool, int, float, complex."""
    return _CATEGORY[dtype.kind]


def result_type(operands: Iterable[Any], default: np.dtype[Any]) -> np.dtype[Any]:
    """What an elementwise operation of these Tensors and numbers gives in torch."""
    dims: np.dtype[Any] | None = None
    zeros: np.dtype[Any] | None = None
    numbers: np.dtype[Any] | None = None
    for x in operands:
        if isinstance(x, Tensor):
            if x.ndim:
                dims = _promoted(dims, x.dtype)
            else:
                zeros = _promoted(zeros, x.dtype)
        else:
            numbers = _promoted(numbers, of_number(x, default))
    found = _combined(dims, _combined(zeros, numbers))
    return default if found is None else found


def _promoted(a: np.dtype[Any] | None, b: np.dtype[Any]) -> np.dtype[Any]:
    if a is None or a == b:
        return b
    kinds = {category(a), category(b)}
    if kinds <= {0, 1} or len(kinds) == 1:
        return np.promote_types(a, b)
    low, high = sorted((a, b), key=category)
    if category(high) == 3 and category(low) == 2:
        return np.promote_types(high, np.dtype(_COMPLEX_OF[low.name]))
    return high


def _combined(first: np.dtype[Any] | None, second: np.dtype[Any] | None) -> np.dtype[Any] | None:
    """``first``, unless ``second`` is of a higher category."""
    if first is None or second is None:
        return second if first is None else first
    if category(second) <= category(first):
        return first
    if category(second) == 3 and category(first) == 2:
        return np.dtype(_COMPLEX_OF[first.name])
    return second
