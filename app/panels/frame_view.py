"""What can be set at a frame: title, note, colour, and whether it records."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLineEdit, QPlainTextEdit, QWidget

from app.colors import FRAME_COLORS
from app.document import Document
from app.panels.node_head import name_label
from app.panels.widgets import MARGIN, caption, column, muted
from core.graph import Frame

_NOTE_HEIGHT = 90


class FrameView(QWidget):
    """All about one frame."""

    def __init__(self, document: Document, frame: Frame) -> None:
        super().__init__()
        self._document = document
        self.frame_id = frame.id
        self.title_field = QLineEdit()
        self.title_field.setAccessibleName("Title")
        self._note = QPlainTextEdit()
        self._note.setFixedHeight(_NOTE_HEIGHT)
        self._note.setAccessibleName("Note")
        self._color = QComboBox()
        self._color.addItems(list(FRAME_COLORS))
        self._color.setAccessibleName("Colour")
        self.no_grad = QCheckBox("no_grad")
        grid = QGridLayout()
        grid.setVerticalSpacing(7)
        grid.setColumnStretch(1, 1)
        for row, (name, field) in enumerate(
            (("title", self.title_field), ("note", self._note), ("colour", self._color))
        ):
            grid.addWidget(name_label(name), row, 0)
            grid.addWidget(field, row, 1)
        layout = column(self, spacing=12, margin=MARGIN)
        layout.addWidget(caption("Frame"))
        layout.addLayout(grid)
        layout.addWidget(self.no_grad)
        layout.addWidget(
            muted("Nodes in a no_grad frame compute without a record: no gradient passes them.")
        )
        layout.addStretch(1)
        self.show_frame(frame)
        self.title_field.editingFinished.connect(
            lambda: self._edit("Rename a frame", title=self.title_field.text())
        )
        self._note.textChanged.connect(
            lambda: self._edit("Note", merge=True, note=self._note.toPlainText())
        )
        self._color.textActivated.connect(lambda key: self._edit("Colour a frame", color=key))
        self.no_grad.clicked.connect(lambda on: self._edit("Set no_grad", no_grad=on))

    def show_frame(self, frame: Frame) -> None:
        """Show the frame as it is now."""
        self.title_field.setText(frame.title)
        if self._note.toPlainText() != frame.note:  # the cursor stays while it is typed
            self._note.setPlainText(frame.note)
        self._color.setCurrentText(frame.color)
        self.no_grad.setChecked(frame.no_grad)

    def _edit(self, text: str, *, merge: bool = False, **changes: Any) -> None:
        graph = self._document.graph
        if self.frame_id in graph.frames:
            after = graph.with_frame_changed(self.frame_id, **changes)
            self._document.edit(text, after, merge=f"{self.frame_id}.note" if merge else "")
