"""What a program can go through, and Python's built-in functions that do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.importers.python import containers, operators
from core.importers.python.attributes import get_attribute
from core.importers.python.failures import program_error
from core.importers.python.machine import Machine
from core.importers.python.values import Instance, Items, NdArray, Record
from core.importers.python.words import type_name
from core.tensor import Tensor

_NONE = object()


def iterate(m: Machine, values: Any) -> Iterator[Any]:
    """The items of a value, one step of the budget each."""
    if isinstance(values, NdArray):
        for k in range(values.tensor.shape[0] if values.tensor.ndim else 0):
            yield get_item(m, values, k)
        return
    if isinstance(values, Tensor):
        if not values.ndim:
            raise program_error("TypeError", "iteration over a 0-d tensor")
        for k in range(values.shape[0]):
            yield get_item(m, values, k)
        return
    if isinstance(values, Instance):
        yield from _of_object(m, values)
        return
    if not isinstance(values, list | tuple | dict | set | frozenset | str | range | Items | Record):
        raise program_error("TypeError", f"'{type_name(values)}' object is not iterable")
    for value in values:
        m.budget.step()
        yield value


def _of_object(m: Machine, own: Instance) -> Iterator[Any]:
    found = own.cls.lookup("__iter__")
    if found is not None:
        yield from iterate(m, m.call(found[0], [own], {}))
        return
    getter, length = own.cls.lookup("__getitem__"), own.cls.lookup("__len__")
    if getter is None or length is None:
        raise program_error("TypeError", f"'{own.cls.name}' object is not iterable")
    for k in range(int(m.call(length[0], [own], {}))):
        yield m.call(getter[0], [own, k], {})


def get_item(m: Machine, own: Any, index: Any) -> Any:
    """``own[index]``; set when the interpreter starts."""
    return m.extras["get_item"](m, own, index)


def items(m: Machine, values: Any) -> list[Any]:
    """The items of a value as a list."""
    if isinstance(values, range):
        m.budget.length(len(values))
    return containers._items(m, values)


def length(m: Machine, value: Any) -> int:
    """``len``"""
    if isinstance(value, NdArray):
        value = value.tensor
    if isinstance(value, Tensor):
        if not value.ndim:
            raise program_error("TypeError", "len() of a 0-d tensor")
        return int(value.shape[0])
    if isinstance(value, Instance):
        found = value.cls.lookup("__len__")
        if found is not None:
            return int(m.call(found[0], [value], {}))
    if isinstance(value, Record):
        return len(value.parts)
    if isinstance(value, list | tuple | dict | set | frozenset | str | range):
        return len(value)
    raise program_error("TypeError", f"object of type '{type_name(value)}' has no len()")


def span(m: Machine, *bounds: Any) -> range:
    """``range``"""
    return range(*[int(b.item()) if isinstance(b, Tensor) else b for b in bounds])


def enumerated(m: Machine, values: Any, start: int = 0) -> Items:
    """``enumerate``"""
    return Items(enumerate(iterate(m, values), start))


def zipped(m: Machine, *many: Any, strict: bool = False) -> Items:
    """``zip``"""
    return Items(zip(*[iterate(m, values) for values in many], strict=bool(strict)))


def mapped(m: Machine, function: Any, *many: Any) -> Items:
    """``map``"""
    rows = zip(*[iterate(m, values) for values in many], strict=False)
    return Items(m.call(function, list(row), {}) for row in rows)


def filtered(m: Machine, function: Any, values: Any) -> Items:
    """``filter``"""
    return Items(
        v
        for v in iterate(m, values)
        if operators.truth(m, v if function is None else m.call(function, [v], {}))
    )


def turned(m: Machine, values: Any) -> Items:
    """``reversed``"""
    return Items(iter(items(m, values)[::-1]))


def following(m: Machine, values: Any, default: Any = _NONE) -> Any:
    """``next``"""
    if isinstance(values, Instance):
        return m.call(get_attribute(m, values, "__next__"), [], {})
    if not isinstance(values, Items):
        raise program_error("TypeError", f"'{type_name(values)}' object is not an iterator")
    for value in values:
        return value
    if default is _NONE:
        raise program_error("StopIteration", "")
    return default


def iterator(m: Machine, values: Any) -> Items:
    """``iter``"""
    return values if isinstance(values, Items) else Items(iterate(m, values))
