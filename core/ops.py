"""The door to the operation library: names, look-up, and applying an operation by name."""

from __future__ import annotations

from typing import Any

from core.dispatch import ALIASES, NAMED
from core.errors import UnknownOpError, did_you_mean
from core.library.spec import OpSpec
from core.recording import apply as _apply
from core.tensor import Tensor


def names() -> list[str]:
    """The names of all operations a user can choose, in the order of the palette."""
    return [name for name, spec in NAMED.items() if not spec.hidden]


def find(name: str) -> OpSpec:
    """The operation of that name or alias ("mul" finds multiply).

    Raises:
        UnknownOpError: if there is none; it says which name is close.
    """
    spec = ALIASES.get(name)
    if spec is None:
        raise UnknownOpError(
            f"There is no operation '{name}'.",
            next_step=did_you_mean(name, ALIASES, "core.ops.names() lists them all."),
        )
    return spec


def apply(name: str, *inputs: Any, **params: Any) -> Any:
    """Apply an operation: ``apply("sum", x, axis=0)``.

    Args:
        inputs: Tensors, arrays, numbers, or None for an optional port left empty; the inputs of a
            variadic operation one after another.
        params: by name; the others take their defaults.

    Returns:
        A Tensor, or a tuple of Tensors for an operation with several outputs.

    Raises:
        UnknownOpError: no such operation.
        OperandError: values or parameters it cannot take.
    """
    return _apply(find(name), inputs, params, Tensor)
