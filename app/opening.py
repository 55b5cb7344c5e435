"""Opening files: each in a tab, whole or not at all, and never twice."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog

from app.examples import title
from app.formats import Reading
from app.models import FOREIGN, ModelReader, import_note, is_foreign
from app.saving import ENDING, read
from app.settings import Settings
from app.tabs import Tabs
from app.windows import Windows
from app.workspace import Workspace
from core.errors import PullbackError
from core.graph import Graph

_KNOWN = (ENDING, *FOREIGN)
FILTER = ";;".join(
    (
        f"Graphs, models and programs ({' '.join('*' + ending for ending in _KNOWN)})",
        f"Pullback graphs (*{ENDING})",
        "ONNX models (*.onnx)",
        "PyTorch and NumPy programs (*.py)",
        "All files (*)",
    )
)


class Opener(QObject):
    """Puts files into the tabs of one window.

    Signals:
        failed: a file could not be read (PullbackError); no tab was opened or changed for it.
        noted: a file was read, but not all of it is in its new tab (ImportedError).
        settled: a model or a program that was asked for is there, or was refused.
    """

    failed = Signal(object)
    noted = Signal(object)
    settled = Signal()

    def __init__(self, tabs: Tabs, windows: Windows, settings: Settings) -> None:
        super().__init__(tabs)
        self._tabs = tabs
        self._windows = windows
        self._settings = settings
        self._reader = ModelReader(self)
        self._waits: Workspace | None = None
        self._reader.busy.connect(self._show_reading)
        self._reader.failed.connect(self.failed)
        self._reader.arrived.connect(self._on_arrived)
        self._reader.settled.connect(self.settled)

    def ask(self) -> None:
        """Ask for files and open them."""
        path = self._tabs.current.document.path
        folder = str(path.parent if path else self._settings.folder())
        names, _ = QFileDialog.getOpenFileNames(self._tabs, "Open", folder, FILTER)
        self.open_all(Path(name) for name in names)

    def open_all(self, paths: Iterable[Path]) -> None:
        """Open files; the last of them is shown."""
        for path in paths:
            self.open_path(path)

    def open_path(self, path: Path) -> None:
        """Show the file's tab, in whatever window it is; open it in a tab here if there is none.

        Models and programs are read in the background, and become new graphs.
        """
        if is_foreign(path):
            self._reader.read(path)
            return
        if self._windows.show_file(path):
            return
        if self._read_into_tab(path, path):
            self._settings.note_recent(path)

    def open_copy(self, path: Path) -> None:
        """Open what is in a file as a graph that has no file yet: an example."""
        self._read_into_tab(path, None)

    def open_dropped(self, event: QDropEvent) -> None:
        """Open the files that were dropped on the window."""
        self.open_all(dropped_files(event))

    def _read_into_tab(self, source: Path, path: Path | None) -> bool:
        try:
            graph = read(source)
        except PullbackError as error:
            self.failed.emit(error)
            return False
        self._show(graph, path, "" if path else title(source))
        return True

    def _show_reading(self, file_name: str) -> None:
        """Say in the tab where it was asked for that a file is being read."""
        if file_name:
            self._waits = self._tabs.current
        if self._waits is not None and self._waits in self._tabs:
            self._waits.page.show_reading(file_name)

    def _on_arrived(self, path: Path, reading: Reading) -> None:
        self._show(reading.graph, None, path.stem)
        self._settings.note_recent(path)
        note = import_note(path, reading)
        if note is not None:
            self.noted.emit(note)

    def _show(self, graph: Graph, path: Path | None, name: str) -> None:
        tabs = self._tabs
        workspace = tabs.current if tabs.current.document.is_untouched else tabs.add()
        workspace.document.set_graph(graph, path, name)
        workspace.canvas.setFocus()


def dropped_files(event: QDropEvent) -> list[Path]:
    """The graphs among the files that are dragged."""
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return [path for path in paths if path.suffix == ENDING or is_foreign(path)]
