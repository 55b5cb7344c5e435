"""What can be set at a frame: title, note, colour, whether it records; at a comment: its text."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QPlainTextEdit, QWidget

from app.colors import FRAME_COLORS
from app.document import Editable
from app.panels.node_head import name_label
from app.panels.widgets import MARGIN, Field, caption, column, muted
from core.graph import Frame

_NOTE_HEIGHT = 90


class FrameView(QWidget):
    """All about one frame or comment.

    Attributes:
        first_field: where its words are written.
    """

    first_field: Field | QPlainTextEdit

    def __init__(self, document: Editable, frame: Frame) -> None:
        super().__init__()
        self._document = document
        self.frame_id = frame.id
        self.title_field = Field()
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
        rows: list[tuple[str, QWidget]] = [("colour", self._color)]
        rows.insert(0, ("text" if frame.comment else "note", self._note))
        if not frame.comment:
            rows.insert(0, ("title", self.title_field))
        for row, (name, field) in enumerate(rows):
            grid.addWidget(name_label(name), row, 0)
            grid.addWidget(field, row, 1)
        self.first_field = self._note if frame.comment else self.title_field
        layout = column(self, spacing=12, margin=MARGIN)
        layout.addWidget(caption("Comment" if frame.comment else "Frame"))
        layout.addLayout(grid)
        if not frame.comment:
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
