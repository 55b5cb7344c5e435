"""A field for an array that can be typed: the line in the inspector and on the canvas."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence

from app.canvas.format import shape_text
from app.panels.array_text import TYPED_LIMIT, Array, format_array, parse_array
from app.panels.widgets import Field, set_invalid
from app.theme import mono_font
from core.errors import EditRefusedError
from core.importers.tables import parse_table, squeezed


class ArrayField(Field):
    """An array as one line of text.

    Signals:
        array_edited: another array was typed (ndarray).
    """

    array_edited = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._array: Array | None = None
        self._dtype = "float64"
        self.setFont(mono_font(12))
        self.setPlaceholderText("none")
        self.editingFinished.connect(self._on_finished)

    def set_array(self, array: Array | None) -> None:
        """Show an array; one that is too large to type is named by its shape and locked."""
        self._array = array
        if array is not None:
            self._dtype = str(array.dtype)
        typed = array is None or array.size <= TYPED_LIMIT
        self.setReadOnly(not typed)
        if array is None:
            self.setText("")
        else:
            self.setText(format_array(array) if typed else shape_text(array))
        self.setCursorPosition(0)
        set_invalid(self, "")

    def take_back(self) -> None:
        """Drop what was typed."""
        self.set_array(self._array)

    def refuse(self, reason: str) -> None:
        """Say why the array was not taken."""
        set_invalid(self, reason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What a spreadsheet copied is pasted as a matrix, not as one long line."""
        text = QGuiApplication.clipboard().text().strip()
        is_table = "\t" in text or "\n" in text
        if event.matches(QKeySequence.StandardKey.Paste) and is_table and not self.isReadOnly():
            try:
                self.insert(format_array(squeezed(parse_table(text))))
            except EditRefusedError as error:
                set_invalid(self, str(error))
        else:
            super().keyPressEvent(event)

    def _on_finished(self) -> None:
        if not self.isModified():
            return
        try:
            array = parse_array(self.text(), self._dtype)
        except EditRefusedError as error:
            set_invalid(self, str(error))
            return
        self.setModified(False)
        set_invalid(self, "")
        if self._array is None or not _identical(array, self._array):
            self.array_edited.emit(array)


def _identical(a: Array, b: Array) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
