"""What the window shows as a file: a PNG of this moment, or a GIF of the backward.

A PNG is painted at once. A GIF takes seconds, and painting holds Python's lock: ``pullback render``
makes it in a process of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QTemporaryDir, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.canvas.image import ImagePainter
from app.child import LAST_WAIT_MS, child_environment
from app.colors import Theme
from app.document import Document
from app.render import fitting_size
from app.saving import write_bytes
from app.settings import Settings
from core.errors import FileFormatError, PullbackError, UnsupportedError
from core.files import dumps
from core.graph import Backward, Graph, Run
from core.moments import Moment
from core.results import Snapshot
from core.trace import Trace

_FILTER = "Animations (*.gif);;Pictures (*.png)"
_RUN = "shown"
#: Device pixels a logical one of a PNG, which may be printed; a GIF grows with their square.
_SCALE = 2.0


@dataclass(frozen=True)
class Shown:
    """What the window shows now.

    Attributes:
        graph, snapshot, trace, moment: of the level that the canvas shows.
        action: the backward as it is set, or None if it would be refused.
    """

    graph: Graph
    snapshot: Snapshot | None
    trace: Trace | None
    moment: Moment | None
    action: Backward | None
    theme: Theme


class PictureExport(QObject):
    """Exports what one document shows.

    Signals:
        busy: a GIF is being made (its name; "" when it is done).
        failed: the file could not be made (PullbackError).
        written: the file is there (its Path).
    """

    busy = Signal(str)
    failed = Signal(object)
    written = Signal(object)

    def __init__(
        self, document: Document, settings: Settings, window: QWidget, shown: Callable[[], Shown]
    ) -> None:
        super().__init__(document)
        self._document = document
        self._settings = settings
        self._window = window
        self._shown = shown
        self._process: QProcess | None = None
        self._folder = QTemporaryDir()

    def ask(self) -> None:
        """Ask for a file and make it."""
        document = self._document
        if not document.graph.nodes:  # no need to ask where to
            self.failed.emit(
                UnsupportedError("The graph is empty.", next_step="Add nodes, then export it.")
            )
            return
        folder = document.path.parent if document.path else self._settings.folder()
        proposed = str(folder / f"{document.title}.gif")
        name, _ = QFileDialog.getSaveFileName(self._window, "Export a picture", proposed, _FILTER)
        if not name:
            return
        path = Path(name)
        try:
            if path.suffix.lower() == ".png":
                self._write_png(path)
            else:
                self._write_gif(path if path.suffix.lower() == ".gif" else Path(f"{path}.gif"))
        except PullbackError as error:
            self.failed.emit(error)

    def stop(self) -> None:
        """Give up the GIF that is being made."""
        if self._process is not None:
            self._process.finished.disconnect()
            self._process.errorOccurred.disconnect()
            self._process.kill()
            self._process.waitForFinished(LAST_WAIT_MS)
            self._end()

    def _write_png(self, path: Path) -> None:
        shown = self._shown()
        painter = ImagePainter(shown.graph, shown.theme, self._window.size(), _SCALE)
        painter.size = fitting_size(painter)
        image = painter.image(shown.snapshot, shown.trace, shown.moment)
        if not image.save(str(path)):
            raise FileFormatError(
                f"{path.name} cannot be written.",
                next_step="Check that its folder is there and that you may write to it.",
            )
        self.written.emit(path)

    def _write_gif(self, path: Path) -> None:
        self.stop()
        shown = self._shown()
        runs = self._document.graph.runs
        if shown.action is not None:
            runs = (Run(_RUN, (shown.action,)),)
        source = Path(self._folder.path()) / "shown.pullback"
        write_bytes(dumps(self._document.graph.with_runs(runs)).encode(), source)
        process = self._process = QProcess(self)
        process.setProgram(sys.executable)
        process.setArguments(
            ["-P", "-m", "app", "render", str(source), "-o", str(path), "--theme",
             shown.theme.name]
        )  # fmt: skip
        process.setProcessEnvironment(child_environment())
        process.finished.connect(lambda code, _status: self._on_finished(code, path))
        process.errorOccurred.connect(self._on_error)
        process.start()
        self.busy.emit(path.name)

    def _on_finished(self, code: int, path: Path) -> None:
        assert self._process is not None
        said = bytes(self._process.readAllStandardError().data()).decode(errors="replace").strip()
        self._end()
        if code in (0, 1):  # 1: the run stopped at an error, and the film with it
            self.written.emit(path)
        else:
            self._refuse(said.rpartition("\n")[2] or f"exit code {code}")

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            said = self._process.errorString()
            self._end()
            self._refuse(said)

    def _refuse(self, said: str) -> None:
        self.failed.emit(
            FileFormatError(
                f"The animation could not be made: {said}",
                next_step="Try another folder, or 'pullback render' on the saved file.",
            )
        )

    def _end(self) -> None:
        if self._process is not None:
            self._process.deleteLater()
            self._process = None
            self.busy.emit("")
