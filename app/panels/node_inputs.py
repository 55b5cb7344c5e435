"""The middle part of the inspector: what can be set at a node.

Each group asks for edits of the document itself; a refused edit is shown on the field it came from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.canvas.format import Array
from app.document import Editable
from app.panels.array_editor import ArrayField
from app.panels.array_text import DTYPES
from app.panels.node_head import name_label
from app.panels.param_editors import ParamEditor, make_editor
from app.panels.recipe_form import RecipeForm
from app.panels.value_dialog import ValueDialog
from app.panels.value_slider import ValueSlider
from app.panels.widgets import caption
from app.sliding import SliderRange, is_slider
from app.theme import Theme
from app.value_edits import with_value
from core.errors import EditRefusedError, PullbackError
from core.graph import CAST, INPUT, Graph, Node, input_ports
from core.library.spec import Param
from core.making import Source, is_recipe, make

_LABEL_COLUMN = 92


def _grid(parent: QWidget | None = None) -> QGridLayout:
    grid = QGridLayout(parent) if parent else QGridLayout()
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(10)
    grid.setVerticalSpacing(7)
    grid.setColumnMinimumWidth(0, _LABEL_COLUMN)
    grid.setColumnStretch(1, 1)
    return grid


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 24 else text[:23] + "…"


class ParamFields(QWidget):
    """An editor for each parameter of the operation."""

    def __init__(self, document: Editable, node: Node) -> None:
        super().__init__()
        self._document = document
        self._node_id = node.id
        self.editors: dict[str, ParamEditor] = {}
        grid = _grid(self)
        params = _params(node)
        if params:
            grid.addWidget(caption("Settings"), 0, 0, 1, 2)
        for row, param in enumerate(params, start=1):
            editor = make_editor(param)
            editor.edited.connect(self._edit(param.name))
            label = name_label(param.name)
            label.setToolTip(param.doc)
            grid.addWidget(label, row, 0)
            grid.addWidget(editor, row, 1)
            self.editors[param.name] = editor
        self.show_node(node)

    def show_node(self, node: Node) -> None:
        """Show the node's parameters."""
        values = {**(node.spec.defaults if node.spec else {}), **node.params}
        for name, editor in self.editors.items():
            editor.set_value(values.get(name))

    def _edit(self, name: str) -> Callable[[Any, str], None]:
        def edit(value: Any, merge: str) -> None:
            graph = self._document.graph
            node = graph.nodes[self._node_id]
            try:
                after = graph.with_params(node.id, **{name: value})
            except PullbackError as error:
                self.editors[name].refuse(error)
                return
            text = f"Set {node.name}.{name} to {_shown(value)}"
            self._document.edit(text, after, merge=merge and f"{node.id}.{name}.{merge}")

        return edit


def _params(node: Node) -> tuple[Param, ...]:
    if node.op == CAST:
        return (Param("dtype", "choice", "float64", "The dtype it is cast to.", choices=DTYPES),)
    return node.spec.params if node.spec else ()


class PortFields(QWidget):
    """For each input port, the wire that feeds it or a field for its value.

    Signals:
        source_asked: the user wants to see the node at the other end of a wire (node id).
    """

    source_asked = Signal(str)

    def __init__(self, document: Editable, node: Node) -> None:
        super().__init__()
        self._document = document
        self._node_id = node.id
        self.fields: dict[str, ArrayField] = {}
        graph = document.graph
        grid = _grid(self)
        ports = input_ports(node, graph)
        wires = graph.wires_into(node.id)
        if ports:
            grid.addWidget(caption("Inputs"), 0, 0, 1, 2)
        for row, port in enumerate(ports, start=1):
            grid.addWidget(name_label(port), row, 0)
            if port in wires:
                grid.addWidget(self._source_button(graph, wires[port].source), row, 1)
                continue
            field = ArrayField()
            field.setAccessibleName(port)
            field.setPlaceholderText("wire it, or type a value")
            field.set_array(node.inline.get(port))
            field.array_edited.connect(lambda array, p=port: self._edit(p, array))
            field.textEdited.connect(lambda text, p=port: self._clear_if_empty(p, text))
            grid.addWidget(field, row, 1)
            self.fields[port] = field

    def _source_button(self, graph: Graph, source: str) -> QPushButton:
        button = QPushButton(f"←  {graph.nodes[source].name}")
        button.setProperty("kind", "quiet")
        button.setStyleSheet("text-align: left; padding: 2px 6px;")
        button.setToolTip("Select the node this wire comes from")
        button.clicked.connect(lambda: self.source_asked.emit(source))
        return button

    def _edit(self, port: str, array: Array | None) -> None:
        graph = self._document.graph
        node = graph.nodes[self._node_id]
        try:
            after = graph.with_inline(node.id, port, array)
        except PullbackError as error:
            self.fields[port].refuse(str(error))
            return
        verb = "Clear" if array is None else "Set"
        self._document.edit(f"{verb} {node.name}.{port}", after)

    def _clear_if_empty(self, port: str, text: str) -> None:
        if not text.strip():
            self.fields[port].setModified(False)
            self._edit(port, None)


class ValueFields(QWidget):
    """Value, slider, dtype and requires grad of an input node.

    Signals:
        slid: the value is being dragged (Slide).
    """

    slid = Signal(object)

    def __init__(self, document: Editable, node: Node, theme: Theme) -> None:
        super().__init__()
        self._document = document
        self._node_id = node.id
        self.value_field = ArrayField()
        self.value_field.setAccessibleName("Value")
        self._more = QPushButton("More…")
        self._more.setToolTip("Edit as a table")
        self.recipe = RecipeForm()
        self.slider = ValueSlider()
        self.dtype_box = QComboBox()
        self.dtype_box.addItems(DTYPES)
        self.dtype_box.setAccessibleName("dtype")
        self.requires_grad = QCheckBox("requires grad")
        line = QHBoxLayout()
        line.setSpacing(6)
        line.addWidget(self.value_field, stretch=1)
        line.addWidget(self._more)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(7)
        layout.addWidget(caption("Value"))
        layout.addLayout(line)
        layout.addWidget(self.slider)
        layout.addWidget(self.recipe)
        grid = _grid()
        grid.addWidget(name_label("dtype"), 0, 0)
        grid.addWidget(self.dtype_box, 0, 1)
        layout.addLayout(grid)
        layout.addWidget(self.requires_grad)
        self.show_node(node)
        self.value_field.array_edited.connect(lambda array: self._set_value(array, None))
        self.slider.slid.connect(self.slid)
        self.recipe.edited.connect(self._make)
        self.slider.range_edited.connect(self._keep_range)
        self._more.clicked.connect(self._open_dialog)
        self.dtype_box.textActivated.connect(self._set_dtype)
        self.requires_grad.clicked.connect(self._set_requires_grad)

    def show_node(self, node: Node) -> None:
        """Show the node's value."""
        array: Array = node.params["value"]
        self.value_field.set_array(array)
        self.slider.show_node(node)
        self.recipe.show_source(node.params["source"], array.shape)
        if self.dtype_box.findText(str(array.dtype)) < 0:
            self.dtype_box.addItem(str(array.dtype))
        self.dtype_box.setCurrentText(str(array.dtype))
        self.requires_grad.setChecked(bool(node.params["requires_grad"]))
        self.requires_grad.setEnabled(array.dtype.kind in "fc")

    def _make(self, source: Source | None) -> None:
        """Make the value by another recipe, or keep it as if typed."""
        array: Array = self._node().params["value"]
        try:
            made = array if source is None else make(source, str(array.dtype))
        except EditRefusedError as error:
            self.recipe.refuse(str(error))
            return
        self._set_value(made, source)
        # An edit that changes nothing is none, and then nobody else would put this back.
        self.recipe.show_source(self._node().params["source"], made.shape)

    def _set_value(self, array: Array, source: Source | None) -> None:
        node = self._node()
        try:
            after = with_value(self._document.graph, node, array, source)
        except PullbackError as error:
            self.value_field.refuse(str(error))
            return
        self._document.edit(f"Set {node.name}", after)

    def _keep_range(self, limits: SliderRange) -> None:
        node = self._node()
        source = node.params["source"]
        if source is None or is_slider(source):  # else it says how the value was made
            self._edit(f"Set the slider of {node.name}", source=limits.source())

    def _set_dtype(self, dtype: str) -> None:
        array: Array = self._node().params["value"]
        source: Source | None = self._node().params["source"]
        with np.errstate(invalid="ignore"):  # NaN as an integer: NumPy's choice is as good as any
            is_made = source is not None and is_recipe(source)
            changed = make(source, dtype) if source and is_made else array.astype(dtype)
        self._set_value(changed, source)

    def _set_requires_grad(self, on: bool) -> None:
        verb = "Track" if on else "Do not track"
        self._edit(f"{verb} the gradient of {self._node().name}", requires_grad=on)

    def _open_dialog(self) -> None:
        params = self._node().params
        dialog = ValueDialog(params["value"], params["source"], self.window())
        if dialog.exec() == ValueDialog.DialogCode.Accepted:
            self._set_value(dialog.array, dialog.source)
        dialog.deleteLater()

    def _edit(self, text: str, **params: Any) -> None:
        try:
            after = self._document.graph.with_params(self._node_id, **params)
        except PullbackError as error:
            self.value_field.refuse(str(error))
            return
        self._document.edit(text, after)

    def _node(self) -> Node:
        node = self._document.graph.nodes[self._node_id]
        assert node.op == INPUT
        return node
