"""One node of a model, as a translator sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

import numpy as np

from core.importers.building.builder import Builder
from core.importers.building.refs import Ref, Untranslatable, of_value
from core.onnx.records import OPAQUE, Array, OnnxNode

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """A node with what feeds it.

    Attributes:
        inputs: None for one that is left out.
        opset: the version of the operators, which decides what the node means.
        used: names of the values that something needs.
        fixed: settings that the model computes from its data: they are taken as they are now.
    """

    node: OnnxNode
    inputs: tuple[Ref | None, ...]
    opset: int
    build: Builder
    used: frozenset[str]
    fixed: list[str] = field(default_factory=list)

    # -- what is given ----------------------------------------------------------------------------

    @property
    def x(self) -> Ref:
        """The first input."""
        return self.input(0)

    def input(self, k: int) -> Ref:
        """An input that must be there.

        Raises:
            Untranslatable: it is not.
        """
        ref = self.optional(k)
        if ref is None:
            raise Untranslatable(f"its input {k + 1} is missing")
        return ref

    def optional(self, k: int) -> Ref | None:
        """An input, or None."""
        return self.inputs[k] if k < len(self.inputs) else None

    @overload
    def attribute(self, name: str) -> Any: ...
    @overload
    def attribute(self, name: str, default: T) -> T: ...

    def attribute(self, name: str, default: Any = None) -> Any:
        """A setting, or its default.

        Raises:
            Untranslatable: it is not of the default's type.
        """
        value = self.node.attributes.get(name, default)
        if value is OPAQUE:
            raise Untranslatable(f"its attribute '{name}' has no form here")
        if default is not None and not isinstance(value, type(default)):
            if isinstance(default, float) and isinstance(value, int):
                return float(value)
            raise Untranslatable(f"its attribute '{name}' is {value!r}")
        return value

    def ints(self, name: str, count: int, default: int) -> tuple[int, ...]:
        """An attribute of one whole number an axis."""
        value = self.attribute(name) or (default,) * count
        if not isinstance(value, tuple) or len(value) != count:
            raise Untranslatable(f"its attribute '{name}' is {value!r}, not {count} numbers")
        return tuple(int(n) for n in value)

    def setting(self, k: int) -> Array | None:
        """The value of an input that decides what the node does; None if it is left out.

        Raises:
            Untranslatable: it is not known.
        """
        ref = self.optional(k)
        if ref is None:
            return None
        if ref.value is None:
            raise Untranslatable(f"its input {k + 1} is not known before it runs")
        if not ref.constant:
            self.fixed.append(self.node.inputs[k])
        return ref.value

    def needed(self, k: int) -> Array:
        """A setting that must be there; raises as ``setting`` does."""
        value = self.setting(k)
        if value is None:
            raise Untranslatable(f"its input {k + 1} is missing")
        return value

    def whole(self, k: int, attribute: str = "") -> tuple[int, ...] | None:
        """Whole numbers given by an input or, in older versions, by an attribute."""
        value = self.setting(k)
        if value is not None:
            return tuple(int(n) for n in value.reshape(-1).tolist())
        given = self.attribute(attribute) if attribute else None
        if isinstance(given, int):
            return (given,)
        return None if given is None else tuple(map(int, given))

    def uses(self, k: int) -> bool:
        """Whether something needs an output."""
        return k < len(self.node.outputs) and self.node.outputs[k] in self.used

    # -- what is made -----------------------------------------------------------------------------

    def op(self, name: str, *operands: Ref | None, **params: Any) -> Ref:
        """Add an operation with one output."""
        return self.build.op(name, *operands, **params)

    def outputs(self, name: str, *operands: Ref | None, **params: Any) -> tuple[Ref, ...]:
        """Add an operation with several outputs."""
        return self.build.outputs(name, operands, params)

    def constant(self, value: Any, like: Ref | None = None) -> Ref:
        """A constant, of the type of ``like``."""
        array = np.asarray(value, None if like is None else like.dtype)
        self.build.hold(array)
        return of_value(array, constant=True)

    def cast(self, x: Ref, dtype: np.dtype[Any] | None) -> Ref:
        """The same values of another type; ``x`` itself if it has it, or nothing is known."""
        if dtype is None or x.dtype is None or x.dtype == dtype:
            return x
        return self.op("cast", x, dtype=dtype.name)

    def like(self, x: Ref, model: Ref) -> Ref:
        """A result in the type of an operand, which ONNX keeps where NumPy widens."""
        return self.cast(x, model.dtype)


Result = Ref | tuple[Ref, ...]
Translator = Callable[[Call], Result]
