"""``value[index]``: read, set and deleted."""

from __future__ import annotations

from typing import Any

from core.importers.python import arrays
from core.importers.python.failures import program_error
from core.importers.python.limits import ENTRY
from core.importers.python.machine import Machine
from core.importers.python.operators import binary
from core.importers.python.torch import indexing
from core.importers.python.values import DefaultDict, Instance, NdArray, Record, Size
from core.importers.python.words import type_name
from core.tensor import Tensor


def get_item(m: Machine, own: Any, index: Any) -> Any:
    """``own[index]``"""
    if isinstance(own, Tensor):
        return indexing.getitem(m, own, index)
    if isinstance(own, NdArray):
        return NdArray(indexing.numpy_getitem(m, own.tensor, index))
    if isinstance(own, Record):
        return list(own.parts.values())[index]
    if isinstance(own, Instance):
        found = own.cls.lookup("__getitem__")
        if found is not None:
            return m.call(found[0], [own, index], {})
    if isinstance(own, Size):
        made = tuple(own)[_plain(index)]
        return Size(made) if isinstance(made, tuple) else made
    if isinstance(own, dict):
        name = m.budget.key(index)
        if isinstance(own, DefaultDict) and name not in own and own.factory is not None:
            m.budget.grow(len(own) + 1, "dict", ENTRY)
            own[name] = m.call(own.factory, [], {})
        return own[name]
    if isinstance(own, list | tuple | str | range):
        part = own[_plain(index)]
        if isinstance(index, slice) and not isinstance(own, range):
            m.budget.take(len(part), type_name(own))
        return part
    if isinstance(own, type) or callable(own):
        return own  # list[int] in an annotation
    raise program_error("TypeError", f"'{type_name(own)}' object is not subscriptable")


def _plain(index: Any) -> Any:
    """An index of a list: tensors of one whole number stand for it."""
    if isinstance(index, NdArray):
        index = index.tensor
    if isinstance(index, Tensor):
        return int(index.item())
    if isinstance(index, slice):
        return slice(*[_plain(part) for part in (index.start, index.stop, index.step)])
    return index


def set_item(m: Machine, own: Any, index: Any, value: Any) -> None:
    """``own[index] = value``"""
    if isinstance(own, Tensor):
        indexing.setitem(m, own, index, value)
    elif isinstance(own, NdArray):
        m.budget.parts(value)
        given = arrays.raw(value) if isinstance(value, NdArray) else arrays.values(value)
        indexing.setitem(m, own.tensor, index, given, numpy=True)
    elif isinstance(own, Instance) and own.cls.lookup("__setitem__") is not None:
        found = own.cls.lookup("__setitem__")
        assert found is not None
        m.call(found[0], [own, index, value], {})
    elif isinstance(own, dict):
        m.budget.grow(len(own) + 1, "dict", ENTRY)
        own[m.budget.key(index)] = value
    elif isinstance(own, list):
        if isinstance(index, slice):
            value = list(m.extras["iterate"](m, value))
            m.budget.take(len(value))
        own[_plain(index)] = value
        m.budget.length(len(own))
    else:
        raise program_error(
            "TypeError", f"'{type_name(own)}' object does not support item assignment"
        )


def change_item(m: Machine, own: Any, index: Any, sign: str, value: Any) -> None:
    """``own[index] sign= value``"""
    numpy = isinstance(own, NdArray)
    if isinstance(own, NdArray):
        own, value = own.tensor, arrays.raw(value)
    if isinstance(own, Tensor):
        parts, _ = indexing.as_index(m, index, own, numpy=numpy)

        def compute(x: Tensor) -> Tensor:
            part = m.op("getitem", x, index=parts)
            return indexing._set(m, x, parts, binary(m, sign, part, value))

        m.views.change(own, compute)
        return
    set_item(m, own, index, m.extras["in_place"](m, sign, get_item(m, own, index), value))


def delete_item(m: Machine, own: Any, index: Any) -> None:
    """``del own[index]``"""
    if not isinstance(own, list | dict):
        raise program_error("TypeError", f"'{type_name(own)}' object doesn't support item deletion")
    del own[_plain(index) if isinstance(own, list) else m.budget.key(index)]
