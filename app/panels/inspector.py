"""The inspector: the selected node whole. What is not selected cannot be wrong: it is not shown."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget

from app.document import Editable
from app.panels.frame_view import FrameView
from app.panels.function_fields import FunctionFields
from app.panels.node_head import NodeFormulas, NodeHead, hairline
from app.panels.node_inputs import ParamFields, PortFields, ValueFields
from app.panels.node_state import NodeState
from app.panels.widgets import MARGIN, EmptyState, caption, column, muted
from app.theme import Theme
from core.errors import PullbackError
from core.graph import CALL, INPUT, Frame, Function, Graph, GraphDiff, Node
from core.moments import Moment
from core.session import Snapshot
from core.trace import Trace


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
            self.head.refuse(str(error))
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


class ManyView(QWidget):
    """What can be said of several nodes at once."""

    def __init__(self, graph: Graph, ids: Collection[str]) -> None:
        super().__init__()
        layout = column(self, spacing=10, margin=MARGIN)
        chosen = frozenset(ids)
        nodes = [graph.nodes[i] for i in chosen]
        inner = sum(wire.source in chosen for i in chosen for wire in graph.wires_into(i).values())
        layout.addWidget(caption(f"{len(nodes)} nodes selected"))
        counts: dict[str, int] = {}
        for node in nodes:
            counts[node.label] = counts.get(node.label, 0) + 1
        listed = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        text = "\n".join(f"{count} × {label}" for label, count in listed[:12])
        layout.addWidget(muted(text + ("\n…" if len(listed) > 12 else "")))
        layout.addWidget(muted(f"{inner} wires between them."))
        layout.addWidget(
            muted("Del deletes them, Ctrl+D duplicates them, Ctrl+G puts a frame around them.")
        )
        layout.addStretch(1)


class Inspector(QStackedWidget):
    """Shows the selection: nothing, one node, or several.

    Signals:
        source_asked: the user wants to see another node (node id).
        slid: a value is being dragged (Slide).
        function_asked: the user wants to see the inside of a function (node id).
        flatten_asked: the user wants the nodes of a function in its place (node id).
    """

    source_asked = Signal(str)
    slid = Signal(object)
    function_asked = Signal(str)
    flatten_asked = Signal(str)

    def __init__(self, document: Editable, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._theme = theme
        self._ids: tuple[str, ...] = ()
        self.frame_view: FrameView | None = None
        self._snapshot: Snapshot | None = None
        self._trace: Trace | None = None
        self._moment = Moment(0.0, 0)
        self.view: NodeView | None = None
        self._empty = EmptyState(
            "square-function",
            "Nothing is selected",
            "Click a node to see its value, its formula and its gradient.\n\n"
            "Tab on the canvas adds a node, F5 runs backward.",
        )
        self._empty.set_theme(theme)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.addWidget(self._empty)
        self.addWidget(self._scroll)
        document.changed.connect(self._on_changed)

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self._empty.set_theme(theme)
        self._rebuild()

    def select(self, ids: Collection[str]) -> None:
        """Show these nodes, or this frame."""
        graph = self._document.graph
        self._ids = tuple(sorted(i for i in ids if i in graph.nodes))
        frames = [i for i in ids if i in graph.frames]
        if len(frames) == 1 and not self._ids:
            self._show_frame(graph.frames[frames[0]])
        else:
            self._rebuild()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Take new values."""
        self._snapshot = snapshot
        if self.view is not None:
            self.view.state.show_snapshot(snapshot)

    def show_trace(self, trace: Trace | None) -> None:
        """Take the trace that moments belong to from now on."""
        self._trace = trace
        self.show_moment(Moment(0.0, 0))

    def show_moment(self, moment: Moment) -> None:
        """Show the node as it is at this moment of the trace."""
        self._moment = moment
        if self.view is not None:
            self.view.state.show_moment(self._trace, moment)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to edit."""
        return self.view is None and self.frame_view is None

    def edit_name(self) -> None:
        """Put the cursor into the name field."""
        if self.frame_view is not None:
            self.edit_first_field()
        elif self.view is not None:
            self.view.head.name_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.view.head.name_field.selectAll()

    def edit_first_field(self) -> None:
        """Put the cursor into the first field."""
        if self.frame_view is not None:
            self.frame_view.first_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.frame_view.first_field.selectAll()
        elif self.view is not None:
            self.view.first_field().setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _show_frame(self, frame: Frame) -> None:
        self.view = None
        self.frame_view = FrameView(self._document, frame)
        self._scroll.setWidget(self.frame_view)
        self.setCurrentWidget(self._scroll)

    def _on_changed(self, diff: GraphDiff) -> None:
        if self.frame_view is not None:
            frame = diff.after.frames.get(self.frame_view.frame_id)
            if frame is None:
                self._rebuild()
            elif diff.frames_changed:
                self.frame_view.show_frame(frame)
            return
        kept = tuple(i for i in self._ids if i in diff.after.nodes)
        if kept != self._ids or self.view is None or not self.view.follow(diff):
            self._ids = kept
            if kept or self.currentWidget() is not self._empty:
                self._rebuild()

    def _rebuild(self) -> None:
        top = QPoint(0, self._scroll.verticalScrollBar().value())
        same = self.view is not None and self._ids == (self.view.node_id,)
        self.view = self.frame_view = None
        if not self._ids:
            if (last := self._scroll.takeWidget()) is not None:
                last.deleteLater()
            self.setCurrentWidget(self._empty)
            return
        graph = self._document.graph
        if len(self._ids) == 1:
            self.view = NodeView(self._document, graph.nodes[self._ids[0]], self._theme)
            self.view.source_asked.connect(self.source_asked)
            self.view.slid.connect(self.slid)
            self.view.function_asked.connect(self.function_asked)
            self.view.flatten_asked.connect(self.flatten_asked)
            if self._snapshot is not None:
                self.view.state.show_snapshot(self._snapshot)
            self.view.state.show_moment(self._trace, self._moment)
        self._scroll.setWidget(self.view or ManyView(graph, self._ids))
        self.setCurrentWidget(self._scroll)
        if same:
            self._scroll.verticalScrollBar().setValue(top.y())
