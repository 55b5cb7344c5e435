"""Where larger values are made: by typing, in a table, or by a recipe."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QPlainTextEdit,
    QTabWidget,
    QWidget,
)

from app.canvas.format import shape_text
from app.panels.array_text import DTYPES, TYPED_LIMIT, Array, format_array, parse_array
from app.panels.recipe_form import RecipeForm
from app.panels.table_editor import TableEditor
from app.panels.widgets import column
from app.theme import mono_font
from core.errors import EditRefusedError
from core.making import Source, is_recipe, make

_TYPE, _TABLE, _MAKE = range(3)


class ValueDialog(QDialog):
    """Makes an array.

    Attributes:
        array: what was made; its ``source`` says how, None for typed values.
    """

    def __init__(
        self, array: Array, source: Source | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.array = array
        self.source = source
        self.setWindowTitle("Value")
        self.setMinimumSize(420, 380)
        self.resize(560, 480)
        self.dtype_box = QComboBox()
        self.dtype_box.addItems(DTYPES)
        if self.dtype_box.findText(str(array.dtype)) < 0:
            self.dtype_box.addItem(str(array.dtype))
        self.dtype_box.setCurrentText(str(array.dtype))
        self.text = QPlainTextEdit()
        self.text.setFont(mono_font(13))
        self.text.setPlaceholderText("2   or   2, 3   or   1 2; 3 4   or   [[1, 2], [3, 4]]")
        self.table = TableEditor(array)
        self.recipe = RecipeForm()
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        for title, page in (
            ("Type", self.text),
            ("Table", self.table),
            ("Make", self._make_page()),
        ):
            self.tabs.addTab(page, title)
        self.message = QLabel()
        self.message.setProperty("kind", "error")
        self.message.setWordWrap(True)
        box = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(box.Ok | box.Cancel)
        self.ok_button = buttons.button(box.Ok)
        self.ok_button.setProperty("kind", "primary")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form = QFormLayout()
        form.addRow("dtype", self.dtype_box)
        layout = column(self, spacing=10, margin=16)
        layout.addWidget(self.tabs, stretch=1)
        layout.addWidget(self.message)
        layout.addLayout(form)
        layout.addWidget(buttons)
        self._write(array)
        self.tabs.setTabEnabled(_TABLE, array.dtype.kind in "fiub")
        self._show_recipe(source if is_recipe(source) else None)
        starts = _MAKE if is_recipe(source) else _TYPE if array.size <= 1 else _TABLE
        self.tabs.setCurrentIndex(starts if self.tabs.isTabEnabled(starts) else _TYPE)
        self._page = self.tabs.currentIndex()
        self.tabs.currentChanged.connect(self._on_tab_changed)
        self.table.refused.connect(self.message.setText)
        self.recipe.edited.connect(self._on_recipe_edited)

    def accept(self) -> None:
        """Take the array, or say what is wrong with it and stay open."""
        try:
            array, source = self._made()
        except EditRefusedError as error:
            self.message.setText(str(error))
            return
        self.array, self.source = array, source
        super().accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter is for the cells and fields; with Ctrl it is for OK."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.accept()

    def _made(self) -> tuple[Array, Source | None]:
        """What the page shown has made.

        Raises:
            EditRefusedError: if it is no array.
        """
        dtype = self.dtype_box.currentText()
        if self._page == _MAKE and self.recipe.source is not None:
            return make(self.recipe.source, dtype), self.recipe.source
        if self._page == _TABLE or self.text.isReadOnly():
            array = self.table.array
        else:
            array = parse_array(self.text.toPlainText(), dtype)
        with np.errstate(invalid="ignore"):  # NaN as an integer: NumPy's choice is as good as any
            array = array.astype(dtype)
        is_same = array.dtype == self.array.dtype and np.array_equal(
            array, self.array, equal_nan=array.dtype.kind == "f"
        )
        return array, self.source if is_same else None

    # -- pages ---------------------------------------------------------------------------------

    def _make_page(self) -> QWidget:
        page = QWidget()
        layout = column(page, spacing=12, margin=8)
        layout.addWidget(self.recipe)
        self.preview = QLabel()
        self.preview.setFont(mono_font(11))
        self.preview.setProperty("kind", "muted")
        self.preview.setWordWrap(True)
        layout.addWidget(self.preview)
        layout.addStretch(1)
        return page

    def _write(self, array: Array) -> None:
        typed = array.size <= TYPED_LIMIT and array.dtype.kind in "fiub"
        self.text.setPlainText(format_array(array) if typed else shape_text(array))
        self.text.setReadOnly(not typed)

    def _show_recipe(self, source: Source | None) -> None:
        self.recipe.show_source(source, self.array.shape)
        if source is None:
            self.preview.setText("Choose how the value is made: a constant, a range, at random.")

    def _on_recipe_edited(self, source: Source | None) -> None:
        self.message.clear()
        try:
            array = None if source is None else make(source, self.dtype_box.currentText())
        except EditRefusedError as error:
            self.recipe.refuse(str(error))
            self.message.setText(str(error))
            return
        self._show_recipe(source)
        if array is not None:
            few = array.size <= 12
            self.preview.setText(format_array(array) if few else _beginning(array))

    def _on_tab_changed(self, shown: int) -> None:
        """Carry what was made on one page over to the other."""
        try:
            array, _ = self._made()
        except EditRefusedError as error:
            self.message.setText(str(error))
        else:
            self.message.clear()
            if shown == _TABLE:
                self.table.set_array(array)
            elif shown == _TYPE:
                self._write(array)
        self._page = shown


def _beginning(array: Any) -> str:
    first = ", ".join(f"{x:.4g}" for x in array.reshape(-1)[:12])
    return f"{shape_text(array)}  {first}, …"
