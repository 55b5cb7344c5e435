"""What is shown on the node of a function: its outputs' values, and what is wrong inside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.errors import MissingInputError, PullbackError
from core.folding import saved_name
from core.graph import ARGUMENT, CALL, Graph, inner_node
from core.results import Saved
from core.trace import CallPorts

Array = np.ndarray[Any, Any]


def add_values(values: dict[str, tuple[Array, ...]], calls: Mapping[str, CallPorts]) -> None:
    """Give every instance the values of its results, where all of them are there."""
    for call, ports in calls.items():
        if all(end in values for end in ports.outputs):
            values[call] = tuple(values[end][0] for end in ports.outputs)


def add_needs_grad(needs_grad: set[str], calls: Mapping[str, CallPorts]) -> None:
    """An instance needs a gradient when one of its results does."""
    needs_grad |= {
        call for call, ports in calls.items() if not needs_grad.isdisjoint(ports.outputs)
    }


def add_errors(
    errors: dict[str, PullbackError], graph: Graph, calls: Mapping[str, CallPorts]
) -> None:
    """Give every instance the first error inside it, in words that say that it is inside."""
    for call, ports in calls.items():  # inner ones first, so that errors come outward
        broken = next((inside for inside in ports.inside if inside in errors), None)
        node = inner_node(graph, call)
        if broken is None or node is None:
            continue
        if broken in ports.inputs:
            port = ports.inputs[broken]
            error: PullbackError = MissingInputError(
                f"'{node.name}' needs {port}.",
                next_step="Drag a wire to it, or type a value in the inspector.",
                port=port,
            )
        else:
            inner = errors[broken]
            what = f"In '{node.name}': {inner.what}"
            error = type(inner)(what, next_step=inner.next_step)
        error.node = call
        errors[call] = error


def origins(errors: Mapping[str, PullbackError], graph: Graph) -> list[PullbackError]:
    """The errors of a snapshot, each where it arises and nowhere else."""
    found = []
    for node_id, error in errors.items():
        node = inner_node(graph, node_id)
        repeats = node is not None and node.op == CALL and error.port is None
        if not repeats and (node is None or node.op != ARGUMENT):
            found.append(error)
    return found


def add_notes(notes: dict[str, str], calls: Mapping[str, CallPorts]) -> None:
    """Give every instance the first remark on a value inside it."""
    for call, ports in calls.items():
        strange = next((inside for inside in ports.inside if inside in notes), None)
        if strange is not None:
            notes[call] = f"{ports.inside[strange]}: {notes[strange]}"


def add_saved(saved: dict[str, tuple[Saved, ...]], calls: Mapping[str, CallPorts]) -> None:
    """An instance keeps for backward what the nodes inside it keep."""
    for call, ports in calls.items():
        kept = tuple(
            Saved(saved_name(calls, call, inside, value.name), value.value, value.freed_by)
            for inside in ports.inside
            for value in saved.get(inside, ())
        )
        if kept:
            saved[call] = kept
