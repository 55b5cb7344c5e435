"""The canvas: a graph on screen, with what is selected, pointed at and being done.

It knows nothing about editing: a gesture object owns the mouse and asks for previews, see
``gesture``. Painting is the business of ``layers`` and ``surface``, looking around of ``viewport``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.canvas.geometry import Point
from app.canvas.gesture import Gesture
from app.canvas.hit import PORT_REACH, Hit, hit
from app.canvas.navigation import Navigation
from app.canvas.previews import GhostState, PortKey
from app.canvas.tooltips import tooltip
from app.canvas.viewport import Viewport
from app.theme import Theme
from core.graph import Graph, GraphDiff

GestureFactory = Callable[["Canvas", QMouseEvent], Gesture | None]


class Canvas(Viewport):
    """Shows a graph, its values, and gradients flowing through it, under mouse and keyboard.

    Attributes:
        gesture_factory: asked at a mouse press which gesture begins, if any.

    Signals:
        selected: ids of the selected nodes, wires and frames (a frozenset).
        hovered: the ``Hit`` under the mouse, or None.
        double_clicked: ``Hit`` or None, and the place in the scene.
        menu_requested: ``Hit`` or None, the place in the scene, the global position.
    """

    selected = Signal(object)
    hovered = Signal(object)
    double_clicked = Signal(object, QPointF)
    menu_requested = Signal(object, QPointF, QPoint)

    def __init__(self, theme: Theme | None = None, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._navigation = Navigation(self)
        self.gesture_factory: GestureFactory | None = None
        self._gesture: Gesture | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Graph")

    def show_graph(self, graph: Graph, diff: GraphDiff | None = None) -> None:
        """Show a graph: a new one (fitted into the window), or the next version after ``diff``."""
        super().show_graph(graph, diff)

        def is_there(what: str) -> bool:
            return what in graph.nodes or what in graph.wires or what in graph.frames

        self.select(filter(is_there, self._previews.selection))
        if self._previews.hovered is not None and not is_there(self._previews.hovered.id):
            self._previews.hovered = None

    # -- selection and pointing ---------------------------------------------------------------

    @property
    def selection(self) -> frozenset[str]:
        """Ids of what is selected."""
        return self._previews.selection

    def select(
        self, ids: Iterable[str], mode: Literal["replace", "add", "remove", "toggle"] = "replace"
    ) -> None:
        """Change what is selected; emits ``selected`` if that is something else."""
        before, ids = self._previews.selection, frozenset(ids)
        after = {
            "replace": ids,
            "add": before | ids,
            "remove": before - ids,
            "toggle": before ^ ids,
        }[mode]
        if after == before:
            return
        self._previews.selection = after
        self.update()
        self.selected.emit(after)

    def select_all(self) -> None:
        """Select every node."""
        self.select(self._picture.graph.nodes)

    def hit(self, pos: QPointF, reach: float = PORT_REACH, *, wires: bool = True) -> Hit | None:
        """What lies at a place in logical pixels; ports up to ``reach`` pixels away."""
        x, y = self._view.to_scene(pos.x(), pos.y())
        return hit(self._picture.geometry, x, y, self._view.zoom, reach=reach, wires=wires)

    def point_at(self, found: Hit | None) -> None:
        """Light up what the mouse points at."""
        if found == self._previews.hovered:
            return
        before, self._previews.hovered = self._previews.hovered, found
        self.update()
        if found is not None and found.kind == "corner":
            self.setCursor(Qt.CursorShape.SizeFDiagCursor)
        elif before is not None and before.kind == "corner":
            self.unsetCursor()
        self.hovered.emit(found)

    # -- previews of gestures -----------------------------------------------------------------

    def preview_wire(
        self, start: Point | None, end: Point = (0.0, 0.0), state: GhostState = "free"
    ) -> None:
        """A wire that is being dragged, from output to input in scene units; None: none."""
        self._previews.ghost = None if start is None else (start, end, state)
        self.update()

    def preview_rect(self, rect: QRectF | None) -> None:
        """A rubber band in scene units; None: none."""
        self._previews.band = rect
        self.update()

    def preview_ports(
        self,
        states: Mapping[PortKey, str | None] | None,
        kind: Literal["input", "output"] = "input",
    ) -> None:
        """Where a wire may go: (node, port) -> None, or why it may not. None: no wire is dragged.

        Ports that fit are lit, nodes without one step back, and pointing at a refused port tells
        the reason.
        """
        self._previews.offer_ports(states or {}, kind)
        self.update()

    @property
    def gesture(self) -> Gesture | None:
        """What owns the mouse now."""
        return self._gesture

    @gesture.setter
    def gesture(self, gesture: Gesture | None) -> None:
        self._gesture = gesture
        self.update()

    def cancel_gesture(self) -> bool:
        """Esc: put everything back; whether there was something to cancel."""
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.cancel()
            self.update()
        return gesture is not None

    def _paint_above(self, painter: QPainter) -> None:
        if self._gesture is not None:
            self._gesture.paint(painter)

    @property
    def navigation(self) -> Navigation:
        """What wheel and panning do."""
        return self._navigation

    # -- events -------------------------------------------------------------------------------

    def minimap_place(self, pos: QPointF) -> QPointF | None:
        """The place in the scene that a place on the minimap stands for; None beside it."""
        if not self._picture.geometry.nodes:
            return None
        return self._overlays.minimap_place(pos, self._size())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Navigation first, then the gesture under way, then a new one."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if self._navigation.press(event):
            return
        if self._gesture is None and self.gesture_factory is not None:
            self.gesture = self.gesture_factory(self, event)
        if self._gesture is not None:
            self._gesture.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Navigation, the gesture under way, or pointing."""
        if self._navigation.move(event):
            return
        if self._gesture is not None:
            self._gesture.move(event)
        elif event.buttons() == Qt.MouseButton.NoButton:
            self.point_at(self.hit(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The end of panning or of a gesture."""
        if not self._navigation.release(event) and self._gesture is not None:
            self._gesture.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Told on; a double click is no second press."""
        if event.button() == Qt.MouseButton.LeftButton:
            at = self.to_scene(event.position())
            self.double_clicked.emit(self.hit(event.position()), at)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Told on, with what was hit."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return  # Ctrl+right-drag is the knife, and some systems ask when the button comes up
        pos = QPointF(event.pos())
        self.menu_requested.emit(self.hit(pos), self.to_scene(pos), event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc cancels a gesture; Space turns dragging into panning."""
        if event.key() == Qt.Key.Key_Escape and self.cancel_gesture():
            return
        if not self._navigation.key(event, pressed=True):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Space up ends panning."""
        if not self._navigation.key(event, pressed=False):
            super().keyReleaseEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zooming and panning."""
        self._navigation.wheel(event)

    def event(self, event: QEvent) -> bool:
        """Tool tips and touchpad pinches, which have no handler of their own."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._show_tooltip(event)
            return True
        if isinstance(event, QNativeGestureEvent) and self._navigation.pinch(event):
            return True
        return super().event(event)

    def _show_tooltip(self, event: QHelpEvent) -> None:
        found = self.hit(QPointF(event.pos()))
        text = ""
        if found is not None and self.minimap_place(QPointF(event.pos())) is None:
            reason = self._previews.ports.get((found.id, found.port))
            text = reason or tooltip(found, self._picture.facts)
        if text:
            QToolTip.showText(event.globalPos(), text, self)
        else:
            QToolTip.hideText()
            event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at any more."""
        self.point_at(None)
        super().leaveEvent(event)
