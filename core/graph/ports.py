"""Which ports a node shows: its operation's, or as many as are in use and one free."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from core.graph.nodes import CAST, DETACH, INPUT, UNKNOWN, Node

if TYPE_CHECKING:
    from core.graph.model import Graph

_NUMBERED = re.compile(r"([^\[\]]+)\[(0|[1-9][0-9]{0,3})\]")
#: What a node whose number of outputs depends on its value shows until more are wired.
_FEWEST_OUTPUTS = 2


def numbered(port: str) -> tuple[str, int] | None:
    """``"xs[2]"`` as ``("xs", 2)``; None for a port without a number."""
    match = _NUMBERED.fullmatch(port)
    return (match[1], int(match[2])) if match else None


def input_ports(node: Node, graph: Graph) -> tuple[str, ...]:
    """Names of the input ports, in order.

    A variadic operation shows a port for everything up to the last one in use, and a free one. A
    placeholder for an unknown operation shows those that are wired.
    """
    if node.op == INPUT:
        return ()
    if node.op in (DETACH, CAST):
        return ("x",)
    wired = graph.wires_into(node.id)
    if node.op == UNKNOWN:
        return tuple(wired)
    spec = node.spec
    assert spec is not None
    if not spec.variadic:
        return spec.ports
    return _named(spec.ports[0], _highest([*wired, *node.inline]) + 2)


def output_ports(node: Node, graph: Graph | None = None) -> tuple[str, ...]:
    """Names of the output ports, in order; ``"y"`` for all that have one only.

    How many outputs ``unstack`` has depends on its value, and those of an unknown operation are
    nowhere written down: such a node shows the ones in use in ``graph``.
    """
    if node.op in (INPUT, DETACH, CAST):
        return ("y",)
    used = () if graph is None else [wire.output for wire in graph.wires_from(node.id)]
    if node.op == UNKNOWN:
        return tuple(dict.fromkeys(used)) or ("y",)
    spec = node.spec
    assert spec is not None
    if not spec.outputs[0].endswith("*"):
        return spec.outputs
    count = _sections(node, spec.defaults)
    return _named(spec.outputs[0][:-1], count or max(_FEWEST_OUTPUTS, _highest(used) + 1))


def has_output(node: Node, output: str) -> bool:
    """Whether a wire may leave this output (of an unknown operation: any)."""
    if node.op == UNKNOWN:
        return True
    if output in output_ports(node):
        return True
    spec = node.spec
    number = numbered(output)
    return (
        spec is not None
        and number is not None
        and spec.outputs == (f"{number[0]}*",)
        and _sections(node, spec.defaults) is None
    )


def has_input(node: Node, port: str) -> bool:
    """Whether a wire may enter this port (of an unknown operation: any)."""
    if node.op in (INPUT, DETACH, CAST):
        return node.op != INPUT and port == "x"
    if node.op == UNKNOWN:
        return True
    spec = node.spec
    assert spec is not None
    if not spec.variadic:
        return port in spec.ports
    number = numbered(port)
    return number is not None and number[0] == spec.ports[0]


def _sections(node: Node, defaults: dict[str, Any]) -> int | None:
    """Into how many parts ``split`` cuts; None for an operation whose value decides."""
    if "indices_or_sections" not in defaults:
        return None
    cut = node.params.get("indices_or_sections", defaults["indices_or_sections"])
    return cut if isinstance(cut, int) else len(cut) + 1


def _named(stem: str, count: int) -> tuple[str, ...]:
    return tuple(f"{stem}[{i}]" for i in range(count))


def _highest(ports: Iterable[str]) -> int:
    """The greatest number among port names; -1 when there is none."""
    return max((number[1] for port in ports if (number := numbered(port))), default=-1)
