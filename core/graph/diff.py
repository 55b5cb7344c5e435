"""What turned one graph into another: all that a view or the evaluator needs to follow an edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from operator import is_not
from typing import Any, TypeVar

from core.graph.function import Function
from core.graph.model import Graph
from core.graph.nodes import CALL, Node, Wire

T = TypeVar("T")


@dataclass(frozen=True)
class GraphDiff:
    """Ids by what happened to them; one node may have been moved, renamed and changed at once.

    Attributes:
        before, after: the two graphs.
        nodes_moved: their place, their folding or their pin differs.
        nodes_renamed: their name differs.
        nodes_changed: what they compute differs: operation, parameters, value or inline values.
        wires_added, wires_removed: a wire whose ends differ is in both.
        wires_rerouted: only their reroute points differ.
        functions_changed: the document's functions differ; instances are in ``nodes_changed`` as
            well when their ports, name or values do.
        no_grad_changed: nodes that came into or out of a no_grad frame, in either graph.
    """

    before: Graph
    after: Graph
    nodes_added: frozenset[str]
    nodes_removed: frozenset[str]
    nodes_moved: frozenset[str]
    nodes_renamed: frozenset[str]
    nodes_changed: frozenset[str]
    wires_added: frozenset[str]
    wires_removed: frozenset[str]
    wires_rerouted: frozenset[str]
    no_grad_changed: frozenset[str]
    frames_changed: bool
    runs_changed: bool
    functions_changed: bool = False

    @property
    def affects_values(self) -> bool:
        """False when there is nothing to compute anew, and a replay may go on."""
        return bool(
            self.nodes_added
            or self.nodes_removed
            or self.nodes_changed
            or self.wires_added
            or self.wires_removed
            or self.no_grad_changed
        )


@lru_cache(maxsize=2)  # the document, its undo stack and the session ask about the same two
def diff(before: Graph, after: Graph) -> GraphDiff:
    """Compare two graphs by identity: what is the same object did not change."""
    nodes_added, nodes_removed, touched = _compared(before.nodes, after.nodes)
    wires_added, wires_removed, rewired = _compared(before.wires, after.wires)
    ends_differ = {i for i, (old, new) in rewired.items() if _ends(old) != _ends(new)}
    return GraphDiff(
        before=before,
        after=after,
        nodes_added=nodes_added,
        nodes_removed=nodes_removed,
        nodes_moved=frozenset(i for i, (a, b) in touched.items() if _stands(a) != _stands(b)),
        nodes_renamed=frozenset(i for i, (a, b) in touched.items() if a.name != b.name),
        nodes_changed=frozenset(i for i, (a, b) in touched.items() if _computes_differently(a, b)),
        wires_added=wires_added | ends_differ,
        wires_removed=wires_removed | ends_differ,
        wires_rerouted=frozenset(rewired) - ends_differ,
        no_grad_changed=before.no_grad_nodes ^ after.no_grad_nodes,
        frames_changed=before.frames is not after.frames,
        runs_changed=before.runs is not after.runs,
        functions_changed=before.functions != after.functions,
    )


def _computes_differently(a: Node, b: Node) -> bool:
    if a.op != b.op or not _same_entries(a.inline, b.inline):
        return True
    if _same_entries(a.params, b.params):
        return False
    return a.op != CALL or _is_another(a.params["function"], b.params["function"])


def _is_another(a: Function, b: Function) -> bool:
    """Whether an instance would be drawn or computed differently."""
    face = (a.name, a.inputs, a.outputs)
    return face != (b.name, b.inputs, b.outputs) or diff(a.body, b.body).affects_values


def _same_entries(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether the very same objects are under the same keys."""
    return a is b or (a.keys() == b.keys() and all(a[key] is b[key] for key in a))


def _stands(node: Node) -> tuple[tuple[float, float], bool, bool]:
    return (node.pos, node.collapsed, node.pinned)


def _ends(wire: Wire) -> tuple[str, str, str, str]:
    return (wire.source, wire.output, wire.target, wire.port)


def _compared(
    before: Mapping[str, T], after: Mapping[str, T]
) -> tuple[frozenset[str], frozenset[str], dict[str, tuple[T, T]]]:
    """Keys added, keys removed, and what is in both but is not the same object.

    The walk over everything is left to C: this is most of what an edit in a large graph costs.
    """
    if before is after:
        return frozenset(), frozenset(), {}
    other = list(compress(after, map(is_not, after.values(), map(before.get, after))))
    added = frozenset(key for key in other if key not in before)
    is_less = len(after) - len(added) < len(before)
    removed = frozenset(before.keys() - after.keys()) if is_less else frozenset()
    return added, removed, {key: (before[key], after[key]) for key in other if key not in added}
