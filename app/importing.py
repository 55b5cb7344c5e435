"""Values from files: dropped on the canvas or on a node, or chosen in the File menu.

Files are read on a thread of their own, so that the window never waits for a long one. Nothing is
changed before all of them are read.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QPointF, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.canvas.editor import CanvasEditor
from app.canvas.hit import Hit
from app.canvas.metrics import NODE_WIDTH
from app.edits import Edit, Point
from app.panels.array_chooser import choose_arrays
from app.value_edits import NewValue, add_values, give_value
from core.errors import FileFormatError, PullbackError
from core.importers.array_files import ENDINGS, archived, read_array, source_of

_log = logging.getLogger("pullback")

FILTER = f"Values ({' '.join('*' + ending for ending in ENDINGS)});;All files (*)"
#: Reading that takes less is not worth a word.
_BUSY_AFTER_MS = 150


@dataclass(frozen=True, slots=True)
class Wanted:
    """An array to be read: a file, and which of its arrays (None: the only one)."""

    path: Path
    array: str | None = None


class _Post(QObject):
    """Carries what was read to the window's thread, where it lives."""

    arrived = Signal(object)


class _Reader(threading.Thread):
    """Reads files; posts a list of NewValue, or a PullbackError. Nothing of Qt is made on it."""

    def __init__(self, wanted: Sequence[Wanted]) -> None:
        super().__init__(name="reader", daemon=True)
        self.post = _Post()
        self._wanted = wanted

    def run(self) -> None:
        """Read them all, up to the first that cannot be read."""
        try:
            self.post.arrived.emit([_read(wanted) for wanted in self._wanted])
        except PullbackError as error:
            self.post.arrived.emit(error)
        except Exception:  # noqa: BLE001  (whatever it is, the window must hear of it)
            _log.exception("reading failed")
            name = self._wanted[0].path.name
            self.post.arrived.emit(
                FileFormatError(f"{name} could not be read.", next_step="Choose another file.")
            )


def _read(wanted: Wanted) -> NewValue:
    array = read_array(wanted.path, wanted.array)
    name = wanted.path.stem if wanted.array is None else wanted.array
    return NewValue(name, array, source_of(wanted.path, wanted.array))


class ValueFiles(QObject):
    """Brings files of numbers into the graph; each drop is one edit.

    Signals:
        reading: a file takes long enough to say so (its name; "" when it is done).
        failed: a file could not be read, and nothing was changed (PullbackError).
        finished: what was asked for is there, or was refused.
    """

    reading = Signal(str)
    failed = Signal(object)
    finished = Signal()

    def __init__(self, editor: CanvasEditor, window: QWidget) -> None:
        super().__init__(window)
        self._editor = editor
        self._window = window
        self._reader: _Reader | None = None
        self._prepare: Callable[[list[NewValue]], Edit] | None = None
        self._name = ""
        self._busy_timer = QTimer(self, singleShot=True, interval=_BUSY_AFTER_MS)
        self._busy_timer.timeout.connect(lambda: self.reading.emit(self._name))
        editor.document.replaced.connect(self.stop)

    def drop(self, paths: Sequence[Path], place: QPointF, hit: Hit | None) -> None:
        """Take files dropped at a place in the scene, on a node or a port if one was hit."""
        target = hit.id if hit is not None and hit.kind in ("node", "input", "output") else None
        port = hit.port if hit is not None and hit.kind == "input" else ""
        corner = (place.x() - NODE_WIDTH / 2, place.y() - 15.0)
        if target is None or len(paths) > 1:
            self._start(paths, lambda values: self._add(values, corner))
        else:
            self._start(paths, lambda values: self._give(target, port, values, corner), only=1)

    def ask(self) -> None:
        """Ask for files and put their values into the middle of what is seen."""
        names, _ = QFileDialog.getOpenFileNames(self._window, "Import values", "", FILTER)
        if names:
            place = self._editor.place_in_view()
            self._start([Path(name) for name in names], lambda values: self._add(values, place))

    @Slot()
    def stop(self) -> None:
        """Forget what is being read."""
        if self._reader is not None:
            self._reader.post.arrived.disconnect(self._on_arrived)
            self._reader = None
            self._end()

    def _start(
        self,
        paths: Sequence[Path],
        prepare: Callable[[list[NewValue]], Edit],
        only: int | None = None,
    ) -> None:
        self.stop()
        try:
            wanted = self._chosen(paths, only)
        except PullbackError as error:
            self.failed.emit(error)
            return
        if not wanted:
            return
        self._prepare, self._name = prepare, wanted[0].path.name
        self._busy_timer.start()
        self._reader = _Reader(wanted)
        self._reader.post.arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)
        self._reader.start()

    def _chosen(self, paths: Sequence[Path], only: int | None) -> list[Wanted]:
        """What to read: of an archive of several arrays, those that the user wants."""
        wanted: list[Wanted] = []
        for path in paths:
            headers = archived(path)
            if headers is None:
                wanted.append(Wanted(path))
            elif len(headers) == 1:
                wanted.append(Wanted(path, next(iter(headers))))
            else:
                chosen = choose_arrays(self._window, path.name, headers, single=only == 1)
                wanted += [Wanted(path, name) for name in chosen]
        return wanted

    @Slot(object)
    def _on_arrived(self, what: list[NewValue] | PullbackError) -> None:
        prepare, self._prepare, self._reader = self._prepare, None, None
        if isinstance(what, PullbackError):
            self.failed.emit(what)
        elif prepare is not None:
            self._editor.attempt(lambda: prepare(what))
        self._end()

    def _end(self) -> None:
        self._busy_timer.stop()
        self.reading.emit("")
        self.finished.emit()

    def _add(self, values: list[NewValue], place: Point) -> Edit:
        graph = self._editor.document.graph
        return add_values(graph, values, self._editor.free_place(place))

    def _give(self, target: str, port: str, values: list[NewValue], place: Point) -> Edit:
        graph = self._editor.document.graph
        if target not in graph.nodes:  # deleted while the file was read
            return self._add(values, place)
        return give_value(graph, target, port, values[0])
