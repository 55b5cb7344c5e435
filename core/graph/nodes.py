"""What a graph is made of: nodes, wires and frames, all frozen.

Nodes and wires come by the ten thousand. As msgspec's structs they are made ten times as fast as
dataclasses, and Python's garbage collector does not look at them: they form no cycles. Change one
with ``msgspec.structs.replace``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import Struct

from core import ops
from core.library.spec import OpSpec

Array = np.ndarray[Any, Any]
Point = tuple[float, float]

#: The types of number an array may have.
DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip

#: NumPy's own limit is 64; no one looks at more than a few.
MOST_AXES = 32
_KEPT = frozenset(map(np.dtype, DTYPES))

#: ``Node.op`` of the nodes that are not operations of the library.
INPUT = "input"
DETACH = "detach"
CAST = "cast"
UNKNOWN = "unknown"
#: A function at work: an instance of it, with a port for every argument and result.
CALL = "call"
#: The ends of a function's body: what comes in, and what goes out. They stand nowhere else.
ARGUMENT = "argument"
RESULT = "result"

#: All of them, with their categories in the palette and on the canvas.
SPECIAL = {
    INPUT: "data",
    DETACH: "data",
    CAST: "data",
    UNKNOWN: "unknown",
    CALL: "function",
    ARGUMENT: "function",
    RESULT: "function",
}


class Node(Struct, frozen=True, eq=False, gc=False):
    """One operation or input. Two nodes are equal when they are the same object.

    Attributes:
        id: ``"n7"``; given once, never again.
        op: name of an operation, or one of ``SPECIAL``.
        name: unique in its graph; messages, code and output use it.
        pos: top left corner, in scene units.
        params: what differs from the operation's defaults. ``INPUT`` always has ``value`` (a
            read-only array), ``requires_grad`` and ``source`` (how the value was made, a mapping,
            or None); ``CAST`` has ``dtype``; ``CALL`` has ``function``, the ``Function``;
            ``UNKNOWN`` has ``op``, its original name, and ``record``, the text it was read from.
        inline: values typed at input ports (read-only arrays); a wire at the port goes before.
        collapsed: whether only its header is drawn.
        pinned: whether arranging leaves it where it is.
    """

    id: str
    op: str
    name: str
    pos: Point = (0.0, 0.0)
    params: Mapping[str, Any] = {}
    inline: Mapping[str, Array] = {}
    collapsed: bool = False
    pinned: bool = False

    @property
    def spec(self) -> OpSpec | None:
        """The operation, or None for the nodes that are none."""
        return None if self.op in SPECIAL else ops.find(self.op)

    @property
    def label(self) -> str:
        """What the node's header shows beside its name."""
        if self.op == UNKNOWN:
            return str(self.params["op"])
        if self.op == CALL:
            return str(self.params["function"].name)
        spec = self.spec
        return self.op if spec is None else spec.label

    @property
    def category(self) -> str:
        """A category of the library, or ``"data"`` or ``"unknown"``."""
        spec = self.spec
        return SPECIAL[self.op] if spec is None else spec.category


class Wire(Struct, frozen=True, gc=False):
    """A value on its way from an output to an input port.

    Attributes:
        id: ``"w3"``: x·x has two wires, told apart by it.
        source, output: id of the node it leaves, name of the output port.
        target, port: id of the node it enters, name of the input port (``"xs[0]"``).
        points: reroute points it is led through, in scene units.
    """

    id: str
    source: str
    output: str
    target: str
    port: str
    points: tuple[Point, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """A titled area behind some nodes, or a comment.

    A node is in a frame when its top left corner is; nothing is in a comment, whose ``note`` is a
    text of its own on the canvas.

    Attributes:
        color: a key of the theme, such as ``"blue"``.
        rect: x, y, width, height in scene units.
        no_grad: whether the nodes in it are computed without a record.
    """

    id: str
    title: str
    rect: tuple[float, float, float, float]
    note: str = ""
    color: str = "blue"
    no_grad: bool = False
    comment: bool = False

    def holds(self, node: Node) -> bool:
        """Whether the node is in this frame."""
        if self.comment:
            return False
        x, y, width, height = self.rect
        return x <= node.pos[0] <= x + width and y <= node.pos[1] <= y + height


def frozen(value: Any) -> Array:
    """``value`` as an array nobody can write to: itself if it is one already, else a copy.

    Raises:
        TypeError, ValueError, OverflowError: if it is not made of numbers or truth values.
    """
    array = np.asarray(value)
    flags = array.flags
    if flags.writeable or array.base is not None or not (flags.c_contiguous and flags.aligned):
        array = np.array(array, array.dtype.newbyteorder("="), order="C")
        array.flags.writeable = False
    if array.dtype not in _KEPT:
        raise TypeError(f"{array.dtype} is not a type of number that can be kept")
    if array.ndim > MOST_AXES:
        raise ValueError(f"{array.ndim} axes are more than {MOST_AXES}")
    return array
