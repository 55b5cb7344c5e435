"""Which wires a graph takes, and why not the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from core import topology
from core.errors import WireRefusedError, did_you_mean
from core.graph.ports import has_input, has_inputs, has_output, input_ports, output_ports

if TYPE_CHECKING:
    from core.graph.parts import Parts


def refusal(
    graph: Parts, source: str, output: str, target: str, port: str
) -> WireRefusedError | None:
    """Why a wire would be refused, or None; one walk from the target decides on loops."""
    here, there = graph.node(source), graph.node(target)
    if source == target:
        return WireRefusedError(
            f"'{here.name}' cannot feed itself.",
            next_step="Drop the wire on another node.",
            node=target,
            port=port,
        )
    if not has_output(here, output):
        return WireRefusedError(
            f"'{here.name}' has no output '{output}'.",
            next_step=did_you_mean(
                output, output_ports(here, graph), "Start the wire at a port on its right edge."
            ),
            node=source,
            port=output,
        )
    if not has_input(there, port):
        return WireRefusedError(
            f"'{there.name}' has no input '{port}'.",
            next_step=did_you_mean(
                port, input_ports(there, graph), "Drop the wire on a port on its left edge."
            ),
            node=target,
            port=port,
        )
    way = topology.path(target, source, graph.index.successors)
    if way:
        loop = " → ".join(graph.nodes[node_id].name for node_id in (*way, target))
        return WireRefusedError(
            f"This wire would close a loop: {loop}.",
            next_step="Gradients need a graph without loops: wire to a later node.",
            node=target,
            port=port,
        )
    return None


def refusals(graph: Parts, source: str) -> Mapping[str, str]:
    """Nodes that no wire from ``source`` can enter, and why: one walk for all of them."""
    name = graph.node(source).name
    reasons = {
        node_id: f"'{name}' depends on '{graph.nodes[node_id].name}': this would close a loop."
        for node_id in graph.ancestors(source)
    }
    reasons[source] = "A node cannot feed itself."
    for node in graph.nodes.values():
        if not has_inputs(node):
            reasons[node.id] = f"'{node.name}' has no inputs."
    return reasons
