"""Editors of a whole array: a field for what can be typed, a table for matrices, random values.

``ArrayField`` is the line in the inspector and on the canvas; ``ArrayDialog`` is where larger
arrays are made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.canvas.format import shape_text
from app.panels.array_text import (
    DTYPES,
    TYPED_LIMIT,
    Array,
    format_array,
    format_element,
    parse_array,
)
from app.panels.param_editors import parse_shape
from app.panels.widgets import Field, set_invalid
from app.theme import mono_font
from core.errors import EditRefusedError

_TABLE_LIMIT = 64


def fill(source: Mapping[str, Any], dtype: str) -> Array:
    """The array that a source describes; the same source gives the same array, always.

    Args:
        source: ``kind`` "normal" or "uniform" with ``shape`` and ``seed``; or "range" with
            ``start``, ``stop``, ``step``.

    Raises:
        EditRefusedError: if the range never ends.
    """
    kind = source["kind"]
    if kind == "range":
        return _range(source["start"], source["stop"], source["step"], dtype)
    rng = np.random.default_rng(source["seed"])
    draw = rng.standard_normal if kind == "normal" else rng.random
    return np.asarray(draw(source["shape"]), dtype=dtype)


def _range(start: float, stop: float, step: float, dtype: str) -> Array:
    if step == 0 or not np.isfinite([start, stop, step]).all():
        raise EditRefusedError(
            "This range has no end.", next_step="Give finite numbers and a step other than 0."
        )
    if abs(stop - start) / abs(step) > 10_000_000:
        raise EditRefusedError(
            "This range has more than ten million elements.", next_step="Give a larger step."
        )
    return np.arange(start, stop, step).astype(dtype)


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


class ArrayDialog(QDialog):
    """Makes an array by typing, in a table, at random, or as a range.

    Attributes:
        array: what was made; its ``source`` says how, None for typed values.
    """

    def __init__(
        self,
        array: Array,
        source: Mapping[str, Any] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.array = array
        self.source = dict(source) if source else None
        self.setWindowTitle("Value")
        self.setMinimumSize(420, 380)
        self._dtype = QComboBox()
        self._dtype.addItems(DTYPES)
        self._dtype.setCurrentText(str(array.dtype))
        self.text = QPlainTextEdit()
        self.text.setFont(mono_font(13))
        self.text.setPlaceholderText("2   or   2, 3   or   1 2; 3 4   or   [[1, 2], [3, 4]]")
        self.table = QTableWidget()
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.text, "Type")
        self.tabs.addTab(self.table, "Table")
        self.tabs.addTab(self._make_random(array), "Random")
        self.tabs.addTab(self._make_range(), "Range")
        self.message = QLabel()
        self.message.setProperty("kind", "error")
        self.message.setWordWrap(True)
        box = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(box.Ok | box.Cancel)
        buttons.button(box.Ok).setProperty("kind", "primary")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form = QFormLayout()
        form.addRow("dtype", self._dtype)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(10)
        for part in (self.tabs, self.message):
            layout.addWidget(part)
        layout.addLayout(form)
        layout.addWidget(buttons)
        self._fill_in(array)
        self.tabs.currentChanged.connect(self._on_tab_changed)

    def accept(self) -> None:
        """Take the array, or say what is wrong with it and stay open."""
        try:
            self.array, self.source = self._made()
        except EditRefusedError as error:
            self.message.setText(str(error))
            return
        super().accept()

    def _made(self) -> tuple[Array, dict[str, Any] | None]:
        dtype = self._dtype.currentText()
        shown = self.tabs.currentIndex()
        if shown == 0 and self.text.isReadOnly():
            return self.array.astype(dtype), self.source
        if shown == 0:
            return parse_array(self.text.toPlainText(), dtype), None
        if shown == 1:
            return self._from_table(dtype), None
        source = self._random_source() if shown == 2 else self._range_source()
        return fill(source, dtype), source

    def _fill_in(self, array: Array) -> None:
        typed = array.size <= TYPED_LIMIT
        self.text.setPlainText(format_array(array) if typed else shape_text(array))
        self.text.setReadOnly(not typed)
        self._show_table(array)
        kind = self.source["kind"] if self.source and "kind" in self.source else ""
        self.tabs.setCurrentIndex({"normal": 2, "uniform": 2, "range": 3}.get(kind, 0))

    # -- the table -----------------------------------------------------------------------------

    def _show_table(self, array: Array) -> None:
        fits = array.ndim in (1, 2) and array.size > 0 and max(array.shape) <= _TABLE_LIMIT
        self.tabs.setTabEnabled(1, fits)
        if not fits:
            return
        rows = np.atleast_2d(array)
        self._flat = array.ndim == 1
        self.table.setRowCount(rows.shape[0])
        self.table.setColumnCount(rows.shape[1])
        self.table.setFont(mono_font(12))
        self.table.setHorizontalHeaderLabels([str(i) for i in range(rows.shape[1])])
        self.table.setVerticalHeaderLabels([str(i) for i in range(rows.shape[0])])
        for i, row in enumerate(rows):
            for j, x in enumerate(row):
                item = QTableWidgetItem(format_element(x))
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self.table.setItem(i, j, item)
        self.table.resizeColumnsToContents()

    def _from_table(self, dtype: str) -> Array:
        rows = [
            [self._cell(i, j, dtype) for j in range(self.table.columnCount())]
            for i in range(self.table.rowCount())
        ]
        return np.array(rows[0] if self._flat else rows, dtype=dtype)

    def _cell(self, row: int, column: int, dtype: str) -> Any:
        item = self.table.item(row, column)
        try:
            return parse_array(item.text() if item else "", dtype)[()]
        except EditRefusedError as error:
            where = f"Row {row}, column {column}: "
            raise EditRefusedError(where + error.what, next_step=error.next_step) from None

    # -- random and range ----------------------------------------------------------------------

    def _make_random(self, array: Array) -> QWidget:
        source: Mapping[str, Any] = self.source or {}
        self._distribution = QComboBox()
        self._distribution.addItem("normal, mean 0, deviation 1", "normal")
        self._distribution.addItem("uniform, from 0 to 1", "uniform")
        self._distribution.setCurrentIndex(1 if source.get("kind") == "uniform" else 0)
        self._shape = QLineEdit(", ".join(map(str, source.get("shape", array.shape))))
        self._shape.setPlaceholderText("empty for a scalar")
        self.seed = QSpinBox()
        self.seed.setRange(0, 2**31 - 1)
        self.seed.setValue(int(source.get("seed", 0)))
        page = QWidget()
        form = QFormLayout(page)
        form.setContentsMargins(8, 14, 8, 8)
        form.addRow("Numbers", self._distribution)
        form.addRow("Shape", self._shape)
        form.addRow("Seed", self.seed)
        return page

    def _random_source(self) -> dict[str, Any]:
        shape = parse_shape(self._shape.text())
        if any(length < 0 for length in shape) or np.prod(shape, dtype=float) > 10_000_000:
            raise EditRefusedError(
                "This shape cannot be filled.",
                next_step="Give lengths of 0 or more, ten million elements at most.",
            )
        kind = str(self._distribution.currentData())
        return {"kind": kind, "shape": list(shape), "seed": self.seed.value()}

    def _make_range(self) -> QWidget:
        source = self.source if self.source and self.source.get("kind") == "range" else {}
        self._bounds = {
            name: QLineEdit(format_element(source.get(name, default)))
            for name, default in (("start", 0.0), ("stop", 4.0), ("step", 1.0))
        }
        page = QWidget()
        form = QFormLayout(page)
        form.setContentsMargins(8, 14, 8, 8)
        for name, field in self._bounds.items():
            field.setFont(mono_font(12))
            form.addRow({"start": "From", "stop": "To, exclusive", "step": "Step"}[name], field)
        return page

    def _range_source(self) -> dict[str, Any]:
        bounds = {
            name: float(parse_array(field.text()).reshape(-1)[0])
            for name, field in self._bounds.items()
        }
        return {"kind": "range", **bounds}

    def _on_tab_changed(self, shown: int) -> None:
        self.message.clear()
        if shown == 1 and not self.text.isReadOnly():
            try:  # carry over what was typed meanwhile
                self._show_table(parse_array(self.text.toPlainText(), self._dtype.currentText()))
            except EditRefusedError as error:
                self.message.setText(str(error))
