"""collections: dicts with a default, counters, deques and named tuples."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from core.importers.python import containers, operators
from core.importers.python.failures import outside
from core.importers.python.iteration import items, iterate
from core.importers.python.machine import Machine
from core.importers.python.pybuiltins import NAMES
from core.importers.python.values import Builtin, DefaultDict, Function, Scope, UserClass


def defaultdict(m: Machine, factory: Any = None, *pairs: Any, **named: Any) -> DefaultDict:
    """collections.defaultdict"""
    made = DefaultDict(factory)
    for given in (*pairs, named):
        containers.methods_of({})["update"](m, made, given)
    return made


def counter(m: Machine, values: Any = ()) -> DefaultDict:
    """collections.Counter: how often each value comes"""
    made = DefaultDict(NAMES["int"])
    if isinstance(values, dict):
        made.update(values)
        return made
    for value in iterate(m, values):
        key = m.budget.key(value)
        made[key] = made.get(key, 0) + 1
    return made


def deque(m: Machine, values: Any = (), maxlen: int | None = None) -> list[Any]:
    """collections.deque: a list"""
    made = items(m, values)
    if maxlen is not None:
        raise outside("deque(maxlen=...) is not read.", "Use a list, and 'del it[0]'.")
    return made


def namedtuple(m: Machine, typename: str, field_names: Any, *, defaults: Any = ()) -> UserClass:
    """collections.namedtuple: a class whose objects have named parts, and unpack like tuples"""
    split = isinstance(field_names, str)
    names = field_names.replace(",", " ").split() if split else items(m, field_names)
    values = items(m, defaults)
    kept = [ast.arg(name) for name in ("self", *names)]
    blank: dict[str, Any] = {"kwonlyargs": [], "kw_defaults": [], "defaults": []}
    arguments = ast.arguments(posonlyargs=[], args=kept, **blank)
    body = [_assignment(name) for name in names]
    init = Function("__init__", arguments, body, Scope(), values, {}, ours=True)
    members = {"__init__": init, **_members(names)}
    return UserClass(typename, (), members)


def _assignment(name: str) -> ast.stmt:
    """``self.name = name``"""
    return ast.parse(f"self.{name} = {name}").body[0]


def _members(names: list[str]) -> dict[str, Any]:
    """What every named tuple can do."""

    def parts(own: Any) -> tuple[Any, ...]:
        return tuple(own.attributes[name] for name in names)

    def shown(m: Machine, own: Any) -> str:
        represent: Callable[..., str] = NAMES["repr"].function
        inside = ", ".join(f"{k}={represent(m, v)}" for k, v in zip(names, parts(own), strict=True))
        return f"{own.cls.name}({inside})"

    functions: dict[str, Callable[..., Any]] = {
        "__iter__": lambda m, own: list(parts(own)),
        "__len__": lambda m, own: len(names),
        "__getitem__": lambda m, own, k: parts(own)[k],
        "__eq__": lambda m, own, other: operators.equal(m, parts(own), tuple(items(m, other))),
        "__repr__": shown,
        "_asdict": lambda m, own: dict(own.attributes),
    }
    made: dict[str, Any] = {name: Builtin(name, f) for name, f in functions.items()}
    return {**made, "_fields": tuple(names)}


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "defaultdict": defaultdict, "Counter": counter, "deque": deque, "namedtuple": namedtuple,
}  # fmt: skip
