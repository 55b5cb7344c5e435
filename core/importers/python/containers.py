"""Methods of Python's own values: lists, dicts, sets, tuples, text, numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from core.importers.python.failures import program_error
from core.importers.python.machine import Machine
from core.importers.python.operators import equal
from core.importers.python.text import formatted, representation, string
from core.importers.python.values import Size


def _iterate(m: Machine, values: Any) -> Iterable[Any]:
    found: Iterable[Any] = m.extras["iterate"](m, values)
    return found


def _items(m: Machine, values: Any) -> list[Any]:
    made: list[Any] = []
    for value in _iterate(m, values):
        made.append(value)
        m.budget.length(len(made))
    return made


# -- lists ----------------------------------------------------------------------------------------


def _append(m: Machine, own: list[Any], value: Any) -> None:
    m.budget.length(len(own) + 1)
    own.append(value)


def _extend(m: Machine, own: list[Any], values: Any) -> None:
    own.extend(_items(m, values))
    m.budget.length(len(own))


def _place(m: Machine, own: Any, value: Any) -> int:
    for k, item in enumerate(own):
        if equal(m, item, value):
            return k
    raise program_error("ValueError", f"{representation(m, value)} is not in list")


def _sort(m: Machine, own: list[Any], *, key: Any = None, reverse: bool = False) -> None:
    own[:] = ordered(m, own, key=key, reverse=reverse)


def ordered(m: Machine, values: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    """``sorted``"""
    items = _items(m, values)
    keys = [_plain(item if key is None else m.call(key, [item], {})) for item in items]
    order = sorted(range(len(items)), key=lambda k: keys[k], reverse=bool(reverse))
    return [items[k] for k in order]


def _plain(value: Any) -> Any:
    """A key to sort by: one-element tensors by their number."""
    if hasattr(value, "_data") and value._data.size == 1:
        return value._data.item()
    return value


def _remove(m: Machine, own: list[Any], value: Any) -> None:
    del own[_place(m, own, value)]


_LIST: dict[str, Callable[..., Any]] = {
    "append": _append, "extend": _extend, "index": _place, "sort": _sort, "remove": _remove,
    "pop": lambda m, own, k=-1: own.pop(k), "insert": lambda m, own, k, v: own.insert(k, v),
    "reverse": lambda m, own: own.reverse(), "clear": lambda m, own: own.clear(),
    "copy": lambda m, own: own.copy(),
    "count": lambda m, own, v: sum(equal(m, item, v) for item in own),
}  # fmt: skip
_TUPLE = {name: _LIST[name] for name in ("index", "count")}

# -- dicts and sets -------------------------------------------------------------------------------


def _update(m: Machine, own: Any, *others: Any, **named: Any) -> None:
    for other in others:
        if isinstance(own, dict) and not isinstance(other, dict):
            other = dict(tuple(_iterate(m, pair)) for pair in _iterate(m, other))
        own.update(other if isinstance(own, dict) else _items(m, other))
    if named:
        own.update(named)
    m.budget.length(len(own))


def _add(m: Machine, own: set[Any], value: Any) -> None:
    m.budget.length(len(own) + 1)
    own.add(value)


_DICT: dict[str, Callable[..., Any]] = {
    "keys": lambda m, own: list(own.keys()), "values": lambda m, own: list(own.values()),
    "items": lambda m, own: list(own.items()), "update": _update,
    "get": lambda m, own, k, default=None: own.get(k, default),
    "pop": lambda m, own, *k: own.pop(*k), "copy": lambda m, own: own.copy(),
    "setdefault": lambda m, own, k, default=None: own.setdefault(k, default),
    "clear": lambda m, own: own.clear(), "popitem": lambda m, own: own.popitem(),
}  # fmt: skip
_SET: dict[str, Callable[..., Any]] = {
    "add": _add, "update": _update, "discard": lambda m, own, v: own.discard(v),
    "remove": lambda m, own, v: own.remove(v), "copy": lambda m, own: own.copy(),
    "union": lambda m, own, *others: own.union(*[_items(m, o) for o in others]),
    "intersection": lambda m, own, *o: own.intersection(*[_items(m, x) for x in o]),
    "difference": lambda m, own, *o: own.difference(*[_items(m, x) for x in o]),
    "issubset": lambda m, own, other: own.issubset(_items(m, other)),
    "clear": lambda m, own: own.clear(), "pop": lambda m, own: own.pop(),
}  # fmt: skip

# -- text -----------------------------------------------------------------------------------------


def _join(m: Machine, own: str, values: Any) -> str:
    parts = _items(m, values)
    m.budget.length(sum(len(p) if isinstance(p, str) else 0 for p in parts)
                    + len(own) * len(parts), "text")  # fmt: skip
    return own.join(parts)


def _replace(m: Machine, own: str, old: str, new: str, count: int = -1) -> str:
    m.budget.length((own.count(old) if old else len(own) + 1) * len(new) + len(own), "text")
    return own.replace(old, new, count)


def _format(m: Machine, own: str, *args: Any, **kwargs: Any) -> str:
    """str.format, of plain fields: {}, {0}, {name}, {:.3f}."""
    made: list[str] = []
    rest, place = own, 0
    while rest:
        before, brace, rest = rest.partition("{")
        made.append(before.replace("}}", "}"))
        if not brace:
            break
        if rest.startswith("{"):
            made.append("{")
            rest = rest[1:]
            continue
        field, _, rest = rest.partition("}")
        name, _, spec = field.partition(":")
        name, _, how = name.partition("!")
        if not name:
            value, place = args[place], place + 1
        elif name.isdigit():
            value = args[int(name)]
        else:
            value = kwargs[name]
        if how:
            value = representation(m, value) if how == "r" else string(m, value)
        made.append(formatted(m, value, spec))
    return "".join(made)


def _wide(name: str) -> Callable[..., str]:
    def function(m: Machine, own: str, width: int, fill: str = " ") -> str:
        m.budget.length(width, "text")
        made: str = getattr(own, name)(width, fill) if name != "zfill" else own.zfill(width)
        return made

    return function


def _as_is(*names: str) -> dict[str, Callable[..., Any]]:
    """Methods that give nothing longer than the text, and no more than its length."""

    def method(name: str) -> Callable[..., Any]:
        return lambda m, own, *args: getattr(own, name)(*args)

    return {name: method(name) for name in names}


_STR: dict[str, Callable[..., Any]] = {
    **_as_is("upper", "lower", "strip", "lstrip", "rstrip", "split", "rsplit", "startswith",
             "endswith", "find", "rfind", "count", "title", "capitalize", "isdigit", "isalpha",
             "isnumeric", "isspace", "islower", "isupper", "splitlines", "index", "partition",
             "rpartition", "swapcase", "removeprefix", "removesuffix"),
    "join": _join, "replace": _replace, "format": _format, "center": _wide("center"),
    "ljust": _wide("ljust"), "rjust": _wide("rjust"), "zfill": _wide("zfill"),
}  # fmt: skip
_FLOAT: dict[str, Callable[..., Any]] = {"is_integer": lambda m, own: float(own).is_integer()}
_INT: dict[str, Callable[..., Any]] = {"bit_length": lambda m, own: own.bit_length(), **_FLOAT}
_SIZE: dict[str, Callable[..., Any]] = {**_TUPLE, "numel": lambda m, own: _product(own)}


def _product(numbers: Iterable[int]) -> int:
    made = 1
    for n in numbers:
        made *= n
    return made


def methods_of(value: Any) -> dict[str, Callable[..., Any]]:
    """The methods of a plain value."""
    for kind, methods in _KINDS:
        if isinstance(value, kind):
            return methods
    return {}


_KINDS: tuple[tuple[type | tuple[type, ...], dict[str, Callable[..., Any]]], ...] = (
    (list, _LIST), (Size, _SIZE), (tuple, _TUPLE), (dict, _DICT), ((set, frozenset), _SET),
    (str, _STR), (int, _INT), (float, _FLOAT), (range, _TUPLE),
)  # fmt: skip
