"""What a finder offers: the nodes of a graph, or the ports that a node can be joined to."""

from __future__ import annotations

from dataclasses import replace

from app.canvas import format as fmt
from app.panels.finder import Choice
from core.graph import CALL, Graph, Node, input_ports, output_ports
from core.session import Snapshot

#: Values of at most this many numbers are shown, and found by their numbers.
_NUMBERS = 4


def node_choices(
    graph: Graph, snapshot: Snapshot | None, path: tuple[str, ...] = ()
) -> list[Choice]:
    """Every node, also those inside of functions, with its value or what is wrong with it.

    The key is its id: ``"n7/n3"`` is ``n3`` of instance ``n7``.

    Args:
        path: ids of the instances that ``graph`` is inside of.
    """
    found: list[Choice] = []
    for node in graph.nodes.values():
        steps = (*path, node.id)
        found.append(Choice("/".join(steps), node.name, _kind(node), *_state(steps, snapshot)))
        if node.op == CALL:
            inner = node_choices(node.params["function"].body, snapshot, steps)
            found += [
                replace(choice, kind=f"{choice.kind} in {node.name}".strip()) for choice in inner
            ]
    return found


def port_choices(graph: Graph, node: str) -> list[Choice]:
    """Every input that an output of a node may feed, the free ones first.

    The key is (node, output, target node, target port).
    """
    found: list[tuple[bool, Choice]] = []
    outputs = output_ports(graph.nodes[node], graph)
    for output in outputs:
        refused = graph.refusals(node, output)
        for target in graph.nodes.values():
            if target.id in refused:
                continue
            wired = graph.wires_into(target.id)
            for port in input_ports(target, graph):
                if wired.get(port) is not None and wired[port].source == node:
                    continue
                here = f"from {output}" if len(outputs) > 1 else _kind(target)
                detail = (
                    f"instead of {graph.nodes[wired[port].source].name}" if port in wired else ""
                )
                key = (node, output, target.id, port)
                found.append((port in wired, Choice(key, f"{target.name}.{port}", here, detail)))
    return [choice for _, choice in sorted(found, key=lambda entry: entry[0])]


def _kind(node: Node) -> str:
    return "" if node.label == node.name else node.label


def _state(steps: tuple[str, ...], snapshot: Snapshot | None) -> tuple[str, bool]:
    """What is wrong with a node, else what is remarkable, else its value."""
    if snapshot is None:
        return "", False
    node = "/".join(steps)
    if node in snapshot.errors:
        return snapshot.errors[node].what, True
    if node in snapshot.notes:
        return snapshot.notes[node], True
    values = snapshot.values.get(node)
    return ", ".join(map(_value_text, values or ())), False


def _value_text(value: fmt.Array) -> str:
    if value.size > _NUMBERS:
        return fmt.shape_text(value)
    numbers = [fmt.number(item) for item in value.ravel()]
    return numbers[0] if value.ndim == 0 else f"({', '.join(numbers)})"
