"""Recording what backward does: ``with observe() as recorder: loss.backward()``."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as np

from core.modes import state
from core.records import SELECT, Record
from core.tensor import Tensor
from core.trace import Array, Flow, Step, Summary, Trace

#: Bytes of arrays that one trace keeps; beyond it keeps summaries.
TRACE_BYTES = 256 * 2**20


class Recorder:
    """The engine's observer: turns every backward into a ``Trace``.

    Args:
        label: the name a record's step gets. Default: its tag, else its operation and a number.
        port: the name of a record's k-th input. Default: the operation's port.
        limit: bytes of arrays a trace may keep before it keeps summaries.

    Attributes:
        traces: one a backward, oldest first.
    """

    def __init__(
        self,
        label: Callable[[Record], str] | None = None,
        port: Callable[[Record, int], str] | None = None,
        limit: int = TRACE_BYTES,
    ) -> None:
        self.traces: list[Trace] = []
        self._label = label or self._default_label
        self._port = port or default_port
        self._limit = limit
        self._numbers: dict[Record, str] = {}
        self._steps: list[Step] = []
        self._roots: list[tuple[str, int, Array | Summary]] = []
        self._counts: dict[tuple[str, int], int] = {}
        self._kept: dict[int, Array] = {}
        self._bytes = 0
        self._running = False

    # -- the engine calls these -------------------------------------------------------------------

    def began(self, roots: list[tuple[Record, Any]]) -> None:
        """A backward starts from ``roots``: (record, cotangent) each."""
        self._steps, self._roots, self._counts = [], [], {}
        self._kept, self._bytes = {}, 0
        self._running = True
        for record, cotangent in roots:
            node, output = self._receiver(record)
            self._roots.append((node, output, self._keep(_raw(cotangent).copy())))

    def visited(
        self,
        record: Record,
        cotangents: Any,
        flows: list[tuple[int, Record, Any, Any]],
        freed: tuple[str, ...],
    ) -> None:
        """A record was visited; ``flows`` are (input, edge, contribution, sum so far)."""
        if isinstance(cotangents, dict):
            arrived = tuple(
                self._keep(cotangents[i]) if i in cotangents else None
                for i in range(len(record.made))
            )
        else:
            arrived = (self._keep(cotangents),)
        sent = tuple(
            self._flow(record, k, edge, contribution, total)
            for k, edge, contribution, total in flows
            if contribution is not None
        )
        self._steps.append(Step(self._label(record), record.name, arrived, sent, freed))

    def accumulated(
        self, record: Record, cotangent: Any, before: Array | None, after: Array
    ) -> None:
        """A leaf (or a retained tensor) added ``cotangent`` to its ``.grad``."""
        self._steps.append(
            Step(
                self._receiver(record)[0],
                "",
                (self._keep(cotangent),),
                before=None if before is None else self._keep(before),
                after=self._keep(after),
                accumulates=True,
            )
        )

    def ended(self, number: int, retained: bool, error: Exception | None) -> None:
        """The backward is over, well or not: its trace is complete."""
        if self._running:
            self._running = False
            summarised = self._bytes > self._limit
            self.traces.append(
                Trace(number, tuple(self._roots), tuple(self._steps), retained, error, summarised)
            )

    # ---------------------------------------------------------------------------------------------

    def _flow(self, record: Record, k: int, edge: Record, contribution: Any, total: Any) -> Flow:
        node, output = self._receiver(edge)
        count = self._counts[node, output] = self._counts.get((node, output), 0) + 1
        return Flow(
            self._port(record, k), node, output, self._keep(contribution), self._keep(total), count
        )

    def _receiver(self, record: Record) -> tuple[str, int]:
        """Name and output index of what a gradient to ``record`` arrives at."""
        if record.lane == SELECT:
            (owner,) = record.edges
            assert owner is not None  # a SELECT always has its owner
            return self._label(owner), int(record.args)
        return self._label(record), 0

    def _default_label(self, record: Record) -> str:
        tag = getattr(record, "tag", None)
        if tag is not None:
            return str(tag)
        name = self._numbers.get(record)
        if name is None:
            name = self._numbers[record] = f"{record.name}{len(self._numbers) + 1}"
        return name

    def _keep(self, value: Any) -> Array | Summary:
        array = _raw(value)
        held = self._kept.get(id(array))
        if held is array:
            return array
        self._bytes += array.nbytes
        if self._bytes > self._limit:
            return summary(array)
        if array.flags.writeable:
            array = array.view()
            array.flags.writeable = False
        self._kept[id(array)] = array
        return array


def default_port(record: Record, k: int) -> str:
    """The port name of a record's k-th input; ``xs[2]`` for a variadic one."""
    spec = record.op.spec
    return f"{spec.ports[0]}[{k}]" if spec.variadic else spec.ports[k]


def summary(array: Array) -> Summary:
    """What is kept of an array that is too large to keep."""
    sample = array.ravel()[:16].copy()
    if not array.size:
        return Summary(array.shape, array.dtype.name, 0.0, 0.0, 0.0, 0.0, sample)
    with np.errstate(all="ignore"):
        size = np.abs(array) if array.dtype.kind == "c" else array
        return Summary(
            array.shape,
            array.dtype.name,
            float(np.sqrt(np.mean(np.square(size, dtype=np.float64)))),
            float(np.mean(size, dtype=np.float64)),
            float(np.min(size)),
            float(np.max(size)),
            sample,
        )


def _raw(value: Any) -> Array:
    return np.asarray(value._data if isinstance(value, Tensor) else value)


class observe:  # noqa: N801  (a context manager, used like a function)
    """``with observe() as recorder:`` every backward inside leaves a trace in recorder.traces."""

    def __init__(self, recorder: Recorder | None = None) -> None:
        self._recorder = recorder or Recorder()
        self._before: Any = None

    def __enter__(self) -> Recorder:
        self._before = state.observer
        state.observer = self._recorder
        return self._recorder

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        state.observer = self._before
