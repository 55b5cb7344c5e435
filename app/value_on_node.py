"""Editing a value where it is: a field that a double-click lays over an input's value row.

Under the field of a scalar hangs a slider.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, Qt, Signal
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
from app.document import Editable
from app.panels.array_editor import ArrayField
from app.panels.slider import Slider
from app.sliding import Slide, SliderRange, can_slide, range_of, with_element
from app.value_edits import with_value
from core.errors import PullbackError
from core.graph import GraphDiff, Node

#: Logical pixels below which a field is no use, however small the node is drawn.
_LEAST_WIDTH, _LEAST_HEIGHT = 130, 26


class ValueOnNode(QObject):
    """The field, and the node it is open on.

    Attributes:
        field: a child of the canvas, hidden while nothing is edited.
        slider: another, below the field of a scalar.

    Signals:
        slid: the value is being dragged (Slide).
    """

    slid = Signal(object)

    def __init__(self, document: Editable, canvas: Canvas) -> None:
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
        self._range = SliderRange(0.0, 1.0, 0.01)
        self.slider = Slider()
        self.slider.setParent(canvas)
        self.slider.setAccessibleName("value slider")
        self.slider.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.slider.setFocusProxy(self.field)  # which keeps the focus, and Esc with it
        self.slider.setAutoFillBackground(True)
        self.slider.hide()
        self.slider.slid.connect(lambda position: self._tell("drag", position))
        self.slider.dropped.connect(lambda position, _: self._tell("drop", position))
        self.slider.cancelled.connect(lambda: self.slid.emit(Slide("cancel", "")))
        canvas.view_changed.connect(self.close)
        document.changed.connect(self._on_changed)

    def open(self, node_id: str) -> None:
        """Lay the field over the value of an input node, with all of it selected."""
        self._canvas.finish_animation()
        self._node_id = node_id
        node = self._document.graph.nodes[node_id]
        self.field.set_array(node.params["value"])
        place = self._place(*node.pos).toAlignedRect()
        self.field.setGeometry(place)
        self.field.show()
        self._open_slider(node, place)
        self.field.setFocus()
        self.field.selectAll()

    def close(self) -> None:
        """Take the field away; what was typed and not entered is dropped."""
        if self._node_id is not None:
            self._node_id = None
            self.field.setModified(False)
            self.field.hide()
            self.slider.cancel()
            self.slider.hide()
            self._canvas.setFocus()

    def _open_slider(self, node: Node, field: QRect) -> None:
        array = node.params["value"]
        if array.ndim or not can_slide(array):
            return
        self._range = range_of(array, 0, node.params["source"])
        self.slider.setRange(0, self._range.steps)
        self.slider.setValue(self._range.position(float(array)))
        self.slider.setGeometry(field.translated(0, field.height()))
        self.slider.show()

    def _tell(self, phase: Literal["drag", "drop"], position: int) -> None:
        if self._node_id is not None:
            array = self._document.graph.nodes[self._node_id].params["value"]
            changed = with_element(array, 0, self._range.value_at(position))
            self.slid.emit(Slide(phase, self._node_id, changed))

    def _on_changed(self, diff: GraphDiff) -> None:
        """Another edit closes the field; its own slider moves on with it."""
        node = diff.after.nodes.get(self._node_id or "")
        if node is not None and self.slider.isVisible() and diff.nodes_changed <= {node.id}:
            self.field.set_array(node.params["value"])
            self.field.selectAll()
        else:
            self.close()

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
        try:
            after = with_value(self._document.graph, node, array)
        except PullbackError as error:
            self.field.refuse(str(error))
            return
        self.close()
        self._document.edit(f"Set {node.name}", after)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Esc drops what was typed; Enter on what is as it was, or a click elsewhere, closes."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                event.accept()  # this Esc is the field's, not the canvas's
                return True
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            entered = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            unchanged = entered and not self.field.isModified()
            if event.key() == Qt.Key.Key_Escape and self.slider.cancel():
                return True
            if event.key() == Qt.Key.Key_Escape or unchanged:
                self.close()
                return True
        elif event.type() == QEvent.Type.FocusOut and not self.field.isModified():
            self.close()
        return False
