"""Writing and reading code elsewhere, so that the window never waits for it.

Only the newest job matters: one that was overtaken is dropped when it comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.background import Background
from app.code_merge import merged
from core.errors import PullbackError
from core.export import Exported, export_code
from core.graph import Graph, Run
from core.importers.python import load_program
from core.session import Snapshot


@dataclass(frozen=True)
class Reading:
    """What came of edited code: the graph it means, or the error that ended it."""

    graph: Graph | None = None
    error: PullbackError | None = None
    notes: tuple[str, ...] = ()


class CodeJobs(QObject):
    """Writes graphs as code and reads code as graphs.

    Attributes:
        is_reading: whether an edited text is being read.

    Signals:
        written: the newest text (Exported).
        read: what an edited text means (Reading).
        failed: neither could be done (PullbackError).
    """

    written = Signal(object)
    read = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.is_reading = False
        self._work = Background(self)
        self._work.failed.connect(self.failed)
        self._work.finished.connect(self._on_finished)

    def write(self, graph: Graph, target: str, run: Run | None, snapshot: Snapshot) -> None:
        """Begin to write a graph; what was begun before is not waited for."""
        self._start(lambda: export_code(graph, target, run, snapshot=snapshot), self.written.emit)

    def read_text(self, before: Graph, exported: Exported, text: str, run: Run | None) -> None:
        """Begin to read an edited text."""
        self._start(lambda: read_code(before, exported, text, run), self.read.emit)
        self.is_reading = True

    def stop(self) -> None:
        """Forget what is being done."""
        self._work.stop()

    def _start(self, do: Callable[[], object], then: Callable[[Any], object]) -> None:
        self._work.start("the code", do, then)

    def _on_finished(self) -> None:
        self.is_reading = False


def read_code(before: Graph, exported: Exported, text: str, run: Run | None) -> Reading:
    """The graph that an edited text means, as an edit of ``before``."""
    program = load_program(text, layout=False, arrays=exported.arrays)
    if program.error is not None:
        return Reading(error=program.error)
    after = merged(before, exported, text.rstrip("\n"), program.graph, run)
    return Reading(after, notes=program.notes)
