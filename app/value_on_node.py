"""Editing a value where it is: a field that a double-click lays over an input's value row."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent

from app.canvas.canvas import Canvas
from app.canvas.metrics import (
    HEADER_HEIGHT,
    NODE_WIDTH,
    PORT_ROW,
    PORTS_BOTTOM,
    PORTS_TOP,
    ROW,
)
from app.document import Document
from app.panels.array_editor import ArrayField
from core.errors import PullbackError

#: Logical pixels below which a field is no use, however small the node is drawn.
_LEAST_WIDTH, _LEAST_HEIGHT = 130, 26


class ValueOnNode(QObject):
    """The field, and the node it is open on.

    Attributes:
        field: a child of the canvas, hidden while nothing is edited.
    """

    def __init__(self, document: Document, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._document = document
        self._canvas = canvas
        self._node_id: str | None = None
        self.field = ArrayField()
        self.field.setParent(canvas)
        self.field.setAccessibleName("value")
        self.field.hide()
        self.field.array_edited.connect(self._on_edited)
        self.field.installEventFilter(self)
        canvas.view_changed.connect(self.close)
        document.changed.connect(lambda _: self.close())

    def open(self, node_id: str) -> None:
        """Lay the field over the value of an input node, with all of it selected."""
        self._canvas.finish_animation()
        self._node_id = node_id
        node = self._document.graph.nodes[node_id]
        self.field.set_array(node.params["value"])
        self.field.setGeometry(self._place(*node.pos).toAlignedRect())
        self.field.show()
        self.field.setFocus()
        self.field.selectAll()

    def close(self) -> None:
        """Take the field away; what was typed and not entered is dropped."""
        if self._node_id is not None:
            self._node_id = None
            self.field.setModified(False)
            self.field.hide()
            self._canvas.setFocus()

    def _place(self, x: float, y: float) -> QRectF:
        """The value row of the node at this place, in the canvas's pixels."""
        top = y + HEADER_HEIGHT + PORTS_TOP + PORT_ROW + PORTS_BOTTOM
        start = self._canvas.to_screen(QPointF(x + 8, top))
        end = self._canvas.to_screen(QPointF(x + NODE_WIDTH - 8, top + ROW))
        row = QRectF(start, end)
        width, height = max(row.width(), _LEAST_WIDTH), max(row.height(), _LEAST_HEIGHT)
        middle = row.center()
        return QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)

    def _on_edited(self, array: np.ndarray[Any, Any]) -> None:
        if self._node_id is None:
            return
        node = self._document.graph.nodes[self._node_id]
        keeps_grad = bool(node.params["requires_grad"]) and array.dtype.kind in "fc"
        try:
            after = self._document.graph.with_params(
                node.id, value=array, source=None, requires_grad=keeps_grad
            )
        except PullbackError as error:
            self.field.refuse(str(error))
            return
        self._document.edit(f"Set {node.name}", after)  # which closes the field

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Esc drops what was typed; Enter on what is as it was, or a click elsewhere, closes."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                event.accept()  # this Esc is the field's, not the canvas's
                return True
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            entered = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            unchanged = entered and not self.field.isModified()
            if event.key() == Qt.Key.Key_Escape or unchanged:
                self.close()
                return True
        elif event.type() == QEvent.Type.FocusOut and not self.field.isModified():
            self.close()
        return False
