"""ONNX models and programs opened as graphs, and graphs exported as models.

Both may take seconds: they are read and written on a thread of their own.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.background import Background
from app.document import Document
from app.formats import MODEL, PROGRAM, Reading, graph_bytes, read_graph
from app.saving import write_bytes
from app.settings import Settings
from core.errors import ImportedError, UnsupportedError

#: Endings of files that are opened as new graphs.
FOREIGN = (MODEL, PROGRAM)
_FILTER = f"ONNX models (*{MODEL})"
#: Notes that are shown; a model may have very many.
_MOST_NOTES = 6


def is_foreign(path: Path) -> bool:
    """Whether a file is opened as a new graph, which saving does not write back to it."""
    return path.suffix.lower() in FOREIGN


def import_note(path: Path, reading: Reading) -> ImportedError | None:
    """What a user should know about a file that was read, or None if all is as it was there."""
    notes = list(reading.notes)
    if reading.error is not None:
        at = f" (line {reading.error.line})" if reading.error.line else ""
        notes.insert(0, f"It is read up to an error{at}: {reading.error}")
    if not notes:
        return None
    shown = [f"• {note}" for note in notes[:_MOST_NOTES]]
    if len(notes) > _MOST_NOTES:
        shown.append(f"• … and {len(notes) - _MOST_NOTES} more, which 'pullback convert' lists.")
    return ImportedError(
        "\n".join([f"{path.name} is not here in every detail:", *shown]),
        next_step="This graph is a new one: saving makes a Pullback file of it.",
    )


class ModelReader(QObject):
    """Reads models and programs, one at a time.

    Signals:
        busy: reading takes long enough to say so (the file's name; "" when it is done).
        failed: a file could not be read (PullbackError).
        arrived: a file was read (its Path, Reading).
        settled: a file was read, or could not be.
    """

    busy = Signal(str)
    failed = Signal(object)
    arrived = Signal(object, object)
    settled = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._work = Background(self)
        self._waiting: list[Path] = []
        self._work.busy.connect(self.busy)
        self._work.failed.connect(self.failed)
        self._work.finished.connect(self._go_on)

    def read(self, path: Path) -> None:
        """Read a file once those before it are read."""
        self._waiting.append(path)
        if len(self._waiting) == 1:
            self._begin()

    def _begin(self) -> None:
        path = self._waiting[0]
        self._work.start(
            path.name, lambda: read_graph(path), lambda reading: self.arrived.emit(path, reading)
        )

    def _go_on(self) -> None:
        self._waiting = self._waiting[1:]
        self.settled.emit()
        if self._waiting:
            self._begin()


class ModelExport(QObject):
    """Exports one document as a model.

    Signals:
        busy: writing takes long enough to say so (the file's name; "" when it is done).
        failed: it could not be written (PullbackError, with the node that is in the way).
        written: the file is there (its Path).
    """

    busy = Signal(str)
    failed = Signal(object)
    written = Signal(object)

    def __init__(self, document: Document, settings: Settings, window: QWidget) -> None:
        super().__init__(document)
        self._document = document
        self._settings = settings
        self._window = window
        self._work = Background(self)
        self._work.busy.connect(self.busy)
        self._work.failed.connect(self.failed)

    def ask(self) -> None:
        """Ask for a file and write the graph to it."""
        document = self._document
        if not document.graph.nodes:  # no need to ask where to
            self.failed.emit(
                UnsupportedError("The graph is empty.", next_step="Add nodes, then export it.")
            )
            return
        folder = document.path.parent if document.path else self._settings.folder()
        proposed = str(folder / (document.title + MODEL))
        name, _ = QFileDialog.getSaveFileName(self._window, "Export", proposed, _FILTER)
        if name:
            path = Path(name)
            self._write(path if path.suffix.lower() == MODEL else Path(f"{path}{MODEL}"))

    def stop(self) -> None:
        """Give up what is being written."""
        self._work.stop()

    def _write(self, path: Path) -> None:
        graph = self._document.graph
        self._work.start(
            path.name,
            lambda: write_bytes(graph_bytes(graph, path), path),
            lambda _: self.written.emit(path),
        )
