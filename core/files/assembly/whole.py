"""A graph out of all parts of a file, functions first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from core import topology
from core.errors import EditRefusedError
from core.files.assembly.misfits import MisfitError, misfit, place_of, refuse_repeated
from core.files.assembly.nodes import nodes_of
from core.files.assembly.runs import runs_of
from core.files.assembly.wires import check_next_id, frames_of, wires_of
from core.files.schema import FileRecord, FunctionRecord
from core.graph import CALL, Function, Graph, naming
from core.graph.function import check_ends, check_limits

#: Gives the text of every node of a function by its position, or of the document for None.
RawTexts = Callable[[int | None], list[str]]


def graph(record: FileRecord, raw_nodes: RawTexts) -> Graph:
    """The graph of a file.

    Args:
        raw_nodes: gives the text of every node, of the function of a position or, for None, of
            the document itself; asked only when an operation is unknown.

    Raises:
        MisfitError: if the parts do not fit each other.
    """
    functions = _functions(record.functions, raw_nodes) if record.functions else {}
    bare = _body(record, lambda: raw_nodes(None), functions)
    try:
        check_limits(bare)
    except EditRefusedError as error:
        raise misfit(error).at("functions") from None
    return replace(bare, functions=functions, runs=runs_of(record.runs, bare))


def _body(
    record: FileRecord | FunctionRecord,
    raw_nodes: Callable[[], list[str]],
    functions: Mapping[str, Function],
    inside: str = "",
) -> Graph:
    """What the graph of a document and the body of a function have in common."""
    nodes = nodes_of(record.nodes, raw_nodes, functions, inside)
    wires = wires_of(record.wires, nodes)
    frames = frames_of(record.frames)
    check_next_id(record.next_id, (*nodes, *wires, *frames))
    bare = Graph.of(nodes, wires, frames, (), record.next_id, inside=inside)
    try:
        bare.order()
    except topology.LoopError as error:
        loop = " → ".join(nodes[node_id].name for node_id in error.loop)
        raise MisfitError(f"they close a loop: {loop}", place="wires") from None
    return bare


def _functions(records: list[FunctionRecord], raw_nodes: RawTexts) -> dict[str, Function]:
    """The functions in the order of the file, made in an order in which each has what it calls."""
    refuse_repeated("functions", "the id '{}' is used twice", [r.id for r in records])
    refuse_repeated("functions", "the name '{}' is used twice", [r.name for r in records])
    position = {record.id: i for i, record in enumerate(records)}
    made: dict[str, Function] = {}
    for function_id in _order(records, position):
        i = position[function_id]
        place = place_of("functions", i, records[i].name)
        try:
            made[function_id] = _function(records[i], partial(raw_nodes, i), made)
        except MisfitError as error:
            raise error.at(f"{place}, {error.place}" if error.place else place) from None
    return {record.id: made[record.id] for record in records}


def _function(
    record: FunctionRecord, raw_nodes: Callable[[], list[str]], made: Mapping[str, Function]
) -> Function:
    flaw = naming.flaw(record.name)
    if flaw:
        raise MisfitError(f"the name {flaw}")
    function = Function(record.id, record.name, _body(record, raw_nodes, made, record.id))
    try:
        check_ends(function)
        check_limits(function.body)
    except EditRefusedError as error:
        raise misfit(error) from None
    return function


def _order(records: list[FunctionRecord], position: Mapping[str, int]) -> tuple[str, ...]:
    """Ids of the functions, each after all that it calls."""
    callers: dict[str, list[str]] = {record.id: [] for record in records}
    for record in records:
        for node in record.nodes:
            called = node.params.get("function")
            if node.op == CALL and isinstance(called, str) and called in callers:
                callers[called].append(record.id)
    try:
        return topology.order(callers, callers.__getitem__)
    except topology.LoopError as error:
        names = [records[position[i]].name for i in reversed(error.loop)]
        what = f"they call themselves: {' → '.join(names)}"
        raise MisfitError(what, place="functions") from None
