"""Edits about functions, as plain functions: a text and a graph, like those of ``edits``."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from app.arranging.room import shifts_into_room
from app.edits import Edit, Point
from core.errors import EditRefusedError
from core.graph import CALL, Graph, flatten, gather


def make_function(graph: Graph, nodes: Collection[str], sizes: Mapping[str, Point]) -> Edit:
    """Put nodes into a new function, amid where they were or as near as there is room.

    Args:
        sizes: width and height of all nodes.

    Raises:
        EditRefusedError: if that is not possible; it says which node is in the way.
    """
    if not nodes:
        raise EditRefusedError(
            "Nothing is selected.", next_step="Select the nodes that are to become a function."
        )
    after, call = gather(graph, nodes, _frame_title(graph, nodes) or "function")
    width, height = (max(sizes[i][k] for i in nodes) for k in (0, 1))  # about what it will take
    x, y = after.nodes[call].pos
    others = [
        (*node.pos, node.pos[0] + sizes[i][0], node.pos[1] + sizes[i][1])
        for i, node in after.nodes.items()
        if i != call
    ]
    if others:
        box = np.array([(x, y, x + width, y + height)])
        down = shifts_into_room(box, np.array(others))
        after = after.moved({call: (x, y + float(down[0]))})
    return Edit(f"Make {after.nodes[call].label}", after, (call,))


def flatten_functions(graph: Graph, nodes: Collection[str]) -> Edit:
    """Put the nodes of functions in place of their instances.

    Raises:
        EditRefusedError: if none of ``nodes`` is a function.
    """
    calls = [i for i in nodes if graph.nodes[i].op == CALL]
    if not calls:
        raise EditRefusedError(
            "No function is selected.", next_step="Select the function nodes to flatten."
        )
    new: tuple[str, ...] = ()
    after = graph
    for call in calls:
        after, inner = flatten(after, call)
        new += inner
    name = graph.nodes[calls[0]].name if len(calls) == 1 else f"{len(calls)} functions"
    return Edit(f"Flatten {name}", after, new)


def _frame_title(graph: Graph, nodes: Collection[str]) -> str:
    """The title of a frame with these operations in it, if the user gave it one."""
    chosen = [graph.nodes[i] for i in nodes]
    titles = [
        frame.title.strip()
        for frame in graph.frames.values()
        if frame.title != "Frame" and all(frame.holds(node) for node in chosen)
    ]
    return titles[0][:60] if titles else ""
