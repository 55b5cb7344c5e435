"""What a session shows: snapshots of its state, and what came of actions and runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.errors import PullbackError
from core.graph import Action, Graph
from core.records import Record
from core.trace import Trace

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Saved:
    """A value that a node keeps for backward.

    Attributes:
        name: the output ("y") or input port whose value it is.
        freed_by: number of the backward that let it go, or None.
    """

    name: str
    value: Array
    freed_by: int | None = None


def saved_by(record: Record) -> tuple[Saved, ...]:
    """What a record keeps for its backward."""
    kept: list[Saved] = []
    for name, value in record.saved().items():
        if isinstance(value, tuple):
            kept.extend(Saved(f"{name}[{i}]", read_only(v)) for i, v in enumerate(value))
        elif value is not None:
            kept.append(Saved(name, read_only(value)))
    return tuple(kept)


def read_only(value: Any) -> Array:
    """``value`` as an array that nobody can write to; the array itself, seen through a view."""
    array = np.asarray(value)
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a session holds, as read-only arrays, by node id: ``n7/n3`` for a node in instance n7.

    Attributes:
        generation: grows with every snapshot of a session.
        values: one array an output; nodes that could not be computed are missing.
        needs_grad: nodes through which gradients flow.
        errors: why a node could not be computed.
        notes: remarks on values, e.g. where a NaN was born.
        saved: what each node keeps for backward.
        grads: ``.grad`` of every leaf that requires grad, and of whatever else has one.
        backwards: how many backwards there were since the last restart.
    """

    generation: int
    graph: Graph
    values: Mapping[str, tuple[Array, ...]]
    needs_grad: frozenset[str]
    errors: Mapping[str, PullbackError]
    notes: Mapping[str, str]
    saved: Mapping[str, tuple[Saved, ...]]
    grads: Mapping[str, Array | None]
    backwards: int

    def inside(self, path: str, graph: Graph) -> Snapshot:
        """The same from one level: inside the instance ``path``, or at the top for ``""``.

        Args:
            graph: what is at that level: the body of the instance's function.
        """
        if not graph.functions:
            return self
        start = f"{path}/" if path else ""

        def own(ids: Iterable[str]) -> dict[str, str]:
            """Ids of this level as they are there -> as they are here."""
            here = (i for i in ids if i.startswith(start))
            return {short: i for i in here if "/" not in (short := i[len(start) :])}

        return Snapshot(
            self.generation,
            graph,
            {short: self.values[i] for short, i in own(self.values).items()},
            frozenset(own(self.needs_grad)),
            {short: self.errors[i] for short, i in own(self.errors).items()},
            {short: self.notes[i] for short, i in own(self.notes).items()},
            {short: self.saved[i] for short, i in own(self.saved).items()},
            {short: self.grads[i] for short, i in own(self.grads).items()},
            self.backwards,
        )


@dataclass(frozen=True, slots=True)
class ActionResult:
    """What came of an action.

    Attributes:
        trace: what the backward or grad did, also when it stopped early; else None.
        added: what each leaf received, by node id.
        results: the gradients a ``Grad`` returned, by node id.
    """

    action: Action
    trace: Trace | None = None
    added: Mapping[str, Array] = field(default_factory=dict)
    error: PullbackError | None = None
    results: Mapping[str, Array | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of a run: its actions up to the first that failed, and the gradients left."""

    name: str
    results: tuple[ActionResult, ...]
    grads: Mapping[str, Array | None]
