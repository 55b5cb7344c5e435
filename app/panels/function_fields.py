"""A function in the inspector: its name and its ports, for all instances, and the way inside."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QWidget

from app.document import Editable
from app.panels.node_head import name_label
from app.panels.widgets import Field, caption, column, muted, set_invalid
from core.errors import PullbackError
from core.graph import CALL, Function, Graph, Node, closed, opened, renamed

#: Widest label in front of a field.
_LABEL = 64


class FunctionFields(QWidget):
    """The definition behind a function node. Edits reach every instance.

    Attributes:
        name_field: what the function is called.
        port_fields: a field for the name of each port, by the id of its node in the body.

    Signals:
        open_asked: the user wants to see the inside.
        flatten_asked: the user wants its nodes in place of the function node.
    """

    open_asked = Signal()
    flatten_asked = Signal()

    def __init__(self, document: Editable, node: Node) -> None:
        super().__init__()
        self._document = document
        self._function: Function = node.params["function"]
        self.name_field = self._field(self._function.name, "Function name", self._rename)
        self.port_fields: dict[str, Field] = {}
        self._ports = QGridLayout()
        self._ports.setContentsMargins(0, 0, 0, 0)
        self._ports.setSpacing(6)
        self._ports.setColumnMinimumWidth(0, _LABEL)
        self._use = muted()
        self.open_button = QPushButton("Open")
        self.open_button.setToolTip("See and edit the inside (I, or a double-click on the node)")
        self.open_button.clicked.connect(self.open_asked)
        self.flatten_button = QPushButton("Flatten")
        self.flatten_button.setToolTip("Put its nodes in place of this one")
        self.flatten_button.clicked.connect(self.flatten_asked)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.open_button)
        buttons.addWidget(self.flatten_button)
        layout = column(self, spacing=6)
        layout.addWidget(caption("Function"))
        layout.addLayout(self._ports)
        layout.addWidget(self._use)
        layout.addLayout(buttons)
        self._add_fields()
        self._show_use()

    def show_node(self, node: Node) -> None:
        """Follow an edit that left the ports as they are."""
        self._function = node.params["function"]
        self.name_field.setText(self._function.name)
        self._show_use()

    def _add_fields(self) -> None:
        self._ports.addWidget(name_label("name"), 0, 0)
        self._ports.addWidget(self.name_field, 0, 1)
        for word, ends in (("in", self._function.arguments), ("out", self._function.results)):
            for end in ends:
                field = self._field(end.name, f"{word}put port", self._port_renamer(end.id))
                self.port_fields[end.id] = field
                row = len(self.port_fields)
                self._ports.addWidget(name_label(word), row, 0)
                self._ports.addWidget(field, row, 1)

    def _show_use(self) -> None:
        count = _instances(self._document.graph, self._function.id)
        self._use.setText(
            "Edits of it reach this node alone: it is the only one here."
            if count == 1
            else f"Edits of it reach all {count} nodes of it here."
        )

    def _field(self, text: str, name: str, edit: Callable[[str], None]) -> Field:
        field = Field(text)
        field.setAccessibleName(name)

        def finish() -> None:
            if field.isModified():
                field.setModified(False)
                self._attempt(field, edit)

        # The edit may make the inspector anew: the field must be through with its event by then.
        field.editingFinished.connect(lambda: QTimer.singleShot(0, field, finish))
        return field

    def _attempt(self, field: Field, edit: Callable[[str], None]) -> None:
        set_invalid(field, "")
        try:
            edit(field.text().strip())  # after which the field may be gone
        except PullbackError as error:
            set_invalid(field, str(error))

    def _rename(self, name: str) -> None:
        function_id, old = self._function.id, self._function.name
        self._document.edit_whole(
            f"Rename {old} to {name}", lambda whole: renamed(whole, function_id, name)
        )

    def _port_renamer(self, end_id: str) -> Callable[[str], None]:
        def rename(name: str) -> None:
            function_id = self._function.id
            old = self._function.body.nodes[end_id].name

            def change(whole: Graph) -> Graph:
                return closed(whole, opened(whole, function_id).with_name(end_id, name))

            self._document.edit_whole(f"Rename {old} to {name}", change)

        return rename


def _instances(graph: Graph, function_id: str) -> int:
    return sum(
        node.op == CALL and node.params["function"].id == function_id
        for node in graph.nodes.values()
    )
