"""One call of a torch operator in an exported program, as a translator sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.importers.building.builder import Builder
from core.importers.building.refs import Array, Ref, Untranslatable, of_value


@dataclass(frozen=True, slots=True)
class Call:
    """An operator with its arguments by the names that torch's schema gives them.

    Attributes:
        arguments: tensors are ``Ref``s (also within lists); types are their names.
    """

    arguments: Mapping[str, Any]
    build: Builder

    # -- what is given ----------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        """An argument as it is.

        Raises:
            Untranslatable: the operator has no such argument.
        """
        if name not in self.arguments:
            raise Untranslatable(f"it has no argument '{name}'")
        return self.arguments[name]

    def get(self, name: str, default: Any = None) -> Any:
        """An argument, or a default where the operator has none of that name."""
        return self.arguments.get(name, default)

    @property
    def x(self) -> Ref:
        """The first tensor, whatever it is called."""
        return self.tensor(next(iter(self.arguments)))

    def tensor(self, name: str) -> Ref:
        """A tensor that must be there."""
        value = self[name]
        if not isinstance(value, Ref):
            raise Untranslatable(f"its argument '{name}' is no tensor")
        return value

    def maybe(self, name: str) -> Ref | None:
        """A tensor, or None."""
        value = self.get(name)
        return value if isinstance(value, Ref) else None

    def tensors(self, name: str) -> list[Ref]:
        """A list of tensors."""
        values = self[name]
        if not isinstance(values, list | tuple) or not all(isinstance(v, Ref) for v in values):
            raise Untranslatable(f"its argument '{name}' is no list of tensors")
        return list(values)

    def operand(self, name: str, like: Ref) -> Ref:
        """A tensor, or a number as a constant that fits beside ``like``."""
        value = self[name]
        if isinstance(value, Ref):
            return value
        dtype = like.dtype
        if dtype is not None and dtype.kind in "iub" and isinstance(value, float):
            dtype = np.dtype(np.float32)  # torch's default
        return self.constant(value, dtype)

    def axis(self, name: str = "dim") -> int | tuple[int, ...] | None:
        """Axes, in the form operations take them; None for all."""
        value = self.get(name)
        if isinstance(value, list | tuple):
            return tuple(value) or None
        return value if value is None else int(value)

    # -- what is made -----------------------------------------------------------------------------

    def op(self, name: str, *operands: Ref | None, **params: Any) -> Ref:
        """Add an operation with one output."""
        return self.build.op(name, *operands, **params)

    def outputs(self, name: str, *operands: Ref | None, **params: Any) -> tuple[Ref, ...]:
        """Add an operation with several outputs."""
        return self.build.outputs(name, operands, params)

    def constant(self, value: Any, dtype: Any = None) -> Ref:
        """A constant."""
        array: Array = np.asarray(value, dtype)
        self.build.hold(array)
        return of_value(array, constant=True)

    def scaled(self, x: Ref, factor: float) -> Ref:
        """A multiple; ``x`` itself for 1."""
        return x if factor == 1 else self.op("multiply", x, self.constant(factor, x.dtype))

    def cast(self, x: Ref, dtype: np.dtype[Any] | None) -> Ref:
        """The same values of another type; ``x`` itself if it has it."""
        if dtype is None or x.dtype is None or x.dtype == dtype:
            return x
        return self.op("cast", x, dtype=dtype.name)


Result = Ref | Sequence[Ref]
Translator = Callable[[Call], Result]


def dtype_of(name: Any) -> np.dtype[Any]:
    """The NumPy type of torch's ("torch.float32").

    Raises:
        Untranslatable: NumPy has none.
    """
    short = str(name).removeprefix("torch.")
    if short in ("bool", "complex64", "complex128") or short.startswith(("int", "float", "uint")):
        try:
            return np.dtype(short)
        except TypeError:
            pass
    raise Untranslatable(f"NumPy has no {short}")


def pair(value: Any, n: int) -> Any:
    """Numbers for n axes: one for one axis, a list for more."""
    numbers = list(value) if isinstance(value, list | tuple) else [value]
    numbers = numbers * n if len(numbers) == 1 else numbers
    return numbers[0] if n == 1 else numbers


def number(n: Any) -> int:
    """A length, which must be a plain number."""
    if isinstance(n, Ref) and n.value is not None and n.value.size == 1:
        return int(n.value.item())
    if not isinstance(n, int):
        raise Untranslatable("a length is computed by the program")
    return n
