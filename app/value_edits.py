"""Edits that bring values into a graph, as plain functions like those of ``app.edits``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.edits import Edit, Point, best_port
from app.sliding import is_slider
from core.graph import INPUT, Graph, Node
from core.graph.naming import LONGEST, flaw, free_name

Array = np.ndarray[Any, Any]

#: Scene units from the top of one new node to the next.
ROW = 130.0
#: How far before a node the value it is given is put.
BEFORE = 252.0


@dataclass(frozen=True, slots=True)
class NewValue:
    """A value that comes from somewhere.

    Attributes:
        name: what a new node with it is called, if the name is free.
        source: how it was made; see ``core.graph.Node``.
    """

    name: str
    array: Array
    source: Mapping[str, Any] | None


def add_values(graph: Graph, values: Sequence[NewValue], place: Point) -> Edit:
    """An input node for each value, one below the other."""
    after, added = graph, []
    for row, value in enumerate(values):
        after, node_id = _with_input(after, value, (place[0], place[1] + row * ROW))
        added.append(node_id)
    what = after.nodes[added[0]].name if len(added) == 1 else f"{len(added)} values"
    return Edit(f"Import {what}", after, tuple(added))


def give_value(graph: Graph, target: str, port: str, value: NewValue) -> Edit:
    """Give a value to a node: an input takes it, an operation gets an input wired to its port.

    Args:
        port: the input port; "" for the best free one.

    Raises:
        PullbackError: if the node has no free port.
    """
    node = graph.nodes[target]
    if node.op == INPUT:
        return Edit(f"Set {node.name}", with_value(graph, node, value.array, value.source))
    after, node_id = _with_input(graph, value, (node.pos[0] - BEFORE, node.pos[1]))
    port = port or best_port(after, node_id, "y", target)
    after, _ = after.with_wire(node_id, "y", target, port)
    return Edit(f"Set {node.name}.{port}", after, (node_id,))


def with_value(
    graph: Graph, node: Node, array: Array, source: Mapping[str, Any] | None = None
) -> Graph:
    """The graph with another value at an input, which goes on requiring grad where it can.

    Args:
        source: how the value was made; without one the node keeps nothing but its slider.

    Raises:
        EditRefusedError: if the array cannot be kept.
    """
    if source is None and is_slider(node.params["source"]):
        source = node.params["source"]
    keeps_grad = bool(node.params["requires_grad"]) and array.dtype.kind in "fc"
    return graph.with_params(node.id, value=array, source=source, requires_grad=keeps_grad)


def _with_input(graph: Graph, value: NewValue, place: Point) -> tuple[Graph, str]:
    name = value.name.strip()[:LONGEST]
    name = free_name(name, graph.names) if flaw(name) is None else ""
    params = {"value": value.array, "requires_grad": False, "source": value.source}
    return graph.with_node(INPUT, place, name or None, params)
