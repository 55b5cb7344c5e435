"""Edits a matrix as a spreadsheet does: type, copy, paste, clear, resize."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSpinBox,
    QTableView,
    QWidget,
)

from app.panels.param_editors import parse_shape
from app.panels.table_model import ArrayTable
from app.panels.widgets import Field, clear_layout, column, set_invalid
from app.theme import mono_font, ui_font
from core.errors import EditRefusedError
from core.importers.tables import parse_table

#: Cells copied at a time, at most: as text they are some twenty megabytes.
MOST_COPIED = 1_000_000


class TableView(QTableView):
    """The cells, and the keys of spreadsheets."""

    def __init__(self, model: ArrayTable) -> None:
        super().__init__()
        self.table = model
        self.setModel(model)
        self.setFont(mono_font(12))
        self.setAccessibleName("Table")
        self.setTabKeyNavigation(True)
        # The height of each row is the same: otherwise Qt would ask for each of a million.
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
            header.setDefaultAlignment(Qt.AlignmentFlag.AlignCenter)
        self.horizontalHeader().setDefaultSectionSize(84)
        self.verticalHeader().setDefaultSectionSize(25)

    def copy(self) -> None:
        """Copy the selected cells, as one rectangle around all of them."""
        box = self._selected_box()
        if box is None:
            return
        rows, columns = box
        count = (rows.stop - rows.start) * (columns.stop - columns.start)
        if count > MOST_COPIED:
            self.table.refused.emit(f"{count:,} cells are too many to copy; select fewer.")
            return
        QGuiApplication.clipboard().setText(self.table.text_of(rows, columns))

    def paste(self) -> None:
        """Paste a table at the first selected cell."""
        box = self._selected_box()
        row, first = (box[0].start, box[1].start) if box is not None else (0, 0)
        try:
            block = parse_table(QGuiApplication.clipboard().text())
        except EditRefusedError as error:
            self.table.refused.emit(f"What is on the clipboard is no table. {error}")
            return
        self.table.paste(row, first, block)
        self._select(row, first, block.shape)

    def clear_selected(self) -> None:
        """Put zeros into the selected cells."""
        cells = [(index.row(), index.column()) for index in self.selectedIndexes()]
        kept = self._selected_box()
        self.table.clear_cells(cells)
        if kept is not None:
            rows, columns = kept
            shape = (rows.stop - rows.start, columns.stop - columns.start)
            self._select(rows.start, columns.start, shape)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.paste()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.clear_selected()
        else:
            super().keyPressEvent(event)

    def _selected_box(self) -> tuple[slice, slice] | None:
        selection = self.selectionModel().selection()
        ranges = [selection.at(i) for i in range(selection.count())]
        if not ranges:
            current = self.currentIndex()
            if not current.isValid():
                return None
            row, first = current.row(), current.column()
            return slice(row, row + 1), slice(first, first + 1)
        return (
            slice(min(r.top() for r in ranges), max(r.bottom() for r in ranges) + 1),
            slice(min(r.left() for r in ranges), max(r.right() for r in ranges) + 1),
        )

    def _select(self, row: int, first: int, shape: tuple[int, ...]) -> None:
        flag = QItemSelectionModel.SelectionFlag
        model = self.selectionModel()
        last = (
            min(row + shape[0], self.table.rowCount()) - 1,
            min(first + shape[1], self.table.columnCount()) - 1,
        )
        box = self.table.index(row, first), self.table.index(*last)
        if box[0].isValid() and box[1].isValid():
            self.setCurrentIndex(box[0])
            model.clearSelection()
            model.select(QItemSelection(*box), flag.Select)


class TableEditor(QWidget):
    """The table, its shape, and where along further axes it lies.

    Signals:
        refused: what was done cannot be (a reason; "" when all is well).
    """

    refused = Signal(str)

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        super().__init__()
        self.model = ArrayTable(array)
        self.view = TableView(self.model)
        self.shape_field = Field()
        self.shape_field.setFont(mono_font(12))
        self.shape_field.setAccessibleName("Shape")
        self.shape_field.setPlaceholderText("scalar")
        self.place_boxes: list[QSpinBox] = []
        self._places = QHBoxLayout()
        self._places.setSpacing(6)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(_label("shape"))
        line.addWidget(self.shape_field)
        line.addLayout(self._places)
        line.addStretch(1)
        hint = _label("Ctrl+C and Ctrl+V copy and paste, as to and from a spreadsheet; Del clears.")
        layout = column(self, spacing=8)
        layout.addLayout(line)
        layout.addWidget(self.view, stretch=1)
        layout.addWidget(hint)
        self.model.refused.connect(self.refused)
        self.model.reshaped.connect(self._show_shape)
        self.shape_field.editingFinished.connect(self._on_shape_entered)
        self._show_shape()

    @property
    def array(self) -> np.ndarray[Any, Any]:
        """The array as it is now."""
        return self.model.array

    def set_array(self, array: np.ndarray[Any, Any]) -> None:
        """Show another array."""
        self.model.set_array(array)

    def _show_shape(self) -> None:
        shape = self.array.shape
        self.shape_field.setText(", ".join(map(str, shape)))
        self.shape_field.setModified(False)
        set_invalid(self.shape_field, "")
        clear_layout(self._places)
        self.place_boxes = []
        for axis, length in enumerate(shape[:-2]):
            box = QSpinBox()
            box.setRange(0, max(0, length - 1))
            box.setValue(self.model.place[axis])
            box.setAccessibleName(f"Index along axis {axis}")
            box.valueChanged.connect(lambda _: self._on_place_chosen())
            self._places.addWidget(_label(f"axis {axis}"))
            self._places.addWidget(box)
            self.place_boxes.append(box)

    def _on_place_chosen(self) -> None:
        self.model.set_place(tuple(box.value() for box in self.place_boxes))

    def _on_shape_entered(self) -> None:
        if not self.shape_field.isModified():
            return
        self.shape_field.setModified(False)
        try:
            self.model.resize(parse_shape(self.shape_field.text()))
        except EditRefusedError as error:
            set_invalid(self.shape_field, str(error))


def _label(text: str) -> QLabel:
    label = QLabel(text)
    label.setFont(ui_font(11))
    label.setProperty("kind", "muted")
    return label
