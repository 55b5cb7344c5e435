"""What is given for a node, checked and in its stored form, or refused with the node's name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import EditRefusedError, did_you_mean
from core.graph.nodes import Array, Node
from core.graph.params import ParamError, checked, checked_array
from core.graph.ports import has_input


def checked_params(node: Node, params: Mapping[str, Any]) -> Mapping[str, Any]:
    """The node's parameters in their stored form.

    Raises:
        EditRefusedError: if a name or a value does not fit.
    """
    try:
        return checked(node.op, node.spec, params)
    except ParamError as error:
        raise EditRefusedError(
            f"'{node.name}': {error.what}", next_step=error.next_step, node=node.id
        ) from None


def checked_inline(node: Node, inline: Mapping[str, Any]) -> Mapping[str, Array]:
    """The values typed at the node's ports, as read-only arrays.

    Raises:
        EditRefusedError: if there is no such port, or the value is no array of numbers.
    """
    for port in inline:
        if not has_input(node, port):
            known = node.spec.ports if node.spec else ()
            raise EditRefusedError(
                f"'{node.name}' has no input '{port}'.",
                next_step=did_you_mean(port, known, "Look at the ports on its left edge."),
                node=node.id,
            )
    try:
        return {port: checked_array(value, port) for port, value in inline.items()}
    except ParamError as error:
        raise EditRefusedError(
            f"'{node.name}': {error.what}", next_step=error.next_step, node=node.id
        ) from None
