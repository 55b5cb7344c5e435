"""One node whole, as the inspector shows it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.document import Editable
from app.panels.function_fields import FunctionFields
from app.panels.node_head import NodeFormulas, NodeHead, hairline
from app.panels.node_inputs import ParamFields, PortFields, ValueFields
from app.panels.node_state import NodeState
from app.panels.widgets import MARGIN, column
from app.theme import Theme
from core.errors import PullbackError
from core.graph import CALL, INPUT, Function, GraphDiff, Node


class NodeView(QWidget):
    """All about one node.

    Signals:
        source_asked: the user wants to see another node (node id).
        slid: a value is being dragged (Slide).
        function_asked: the user wants to see the inside of the function.
        flatten_asked: the user wants its nodes in its place.
    """

    source_asked = Signal(str)
    slid = Signal(object)
    function_asked = Signal(str)
    flatten_asked = Signal(str)

    def __init__(self, document: Editable, node: Node, theme: Theme) -> None:
        super().__init__()
        self._document = document
        self.node_id = node.id
        self.head = NodeHead(node, theme)
        self.head.renamed.connect(self._rename)
        self.head.pin_asked.connect(self._pin)
        self.params = ParamFields(document, node)
        self.ports = PortFields(document, node)
        self.ports.source_asked.connect(self.source_asked)
        self.value = ValueFields(document, node, theme) if node.op == INPUT else None
        if self.value is not None:
            self.value.slid.connect(self.slid)
        self.function = FunctionFields(document, node) if node.op == CALL else None
        if self.function is not None:
            self.function.open_asked.connect(lambda: self.function_asked.emit(self.node_id))
            self.function.flatten_asked.connect(lambda: self.flatten_asked.emit(self.node_id))
        self.state = NodeState(node, theme)
        layout = column(self, spacing=12, margin=MARGIN)
        layout.addWidget(self.head)
        for group, has_content in (
            (self.value, self.value is not None),
            (self.ports, bool(document.graph.wires_into(node.id)) or bool(self.ports.fields)),
            (self.params, bool(self.params.editors)),
            (self.function, self.function is not None),
        ):
            if group is not None and has_content:
                layout.addWidget(group)
        layout.addWidget(hairline(theme))
        layout.addWidget(self.state)
        if node.spec is not None:
            layout.addWidget(hairline(theme))
            layout.addWidget(NodeFormulas(node, theme))
        layout.addStretch(1)

    def first_field(self) -> QWidget:
        """Where Enter on the canvas puts the cursor."""
        if self.value is not None:
            return self.value.value_field
        fields = [*self.ports.fields.values(), *self.params.editors.values()]
        return fields[0] if fields else self.head.name_field

    def follow(self, diff: GraphDiff) -> bool:
        """Show what an edit changed here. False when the view must be made anew."""
        if self.node_id in diff.nodes_removed or self._is_rewired(diff):
            return False
        node = diff.after.nodes[self.node_id]
        if self.node_id in diff.nodes_renamed:
            self.head.show_name(node.name)
        self.head.pin_button.setChecked(node.pinned)
        if self.node_id in diff.nodes_changed:
            before = diff.before.nodes[self.node_id]
            if self.value is not None:
                # The colour and the description say whether it requires grad.
                if before.params["requires_grad"] != node.params["requires_grad"]:
                    return False
                self.value.show_node(node)
            self.params.show_node(node)
            if self.function is not None:
                if _ports(before) != _ports(node):
                    return False
                self.function.show_node(node)
            for port, field in self.ports.fields.items():
                field.set_array(node.inline.get(port))
        return True

    def _is_rewired(self, diff: GraphDiff) -> bool:
        touched = [diff.before.wires[i] for i in diff.wires_removed]
        touched += [diff.after.wires[i] for i in diff.wires_added]
        feeders = {wire.source for wire in diff.after.wires_into(self.node_id).values()}
        renamed = not feeders.isdisjoint(diff.nodes_renamed)
        return renamed or any(wire.target == self.node_id for wire in touched)

    def _rename(self, name: str) -> None:
        graph = self._document.graph
        try:
            after = graph.with_name(self.node_id, name)
        except PullbackError as error:
            self.head.name_field.refuse(str(error))
            return
        old = graph.nodes[self.node_id].name
        self._document.edit(f"Rename {old} to {name}", after)

    def _pin(self, on: bool) -> None:
        graph = self._document.graph
        verb = "Pin" if on else "Unpin"
        name = graph.nodes[self.node_id].name
        self._document.edit(f"{verb} {name}", graph.with_pinned([self.node_id], on))


def _ports(call: Node) -> tuple[tuple[str, ...], tuple[str, ...]]:
    function: Function = call.params["function"]
    return function.inputs, function.outputs
