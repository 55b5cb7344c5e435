"""Functions of a document: opened, edited, and changed everywhere they are used.

Instances share their definition, so an edit of a body is an edit of every graph that has an
instance: it gets the new ``Function``, and its wires follow ports that were renamed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from msgspec import structs

from core.errors import EditRefusedError, UnknownNodeError
from core.graph import naming
from core.graph.actions import Output, with_roots
from core.graph.function import Function, check_ends, check_limits
from core.graph.index import WireIndex
from core.graph.model import Graph
from core.graph.nodes import CALL, Node, Wire

Functions = Mapping[str, Function]


def fresh_id(functions: Functions) -> str:
    """An id that no other function has, here or in any other document."""
    while (new := f"g{os.urandom(4).hex()}") in functions:
        pass
    return new


def function_of(graph: Graph, function_id: str) -> Function:
    """The document's function of this id.

    Raises:
        UnknownNodeError: if there is none.
    """
    try:
        return graph.functions[function_id]
    except KeyError:
        raise UnknownNodeError(
            f"There is no function '{function_id}' in this document.",
            next_step="It may have been deleted: undo brings it back.",
        ) from None


def opened(graph: Graph, function_id: str) -> Graph:
    """The body of a function as a graph to edit: it knows the document's functions."""
    return replace(function_of(graph, function_id).body, functions=graph.functions)


def closed(graph: Graph, body: Graph) -> Graph:
    """The document after the body of one of its functions (``body.inside``) was edited.

    Raises:
        EditRefusedError: see ``redefine``.
    """
    new = {i: f for i, f in body.functions.items() if i not in graph.functions}
    if new:
        graph = replace(graph, functions={**graph.functions, **new})
    function = function_of(graph, body.inside)
    return redefine(graph, replace(function, body=replace(body, functions={}, runs=())))


def renamed(graph: Graph, function_id: str, name: str) -> Graph:
    """With a function called otherwise.

    Raises:
        EditRefusedError: if the name is taken, empty or too long.
    """
    function = function_of(graph, function_id)
    if name == function.name:
        return graph
    taken = {f.name for f in graph.functions.values()}
    flaw = "is taken" if name in taken else naming.flaw(name)
    if flaw:
        raise EditRefusedError(f"The name '{name}' {flaw}.", next_step="Give another one.")
    return redefine(graph, replace(function, name=name))


def without_function(graph: Graph, function_id: str) -> Graph:
    """Without a function that nothing uses.

    Raises:
        EditRefusedError: if it has instances.
    """
    function = function_of(graph, function_id)
    users = [node.name for node in graph.nodes.values() if _is_call(node, {function_id: function})]
    users += [f.name for f in graph.functions.values() if function_id in f.callees]
    if users:
        raise EditRefusedError(
            f"'{function.name}' is used by {', '.join(users[:3])}.",
            next_step="Delete or flatten its instances first.",
        )
    left = {i: f for i, f in graph.functions.items() if i != function_id}
    return replace(graph, functions=left)


def redefine(graph: Graph, function: Function) -> Graph:
    """The document with another definition of a function, in every instance at any depth.

    Wires at ports that are gone are cut, and what runs say about those outputs goes.

    Raises:
        EditRefusedError: if the function would need itself, has no result, or grows too large or
            too many ports.
    """
    check_ends(function)
    if function.id in function.callees:
        raise EditRefusedError(
            f"'{function.name}' would need itself.",
            next_step="Flatten the instance you want to put in, or use another function.",
        )
    changed = {function.id: function}
    functions = {**graph.functions, function.id: function}
    for other in sorted(graph.functions.values(), key=lambda f: f.depth):  # callees come first
        if other.id != function.id and other.callees & changed.keys():
            other = replace(other, body=_refitted(other.body, changed))
            functions[other.id] = changed[other.id] = other
    after = _refitted(replace(graph, functions=functions), changed)
    for other in changed.values():
        check_limits(other.body)
    check_limits(after)
    return after


def _is_call(node: Node, functions: Functions) -> bool:
    return node.op == CALL and node.params["function"].id in functions


def _refitted(graph: Graph, changed: Functions) -> Graph:
    """The graph with its instances of the changed functions brought up to date."""
    nodes, wires = dict(graph.nodes), dict(graph.wires)
    roots: dict[Output, Output] = {}
    for node in graph.nodes.values():
        if not _is_call(node, changed):
            continue
        old: Function = node.params["function"]
        new = changed[old.id]
        inputs = _ports(old.arguments, new.arguments)
        outputs = _ports(old.results, new.results)
        inline = {inputs[p]: value for p, value in node.inline.items() if p in inputs}
        kept = node.inline if inline.keys() == node.inline.keys() else inline
        nodes[node.id] = structs.replace(node, params={"function": new}, inline=kept)
        for wire in graph.wires_into(node.id).values():
            _lead(wires, wires[wire.id], "port", inputs.get(wire.port))
        for wire in graph.wires_from(node.id):
            if wire.id in wires:
                _lead(wires, wires[wire.id], "output", outputs.get(wire.output))
        roots |= {(node.id, a): (node.id, b) for a, b in outputs.items() if a != b}
    index = graph.index if _same(wires, graph.wires) else WireIndex.of(nodes, wires.values())
    kept_wires = graph.wires if index is graph.index else wires
    runs = tuple(with_roots(run, roots) for run in graph.runs) if roots else graph.runs
    return replace(graph, nodes=nodes, wires=kept_wires, index=index, runs=runs).pruned()


def _ports(before: tuple[Node, ...], after: tuple[Node, ...]) -> dict[str, str]:
    """What each port that is still there is called now."""
    names = {node.id: node.name for node in after}
    return {node.name: names[node.id] for node in before if node.id in names}


def _lead(wires: dict[str, Wire], wire: Wire, end: str, port: str | None) -> None:
    """Put one end of a wire at the port's new name, or cut it when the port is gone."""
    if port is None:
        del wires[wire.id]
    elif getattr(wire, end) != port:
        wires[wire.id] = structs.replace(wire, **{end: port})


def _same(a: Mapping[str, Wire], b: Mapping[str, Wire]) -> bool:
    return len(a) == len(b) and all(a[i] is b[i] for i in a)
