"""A graph made ready to be written down: in order, with names, shapes and types.

What is right to write depends on values: torch and NumPy differ in what they do with shapes and
types. So an export begins with a forward, or with the values of one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.export.exported import WIDTH, Array
from core.export.identifiers import Identifiers
from core.export.literals import MOST_WRITTEN, ArrayWords, number
from core.graph import ARGUMENT, CALL, INPUT, RESULT, Graph, Node, Wire
from core.graph.ports import output_name
from core.library.spec import OpSpec
from core.session import Session, Snapshot

#: A body is written where its function is used; see ``core.export``.
_NOT_WRITTEN = (ARGUMENT, CALL, RESULT)


@dataclass(frozen=True, slots=True)
class Operand:
    """A value as an expression refers to it.

    Attributes:
        text: a name, or the value written out.
        value: the value the graph has for it; its shape and type are what matters.
        literal: it is typed at the port, not computed by a node.
    """

    text: str
    value: Array
    literal: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return tuple(self.value.shape)

    @property
    def ndim(self) -> int:
        """Its number of axes."""
        return self.value.ndim

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its type of number."""
        return np.dtype(self.value.dtype)

    def beside(self, other: Operand) -> str:
        """As an operand of an operator: a plain number where that means the same."""
        if not self.literal or self.ndim or self.dtype != other.dtype or other.literal:
            return self.text
        text = number(self.value[()])
        return f"({text})" if text.startswith("-") else text


@dataclass(frozen=True, slots=True)
class Step:
    """One node, ready to be written.

    Attributes:
        inputs: one operand a port, None for an empty optional one.
        params: every parameter, defaults included.
        outputs: one operand an output.
    """

    node: Node
    spec: OpSpec | None
    inputs: tuple[Operand | None, ...]
    params: Mapping[str, Any]
    outputs: tuple[Operand, ...]

    @property
    def result(self) -> str:
        """What stands left of the equals sign."""
        names = ", ".join(y.text for y in self.outputs)
        alone = len(self.outputs) == 1 and self.spec is not None and self.spec.multi_output
        return f"({names},)" if alone else names

    @property
    def given(self) -> tuple[Operand, ...]:
        """The inputs that are there."""
        return tuple(x for x in self.inputs if x is not None)


class Outline:
    """The steps of a graph.

    Args:
        snapshot: of a session that has computed the graph; without, it is computed here.

    Attributes:
        steps: every node that has a value, each after all that feed it.
        needs_grad: ids of the nodes through which gradients flow.
        left_out: why each other node has none, by id.
        arrays: the leaves too large to be written out, by file name.
        names: further identifiers are taken from here.
    """

    def __init__(
        self,
        graph: Graph,
        words: ArrayWords,
        snapshot: Snapshot | None = None,
    ) -> None:
        snapshot = snapshot or Session(graph).snapshot()
        self.graph, self.words, self.needs_grad = graph, words, snapshot.needs_grad
        self.names = Identifiers()
        self.identifiers: dict[str, str] = {}
        self.arrays: dict[str, Array] = {}
        self.left_out: dict[str, str] = {}
        self.outputs: dict[tuple[str, str], Operand] = {}
        self.steps: list[Step] = []
        self._by_node: dict[str, Step] = {}
        for node_id in graph.order():
            node = graph.nodes[node_id]
            fed = (wire.source for wire in graph.wires_into(node_id).values())
            if node.op in _NOT_WRITTEN or any(source in self.left_out for source in fed):
                self.left_out[node_id] = "it is part of a function's body"
            elif node_id in snapshot.values:
                self._step(node, snapshot.values[node_id])
            else:
                error = snapshot.errors.get(node_id)
                self.left_out[node_id] = "waits for a value" if error is None else error.what

    def step(self, node_id: str) -> Step | None:
        """The step of a node; None if it has no value."""
        return self._by_node.get(node_id)

    def leaves(self) -> list[Step]:
        """The inputs that require grad."""
        return [s for s in self.steps if s.node.op == INPUT and s.node.params["requires_grad"]]

    def input_text(self, step: Step, *options: str) -> str:
        """The value of an input node, written out or loaded."""
        value = step.node.params["value"]
        if value.size <= MOST_WRITTEN:
            return self.words.array(value, *options, lead=len(step.result) + 3)
        file = f"{step.result}.npy"
        self.arrays[file] = value
        return f'np.load("{file}")'

    def _step(self, node: Node, values: tuple[Array, ...]) -> None:
        inputs = tuple(self._operand(operand) for _, operand in self.graph.operands(node.id))
        spec = node.spec
        stems = [node.name]
        if spec is not None and spec.multi_output:
            ports = [output_name(node, k) for k in range(len(values))]
            stems = [f"{node.name}_{port.strip(']').replace('[', '_')}" for port in ports]
        names = [self.names.take(stem) for stem in stems]
        outputs = tuple(Operand(name, value) for name, value in zip(names, values, strict=True))
        self.identifiers[node.id] = names[0]
        for k, operand in enumerate(outputs):
            self.outputs[node.id, output_name(node, k)] = operand
        params = {**(spec.defaults if spec else {}), **node.params}
        step = Step(node, spec, inputs, params, outputs)
        self.steps.append(step)
        self._by_node[node.id] = step

    def _operand(self, operand: Wire | Array | None) -> Operand | None:
        if operand is None:
            return None
        if isinstance(operand, Wire):
            return self.outputs[operand.source, operand.output]
        return Operand(self.words.array(operand, lead=8), operand, literal=True)


def statement(target: str, expression: str) -> str:
    """``target = expression``, a long call broken after its opening parenthesis."""
    text = f"{target} = {expression}"
    if "\n" in text or len(text) <= WIDTH:
        return text
    opening = expression.find("(")
    function = expression[: max(opening, 0)]
    called = re.fullmatch(r"[\w.]+", function) and expression.endswith(")")
    if not called or _closing(expression, opening) is not None:
        return text
    parts = split_arguments(expression[opening + 1 : -1])
    inner = "".join(f"    {part},\n" for part in parts)
    return f"{target} = {expression[: opening + 1]}\n{inner})"


def _closing(text: str, opening: int) -> int | None:
    """Where the parenthesis is closed, unless that is at the very end."""
    depth = 0
    for k in range(opening, len(text)):
        depth += (text[k] in "([{") - (text[k] in ")]}")
        if not depth:
            return k if k < len(text) - 1 else None
    return None


def split_arguments(text: str) -> list[str]:
    """The arguments of a call, split at the commas between them."""
    parts, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append(text[start:k].strip())
            start = k + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]
