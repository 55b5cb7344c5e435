"""Python's built-in functions that give numbers, for the program's values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.importers.python import operators
from core.importers.python.attributes import get_attribute
from core.importers.python.failures import program_error
from core.importers.python.iteration import iterate
from core.importers.python.machine import Machine
from core.importers.python.torch import pointwise, tensors
from core.importers.python.values import Instance, NdArray
from core.importers.python.words import type_name
from core.tensor import Tensor

_NONE = object()


def number(kind: type) -> Callable[..., Any]:
    """``int`` and ``float``."""

    def function(m: Machine, value: Any = 0, *base: Any) -> Any:
        if isinstance(value, Tensor):
            return kind(tensors.item(m, value))
        if isinstance(value, NdArray):
            return kind(value.tensor.item())
        if isinstance(value, Instance):
            found = value.cls.lookup(f"__{kind.__name__}__")
            if found is not None:
                return m.call(found[0], [value], {})
        if isinstance(value, str | int | float | complex):
            return kind(value, *base)
        raise program_error(
            "TypeError",
            f"{kind.__name__}() argument must be a string or a real number, not "
            f"'{type_name(value)}'",
        )

    return function


def absolute(m: Machine, value: Any) -> Any:
    """``abs``"""
    if isinstance(value, Tensor):
        return pointwise.FUNCTIONS["abs"](m, value)
    if isinstance(value, NdArray):
        return NdArray(m.op("absolute", value.tensor))
    if isinstance(value, Instance):
        return m.call(get_attribute(m, value, "__abs__"), [], {})
    return abs(value)


def rounded(m: Machine, value: Any, digits: Any = None) -> Any:
    """``round``"""
    if isinstance(value, Tensor):
        return pointwise.round_(m, value, decimals=digits or 0)
    if isinstance(value, NdArray):
        value = value.tensor.item()
    return round(value) if digits is None else round(value, digits)


def total(m: Machine, values: Any, start: Any = 0) -> Any:
    """``sum``"""
    for value in iterate(m, values):
        start = operators.binary(m, "+", start, value)
    return start


def extreme(sign: str) -> Callable[..., Any]:
    """``max`` and ``min``."""

    def function(m: Machine, *values: Any, key: Any = None, default: Any = _NONE) -> Any:
        name = "max" if sign == ">" else "min"
        given: Any = values[0] if len(values) == 1 else values
        best: Any = _NONE
        best_key: Any = None
        for value in iterate(m, given):
            found = value if key is None else m.call(key, [value], {})
            if best is _NONE or operators.truth(m, operators.binary(m, sign, found, best_key)):
                best, best_key = value, found
        if best is _NONE:
            if default is _NONE:
                raise program_error("ValueError", f"{name}() arg is an empty sequence")
            return default
        return best

    return function


def power(m: Machine, base: Any, exponent: Any, modulus: Any = None) -> Any:
    """``pow``"""
    if modulus is not None:
        return pow(base, exponent, modulus)
    return operators.binary(m, "**", base, exponent)
