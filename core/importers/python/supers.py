"""``super()``: the members of the classes above."""

from __future__ import annotations

from typing import Any

from core.importers.python.failures import program_error
from core.importers.python.machine import Machine
from core.importers.python.pybuiltins import NAMES
from core.importers.python.values import (
    Bound,
    Builtin,
    Decorated,
    Failure,
    Instance,
    Namespace,
    UserClass,
)


class Above(dict[str, Any]):
    """The members that ``super()`` finds: looked up when asked for."""

    def __init__(self, classes: tuple[UserClass, ...], own: Instance) -> None:
        super().__init__()
        self._classes = classes
        self._own = own

    def __contains__(self, name: object) -> bool:
        return True

    def __getitem__(self, name: str) -> Any:
        for cls in self._classes:
            if name in cls.members:
                member = cls.members[name]
                function = member.function if isinstance(member, Decorated) else member
                return Bound(function, self._own)
        if name == "__init__":
            return Builtin("__init__", self._init)
        if name == "__setattr__":
            return Builtin("__setattr__", self._set)
        raise program_error("AttributeError", f"'super' object has no attribute '{name}'")

    def _init(self, m: Machine, *args: Any, **_: Any) -> None:
        if isinstance(self._own, Failure):
            self._own.args = args

    def _set(self, m: Machine, name: str, value: Any) -> None:
        self._own.attributes[name] = value


def _super_function(m: Machine, *args: Any) -> Any:
    """``super(Class, self)``."""
    cls, own = args
    lineage = own.cls.lineage
    return Namespace("super", Above(lineage[lineage.index(cls) + 1 :], own))


SUPER = Builtin("super", _super_function)


NAMES["super"] = SUPER
