"""Parameters of operations as JSON. What JSON has no word for has one here, by kind of parameter.

Infinities and NaN are "inf", "-inf" and "nan". An index is a list of its parts: a number,
"newaxis", "ellipsis", {"slice": [start, stop, step]}, {"ints": [...]}, {"mask": [...]}.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from core.library.spec import OpSpec, Param

_WORDS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


class IndexFormatError(ValueError):
    """JSON that stands for no part of an index; the message says why."""


@cache
def kinds(spec: OpSpec) -> Mapping[str, Param]:
    """The parameters of an operation by name."""
    return {param.name: param for param in spec.params}


def encode(param: Param, value: Any) -> Any:
    """A parameter's stored value as JSON."""
    if param.kind == "index":
        return [_encode_part(part) for part in value]
    return _encode_plain(value)


def decode(param: Param, data: Any) -> Any:
    """The value that JSON stands for; whether it fits the parameter is checked elsewhere.

    Raises:
        IndexFormatError: if it should be an index and is not.
    """
    if param.kind == "index":
        return tuple(_decode_part(part) for part in (data if isinstance(data, list) else [data]))
    if (
        isinstance(data, str)
        and param.kind != "text"
        and data not in (*param.choices, *param.words)
    ):
        return _WORDS.get(data, data)
    return data


def _encode_plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_encode_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _encode_part(part: Any) -> Any:
    if part is None:
        return "newaxis"
    if part is Ellipsis:
        return "ellipsis"
    if isinstance(part, slice):
        return {"slice": [part.start, part.stop, part.step]}
    if isinstance(part, np.ndarray):
        return {"mask" if part.dtype.kind == "b" else "ints": part.tolist()}
    return part


def _decode_part(data: Any) -> Any:
    match data:
        case int():
            return data
        case "newaxis":
            return None
        case "ellipsis":
            return Ellipsis
        case {"slice": [start, stop, step]}:
            return slice(start, stop, step)
        case {"ints": list(items)}:
            return _box(items, np.int64)
        case {"mask": list(items)}:
            return _box(items, np.bool_)
        case _:
            raise IndexFormatError(
                "an index is a list of numbers, 'newaxis', 'ellipsis', slice, ints or mask"
            )


def _box(items: list[Any], dtype: type[np.generic]) -> np.ndarray[Any, Any]:
    try:
        return np.array(items, dtype)
    except (TypeError, ValueError, OverflowError):
        raise IndexFormatError(f"the lists of an index make no array of {dtype.__name__}") from None
