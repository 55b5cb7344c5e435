"""What is dropped on the canvas: rows of the palette, and files of numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent

from app.canvas.canvas import Canvas
from app.canvas.hit import DROP_REACH
from app.canvas.metrics import NODE_WIDTH
from app.catalog import ENTRY_MIME, Entry
from core.importers.array_files import is_array_file


class Drops(QObject):
    """Watches drags over the canvas, and points at what would take a file.

    Args:
        find_entry: the entry of the palette with a key.

    Signals:
        entry_dropped: a row of the palette (Entry), and where its node belongs (Point).
        files_dropped: files of numbers (list of Path) at a place in the scene (QPointF), on a node
            or a port (Hit) or on nothing (None).
    """

    entry_dropped = Signal(object, object)
    files_dropped = Signal(list, QPointF, object)

    def __init__(self, canvas: Canvas, find_entry: Callable[[str], Entry | None]) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._find_entry = find_entry
        canvas.setAcceptDrops(True)
        canvas.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Take what can be dropped here; let the others pass."""
        if isinstance(event, QDropEvent):
            return self._on_drag(event)
        if event.type() == QEvent.Type.DragLeave:
            self._canvas.point_at(None)
        return False

    def _on_drag(self, event: QDropEvent) -> bool:
        entry, files = self._dragged_entry(event.mimeData()), _dragged_files(event.mimeData())
        if entry is None and not files:
            return False
        event.acceptProposedAction()
        hit = self._canvas.hit(event.position(), DROP_REACH, wires=False) if files else None
        self._canvas.point_at(hit)
        if not isinstance(event, QDragEnterEvent | QDragMoveEvent):
            self._canvas.point_at(None)
            place = self._canvas.to_scene(event.position())
            if entry is not None:
                corner = (place.x() - NODE_WIDTH / 2, place.y() - 15.0)
                self.entry_dropped.emit(entry, corner)
            else:
                self.files_dropped.emit(files, place, hit)
        return True

    def _dragged_entry(self, data: QMimeData) -> Entry | None:
        if not data.hasFormat(ENTRY_MIME):
            return None
        return self._find_entry(bytes(data.data(ENTRY_MIME).data()).decode())


def _dragged_files(data: QMimeData) -> list[Path]:
    """The files of numbers among what is dragged."""
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return [path for path in paths if is_array_file(path)]
