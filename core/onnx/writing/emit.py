"""One node of a graph, as a rule that writes it in ONNX sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.onnx.records import DTYPES, Array, OnnxNode, Shape

_NUMBERS = {dtype: number for number, dtype in DTYPES.items()}


class Inexpressible(Exception):  # noqa: N818 - it becomes an error with the node's name
    """ONNX has nothing to write this with; the text says why, as part of a sentence."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A value that is written: its name in the model, and its array."""

    name: str
    value: Array

    @property
    def shape(self) -> Shape:
        """Its shape."""
        shape: Shape = self.value.shape
        return shape

    @property
    def ndim(self) -> int:
        """Its number of axes."""
        return self.value.ndim

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its type."""
        dtype: np.dtype[Any] = self.value.dtype
        return dtype


@dataclass(eq=False, slots=True)
class Emit:
    """A node being written.

    ``emit("Add", a, b)`` adds an ONNX node and gives the name of its output.

    Attributes:
        label: what its ONNX nodes are called after, unique in the model.
        params: all of the operation's parameters.
        operands: its inputs; None for one that is left empty.
        values: its outputs.
        nodes: what was added so far.
    """

    label: str
    params: Mapping[str, Any]
    operands: Sequence[Operand | None]
    values: Sequence[Array]
    nodes: list[OnnxNode] = field(default_factory=list)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the first output, in which elementwise operations compute."""
        dtype: np.dtype[Any] = self.values[0].dtype
        return dtype

    @property
    def shape(self) -> Shape:
        """The shape of the first output."""
        shape: Shape = self.values[0].shape
        return shape

    # -- operands ---------------------------------------------------------------------------------

    def operand(self, k: int = 0) -> Operand:
        """An input that is there."""
        found = self.operands[k] if k < len(self.operands) else None
        if found is None:
            raise Inexpressible(f"its input {k + 1} is empty")
        return found

    def has(self, k: int) -> bool:
        """Whether an input is there."""
        return k < len(self.operands) and self.operands[k] is not None

    def x(self, k: int = 0) -> str:
        """An input in the type of the output: NumPy mixes types, ONNX does not."""
        given = self.operand(k)
        return self.cast(given.name, given.dtype, self.dtype)

    def maybe(self, k: int) -> str:
        """``x``, or "" for an empty input."""
        return self.x(k) if self.has(k) else ""

    def every(self) -> list[str]:
        """All inputs in the type of the output."""
        return [self.x(k) for k in range(len(self.operands))]

    def indices(self, k: int) -> str:
        """An input of whole numbers, as int64."""
        given = self.operand(k)
        return self.cast(given.name, given.dtype, np.dtype(np.int64))

    def truth(self, k: int) -> str:
        """An input as truth values."""
        given = self.operand(k)
        return self.cast(given.name, given.dtype, np.dtype(np.bool_))

    # -- what is added ----------------------------------------------------------------------------

    def __call__(self, op: str, *inputs: str, **attributes: Any) -> str:
        """Add an ONNX node with one output; its name."""
        return self.many(op, inputs, 1, **attributes)[0]

    def many(
        self, op: str, inputs: Sequence[str], count: int, **attributes: Any
    ) -> tuple[str, ...]:
        """Add an ONNX node with several outputs; their names."""
        stem = f"{self.label}/{op}_{len(self.nodes)}"
        names = (stem,) if count == 1 else tuple(f"{stem}.{k}" for k in range(count))
        given = tuple(inputs)
        while given and not given[-1]:
            given = given[:-1]
        self.nodes.append(OnnxNode(op, given, names, attributes))
        return names

    def constant(self, value: Any, dtype: Any = None) -> str:
        """A constant, of the output's type if no other is given."""
        return self("Constant", value=np.asarray(value, self.dtype if dtype is None else dtype))

    def ints(self, *numbers: int) -> str:
        """A row of whole numbers: axes, shapes, lengths."""
        return self("Constant", value=np.array(numbers, np.int64))

    def cast(self, name: str, old: np.dtype[Any], new: np.dtype[Any]) -> str:
        """A value as another type."""
        return name if old == new else self("Cast", name, to=_NUMBERS[np.dtype(new)])

    # -- what many rules need ---------------------------------------------------------------------

    def reduced(self, op: str, name: str, axes: Sequence[int] | None, keep: bool = False) -> str:
        """A reduction over some axes; over all for None."""
        if axes is not None and not len(axes):
            return name
        over = () if axes is None else (self.ints(*axes),)
        return self(op, name, *over, keepdims=int(keep))

    def reshaped(self, name: str, shape: Sequence[int]) -> str:
        """Another shape, every length of which is given."""
        return self("Reshape", name, self.ints(*shape), allowzero=1)

    def picked(self, name: str, places: Array) -> str:
        """Elements by their numbers in the flattened value, in the shape of ``places``."""
        flat = self("Reshape", name, self.ints(-1)) if 0 not in places.shape else name
        if 0 in places.shape:
            return self("Constant", value=np.zeros(places.shape, self.dtype))
        return self("Gather", flat, self("Constant", value=places.astype(np.int64)), axis=0)

    def exact(self, *numbers: float) -> bool:
        """Whether attributes hold these numbers well enough: ONNX keeps them as float32."""
        return self.dtype != np.float64 or all(float(np.float32(n)) == n for n in numbers)


Result = str | tuple[str, ...]
Rule = Callable[[Emit], Result]


def refused(why: str) -> Rule:
    """The rule of an operation that ONNX cannot tell."""

    def rule(e: Emit) -> Result:
        raise Inexpressible(why)

    return rule
