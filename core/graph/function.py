"""A function: a body of nodes under one name, used by any number of instances.

A function is a value, as a graph is. A ``CALL`` node holds the very object, so that it knows its
ports by itself; all instances of a document hold the same one. A value cannot contain itself:
that is why functions never call themselves, in turn or directly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from core.errors import EditRefusedError
from core.graph.nodes import ARGUMENT, CALL, RESULT, Node
from core.graph.ports import MOST_PORTS

if TYPE_CHECKING:
    from core.graph.model import Graph
    from core.graph.parts import Parts

#: Functions in functions in functions: deeper than this nobody finds back.
DEEPEST = 32
#: Nodes that a graph may come to when every function in it is written out.
MOST_NODES = 100_000


@dataclass(frozen=True, eq=False)
class Function:
    """What a selection becomes. Two functions are equal when they are the same object.

    Its ports are the ``ARGUMENT`` and ``RESULT`` nodes of the body, top to bottom, and are called
    as those are.

    Attributes:
        id: ``"g3f9a12c0"``; random, so that a function pasted elsewhere is known again.
        name: unique in its document.
        body: a graph without runs; its ``inside`` is ``id``.
    """

    id: str
    name: str
    body: Graph

    @cached_property
    def arguments(self) -> tuple[Node, ...]:
        """The nodes where values come in."""
        return self._ends(ARGUMENT)

    @cached_property
    def results(self) -> tuple[Node, ...]:
        """The nodes where values go out."""
        return self._ends(RESULT)

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Names of the input ports of an instance."""
        return tuple(node.name for node in self.arguments)

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """Names of the output ports of an instance."""
        return tuple(node.name for node in self.results)

    @cached_property
    def calls(self) -> tuple[Function, ...]:
        """The function of every instance in the body."""
        return called(self.body)

    @cached_property
    def callees(self) -> frozenset[str]:
        """Ids of all functions that this one needs, at any depth."""
        return frozenset().union(*({f.id} | f.callees for f in self.calls))

    @cached_property
    def depth(self) -> int:
        """1 for a function without functions in it, and so on."""
        return 1 + max((function.depth for function in self.calls), default=0)

    @cached_property
    def size(self) -> int:
        """How many nodes the body comes to when every function in it is written out."""
        return written_out(self.body)

    def _ends(self, op: str) -> tuple[Node, ...]:
        ends = [node for node in self.body.nodes.values() if node.op == op]
        return tuple(sorted(ends, key=lambda node: (node.pos[1], node.pos[0])))


def check_ends(function: Function) -> None:
    """A function has something that comes out, and no more ports than any node.

    Raises:
        EditRefusedError: if it has not.
    """
    if not function.results:
        raise EditRefusedError(
            f"'{function.name}' would have no result.",
            next_step="Keep at least one: without it nothing comes out of the function.",
        )
    if max(len(function.inputs), len(function.outputs)) > MOST_PORTS:
        raise EditRefusedError(
            f"'{function.name}' would have more than {MOST_PORTS} ports on one side.",
            next_step="Put several values into one array, or make several functions.",
        )


def called(graph: Parts) -> tuple[Function, ...]:
    """The function of every instance in a graph."""
    return tuple(node.params["function"] for node in graph.nodes.values() if node.op == CALL)


def written_out(graph: Parts) -> int:
    """How many nodes a graph comes to when every function in it is written out."""
    return len(graph.nodes) + sum(function.size for function in called(graph))


def check_limits(graph: Parts) -> None:
    """A few instances of instances can come to more nodes than any computer holds.

    Raises:
        EditRefusedError: if the graph is nested too deeply or comes to too many nodes.
    """
    functions = called(graph)
    if max((function.depth for function in functions), default=0) > DEEPEST:
        raise EditRefusedError(
            f"Functions would be nested more than {DEEPEST} deep.",
            next_step="Flatten one of those in between.",
        )
    if functions and written_out(graph) > MOST_NODES:
        raise EditRefusedError(
            f"With its functions written out, the graph would have over {MOST_NODES:,} nodes.",
            next_step="Use fewer instances of the large functions.",
        )
