"""dataclasses: classes made of annotated names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.importers.python import operators
from core.importers.python.failures import program_error
from core.importers.python.machine import Machine
from core.importers.python.text import representation
from core.importers.python.values import Builtin, Instance, UserClass

_MISSING = object()


@dataclass(frozen=True, eq=False)
class Field:
    """What ``field(...)`` says of one part."""

    default: Any = _MISSING
    default_factory: Any = None
    init: bool = True
    repr: bool = True


def field(
    m: Machine, *, default: Any = _MISSING, default_factory: Any = None, init: bool = True,
    repr: bool = True, **_: Any,
) -> Field:  # fmt: skip
    """dataclasses.field"""
    return Field(default, default_factory, init, repr)


def made_dataclass(m: Machine, cls: Any = None, **settings: Any) -> Any:
    """dataclasses.dataclass, as ``@dataclass`` and as ``@dataclass(frozen=True)``"""
    if cls is None:
        return Builtin("dataclass", lambda m, cls: _finished(cls))
    return _finished(cls)


def _finished(cls: UserClass) -> UserClass:
    """The class with the methods that its annotations make."""
    fields: dict[str, Field] = {}
    for one in reversed(cls.lineage):
        for name in one.members.get("__annotations__", {}):
            given = one.members.get(name, _MISSING)
            fields[name] = given if isinstance(given, Field) else Field(given)
            if isinstance(given, Field):
                del one.members[name]
    cls.members["__fields__"] = fields
    for name, function in (("__init__", _init), ("__repr__", _shown), ("__eq__", _equal)):
        cls.members.setdefault(name, Builtin(name, function))
    return cls


def _fields(own: Instance) -> dict[str, Field]:
    found = own.cls.lookup("__fields__")
    assert found is not None  # only dataclasses have these methods
    fields: dict[str, Field] = found[0]
    return fields


def _init(m: Machine, own: Instance, *args: Any, **named: Any) -> None:
    fields = _fields(own)
    places = [name for name, f in fields.items() if f.init]
    if len(args) > len(places):
        raise program_error(
            "TypeError",
            f"{own.cls.name}.__init__() takes {len(places) + 1} positional arguments but "
            f"{len(args) + 1} were given",
        )
    given = dict(zip(places, args, strict=False))
    for name, value in named.items():
        if name in given or name not in places:
            what = "multiple values for" if name in given else "an unexpected keyword"
            raise program_error(
                "TypeError", f"{own.cls.name}.__init__() got {what} argument '{name}'"
            )
        given[name] = value
    for name, f in fields.items():
        if name in given:
            own.attributes[name] = given[name]
        elif f.default_factory is not None:
            own.attributes[name] = m.call(f.default_factory, [], {})
        elif f.default is not _MISSING:
            own.attributes[name] = f.default
        else:
            raise program_error(
                "TypeError",
                f"{own.cls.name}.__init__() missing 1 required positional argument: '{name}'",
            )
    after = own.cls.lookup("__post_init__")
    if after is not None:
        m.call(after[0], [own], {})


def _shown(m: Machine, own: Instance) -> str:
    parts = [
        f"{name}={representation(m, own.attributes[name])}"
        for name, f in _fields(own).items()
        if f.repr
    ]
    return f"{own.cls.name}({', '.join(parts)})"


def _equal(m: Machine, own: Instance, other: Any) -> Any:
    if not isinstance(other, Instance) or other.cls is not own.cls:
        return NotImplemented
    names = list(_fields(own))
    return operators.equal(m, *[[x.attributes[n] for n in names] for x in (own, other)])


def as_dict(m: Machine, own: Instance) -> dict[str, Any]:
    """dataclasses.asdict"""
    return {
        name: as_dict(m, v) if isinstance(v := own.attributes[name], Instance)
        and v.cls.lookup("__fields__") else v
        for name in _fields(own)
    }  # fmt: skip


def replaced(m: Machine, own: Instance, **changes: Any) -> Any:
    """dataclasses.replace"""
    return m.call(own.cls, [], {**{n: own.attributes[n] for n in _fields(own)}, **changes})


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "dataclass": made_dataclass, "field": field, "asdict": as_dict, "replace": replaced,
}  # fmt: skip
