"""The runs of a file."""

from __future__ import annotations

from typing import Any

from core.files import arrays
from core.files.assembly.misfits import MisfitError, misfit
from core.files.schema import (
    ActionRecord,
    ArrayRecord,
    AssignRecord,
    BackwardRecord,
    ForwardRecord,
    GradRecord,
    RunRecord,
    ZeroGradRecord,
)
from core.graph import (
    Action,
    Assign,
    Backward,
    Forward,
    Grad,
    GradRef,
    Graph,
    Run,
    ZeroGrad,
    naming,
)
from core.graph.actions import problem


def runs_of(records: list[RunRecord], bare: Graph) -> tuple[Run, ...]:
    """The runs on the nodes of a graph.

    Raises:
        MisfitError: if one names what is not there, or two have one name.
    """
    runs: dict[str, Run] = {}
    for i, record in enumerate(records):
        place = f"runs[{i}] {record.name[:40]!r}"
        flaw = "is used twice" if record.name in runs else naming.flaw(record.name)
        if flaw:
            raise MisfitError(f"the name {flaw}", place=place)
        try:
            run = Run(record.name, tuple(_action(action) for action in record.actions))
        except arrays.ArrayError as error:
            raise misfit(error).at(place) from None
        wrong = problem(run, bare.knows)
        if wrong:
            raise MisfitError(wrong, place=place)
        runs[run.name] = run
    return tuple(runs.values())


def _action(record: ActionRecord) -> Action:
    match record:
        case BackwardRecord():
            return Backward(
                tuple(_root(root) for root in record.roots),
                _cotangents(record.cotangents),
                record.retain_graph,
                record.create_graph,
                None if record.inputs is None else tuple(record.inputs),
            )
        case GradRecord():
            return Grad(
                tuple(_root(root) for root in record.outputs),
                tuple(record.inputs),
                _cotangents(record.cotangents),
                record.retain_graph,
                record.create_graph,
                record.allow_unused,
                record.materialize_grads,
            )
        case ZeroGradRecord():
            nodes = None if record.nodes is None else tuple(record.nodes)
            return ZeroGrad(nodes, record.set_to_none)
        case AssignRecord():
            return Assign(record.node, arrays.decode(record.value))
        case ForwardRecord():
            return Forward()


def _root(root: tuple[str, str | int]) -> tuple[str, str] | GradRef:
    node, of = root
    return (node, of) if isinstance(of, str) else GradRef(of, node)


def _cotangents(records: list[ArrayRecord | tuple[str, int] | None] | None) -> Any:
    if records is None:
        return None
    return tuple(
        arrays.decode(c)
        if isinstance(c, ArrayRecord)
        else None
        if c is None
        else GradRef(c[1], c[0])
        for c in records
    )
