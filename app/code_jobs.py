"""Writing and reading code on a thread of its own, so that the window never waits for it.

Only the newest job matters: one that was overtaken is dropped when it comes back.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.code_merge import merged
from core.errors import LimitError, PullbackError
from core.export import Exported, export_code
from core.graph import Graph, Run
from core.importers.python import load_program
from core.session import Snapshot

_log = logging.getLogger("pullback")


@dataclass(frozen=True)
class Reading:
    """What came of edited code: the graph it means, or the error that ended it."""

    graph: Graph | None = None
    error: PullbackError | None = None
    notes: tuple[str, ...] = ()


class _Post(QObject):
    """Carries what was made to the window's thread, where it lives."""

    arrived = Signal(object, object)


class _Job(threading.Thread):
    """Does one thing and posts what came of it. Nothing of Qt is made on it."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(name="code", daemon=True)
        self.post = _Post()
        self._work = work

    def run(self) -> None:
        """Do it."""
        try:
            made = self._work()
        except Exception as error:  # noqa: BLE001  (whatever it is, the window must hear of it)
            _log.exception("code could not be written or read")
            made = LimitError(
                f"The code could not be written or read: {type(error).__name__}: {error}",
                next_step="Undo what you did last, and report this.",
            )
        self.post.arrived.emit(self, made)


class CodeJobs(QObject):
    """Writes graphs as code and reads code as graphs.

    Signals:
        written: the newest text (Exported, or a PullbackError).
        read: what an edited text means (Reading).
    """

    written = Signal(object)
    read = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._job: _Job | None = None
        self._answers: Callable[[Any], None] | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being written or read."""
        return self._job is None

    def write(self, graph: Graph, target: str, run: Run | None, snapshot: Snapshot | None) -> None:
        """Begin to write a graph; what was begun before is not waited for."""
        self._start(lambda: export_code(graph, target, run, snapshot=snapshot), self.written.emit)

    def read_text(self, before: Graph, exported: Exported, text: str, run: Run | None) -> None:
        """Begin to read an edited text."""
        self._start(lambda: read_code(before, exported, text, run), self.read.emit)

    def stop(self) -> None:
        """Forget what is being done."""
        if self._job is not None:
            self._job.post.arrived.disconnect(self._on_arrived)
            _leaving.append(self._job)
            self._job = None
        _leaving[:] = [job for job in _leaving if job.is_alive()]

    def _start(self, work: Callable[[], Any], answers: Callable[[Any], None]) -> None:
        self.stop()
        self._job, self._answers = _Job(work), answers
        self._job.post.arrived.connect(self._on_arrived)
        self._job.start()

    @Slot(object, object)
    def _on_arrived(self, job: _Job, made: Any) -> None:
        if job is self._job:
            self._job = None
            job.join()
            assert self._answers is not None
            self._answers(made)


#: Threads nobody listens to any more: the last reference to one must not be dropped on its own.
_leaving: list[_Job] = []


def read_code(before: Graph, exported: Exported, text: str, run: Run | None) -> Reading:
    """The graph that an edited text means, as an edit of ``before``."""
    program = load_program(text, layout=False, arrays=exported.arrays)
    if program.error is not None:
        return Reading(error=program.error)
    after = merged(before, exported, text.rstrip("\n"), program.graph, run)
    return Reading(after, notes=program.notes)
