"""Values from files: dropped on the canvas or on a node, or chosen in the File menu.

Files are read on a thread of their own, so that the window never waits for a long one. Nothing is
changed before all of them are read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QPointF, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.background import Background
from app.canvas.editor import CanvasEditor
from app.canvas.hit import Hit
from app.canvas.metrics import NODE_WIDTH
from app.edits import Edit, Point
from app.panels.array_chooser import choose_arrays
from app.value_edits import NewValue, add_values, give_value
from core.errors import PullbackError
from core.importers.array_files import ENDINGS, archived, read_array, source_of

FILTER = f"Values ({' '.join('*' + ending for ending in ENDINGS)});;All files (*)"


@dataclass(frozen=True, slots=True)
class Wanted:
    """An array to be read: a file, and which of its arrays (None: the only one)."""

    path: Path
    array: str | None = None


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
        self._work = Background(self)
        self._work.busy.connect(self.reading)
        self._work.failed.connect(self.failed)
        self._work.finished.connect(self.finished)
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
        self._work.stop()

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
        self._work.start(
            wanted[0].path.name,
            lambda: [_read(one) for one in wanted],
            lambda values: self._editor.attempt(lambda: prepare(values)),
        )

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

    def _add(self, values: list[NewValue], place: Point) -> Edit:
        graph = self._editor.document.graph
        return add_values(graph, values, self._editor.free_place(place))

    def _give(self, target: str, port: str, values: list[NewValue], place: Point) -> Edit:
        graph = self._editor.document.graph
        if target not in graph.nodes:  # deleted while the file was read
            return self._add(values, place)
        return give_value(graph, target, port, values[0])
