"""Python's operators on the program's values."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from core.importers.python import arrays
from core.importers.python.failures import program_error
from core.importers.python.limits import ENTRY, LETTER, SLOT
from core.importers.python.machine import Machine
from core.importers.python.torch.linalg import FUNCTIONS as _LINALG
from core.importers.python.torch.pointwise import FUNCTIONS as _POINTWISE
from core.importers.python.torch.tensors import METHODS
from core.importers.python.values import Instance, NdArray
from core.importers.python.words import type_name
from core.tensor import Tensor

_PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_TENSOR = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floor_divide", "%": "remainder",
    "**": "pow", "@": "matmul", "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor",
    "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne",
}  # fmt: skip
#: The methods of objects that stand for operators.
DUNDER = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
    "@": "matmul", "&": "and", "|": "or", "^": "xor", "<": "lt", "<=": "le", ">": "gt",
    ">=": "ge", "==": "eq", "!=": "ne",
}  # fmt: skip
_MIRRORED = {"<": "gt", "<=": "ge", ">": "lt", ">=": "le", "==": "eq", "!=": "ne"}
_ORDERS = ("<", "<=", ">", ">=")
_VALUES = (bool, int, float, complex, str, list, tuple, set, frozenset, dict)
_WIDTH = re.compile(r"%[^a-zA-Z%]*?(\d{4,}|\*)")


def binary(m: Machine, sign: str, a: Any, b: Any) -> Any:
    """``a sign b``."""
    if isinstance(a, Instance) or isinstance(b, Instance):
        return _of_objects(m, sign, a, b)
    if sign == "%" and isinstance(a, str):
        return _percent(m, a, b)
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return _of_tensors(m, sign, a, b)
    if isinstance(a, NdArray) or isinstance(b, NdArray):
        return arrays.binary(m, sign, a, b)
    if sign == "==":
        return equal(m, a, b)
    if sign == "!=":
        return not equal(m, a, b)
    if not (isinstance(a, _VALUES) and isinstance(b, _VALUES)) or sign == "@":
        raise _unsupported(sign, a, b)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple) and sign in _ORDERS:
        return _ordered(m, sign, a, b)
    _charge(m, sign, a, b)
    return _PLAIN[sign](a, b)


def _ordered(m: Machine, sign: str, a: Any, b: Any) -> Any:
    """Lists and tuples compare by their first difference."""
    if isinstance(a, list) is not isinstance(b, list):
        raise _unsupported(sign, a, b)
    m.budget.steps(len(a))
    for x, y in zip(a, b, strict=False):
        if not equal(m, x, y):
            return binary(m, sign, x, y)
    return _PLAIN[sign](len(a), len(b))


def _of_tensors(m: Machine, sign: str, a: Any, b: Any) -> Any:
    if sign in ("==", "!="):
        known = (Tensor, NdArray, bool, int, float, complex)
        if not (isinstance(a, known) and isinstance(b, known)):
            return sign == "!="
    name = _TENSOR.get(sign)
    if name is None:
        raise _unsupported(sign, a, b)
    if sign == "@":
        return _LINALG["matmul"](m, a, b)
    if isinstance(a, list | tuple | str | dict) or isinstance(b, list | tuple | str | dict):
        raise _unsupported(sign, a, b)
    return _POINTWISE[name](m, a, b)


def _of_objects(m: Machine, sign: str, a: Any, b: Any) -> Any:
    name = DUNDER.get(sign)
    if name is not None:
        if isinstance(a, Instance):
            found = a.cls.lookup(f"__{name}__")
            if found is not None:
                made = m.call(found[0], [a, b], {})
                if made is not NotImplemented:
                    return made
        if isinstance(b, Instance):
            found = b.cls.lookup(f"__{_MIRRORED.get(sign, 'r' + name)}__")
            if found is not None:
                made = m.call(found[0], [b, a], {})
                if made is not NotImplemented:
                    return made
    if sign == "==":
        return a is b
    if sign == "!=":
        return a is not b
    raise _unsupported(sign, a, b)


def _unsupported(sign: str, a: Any, b: Any) -> Exception:
    return program_error(
        "TypeError",
        f"unsupported operand type(s) for {sign}: '{type_name(a)}' and '{type_name(b)}'",
    )


def _charge(m: Machine, sign: str, a: Any, b: Any) -> None:
    """Refuse what would take too much before it is begun."""
    if isinstance(a, int) and isinstance(b, int):
        if sign == "*":
            m.budget.bits(a.bit_length() + b.bit_length())
        elif sign == "**" and abs(a) > 1 and b > 0:
            m.budget.bits(float(a.bit_length()) * b)
        elif sign == "<<":
            m.budget.bits(a.bit_length() + max(b, 0))
    elif sign == "*":
        for many, times in ((a, b), (b, a)):
            if isinstance(many, str | list | tuple) and isinstance(times, int):
                size = LETTER if isinstance(many, str) else SLOT
                m.budget.take(len(many) * max(times, 0), type_name(many), size)
    elif sign == "+" and isinstance(a, str | list | tuple) and isinstance(b, str | list | tuple):
        m.budget.take(len(a) + len(b), type_name(a), LETTER if isinstance(a, str) else SLOT)
    elif isinstance(a, set | frozenset | dict) and isinstance(b, set | frozenset | dict):
        m.budget.take(len(a) + len(b), type_name(a), ENTRY)


def _percent(m: Machine, text: str, values: Any) -> str:
    if _WIDTH.search(text):
        raise program_error("ValueError", "width too big")
    parts = values if isinstance(values, tuple) else (values,)
    shown = [m.extras["plain"](m, v) for v in parts]
    many = sum(len(v) if isinstance(v, str) else 20 for v in shown)
    m.budget.take(len(text) + many + 1000 * len(parts), "text", LETTER)
    return text % tuple(shown)


def equal(m: Machine, a: Any, b: Any) -> bool:
    """Whether two values are equal, as a truth value."""
    if a is b:
        return True
    if isinstance(a, Tensor | NdArray | Instance) or isinstance(b, Tensor | NdArray | Instance):
        return truth(m, binary(m, "==", a, b))
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        m.budget.steps(len(a))
        same = isinstance(a, list) == isinstance(b, list)
        return same and len(a) == len(b) and all(equal(m, x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        m.budget.steps(len(a))
        return a.keys() == b.keys() and all(equal(m, a[k], b[k]) for k in a)
    return bool(a == b)


def contains(m: Machine, item: Any, container: Any) -> bool:
    """``item in container``"""
    if isinstance(container, list | tuple):
        m.budget.steps(len(container))
        return any(equal(m, item, x) for x in container)
    if isinstance(container, dict | set | frozenset):
        return m.budget.key(item) in container
    if isinstance(container, str):
        m.budget.take(len(container), "text", 0)
        return item in container
    if isinstance(container, range):
        m.budget.steps(0 if isinstance(item, int) else len(container))
        return item in container
    if isinstance(container, Tensor):
        return truth(m, METHODS["any"](m, binary(m, "==", container, item)))
    if isinstance(container, Instance):
        found = container.cls.lookup("__contains__")
        if found is not None:
            return truth(m, m.call(found[0], [container, item], {}))
    return any(equal(m, item, x) for x in m.extras["iterate"](m, container))


def truth(m: Machine, value: Any) -> bool:
    """``bool(value)``"""
    if isinstance(value, NdArray):
        value = value.tensor
    if isinstance(value, Tensor):
        if value._data.size != 1:
            words = (
                "Boolean value of Tensor with no values is ambiguous"
                if not value._data.size
                else "Boolean value of Tensor with more than one value is ambiguous"
            )
            raise program_error("RuntimeError", words)
        return bool(value._data.item())
    if isinstance(value, Instance):
        for name in ("__bool__", "__len__"):
            found = value.cls.lookup(name)
            if found is not None:
                return bool(m.call(found[0], [value], {}))
        return True
    return bool(value)


def unary(m: Machine, sign: str, x: Any) -> Any:
    """``-x``, ``+x``, ``~x``, ``not x``"""
    if sign == "not":
        return not truth(m, x)
    if isinstance(x, Tensor):
        if sign == "+":
            return x
        return _POINTWISE["neg" if sign == "-" else "bitwise_not"](m, x)
    if isinstance(x, NdArray):
        return arrays.unary(m, sign, x)
    if isinstance(x, Instance):
        found = x.cls.lookup({"-": "__neg__", "+": "__pos__", "~": "__invert__"}[sign])
        if found is not None:
            return m.call(found[0], [x], {})
    if isinstance(x, bool | int | float | complex):
        if sign == "~":
            return operator.invert(x)  # type: ignore[arg-type]
        return operator.neg(x) if sign == "-" else operator.pos(x)
    raise program_error("TypeError", f"bad operand type for unary {sign}: '{type_name(x)}'")


def in_place(m: Machine, sign: str, a: Any, b: Any) -> Any:
    """``a sign= b``: what the name is bound to afterwards."""
    if isinstance(a, Tensor) and sign != "@":
        name = f"{_TENSOR[sign]}_" if sign in _TENSOR else ""
        if name in METHODS:
            return METHODS[name](m, a, b)
    if isinstance(a, NdArray):
        return arrays.in_place(m, sign, a, b)
    if isinstance(a, list) and sign == "+":
        items = list(m.extras["iterate"](m, b))
        m.budget.take(len(items))
        m.budget.length(len(a) + len(items))
        a.extend(items)
        return a
    if isinstance(a, Instance):
        found = a.cls.lookup(f"__i{DUNDER.get(sign, '')}__")
        if found is not None:
            return m.call(found[0], [a, b], {})
    return binary(m, sign, a, b)
