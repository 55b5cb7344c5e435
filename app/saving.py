"""Reading and saving files: whole or not at all, and nothing is lost without asking."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QIODevice, QObject, QSaveFile, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.document import Document
from app.settings import Settings
from core.errors import FileFormatError, PullbackError
from core.files import dumps, load
from core.graph import Graph

ENDING = ".pullback"
FILTER = f"Pullback graphs (*{ENDING});;All files (*)"


def write(graph: Graph, path: Path) -> None:
    """Write ``graph`` to a file; raises as ``write_bytes`` does."""
    write_bytes(dumps(graph).encode(), path)


def write_bytes(data: bytes, path: Path) -> None:
    """Write a file, which keeps its old content until the new one is complete.

    Raises:
        FileFormatError: if the file cannot be written; the old one is whole then.
    """
    file = QSaveFile(str(path))
    done = (
        file.open(QIODevice.OpenModeFlag.WriteOnly)
        and file.write(data) == len(data)
        and file.commit()
    )
    if not done:
        raise FileFormatError(
            f"{path.name} could not be written: {file.errorString()}.",
            next_step="Save it in another folder.",
        )


def read(path: Path) -> Graph:
    """The graph in a file, read and checked completely.

    Raises:
        FileFormatError: if it cannot be read, or is no graph; nothing of it is used then.
    """
    try:
        return load(path)
    except OSError as error:
        raise FileFormatError(
            f"{path.name} could not be read: {error.strerror}.",
            next_step="Check that it is there and that you may read it.",
        ) from None


class Saver(QObject):
    """Saves one document, and asks before its changes are lost.

    Args:
        is_taken: whether a file is open as another document.

    Signals:
        failed: the file could not be written (PullbackError); nothing was changed.
    """

    failed = Signal(object)

    def __init__(
        self,
        document: Document,
        settings: Settings,
        window: QWidget,
        is_taken: Callable[[Path], bool],
    ) -> None:
        super().__init__(document)
        self._document = document
        self._settings = settings
        self._window = window
        self._is_taken = is_taken

    def save(self) -> bool:
        """Save to the document's file, or ask for one. False if nothing was saved."""
        if self._document.path is None:
            return self.save_as()
        return self._save_to(self._document.path)

    def save_as(self) -> bool:
        """Ask for a file and save to it. False if nothing was saved."""
        folder = self._document.path.parent if self._document.path else self._settings.folder()
        proposed = str(folder / (self._document.title + ENDING))
        name, _ = QFileDialog.getSaveFileName(self._window, "Save as", proposed, FILTER)
        if not name:
            return False
        path = Path(name)
        return self._save_to(path if path.suffix else path.with_suffix(ENDING))

    def may_close(self) -> bool:
        """Whether nothing would be lost by closing: it is saved, or the user said so."""
        if not self._document.modified:
            return True
        button = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self._window,
            "Unsaved changes",
            f"Save the changes to {self._document.title} first?",
            button.Save | button.Discard | button.Cancel,
            button.Save,
        )
        return self.save() if answer == button.Save else answer == button.Discard

    def _save_to(self, path: Path) -> bool:
        try:
            if not self._document.is_in(path) and self._is_taken(path):
                raise FileFormatError(
                    f"{path.name} is open in another tab.",
                    next_step="Save under another name, or close that tab first.",
                )
            write(self._document.graph, path)
        except PullbackError as error:
            self.failed.emit(error)
            return False
        self._document.set_saved(path)
        self._settings.note_recent(path)
        return True
