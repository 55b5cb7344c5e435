"""Types by name, and what isinstance says of the program's values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.importers.python.failures import program_error
from core.importers.python.values import (
    Bound,
    Builtin,
    Function,
    Instance,
    Items,
    Namespace,
    NdArray,
    UserClass,
)
from core.tensor import Tensor

#: Modules that types are shown with.
_HOMES = {"ndarray": "numpy.", "Tensor": "torch.", "Size": "torch.", "dtype": "torch."}


@dataclass(frozen=True, eq=False)
class TypeName(Builtin):
    """A built-in type: called, it makes a value; isinstance knows it.

    Attributes:
        types: the Python types its values have.
    """

    types: tuple[type, ...] = ()

    def __repr__(self) -> str:
        return f"<class '{_HOMES.get(self.name, '')}{self.name}'>"


def type_name(value: Any) -> str:
    """What Python calls the type of a value."""
    if isinstance(value, Instance):
        return value.cls.name
    if isinstance(value, Tensor):
        return "Tensor"
    if isinstance(value, NdArray):
        return "ndarray"
    if isinstance(value, Function):
        return "function"
    if isinstance(value, Builtin):
        return "builtin_function_or_method"
    if isinstance(value, Bound):
        return "method"
    if isinstance(value, UserClass):
        return "type"
    if isinstance(value, Namespace):
        return "module"
    if isinstance(value, Items):
        return "generator"
    return type(value).__name__


def is_instance(value: Any, kinds: Any) -> bool:
    """isinstance(value, kinds)."""
    if isinstance(kinds, tuple):
        return any(is_instance(value, kind) for kind in kinds)
    if isinstance(kinds, TypeName):
        return isinstance(value, kinds.types)
    if isinstance(kinds, UserClass):
        return isinstance(value, Instance) and value.cls.derives(kinds)
    raise program_error(
        "TypeError", "isinstance() arg 2 must be a type, a tuple of types, or a union"
    )
