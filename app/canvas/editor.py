"""Joins the canvas to the document: shows every edit, and makes the edits that hands ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent

from app import edits, frame_edits, wire_edits
from app.canvas.canvas import Canvas
from app.canvas.drops import Drops
from app.canvas.glide import Glide
from app.canvas.hit import PORT_REACH, Hit
from app.canvas.metrics import NODE_WIDTH
from app.catalog import Entry
from app.document import Editable
from app.edits import Edit, Point, WireEnd
from core.errors import PullbackError
from core.graph import CALL, INPUT, GraphDiff

#: Room between a node and the one added behind it.
GAP = 90.0


class CanvasEditor(QObject):
    """What gestures, keys and menus edit through.

    Attributes:
        canvas, document: what it joins.
        snaps: tells whether dragged nodes snap to the grid and to others.
        glide: shows nodes on the way to where an edit put them.
        drops: what is dropped on the canvas.

    Signals:
        palette_asked: open the palette at a place of the screen (QPoint), for the open end of a
            wire (WireEnd) or for none (None).
        field_asked: put the cursor into the first field of the selected node.
        value_asked: edit the value of an input node where it is (its id).
        files_dropped: files of numbers (list of Path) at a place in the scene (QPointF), on a node
            or a port (Hit) or on nothing (None).
        function_asked: open a function node (its id).
        leave_asked: go up, out of the function that is open.
        space_tapped: Space was pressed and let go without panning.
        refused: an edit was refused (PullbackError).
    """

    palette_asked = Signal(QPoint, object)
    field_asked = Signal()
    value_asked = Signal(str)
    files_dropped = Signal(list, QPointF, object)
    function_asked = Signal(str)
    leave_asked = Signal()
    space_tapped = Signal()
    refused = Signal(object)

    def __init__(
        self,
        canvas: Canvas,
        document: Editable,
        find_entry: Callable[[str], Entry | None],
    ) -> None:
        super().__init__(canvas)
        self.canvas = canvas
        self.document = document
        self.drops = Drops(canvas, find_entry)
        self.drops.entry_dropped.connect(lambda entry, place: self.add(entry, place, None))
        self.drops.files_dropped.connect(self.files_dropped)
        self.snaps: Callable[[], bool] = lambda: True
        self.glide = Glide(canvas)
        self._place: Point | None = None
        self._end: WireEnd | None = None
        self._space_panned = False
        self._cursor = QPointF()
        canvas.show_graph(document.graph)
        canvas.installEventFilter(self)
        document.replaced.connect(lambda: canvas.show_graph(document.graph))
        document.changed.connect(self._on_changed)
        canvas.double_clicked.connect(self._on_double_clicked)

    # -- what is selected ----------------------------------------------------------------------

    @property
    def selected_nodes(self) -> list[str]:
        """Ids of the selected nodes, in the graph's order."""
        return self._chosen(self.document.graph.nodes)

    @property
    def selected_wires(self) -> list[str]:
        """Ids of the selected wires."""
        return self._chosen(self.document.graph.wires)

    @property
    def selected_frames(self) -> list[str]:
        """Ids of the selected frames."""
        return self._chosen(self.document.graph.frames)

    def _chosen(self, ids: Iterable[str]) -> list[str]:
        selection = self.canvas.selection
        return [i for i in ids if i in selection] if selection else []

    def sizes(self) -> dict[str, Point]:
        """Width and height of every node."""
        geometry = self.canvas.geometry_arrays
        heights = geometry.heights.tolist()
        return {i: (NODE_WIDTH, heights[row]) for i, row in geometry.row.items()}

    # -- edits ---------------------------------------------------------------------------------

    def make(self, edit: Edit | None) -> None:
        """Make an edit, and select what it says; the document may refuse it after all."""
        if edit is None:
            return
        try:
            self.document.edit(edit.text, edit.graph, merge=edit.merge)
        except PullbackError as error:
            self.refused.emit(error)
            return
        if edit.selected is not None:
            self.canvas.select(edit.selected)

    def rearrange(self, edit: Edit | None, *, show_all: bool = False) -> None:
        """Make an edit that moves nodes, and let them be seen going where it puts them."""
        if edit is None:
            return
        before = {i: node.pos for i, node in self.document.graph.nodes.items()}
        self.make(edit)
        if show_all:
            self.canvas.frame_all()
        self.glide.start(before)

    def attempt(self, prepare: Callable[[], Edit | None]) -> bool:
        """Make an edit that may be refused; whether it was made."""
        try:
            edit = prepare()
        except PullbackError as error:
            self.refused.emit(error)
            return False
        self.make(edit)
        return True

    def connect_ports(self, source: str, output: str, target: str, port: str) -> None:
        """Draw a wire, and go on from the node it leads to."""
        if self.attempt(lambda: edits.connect(self.document.graph, source, output, target, port)):
            self.canvas.select([target])
            self.canvas.reveal(target)

    # -- adding nodes --------------------------------------------------------------------------

    def ask_for_node(self) -> None:
        """Open the palette: behind the one selected node and wired to it, else at the cursor."""
        graph = self.document.graph
        selected = self.selected_nodes
        if len(selected) == 1:
            node = graph.nodes[selected[0]]
            self._end = WireEnd(node.id, edits.first_output(graph, node.id), is_output=True)
            self._place = self.free_place((node.pos[0] + NODE_WIDTH + GAP, node.pos[1]))
        else:
            self._end = None
            self._place = self.free_place(self.cursor_place())
        self._open_palette(self.canvas.to_screen(QPointF(*self._place)))

    def ask_at(self, place: QPointF, end: WireEnd | None = None) -> None:
        """Open the palette at a place of the scene, for the open end of a wire or for none."""
        x, y = place.x(), place.y()
        # A node dropped in front of an input must end where the wire begins.
        self._place = (x, y - 40.0) if end is None or end.is_output else (x - NODE_WIDTH, y - 40.0)
        self._end = end
        self._open_palette(self.canvas.to_screen(place))

    def add_chosen(self, entry: Entry) -> None:
        """Add what was chosen in the palette that was asked for."""
        place, end = self._place or self.cursor_place(), self._end
        self.forget_place()
        self.add(entry, place, end)

    def forget_place(self) -> None:
        """The palette was closed: the wire that waited for it goes."""
        self._place, self._end = None, None
        self.canvas.preview_wire(None)
        self.canvas.setFocus()

    def add_in_view(self, entry: Entry) -> None:
        """Add a node in the middle of what is seen, beside what is already there."""
        self.add(entry, self.place_in_view(), None)

    def place_in_view(self) -> Point:
        """A free place in the middle of what is seen."""
        middle = self.canvas.to_scene(QPointF(self.canvas.rect().center()))
        return self.free_place((middle.x() - NODE_WIDTH / 2, middle.y() - 60.0))

    def add(self, entry: Entry, place: Point, end: WireEnd | None) -> None:
        """Add a node and select it."""
        self.attempt(lambda: edits.add(self.document.graph, entry, place, end))
        selected = self.selected_nodes
        if selected:
            self.canvas.reveal(selected[0])
        self.canvas.setFocus()

    def add_comment(self) -> None:
        """Add a comment at the mouse, select it and ask for its text."""
        edit, comment = frame_edits.comment(self.document.graph, self.cursor_place())
        self.make(edit)
        self.canvas.select([comment])
        self.field_asked.emit()

    def free_place(self, wanted: Point) -> Point:
        """The place, or one below it, at which no node would lie under another."""
        geometry = self.canvas.geometry_arrays
        boxes = geometry.node_boxes()
        x, y = wanted
        while len(boxes):
            inside = (
                (boxes[:, 0] < x + NODE_WIDTH + 12)
                & (boxes[:, 2] > x - 12)
                & (boxes[:, 1] < y + 130)
                & (boxes[:, 3] > y - 12)
            )
            if not inside.any():
                break
            y = float(boxes[inside, 3].max()) + 36.0
        return (x, y)

    def cursor_place(self) -> Point:
        """The mouse in the scene; the middle of what is seen while it is elsewhere."""
        inside = self.canvas.rect().contains(self._cursor.toPoint()) and self._cursor != QPointF()
        pos = self._cursor if inside else QPointF(self.canvas.rect().center())
        place = self.canvas.to_scene(pos)
        return (place.x(), place.y())

    def _open_palette(self, pos: QPointF) -> None:
        self.palette_asked.emit(self.canvas.mapToGlobal(pos.toPoint()), self._end)

    # -- news ----------------------------------------------------------------------------------

    def _on_changed(self, diff: GraphDiff) -> None:
        self.glide.finish()
        if self.canvas.picture.graph is not diff.after:
            self.canvas.show_graph(diff.after, diff)

    def _on_double_clicked(self, hit: Hit | None, place: QPointF) -> None:
        if hit is None:
            self.ask_at(place)
        elif hit.kind in ("node", "frame", "corner"):
            self.canvas.select([hit.id])
            node = self.document.graph.nodes.get(hit.id)
            if node is not None and node.op == INPUT and not node.collapsed:
                self.value_asked.emit(node.id)
            elif node is not None and node.op == CALL:
                self.function_asked.emit(node.id)
            else:
                self.field_asked.emit()
        elif hit.kind == "wire":
            self._add_or_remove_point(hit.id, (place.x(), place.y()))

    def _add_or_remove_point(self, wire: str, place: Point) -> None:
        graph = self.document.graph
        point = wire_edits.point_near(graph, wire, place, PORT_REACH / self.canvas.view.zoom)
        if point is None:
            self.make(wire_edits.reroute(graph, wire, place))
        else:
            self.make(wire_edits.without_point(graph, wire, point))

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Where the cursor is, and the two meanings of Space."""
        kind = event.type()
        if kind == QEvent.Type.MouseMove or kind == QEvent.Type.MouseButtonPress:
            self._space_panned = True
            self._cursor = event.position()  # type: ignore[attr-defined]
        elif isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space:
            return self._on_space(event)
        return False

    def _on_space(self, event: QKeyEvent) -> bool:
        """Held down, Space pans; only when it comes up unused it is the player's."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.isAutoRepeat() or event.modifiers() != Qt.KeyboardModifier.NoModifier:
            return False
        if event.type() == QEvent.Type.KeyPress:
            self._space_panned = False
        elif not self._space_panned:
            self.space_tapped.emit()
        return False
