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


class _Heard:
    """One backward as the engine told it: trace and labels are made when somebody reads them.

    Attributes:
        roots: (record, cotangent) each.
        events: (record, cotangents, flows, whether values were freed) of a visit, with flows of
            (input, edge, contribution, sum so far); (record, cotangent, before, after) of an
            accumulation, whose third entry is no list.
        bytes: how much memory the arrays of ``roots`` and ``events`` take.
    """

    __slots__ = ("bytes", "error", "events", "number", "retained", "roots")

    def __init__(self, roots: list[tuple[Record, Any]]) -> None:
        self.roots = roots
        self.events: list[tuple[Record, Any, Any, Any]] = []
        self.bytes = sum(cotangent.nbytes for _, cotangent in roots)
        self.number = 0
        self.retained = False
        self.error: Exception | None = None


class Recorder:
    """The engine's observer: turns every backward into a ``Trace``.

    While a backward runs it only takes notes, so that watching costs little.

    Args:
        label: the name a record's step gets. Default: its tag, else its operation and a number.
        port: the name of a record's k-th input. Default: the operation's port.
        limit: bytes of arrays a trace may keep before it keeps summaries.
    """

    def __init__(
        self,
        label: Callable[[Record], str] | None = None,
        port: Callable[[Record, int], str] | None = None,
        limit: int = TRACE_BYTES,
    ) -> None:
        self._given_label = label
        self._port = port or default_port
        self._limit = limit
        self._numbers: dict[Record, str] = {}
        self._now: _Heard | None = None
        self._heard: list[_Heard] = []
        self._traces: list[Trace] = []

    @property
    def traces(self) -> list[Trace]:
        """One a backward, oldest first."""
        for heard in self._heard:
            self._traces.append(self._trace(heard))
        self._heard.clear()
        return self._traces

    # -- the engine calls these -------------------------------------------------------------------

    def began(self, roots: list[tuple[Record, Any]]) -> None:
        """A backward starts from ``roots``: (record, cotangent) each."""
        self._now = _Heard([(record, _raw(cotangent)) for record, cotangent in roots])

    def visited(
        self,
        record: Record,
        cotangents: Any,
        flows: list[tuple[int, Record, Any, Any]],
        freed: bool,
    ) -> None:
        """A record was visited; ``flows`` are (input, edge, contribution, sum so far)."""
        now = self._now
        assert now is not None  # it began
        size = now.bytes
        for _, _, contribution, total in flows:
            if contribution is not None:
                size += contribution.nbytes
                if total is not contribution:
                    size += total.nbytes
        now.bytes = size
        if size > self._limit:
            cotangents, flows = _in_short(cotangents, summary), _flows_in_short(flows, summary)
        elif state.grad:  # Tensors, whose history is not for the trace to keep alive
            cotangents, flows = _in_short(cotangents, _raw), _flows_in_short(flows, _raw)
        now.events.append((record, cotangents, flows, freed))

    def accumulated(
        self, record: Record, cotangent: Any, before: Array | None, after: Array
    ) -> None:
        """A leaf (or a retained tensor) added ``cotangent`` to its ``.grad``."""
        now = self._now
        assert now is not None  # it began
        given: tuple[Any, ...] = (cotangent, before, after)
        if before is not None:
            now.bytes += before.nbytes
        if after is not cotangent:
            now.bytes += after.nbytes
        if now.bytes > self._limit:
            given = tuple(None if value is None else summary(value) for value in given)
        elif state.grad:
            given = (_raw(cotangent), before, after)
        now.events.append((record, *given))

    def ended(self, number: int, retained: bool, error: Exception | None) -> None:
        """The backward is over, well or not: its trace is complete."""
        if self._now is not None:
            self._now.number, self._now.retained, self._now.error = number, retained, error
            self._heard.append(self._now)
            self._now = None

    # -- wording what was heard -------------------------------------------------------------------

    def _trace(self, heard: _Heard) -> Trace:
        self._counts: dict[tuple[str, int], int] = {}
        roots = tuple((*self._receiver(record), _frozen(g)) for record, g in heard.roots)
        steps = tuple(
            self._visit(record, g, third, fourth)
            if isinstance(third, list)
            else self._accumulation(record, g, third, fourth)
            for record, g, third, fourth in heard.events
        )
        kept = min(heard.bytes, self._limit)
        return Trace(
            heard.number,
            roots,
            steps,
            heard.retained,
            heard.error,
            heard.bytes > self._limit,
            kept,
        )

    def _visit(
        self, record: Record, g: Any, flows: list[tuple[int, Record, Any, Any]], freed: bool
    ) -> Step:
        if isinstance(g, dict):
            arrived = tuple(_frozen(g[i]) if i in g else None for i in range(len(record.made)))
        else:
            arrived = (_frozen(g),)
        sent = tuple(
            self._flow(record, k, edge, contribution, total)
            for k, edge, contribution, total in flows
            if contribution is not None
        )
        lost = record.saves() if freed else ()
        return Step(self._label(record), record.name, arrived, sent, lost)

    def _accumulation(self, record: Record, g: Any, before: Any, after: Any) -> Step:
        return Step(
            self._receiver(record)[0],
            "",
            (_frozen(g),),
            before=None if before is None else _frozen(before),
            after=_frozen(after),
            accumulates=True,
        )

    def _flow(self, record: Record, k: int, edge: Record, contribution: Any, total: Any) -> Flow:
        node, output = self._receiver(edge)
        count = self._counts[node, output] = self._counts.get((node, output), 0) + 1
        return Flow(
            self._port(record, k), node, output, _frozen(contribution), _frozen(total), count
        )

    def _receiver(self, record: Record) -> tuple[str, int]:
        """Name and output index of what a gradient to ``record`` arrives at."""
        if record.lane == SELECT:
            (owner,) = record.edges
            assert owner is not None  # a SELECT always has its owner
            return self._label(owner), int(record.args)
        return self._label(record), 0

    def _label(self, record: Record) -> str:
        if self._given_label is not None:
            return self._given_label(record)
        tag = getattr(record, "tag", None)
        if tag is not None:
            return str(tag)
        name = self._numbers.get(record)
        if name is None:
            name = self._numbers[record] = f"{record.name}{len(self._numbers) + 1}"
        return name


def default_port(record: Record, k: int) -> str:
    """The port name of a record's k-th input; ``xs[2]`` for a variadic one."""
    spec = record.op.spec
    return f"{spec.ports[0]}[{k}]" if spec.variadic else spec.ports[k]


def summary(value: Any) -> Summary:
    """What is kept of an array (or a Tensor's) that is too large to keep."""
    array = _raw(value)
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


def _frozen(value: Any) -> Array | Summary:
    """``value`` as an array that cannot be written to."""
    if isinstance(value, Summary):
        return value
    array = np.asarray(value)
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def _in_short(cotangents: Any, short: Callable[[Any], Any]) -> Any:
    if isinstance(cotangents, dict):
        return {i: short(g) for i, g in cotangents.items()}
    return short(cotangents)


def _flows_in_short(
    flows: list[tuple[int, Record, Any, Any]], short: Callable[[Any], Any]
) -> list[tuple[int, Record, Any, Any]]:
    return [(k, edge, short(h), short(total)) for k, edge, h, total in flows if h is not None]


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
