"""An array as a table that is never copied into cells: however large it is, it opens at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from app.panels.array_text import format_element, parse_array
from app.panels.table_edits import Array, Place, cleared, grid, pasted, resized, with_cell
from core.errors import EditRefusedError

Index = QModelIndex | QPersistentModelIndex
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ArrayTable(QAbstractTableModel):
    """The table of an array, to be edited.

    Attributes:
        array: as it is now. It is never written to: an edit makes another one.
        place: which table of an array of more than two axes is shown.

    Signals:
        refused: what was typed cannot be an element (a reason; "" when all is well).
        reshaped: the array has another shape.
    """

    refused = Signal(str)
    reshaped = Signal()

    def __init__(self, array: Array) -> None:
        super().__init__()
        self.array = array
        self.place: Place = (0,) * max(0, array.ndim - 2)

    def set_array(self, array: Array) -> None:
        """Show another array."""
        self.beginResetModel()
        is_other = array.shape != self.array.shape
        if array.ndim != self.array.ndim:
            self.place = (0,) * max(0, array.ndim - 2)
        self.place = tuple(
            min(at, max(0, length - 1)) for at, length in zip(self.place, array.shape, strict=False)
        )
        self.array = array
        self.endResetModel()
        if is_other:
            self.reshaped.emit()

    def set_place(self, place: Place) -> None:
        """Show the table at another place along the axes before the last two."""
        self.beginResetModel()
        self.place = place
        self.endResetModel()

    # -- editing -------------------------------------------------------------------------------

    def paste(self, row: int, column: int, block: Array) -> None:
        """Write a block of numbers over the table from a cell on."""
        self._replace(lambda: pasted(self.array, self.place, row, column, block))

    def clear_cells(self, cells: list[tuple[int, int]]) -> None:
        """Put zeros into cells."""
        if cells:
            self._replace(lambda: cleared(self.array, self.place, cells))

    def resize(self, shape: tuple[int, ...]) -> None:
        """Give the array another shape."""
        self._replace(lambda: resized(self.array, shape))

    def text_of(self, rows: slice, columns: slice) -> str:
        """A part of the table as spreadsheets copy it: tabs between cells, a line a row."""
        part = grid(self.array, self.place)[rows, columns]
        return "\n".join("\t".join(map(format_element, row)) for row in part)

    def _replace(self, make: Callable[[], Array]) -> None:
        try:
            array = make()
        except EditRefusedError as error:
            self.refused.emit(str(error))
            return
        self.refused.emit("")
        self.set_array(array)

    # -- what Qt asks --------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (Qt's default)
        return 0 if parent.isValid() else int(grid(self.array, self.place).shape[0])

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else int(grid(self.array, self.place).shape[1])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(_RIGHT)
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return None
        return format_element(grid(self.array, self.place)[index.row(), index.column()])

    def setData(  # noqa: N802 (Qt's name)
        self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        try:
            typed = parse_array(str(value), str(self.array.dtype))
            if typed.ndim:
                raise EditRefusedError(
                    f"'{value}' is not one number.", next_step="Type one number a cell."
                )
        except EditRefusedError as error:
            self.refused.emit(f"Row {index.row()}, column {index.column()}: {error}")
            return False
        self.refused.emit("")
        row, column = index.row(), index.column()
        if np.array_equal(typed, grid(self.array, self.place)[row, column], equal_nan=False):
            return True
        self.array = with_cell(self.array, self.place, row, column, typed[()])
        self.dataChanged.emit(index, index)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flag = Qt.ItemFlag
        return flag.ItemIsEnabled | flag.ItemIsSelectable | flag.ItemIsEditable

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return str(section)
        return None
