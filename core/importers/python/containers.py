"""Methods of Python's own values: lists, dicts, sets, tuples, text, numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from core.importers.python.failures import program_error
from core.importers.python.limits import ENTRY, LETTER, NUMBER, SLOT
from core.importers.python.machine import Machine
from core.importers.python.operators import equal
from core.importers.python.text import formatted, representation, string
from core.importers.python.values import Size
from core.importers.python.words import type_name


def _iterate(m: Machine, values: Any) -> Iterable[Any]:
    found: Iterable[Any] = m.extras["iterate"](m, values)
    return found


def _items(m: Machine, values: Any) -> list[Any]:
    made: list[Any] = []
    for value in _iterate(m, values):
        made.append(value)
        m.budget.grow(len(made))
    return made


def keyed(m: Machine, pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """A dict of pairs."""
    made: dict[Any, Any] = {}
    for name, value in pairs:
        made[m.budget.key(name)] = value
        m.budget.grow(len(made), "dict", ENTRY)
    return made


def mapping_of(m: Machine, value: Any) -> dict[Any, Any]:
    """What ``**value`` spreads out.

    Raises:
        ProgramError: it is no dict.
    """
    if not isinstance(value, dict):
        raise program_error("TypeError", f"'{type_name(value)}' object is not a mapping")
    m.budget.take(len(value), "dict", ENTRY)
    return value


def unique(m: Machine, values: Iterable[Any]) -> set[Any]:
    """A set of values."""
    made: set[Any] = set()
    for value in values:
        made.add(m.budget.key(value))
        m.budget.grow(len(made), "set", ENTRY)
    return made


# -- lists ----------------------------------------------------------------------------------------


def _append(m: Machine, own: list[Any], value: Any) -> None:
    m.budget.grow(len(own) + 1)
    own.append(value)


def _extend(m: Machine, own: list[Any], values: Any) -> None:
    own.extend(_items(m, values))
    m.budget.length(len(own))


def _copied(m: Machine, own: Any) -> Any:
    m.budget.take(len(own), type(own).__name__, SLOT if isinstance(own, list) else ENTRY)
    return own.copy()


def _insert(m: Machine, own: list[Any], place: int, value: Any) -> None:
    m.budget.grow(len(own) + 1)
    own.insert(place, value)


def _place(m: Machine, own: Any, value: Any) -> int:
    m.budget.steps(len(own))
    for k, item in enumerate(own):
        if equal(m, item, value):
            return k
    raise program_error("ValueError", f"{representation(m, value)} is not in list")


def _count(m: Machine, own: Any, value: Any) -> int:
    m.budget.steps(len(own))
    return sum(equal(m, item, value) for item in own)


def _sort(m: Machine, own: list[Any], *, key: Any = None, reverse: bool = False) -> None:
    own[:] = ordered(m, own, key=key, reverse=reverse)


def ordered(m: Machine, values: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    """``sorted``"""
    items = _items(m, values)
    keys = [_sortable(m, item if key is None else m.call(key, [item], {})) for item in items]
    order = sorted(range(len(items)), key=lambda k: keys[k], reverse=bool(reverse))
    return [items[k] for k in order]


def _sortable(m: Machine, value: Any) -> Any:
    """A key to sort by: one-element tensors by their number, lists part by part."""
    m.budget.step()
    if isinstance(value, list | tuple):
        return type(value)(_sortable(m, part) for part in value)
    if hasattr(value, "_data") and value._data.size == 1:
        return value._data.item()
    return value


def _remove(m: Machine, own: list[Any], value: Any) -> None:
    del own[_place(m, own, value)]


_LIST: dict[str, Callable[..., Any]] = {
    "append": _append, "extend": _extend, "index": _place, "sort": _sort, "remove": _remove,
    "pop": lambda m, own, k=-1: own.pop(k), "insert": _insert, "copy": _copied,
    "reverse": lambda m, own: own.reverse(), "clear": lambda m, own: own.clear(),
    "count": _count,
}  # fmt: skip
_TUPLE = {name: _LIST[name] for name in ("index", "count")}

# -- dicts and sets -------------------------------------------------------------------------------


def _update(m: Machine, own: Any, *others: Any, **named: Any) -> None:
    for other in others:
        if isinstance(own, set):
            own.update(unique(m, _iterate(m, other)))
        elif isinstance(other, dict):
            m.budget.take(len(other), "dict", ENTRY)
            own.update(other)
        else:
            own.update(keyed(m, (_pair(m, pair) for pair in _iterate(m, other))))
    if named:
        own.update(named)
    m.budget.length(len(own), "dict")


def _pair(m: Machine, values: Any) -> tuple[Any, Any]:
    found = _items(m, values)
    if len(found) != 2:
        raise program_error(
            "ValueError",
            f"dictionary update sequence element has length {len(found)}; 2 is required",
        )
    return found[0], found[1]


def _add(m: Machine, own: set[Any], value: Any) -> None:
    m.budget.grow(len(own) + 1, "set", ENTRY)
    own.add(m.budget.key(value))


def _seen(m: Machine, own: Any, what: str) -> list[Any]:
    """A dict's keys, values or items, as they are now."""
    m.budget.take(len(own), "list", ENTRY if what == "items" else SLOT)
    return list(getattr(own, what)())


def _set_default(m: Machine, own: dict[Any, Any], name: Any, default: Any = None) -> Any:
    m.budget.grow(len(own) + 1, "dict", ENTRY)
    return own.setdefault(m.budget.key(name), default)


def _among(method: str) -> Callable[..., Any]:
    """A method of sets that takes other collections."""

    def function(m: Machine, own: Any, *others: Any) -> Any:
        given = [unique(m, _iterate(m, other)) for other in others]
        m.budget.take(len(own), "set", ENTRY)
        return getattr(own, method)(*given)

    return function


_DICT: dict[str, Callable[..., Any]] = {
    "keys": lambda m, own: _seen(m, own, "keys"), "items": lambda m, own: _seen(m, own, "items"),
    "values": lambda m, own: _seen(m, own, "values"), "update": _update,
    "get": lambda m, own, k, default=None: own.get(m.budget.key(k), default),
    "pop": lambda m, own, k, *default: own.pop(m.budget.key(k), *default), "copy": _copied,
    "setdefault": _set_default,
    "clear": lambda m, own: own.clear(), "popitem": lambda m, own: own.popitem(),
}  # fmt: skip
_SET: dict[str, Callable[..., Any]] = {
    "add": _add, "update": _update, "discard": lambda m, own, v: own.discard(m.budget.key(v)),
    "remove": lambda m, own, v: own.remove(m.budget.key(v)), "copy": _copied,
    **{name: _among(name) for name in ("union", "intersection", "difference",
                                       "symmetric_difference", "issubset", "issuperset",
                                       "isdisjoint")},
    "clear": lambda m, own: own.clear(), "pop": lambda m, own: own.pop(),
}  # fmt: skip

# -- text -----------------------------------------------------------------------------------------


def _join(m: Machine, own: str, values: Any) -> str:
    parts = _items(m, values)
    m.budget.take(sum(len(p) if isinstance(p, str) else 0 for p in parts)
                  + len(own) * len(parts), "text", LETTER)  # fmt: skip
    return own.join(parts)


def _replace(m: Machine, own: str, old: str, new: str, count: int = -1) -> str:
    many = (own.count(old) if old else len(own) + 1) * len(new) + len(own)
    m.budget.take(many, "text", LETTER)
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
        m.budget.take(width, "text", LETTER)
        made: str = getattr(own, name)(width, fill) if name != "zfill" else own.zfill(width)
        return made

    return function


def _as_is(*names: str) -> dict[str, Callable[..., Any]]:
    """Methods that give nothing longer than the text, and no more than its length."""

    def method(name: str) -> Callable[..., Any]:
        def function(m: Machine, own: str, *args: Any) -> Any:
            m.budget.take(len(own), "text", NUMBER)
            return getattr(own, name)(*args)

        return function

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
