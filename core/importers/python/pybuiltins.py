"""Python's built-in functions, for the program's values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from core.importers.python import containers, operators
from core.importers.python.attributes import get_attribute, has_attribute, set_attribute
from core.importers.python.failures import CLASSES, outside, program_error
from core.importers.python.machine import Machine
from core.importers.python.text import formatted, representation, string
from core.importers.python.torch import pointwise, tensors
from core.importers.python.torch.grad_fns import GradFn
from core.importers.python.values import (
    Bound,
    Builtin,
    Decorated,
    Function,
    Instance,
    Items,
    NdArray,
    Record,
    Size,
    UserClass,
)
from core.importers.python.words import TypeName, is_instance, type_name
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


def _extreme(sign: str) -> Callable[..., Any]:
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


def printed(m: Machine, *values: Any, sep: Any = " ", end: Any = "\n", **_: Any) -> None:
    """``print``"""
    text = (" " if sep is None else sep).join(string(m, v) for v in values)
    m.print(text + ("\n" if end is None else end))


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


def mapping(m: Machine, pairs: Any = (), **named: Any) -> dict[Any, Any]:
    """``dict``"""
    made: dict[Any, Any] = {}
    containers._DICT["update"](m, made, pairs, **named)
    return made


def kind_of(m: Machine, value: Any, *more: Any) -> Any:
    """``type(value)``"""
    if more:
        raise outside("type() with three arguments is not read.", "Write a class statement.")
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, GradFn):
        return TypeName(value.name(), _no_constructor, (GradFn,))
    for name, known in TYPES.items():
        if known.types and type(value) in known.types and name == known.name:
            return known
    return TypeName(type_name(value), _no_constructor, (type(value),))


def _no_constructor(m: Machine, *_: Any) -> Any:
    raise outside("A type found with type() makes no values here.", "Call the class by its name.")


def callable_(m: Machine, value: Any) -> bool:
    """``callable``"""
    if isinstance(value, Instance):
        return value.cls.lookup("__call__") is not None
    return isinstance(value, Function | Builtin | Bound | UserClass)


def subclass(m: Machine, cls: Any, of: Any) -> bool:
    """``issubclass``"""
    kinds = of if isinstance(of, tuple) else (of,)
    return isinstance(cls, UserClass) and any(
        isinstance(kind, UserClass) and cls.derives(kind) for kind in kinds
    )


def attribute(m: Machine, own: Any, name: str, *default: Any) -> Any:
    """``getattr``"""
    if default and not has_attribute(m, own, name):
        return default[0]
    return get_attribute(m, own, name)


def hashed(m: Machine, value: Any) -> int:
    """``hash``"""
    if isinstance(value, Tensor | Instance):
        return id(value)
    return hash(m.budget.key(value))


def refused(name: str, instead: str) -> Builtin:
    """A function that programs do not have here."""

    def function(m: Machine, *_: Any, **__: Any) -> Any:
        raise outside(f"{name}() is not read.", instead)

    return Builtin(name, function)


TYPES: dict[str, TypeName] = {
    "int": TypeName("int", number(int), (int,)),
    "float": TypeName("float", number(float), (float,)),
    "complex": TypeName("complex", lambda m, *a: complex(*[_number(x) for x in a]), (complex,)),
    "bool": TypeName("bool", lambda m, v=False: operators.truth(m, v), (bool,)),
    "str": TypeName("str", lambda m, v="": string(m, v), (str,)),
    "list": TypeName("list", lambda m, v=(): items(m, v), (list,)),
    "tuple": TypeName("tuple", lambda m, v=(): tuple(items(m, v)), (tuple, Size)),
    "dict": TypeName("dict", mapping, (dict,)),
    "set": TypeName("set", lambda m, v=(): containers.unique(m, iterate(m, v)), (set,)),
    "frozenset": TypeName(
        "frozenset", lambda m, v=(): frozenset(containers.unique(m, iterate(m, v))), (frozenset,)
    ),
    "range": TypeName("range", span, (range,)),
    "slice": TypeName("slice", lambda m, *a: slice(*a), (slice,)),
}


def _number(x: Any) -> Any:
    return x.item() if isinstance(x, Tensor) else x


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": length, "abs": absolute, "round": rounded, "sum": total, "max": _extreme(">"),
    "min": _extreme("<"), "pow": power, "print": printed, "enumerate": enumerated, "zip": zipped,
    "map": mapped, "filter": filtered, "reversed": turned, "sorted": containers.ordered,
    "next": following, "iter": iterator, "callable": callable_, "issubclass": subclass,
    "isinstance": lambda m, value, kinds: is_instance(value, kinds), "getattr": attribute,
    "hasattr": lambda m, own, name: has_attribute(m, own, name), "setattr": set_attribute,
    "hash": hashed, "id": lambda m, value: id(value), "repr": representation,
    "format": lambda m, value, spec="": formatted(m, value, spec),
    "any": lambda m, values: any(operators.truth(m, v) for v in iterate(m, values)),
    "all": lambda m, values: all(operators.truth(m, v) for v in iterate(m, values)),
    "divmod": lambda m, a, b: (operators.binary(m, "//", a, b), operators.binary(m, "%", a, b)),
    "chr": lambda m, n: chr(n), "ord": lambda m, text: ord(text),
}  # fmt: skip
_OBJECT = UserClass("object", (), {}, ours=True)
_REFUSED = {
    "eval": "Write the expression itself.", "exec": "Write the statements themselves.",
    "open": "Type the numbers in the program.", "input": "Assign the value to a name.",
    "__import__": "Write an import statement.", "compile": "Write the statements themselves.",
    "globals": "Use a dict of your own.", "locals": "Use a dict of your own.",
    "vars": "Use a dict of your own.", "dir": "Name the attribute itself.",
    "breakpoint": "Print the value instead.", "exit": "Let the program end.",
    "quit": "Let the program end.", "memoryview": "Use a list.", "bytearray": "Use a list.",
    "bytes": "Use a list.", "delattr": "Set the attribute to None.",
    "help": "Print the value instead.",
}  # fmt: skip

NAMES: dict[str, Any] = {
    **{name: Builtin(name, function) for name, function in _FUNCTIONS.items()}, **TYPES,
    **CLASSES, **{name: refused(name, instead) for name, instead in _REFUSED.items()},
    "type": TypeName("type", kind_of, (UserClass, TypeName)), "object": _OBJECT,
    "staticmethod": Builtin("staticmethod", lambda m, f: Decorated("staticmethod", f)),
    "classmethod": Builtin("classmethod", lambda m, f: Decorated("classmethod", f)),
    "property": Builtin("property", lambda m, f: Decorated("property", f)),
    "NotImplemented": NotImplemented, "__name__": "__main__", "Ellipsis": Ellipsis,
    "__debug__": True,
}  # fmt: skip
