"""Functions that come along with what is pasted, in the document they come to.

A document has one definition of a function. What was copied from it, or from a document that got
the function from it, becomes an instance of that definition. A function that is new here comes
along; so does one whose ports were changed elsewhere, as a function of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from msgspec import structs

from core.errors import EditRefusedError
from core.graph import naming
from core.graph.function import Function
from core.graph.model import Graph
from core.graph.nodes import CALL, Node
from core.graph.redefine import fresh_id


def adopt(graph: Graph, piece: Graph) -> tuple[Graph, dict[str, Function]]:
    """The graph with the functions of a piece that is pasted into it.

    Returns:
        The graph, and for every id of the piece's functions what its instances are instances of
        now.

    Raises:
        EditRefusedError: if one of them needs the function whose body ``graph`` is.
    """
    functions = dict(graph.functions)
    names = {function.name for function in functions.values()}
    here: dict[str, Function] = {}
    for function in sorted(piece.functions.values(), key=lambda f: f.depth):  # callees come first
        known = functions.get(function.id)
        if known is not None and _ports(known) == _ports(function):
            here[function.id] = known
            continue
        new_id = fresh_id(functions) if known is not None else function.id
        body = replace(rebound(function.body, here), inside=new_id)
        new = Function(new_id, naming.free_name(function.name, names), body)
        names.add(new.name)
        here[function.id] = functions[new_id] = new
    for function in here.values():
        if graph.inside and graph.inside in function.callees | {function.id}:
            raise EditRefusedError(
                f"'{function.name}' would need itself.",
                next_step="Paste it outside of this function.",
            )
    return (replace(graph, functions=functions) if here else graph), here


def rebound(graph: Graph, here: Mapping[str, Function]) -> Graph:
    """The graph with its instances bound to functions of the same ports."""
    moved = {
        node.id: bound(node, here)
        for node in graph.nodes.values()
        if node.op == CALL and here[node.params["function"].id] is not node.params["function"]
    }
    return replace(graph, nodes={**graph.nodes, **moved}) if moved else graph


def bound(node: Node, here: Mapping[str, Function]) -> Node:
    """The node, bound to the function of its document if it is an instance."""
    if node.op != CALL:
        return node
    return structs.replace(node, params={"function": here[node.params["function"].id]})


def _ports(function: Function) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(function.inputs), frozenset(function.outputs)
