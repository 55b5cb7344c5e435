"""What a program's values are, beside Python's own numbers, text and containers.

A program never meets a Python object that is not listed here: its functions are ours, its classes
are ours, and attributes are looked up in tables. That is what makes reading a program safe.
"""

from __future__ import annotations

import ast
import reprlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from core.tensor import Tensor

_SHORTENED = reprlib.Repr()
_SHORTENED.maxlevel, _SHORTENED.maxstring, _SHORTENED.maxother = 3, 1000, 1000
_SHORTENED.maxlist = _SHORTENED.maxtuple = _SHORTENED.maxdict = _SHORTENED.maxset = 12


class NdArray:
    """A NumPy array of the program: a Tensor under NumPy's rules and names."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor


class Size(tuple[int, ...]):
    """A tensor's shape, as torch shows it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"


@dataclass(frozen=True)
class DType:
    """A type of number: ``torch.float32``, ``np.float64``."""

    name: str
    module: str = "torch"

    @property
    def numpy(self) -> np.dtype[Any]:
        """NumPy's name of it."""
        return np.dtype(self.name)

    def __str__(self) -> str:
        return f"torch.{self.name}" if self.module == "torch" else self.name

    __repr__ = __str__


@dataclass(frozen=True)
class Device:
    """Where a tensor is: always the processor here."""

    name: str = "cpu"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"device(type='{self.name}')"


@dataclass(frozen=True, eq=False)
class Builtin:
    """A function that is ours: ``function(machine, *args, **kwargs)``."""

    name: str
    function: Callable[..., Any]

    def __repr__(self) -> str:
        return f"<built-in function {self.name}>"


@dataclass(frozen=True, eq=False)
class Namespace:
    """A module, or another bag of names that programs read from."""

    name: str
    members: dict[str, Any]

    def __repr__(self) -> str:
        return f"<module '{self.name}'>"


class Scope:
    """Names of a module, a function call or a comprehension, and where to look next."""

    __slots__ = ("above", "names", "outer", "owner")

    def __init__(self, above: Scope | None = None, owner: UserClass | None = None) -> None:
        self.names: dict[str, Any] = {}
        self.above = above
        self.outer: dict[str, Scope] = {}  # names declared global or nonlocal here
        self.owner = owner  # the class whose method runs, for super()

    def find(self, name: str) -> Scope | None:
        """The nearest scope that has the name."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope
            scope = scope.above
        return None

    def set(self, name: str, value: Any) -> None:
        """Bind a name here, or where it was declared to live."""
        self.outer.get(name, self).names[name] = value

    @property
    def top(self) -> Scope:
        """The module's scope (the one above it has Python's own names)."""
        scope = self
        while scope.above is not None and scope.above.above is not None:
            scope = scope.above
        return scope


@dataclass(eq=False)
class Function:
    """A function or lambda of the program."""

    name: str
    arguments: ast.arguments
    body: list[ast.stmt] | ast.expr
    scope: Scope
    defaults: list[Any]
    keyword_defaults: dict[str, Any]
    owner: UserClass | None = None
    ours: bool = False  # read from our own text (torch.nn): errors are told at the caller's line
    attributes: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<function {self.name}>"


@dataclass(frozen=True, eq=False)
class Bound:
    """A function with its first argument: a method of an object."""

    function: Any
    owner: Any


@dataclass(frozen=True, eq=False)
class Decorated:
    """A function marked ``@staticmethod``, ``@classmethod`` or ``@property``."""

    how: str
    function: Any


@dataclass(eq=False)
class UserClass:
    """A class: of the program, or of our own text."""

    name: str
    bases: tuple[UserClass, ...]
    members: dict[str, Any]
    ours: bool = False

    @cached_property
    def lineage(self) -> tuple[UserClass, ...]:
        """The class and those it derives from, nearest first, each once."""
        seen: dict[int, UserClass] = {id(self): self}
        for base in self.bases:
            seen.update((id(one), one) for one in base.lineage if id(one) not in seen)
        return tuple(seen.values())

    def lookup(self, name: str) -> tuple[Any, UserClass] | None:
        """A member and the class that defines it."""
        for cls in self.lineage:
            if name in cls.members:
                return cls.members[name], cls
        return None

    def derives(self, other: UserClass) -> bool:
        """Whether it is ``other`` or derives from it."""
        return any(cls is other for cls in self.lineage)

    def __repr__(self) -> str:
        return f"<class '{self.name}'>"


@dataclass(eq=False)
class Instance:
    """An object of a class of the program."""

    cls: UserClass
    attributes: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<{self.cls.name} object>"


@dataclass(eq=False)
class Failure(Instance):
    """An exception as the program sees it.

    Attributes:
        args: what it was made with.
        cause: our own error behind it, if it came from the engine.
    """

    args: tuple[Any, ...] = ()
    cause: Exception | None = None

    @property
    def message(self) -> str:
        """What str() gives, long lists shortened."""
        if len(self.args) != 1:
            return _SHORTENED.repr(self.args) if self.args else ""
        (said,) = self.args
        if isinstance(said, str) and self.cls.name != "KeyError":
            return said
        return str(said) if isinstance(said, Failure) else _SHORTENED.repr(said)

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"{self.cls.name}({', '.join(map(_SHORTENED.repr, self.args))})"


class DefaultDict(dict[Any, Any]):
    """A dict that makes what it lacks.

    Attributes:
        factory: a function of the program, called for each value that is missing; or None.
    """

    __slots__ = ("factory",)

    def __init__(self, factory: Any) -> None:
        super().__init__()
        self.factory = factory


class Items:
    """An iterator of the program: what zip, map, enumerate and generators give."""

    __slots__ = ("_items",)

    def __init__(self, items: Iterator[Any]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[Any]:
        return self._items

    def __repr__(self) -> str:
        return "<iterator>"


@dataclass(eq=False)
class Context:
    """What ``with`` takes, and what may decorate a function: ``torch.no_grad()``.

    Attributes:
        enter: called on the way in; its result is what ``as`` binds.
        leave: called on the way out, always.
    """

    name: str
    enter: Callable[[], Any]
    leave: Callable[[], None]


@dataclass(eq=False)
class Record:
    """A small object with named parts that can also be unpacked: ``torch.max(x, 0)``."""

    name: str
    parts: dict[str, Any]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts.values())

    def __repr__(self) -> str:
        return f"<{self.name}>"
