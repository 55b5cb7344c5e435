"""Asks which arrays of an archive are wanted."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from app.panels.widgets import column, mono
from app.theme import mono_font
from core.importers.array_files import ArrayHeader

_NAME = Qt.ItemDataRole.UserRole


class ArrayChooser(QDialog):
    """The arrays of a file with their shapes; one or several can be chosen.

    Attributes:
        arrays: the list; its rows are selected with mouse or keys.
    """

    def __init__(
        self, parent: QWidget, file_name: str, headers: Mapping[str, ArrayHeader], *, single: bool
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import values")
        self.setMinimumSize(360, 280)
        question = "Which array?" if single else "Which arrays?"
        self.arrays = QListWidget()
        self.arrays.setFont(mono_font(12))
        self.arrays.setAccessibleName("Arrays")
        longest = max(map(len, headers))
        for name, header in headers.items():
            shape = " × ".join(map(str, header.shape)) or "scalar"
            item = QListWidgetItem(f"{name:<{longest}}  {header.dtype.name}  {shape}", self.arrays)
            item.setData(_NAME, name)
        mode = QAbstractItemView.SelectionMode
        self.arrays.setSelectionMode(mode.SingleSelection if single else mode.ExtendedSelection)
        self.arrays.setCurrentRow(0)
        if not single:
            self.arrays.selectAll()
        box = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(box.Ok | box.Cancel)
        self.ok_button = buttons.button(box.Ok)
        self.ok_button.setText("Import")
        self.ok_button.setProperty("kind", "primary")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.arrays.itemDoubleClicked.connect(self.accept)
        self.arrays.itemSelectionChanged.connect(
            lambda: self.ok_button.setEnabled(bool(self.chosen()))
        )
        layout = column(self, spacing=10, margin=16)
        layout.addWidget(QLabel(question))
        layout.addWidget(mono(file_name, 11))
        layout.addWidget(self.arrays, stretch=1)
        layout.addWidget(buttons)

    def chosen(self) -> list[str]:
        """Names of the selected arrays, in the file's order."""
        items = [self.arrays.item(row) for row in range(self.arrays.count())]
        return [str(item.data(_NAME)) for item in items if item.isSelected()]


def choose_arrays(
    parent: QWidget, file_name: str, headers: Mapping[str, ArrayHeader], *, single: bool
) -> list[str]:
    """Ask which arrays of a file are wanted; none when the user cancels."""
    dialog = ArrayChooser(parent, file_name, headers, single=single)
    accepted = dialog.exec() == ArrayChooser.DialogCode.Accepted
    dialog.deleteLater()
    return dialog.chosen() if accepted else []
