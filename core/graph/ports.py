"""Which ports a node shows: its operation's, or as many as are in use and one free."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from core import ops
from core.graph.nodes import ARGUMENT, CALL, CAST, DETACH, INPUT, RESULT, UNKNOWN, Node

if TYPE_CHECKING:
    from core.graph.parts import Parts

#: More ports of one node are never shown, and no wire enters or leaves them.
MOST_PORTS = 1000
_NUMBERED = re.compile(r"([^\[\]]+)\[(0|[1-9][0-9]{0,2})\]")
#: What a node whose number of outputs depends on its value shows until more are wired.
_FEWEST_OUTPUTS = 2

_SPECIAL_INPUTS: dict[str, tuple[str, ...] | None] = {
    INPUT: (),
    DETACH: ("x",),
    CAST: ("x",),
    UNKNOWN: None,
    CALL: None,
    ARGUMENT: (),
    RESULT: ("x",),
}
#: Whose outputs are not the one called ``"y"``.
_VARYING = (UNKNOWN, CALL)


def numbered(port: str) -> tuple[str, int] | None:
    """``"xs[2]"`` as ``("xs", 2)``; None for a port without a number."""
    match = _NUMBERED.fullmatch(port)
    return (match[1], int(match[2])) if match else None


def input_ports(node: Node, graph: Parts) -> tuple[str, ...]:
    """Names of the input ports, in order.

    A variadic operation shows a port for everything up to the last one in use, and a free one. A
    placeholder for an unknown operation shows those that are wired.
    """
    fixed = _own_inputs(node)
    if fixed is not None:
        return fixed
    wired = graph.wires_into(node.id)
    if node.op == UNKNOWN:
        return tuple(wired)
    spec = node.spec
    assert spec is not None
    return _named(spec.ports[0], _highest([*wired, *node.inline]) + 2)


def output_ports(node: Node, graph: Parts | None = None) -> tuple[str, ...]:
    """Names of the output ports, in order; ``"y"`` for all that have one only.

    How many outputs ``unstack`` has depends on its value, and those of an unknown operation are
    nowhere written down: such a node shows the ones in use in ``graph``.
    """
    fixed = _own_outputs(node)
    if fixed is not None:
        return fixed
    used = () if graph is None else [wire.output for wire in graph.wires_from(node.id)]
    if node.op == UNKNOWN:
        return tuple(dict.fromkeys(used)) or ("y",)
    spec = node.spec
    assert spec is not None
    count = _sections(node, spec.defaults)
    return _named(
        spec.outputs[0][:-1], max(_FEWEST_OUTPUTS, _highest(used) + 1) if count is None else count
    )


def output_name(node: Node, position: int) -> str:
    """The name of an output by its position, however many the node turns out to have."""
    fixed = _own_outputs(node)
    if fixed is not None:
        return fixed[position]
    stem = "y" if node.spec is None else node.spec.outputs[0].removesuffix("*")
    return f"{stem}[{position}]"


def has_output(node: Node, output: str) -> bool:
    """Whether a wire may leave this output (of an unknown operation: any)."""
    fixed = _own_outputs(node)
    if fixed is not None:
        return output in fixed
    if node.op == UNKNOWN or output in output_ports(node):
        return True
    spec, number = node.spec, numbered(output)
    assert spec is not None
    return (
        number is not None
        and spec.outputs == (f"{number[0]}*",)
        and _sections(node, spec.defaults) is None
    )


def has_input(node: Node, port: str) -> bool:
    """Whether a wire may enter this port (of an unknown operation: any)."""
    fixed = _own_inputs(node)
    if fixed is not None:
        return port in fixed
    if node.op == UNKNOWN:
        return True
    spec, number = node.spec, numbered(port)
    assert spec is not None
    return number is not None and number[0] == spec.ports[0]


def has_inputs(node: Node) -> bool:
    """Whether any wire may enter the node at all."""
    return _own_inputs(node) != ()


@cache
def fixed_inputs(op: str) -> tuple[str, ...] | None:
    """The input ports of an operation, or None when their number varies."""
    if op in _SPECIAL_INPUTS:
        return _SPECIAL_INPUTS[op]
    spec = ops.find(op)
    return None if spec.variadic else spec.ports


@cache
def fixed_outputs(op: str) -> tuple[str, ...] | None:
    """The output ports of an operation, or None when their number varies."""
    if op in _SPECIAL_INPUTS:
        return None if op in _VARYING else ("y",)
    outputs = ops.find(op).outputs
    return None if outputs[0].endswith("*") else outputs


def _own_inputs(node: Node) -> tuple[str, ...] | None:
    """The input ports of an operation or a function; None when their number varies."""
    return node.params["function"].inputs if node.op == CALL else fixed_inputs(node.op)


def _own_outputs(node: Node) -> tuple[str, ...] | None:
    """The output ports of an operation or a function; None when their number varies."""
    return node.params["function"].outputs if node.op == CALL else fixed_outputs(node.op)


def _sections(node: Node, defaults: dict[str, Any]) -> int | None:
    """Into how many parts ``split`` cuts; None for an operation whose value decides."""
    if "indices_or_sections" not in defaults:
        return None
    cut = node.params.get("indices_or_sections", defaults["indices_or_sections"])
    return min(cut if isinstance(cut, int) else len(cut) + 1, MOST_PORTS)


def _named(stem: str, count: int) -> tuple[str, ...]:
    return tuple(f"{stem}[{i}]" for i in range(count))


def _highest(ports: Iterable[str]) -> int:
    """The greatest number among port names; -1 when there is none."""
    return max((number[1] for port in ports if (number := numbered(port))), default=-1)
