"""What hovering says: everything about a node, port or wire, in full."""

from __future__ import annotations

import html

import numpy as np

from app.canvas import format as fmt
from app.canvas.facts import Facts
from app.canvas.hit import Hit
from core.graph import output_ports
from core.trace import Summary

#: Larger arrays are shortened in the middle.
_MOST_ELEMENTS = 64


def tooltip(hit: Hit, facts: Facts) -> str:
    """Rich text about what was hit; empty when there is nothing to say."""
    if hit.kind == "node":
        return _node(hit.id, facts)
    if hit.kind == "wire":
        return _wire(hit.id, facts)
    if hit.kind == "output":
        return _output(hit.id, hit.port, facts)
    if hit.kind == "input":
        return _input(hit.id, hit.port, facts)
    return ""


def _node(node_id: str, facts: Facts) -> str:
    node = facts.graph.nodes[node_id]
    spec = node.spec
    lines = [_title(node.name, node.label if node.label != node.name else "")]
    if spec is not None and spec.summary:
        lines.append(_words(spec.summary))
    error = facts.snapshot.errors.get(node_id) if facts.snapshot else None
    if error is not None:
        lines.append(_words(error.what) + "<br>" + _words(error.next_step))
    elif facts.message(node_id)[0]:
        lines.append(_words(facts.message(node_id)[0]))
    for k, name in enumerate(output_ports(node, facts.graph)):
        value = facts.value(node_id, k)
        if value is not None:
            lines.append(_array("value" if k == 0 and name == "y" else name, value))
    names = output_ports(node, facts.graph)
    for k, name in enumerate(names):
        cotangent = facts.cotangent(node_id, k)
        if cotangent is not None:
            of = f" of {name}" if len(names) > 1 else ""
            lines.append(_array(f"cotangent{of}", cotangent))
    grad = facts.grad(node_id)
    if grad is not None:
        lines.append(_array("grad", grad))
    elif not facts.needs_grad(node):
        lines.append(_words("Needs no grad: nothing flows back to it."))
    if facts.tally(node_id):
        lines.append(_words(f"Contributions: {facts.tally(node_id)}"))
    saved = [f"{name} (freed)" if freed else name for name, freed in facts.saved(node_id)]
    if saved:
        lines.append(_words("Saved for its VJP: " + ", ".join(saved)))
    return "<br>".join(lines)


def _wire(wire_id: str, facts: Facts) -> str:
    wire = facts.graph.wires[wire_id]
    nodes = facts.graph.nodes
    lines = [_title(f"{nodes[wire.source].name} → {nodes[wire.target].name}.{wire.port}", "")]
    value = facts.arriving_value(wire.target, wire.port)
    if value is not None:
        lines.append(_array("value", value))
    moment = facts.moment
    flow = moment.arrived.get((wire.target, wire.port)) if moment is not None else None
    if flow is not None:
        lines.append(_array("VJP", flow.contribution))
    elif value is not None and not facts.needs_grad(nodes[wire.source]):
        lines.append(_words("Carries no gradient: its source needs no grad."))
    return "<br>".join(lines)


def _output(node_id: str, port: str, facts: Facts) -> str:
    node = facts.graph.nodes[node_id]
    names = output_ports(node, facts.graph)
    value = facts.value(node_id, names.index(port)) if port in names else None
    lines = [_title(f"{node.name}.{port}", "output")]
    if value is not None:
        lines.append(_array("value", value))
    return "<br>".join(lines)


def _input(node_id: str, port: str, facts: Facts) -> str:
    node = facts.graph.nodes[node_id]
    lines = [_title(f"{node.name}.{port}", "input")]
    value = facts.arriving_value(node_id, port)
    if value is None:
        value = node.inline.get(port)
    lines.append(_words("Nothing is connected.") if value is None else _array("value", value))
    return "<br>".join(lines)


def _title(name: str, kind: str) -> str:
    return f"<b>{html.escape(name)}</b> &nbsp;{html.escape(kind)}"


def _words(text: str) -> str:
    return html.escape(text)


def _array(label: str, value: fmt.Shown) -> str:
    size = fmt.size_of(value)
    head = f"{label} <code>{fmt.shape_text(value)}</code>"
    if len(value.shape):
        head += f" &nbsp;rms {fmt.number(size.rms)}"
    return f"{head}<pre style='margin:2px 0'>{html.escape(_full(value))}</pre>"


def _full(value: fmt.Shown) -> str:
    if isinstance(value, Summary):
        first = ", ".join(fmt.number(x) for x in value.sample)
        return f"{first}, …  from {fmt.number(value.low)} to {fmt.number(value.high)}"
    if value.ndim == 0:
        return repr(value.item())
    text = np.array2string(value, precision=6, threshold=_MOST_ELEMENTS, edgeitems=3)
    return text.replace("-", fmt.MINUS)
