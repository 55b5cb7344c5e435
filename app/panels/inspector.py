"""The inspector: the selected node whole. What is not selected cannot be wrong: it is not shown."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget

from app.document import Editable
from app.panels.frame_view import FrameView
from app.panels.many_view import ManyView
from app.panels.node_view import NodeView
from app.panels.widgets import EmptyState
from app.theme import Theme
from core.graph import Frame, GraphDiff
from core.moments import Moment
from core.session import Snapshot
from core.trace import Trace


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
