"""A value of the model while its graph is made, and the errors of not making it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.graph.nodes import MOST_AXES

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


class Untranslatable(Exception):  # noqa: N818 - not an error: the node becomes a placeholder
    """This node cannot be told in our operations; the text says why, as part of a sentence."""


@dataclass(eq=False, slots=True)
class Ref:
    """A value of the model.

    Attributes:
        node, output: where it leaves the graph; ``node`` is None while it is a value that no
            node needs yet.
        value: None below nodes that cannot be computed.
        shape, dtype: of the value; without one what ONNX says, None where it says nothing.
        constant: whether neither data nor weights decide it: what depends on such values only is
            computed here and needs no nodes.
        name: what the model calls it.
        leaf: whether it is a weight.
    """

    node: str | None = None
    output: int = 0
    value: Array | None = None
    shape: Shape | None = None
    dtype: np.dtype[Any] | None = None
    constant: bool = False
    name: str = ""
    leaf: bool = False
    source: dict[str, Any] | None = None

    @property
    def known_shape(self) -> Shape:
        """The shape.

        Raises:
            Untranslatable: it is not known.
        """
        if self.shape is None:
            raise Untranslatable("the shape of its input is not known")
        return self.shape

    @property
    def ndim(self) -> int:
        """The number of axes; raises as ``known_shape`` does."""
        return len(self.known_shape)

    @property
    def known_dtype(self) -> np.dtype[Any]:
        """The dtype.

        Raises:
            Untranslatable: it is not known.
        """
        if self.dtype is None:
            raise Untranslatable("the type of its input is not known")
        return self.dtype


def of_value(value: Array, name: str = "", *, constant: bool = False, leaf: bool = False) -> Ref:
    """A value that has no node yet.

    Raises:
        Untranslatable: it has more axes than a graph keeps.
    """
    if value.ndim > MOST_AXES:
        raise Untranslatable(f"{value.ndim} axes are more than {MOST_AXES}")
    return Ref(
        value=value, shape=value.shape, dtype=value.dtype, constant=constant, name=name, leaf=leaf
    )
