"""A program's result as plain lists, numbers and text, ready for JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.importers.python.values import Failure, Instance, Items, NdArray, Record
from core.tensor import Tensor


def plain_result(value: Any) -> Any:
    """Tensors as nested lists, NaN and infinities as text, what has no form in JSON as text."""
    if isinstance(value, NdArray):
        value = value.tensor
    if isinstance(value, Tensor):
        return plain_result(value.data.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return "nan"
        return value if math.isfinite(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, complex):
        return [plain_result(value.real), plain_result(value.imag)]
    if isinstance(value, list | tuple | range | Items):
        return [plain_result(v) for v in value]
    if isinstance(value, set | frozenset):
        return sorted((plain_result(v) for v in value), key=str)
    if isinstance(value, dict):
        return {str(k): plain_result(v) for k, v in value.items()}
    if isinstance(value, Record):
        return [plain_result(v) for v in value.parts.values()]
    if isinstance(value, Instance) and not isinstance(value, Failure):
        return f"<{value.cls.name}>"
    return str(value)
