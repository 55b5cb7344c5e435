"""The graph while a model is read: operations are computed as they are added.

Values tell the translators what shapes and types there are, and what depends on constants only
needs no nodes: exporters leave long chains that compute the shape of a reshape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core import ops
from core.errors import EditRefusedError, LimitError, OperandError
from core.graph.checks import checked_params
from core.graph.nodes import INPUT, MOST_AXES, Node, Wire, frozen
from core.graph.ports import fixed_outputs, output_name
from core.importers.building.refs import Array, Ref, Untranslatable
from core.importers.placeholders import placeholder
from core.importers.python.costs import charge
from core.importers.python.limits import Budget, Limits
from core.library.casting import CAST
from core.library.spec import OpSpec
from core.modes import no_grad
from core.recording import apply
from core.tensor import Tensor

#: What computing a model once may take. Weights do not count: they are in the file.
LIMITS = Limits(seconds=30.0, elements=50_000_000, alive=2**31, work=20_000_000_000)
#: Constants of so few numbers are typed at the ports they go to; larger ones become nodes.
_MOST_TYPED = 8
#: What depends on constants only becomes one if it has no more elements than this.
_MOST_FOLDED = 1_000_000


class Builder:
    """Nodes and wires, in the order they are made.

    Attributes:
        nodes: by id; names are given at the end.
        wires: by id.
        wanted: what the nodes would like to be called.
    """

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.nodes: dict[str, Node] = {}
        self.wires: dict[str, Wire] = {}
        self.wanted: dict[str, str] = {}
        self._budget = Budget(limits)
        self._next = 1
        self._placed: list[Ref] = []

    @property
    def next_id(self) -> int:
        """The number of the next id."""
        return self._next

    # -- operations -------------------------------------------------------------------------------

    def op(self, name: str, *operands: Ref | None, **params: Any) -> Ref:
        """Add an operation with one output."""
        return self.outputs(name, operands, params)[0]

    def outputs(
        self, name: str, operands: Sequence[Ref | None], params: Mapping[str, Any]
    ) -> tuple[Ref, ...]:
        """Add an operation; what stands for its outputs.

        Raises:
            Untranslatable: it cannot take these values, or would make too large ones.
            LimitError: the whole model takes too long.
        """
        spec = CAST if name == "cast" else ops.find(name)
        values = self._computed(spec, operands, params)
        if values is not None and _folded(operands, values):
            return tuple(Ref(value=y, shape=y.shape, dtype=y.dtype, constant=True) for y in values)
        node_id = self._new("n")
        node = Node(node_id, spec.name, node_id)
        ports = spec.ports
        if spec.variadic:
            ports = tuple(f"{spec.ports[0]}[{k}]" for k in range(len(operands)))
        try:
            node_params = checked_params(node, params)
        except EditRefusedError as error:
            raise Untranslatable(f"{spec.name} takes no such parameter: {error.what}") from None
        inline: dict[str, Array] = {}
        self.nodes[node_id] = node  # before its inputs are placed, so that it is undone with them
        for port, ref in zip(ports, operands, strict=False):
            if ref is None:
                continue
            if _typed(ref):
                inline[port] = frozen(ref.value)
            else:
                self.wire(ref, node_id, port)
        self.nodes[node_id] = Node(node_id, spec.name, node_id, params=node_params, inline=inline)
        if values is not None:
            return tuple(Ref(node_id, k, y, y.shape, y.dtype) for k, y in enumerate(values))
        count = len(fixed_outputs(spec.name) or ("y",))
        return tuple(Ref(node_id, k) for k in range(count))

    def _computed(
        self, spec: OpSpec, operands: Sequence[Ref | None], params: Mapping[str, Any]
    ) -> tuple[Array, ...] | None:
        """The values of an operation's outputs; None when those of its inputs are not known."""
        if any(x is not None and x.value is None for x in operands):
            return None
        values = [None if x is None else x.value for x in operands]
        try:
            charge(self._budget, spec, [v.shape for v in values if v is not None], params)
        except LimitError as error:
            raise Untranslatable(f"{spec.name} would be too large: {error.what}") from None
        self._budget.check_time()
        try:
            with no_grad():
                made = apply(spec, values, dict(params), Tensor)
        except (OperandError, MemoryError) as error:
            raise Untranslatable(str(error)) from None
        arrays = [np.asarray(y.data) for y in (made if isinstance(made, tuple) else (made,))]
        for array in arrays:
            if array.ndim > MOST_AXES:
                raise Untranslatable(f"{spec.name} would make {array.ndim} axes")
            self._budget.hold(array)
        return tuple(arrays)

    def hold(self, array: Array) -> None:
        """Count an array's memory for as long as it lives."""
        self._budget.hold(array)

    # -- inputs and placeholders ------------------------------------------------------------------

    def wire(self, ref: Ref, target: str, port: str) -> None:
        """Lead a value to a port; a value without a node gets one."""
        if ref.node is None:
            self.place(ref, ref.name)
        assert ref.node is not None
        wire_id = self._new("w")
        output = output_name(self.nodes[ref.node], ref.output)
        self.wires[wire_id] = Wire(wire_id, ref.node, output, target, port)

    def place(self, ref: Ref, name: str) -> None:
        """Make the input node of a weight, of data or of a constant."""
        assert ref.value is not None
        ref.node = node_id = self._new("n")
        params = {
            "value": frozen(ref.value),
            "requires_grad": ref.leaf and ref.value.dtype.kind in "fc",
            "source": ref.source,
        }
        self.nodes[node_id] = Node(node_id, INPUT, node_id, params=params)
        self.wanted[node_id] = name
        self._placed.append(ref)

    def unknown(
        self, op: str, inputs: Sequence[Ref | None], count: int, **facts: str
    ) -> tuple[Ref, ...]:
        """A grey placeholder for an operator that cannot be told in our operations.

        Args:
            op: its name, with the source's before it.
            facts: what its record keeps beside.
        """
        node_id = self._new("n")
        self.nodes[node_id] = placeholder(node_id, op, node_id, **facts)
        for k, ref in enumerate(inputs):
            if ref is not None:
                self.wire(ref, node_id, f"x[{k}]" if len(inputs) > 1 else "x")
        return tuple(Ref(node_id, k) for k in range(count))

    # -- going back -------------------------------------------------------------------------------

    def mark(self) -> tuple[int, int, int]:
        """Where the graph is, to come back to."""
        return len(self.nodes), len(self.wires), len(self._placed)

    def back_to(self, mark: tuple[int, int, int]) -> None:
        """Take away all that was made since."""
        nodes, wires, placed = mark
        for key in list(self.nodes)[nodes:]:
            del self.nodes[key]
            self.wanted.pop(key, None)
        for key in list(self.wires)[wires:]:
            del self.wires[key]
        for ref in self._placed[placed:]:
            ref.node = None
        del self._placed[placed:]

    def _new(self, letter: str) -> str:
        self._next += 1
        return f"{letter}{self._next - 1}"


def _folded(operands: Sequence[Ref | None], values: Sequence[Array]) -> bool:
    """Whether values are constants, and few enough to take the place of what makes them."""
    return all(x is None or x.constant for x in operands) and all(
        y.size <= _MOST_FOLDED for y in values
    )


def _typed(ref: Ref) -> bool:
    """Whether a value is typed at the port it goes to."""
    return (
        ref.constant
        and ref.node is None
        and ref.value is not None
        and ref.value.size <= _MOST_TYPED
    )
