"""The graph while it is being made: nodes that may still be named, merged or dropped."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from core.tensor import Tensor

Array = np.ndarray[Any, Any]
V = TypeVar("V")


class Place(NamedTuple):
    """Where a tensor of the program is in the graph: a node, and which output of it."""

    node: str
    output: int


@dataclass(eq=False)
class Draft:
    """A node to be.

    Attributes:
        inputs: by port: a place, or an array typed there.
        name: what the program calls it; "" while it has not.
        frames: the calls it was made in, outermost first.
        generation: how often leaves had been changed when it was last computed.
        weak: whether it is dropped when nothing needs it.
        grad: whether a gradient can flow through it.
        shape: of its first output, if that is floating; else None.
    """

    id: str
    op: str
    params: dict[str, Any]
    inputs: dict[str, Place | Array] = field(default_factory=dict)
    name: str = ""
    frames: tuple[int, ...] = ()
    generation: int = 0
    weak: bool = False
    grad: bool = False
    shape: tuple[int, ...] | None = None


class Marks(Generic[V]):
    """Something noted about tensors, for as long as they live, told apart by identity."""

    def __init__(self) -> None:
        self._marks: dict[int, tuple[weakref.ref[Tensor], V]] = {}

    def __setitem__(self, tensor: Tensor, mark: V) -> None:
        key = id(tensor)
        self._marks[key] = (weakref.ref(tensor, lambda _: self._marks.pop(key, None)), mark)

    def get(self, tensor: Tensor) -> V | None:
        """What is noted about a tensor, or None."""
        found = self._marks.get(id(tensor))
        return None if found is None else found[1]

    def drop(self, tensor: Tensor) -> None:
        """Forget a tensor."""
        self._marks.pop(id(tensor), None)


def key_of(op: str, params: dict[str, Any], inputs: dict[str, Place | Array]) -> Any:
    """What two nodes have in common that compute the same of the same."""
    return (
        op,
        tuple((name, _frozen(value)) for name, value in params.items()),
        tuple((port, _frozen(value)) for port, value in inputs.items()),
    )


def _frozen(value: Any) -> Any:
    if isinstance(value, Place):
        return value
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, blake2b(value.tobytes()).digest())
    if isinstance(value, list | tuple):
        return tuple(_frozen(v) for v in value)
    if isinstance(value, slice):
        return ("slice", value.start, value.stop, value.step)
    return (type(value).__name__, repr(value))
