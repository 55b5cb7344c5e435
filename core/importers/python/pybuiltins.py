"""Python's built-in functions, for the program's values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.importers.python import containers, operators
from core.importers.python.attributes import get_attribute, has_attribute, set_attribute
from core.importers.python.failures import CLASSES, outside
from core.importers.python.iteration import (
    enumerated,
    filtered,
    following,
    items,
    iterate,
    iterator,
    length,
    mapped,
    span,
    turned,
    zipped,
)
from core.importers.python.machine import Machine
from core.importers.python.pynumbers import absolute, extreme, number, power, rounded, total
from core.importers.python.text import formatted, representation, string
from core.importers.python.torch.grad_fns import GradFn
from core.importers.python.values import (
    Bound,
    Builtin,
    Decorated,
    Function,
    Instance,
    Size,
    UserClass,
)
from core.importers.python.words import TypeName, is_instance, type_name
from core.tensor import Tensor


def printed(m: Machine, *values: Any, sep: Any = " ", end: Any = "\n", **_: Any) -> None:
    """``print``"""
    text = (" " if sep is None else sep).join(string(m, v) for v in values)
    m.print(text + ("\n" if end is None else end))


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
    "len": length, "abs": absolute, "round": rounded, "sum": total, "max": extreme(">"),
    "min": extreme("<"), "pow": power, "print": printed, "enumerate": enumerated, "zip": zipped,
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
