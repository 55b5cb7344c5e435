"""Opening files: each in a tab, whole or not at all, and never twice."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog

from app.examples import title
from app.saving import ENDING, FILTER, read
from app.settings import Settings
from app.tabs import Tabs
from app.windows import Windows
from core.errors import PullbackError


class Opener(QObject):
    """Puts files into the tabs of one window.

    Signals:
        failed: a file could not be read (PullbackError); no tab was opened or changed for it.
    """

    failed = Signal(object)

    def __init__(self, tabs: Tabs, windows: Windows, settings: Settings) -> None:
        super().__init__(tabs)
        self._tabs = tabs
        self._windows = windows
        self._settings = settings

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
        """Show the file's tab, in whatever window it is; open it in a tab here if there is none."""
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
        tabs = self._tabs
        workspace = tabs.current if tabs.current.document.is_untouched else tabs.add()
        workspace.document.set_graph(graph, path, "" if path else title(source))
        workspace.canvas.setFocus()
        return True


def dropped_files(event: QDropEvent) -> list[Path]:
    """The graphs among the files that are dragged."""
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return [path for path in paths if path.suffix == ENDING]
