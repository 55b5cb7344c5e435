"""The canvas: one widget that puts the layers together and owns view and selection.

It paints a picture (``picture``) through a cached still layer, lays what moves over it, and knows
nothing about editing: a gesture object owns the mouse and asks for previews, see ``gesture``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import numpy as np
from PySide6.QtCore import (
    QEasingCurve,
    QEvent,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.canvas import navigation
from app.canvas.curves import part_boxes
from app.canvas.empty import paint_empty
from app.canvas.format import Shown
from app.canvas.geometry import Geometry, Point
from app.canvas.gesture import Gesture
from app.canvas.hit import PORT_REACH, Hit, hit
from app.canvas.legend import INSET, SHADOW, Legend
from app.canvas.metrics import NODE_MARGIN, WIRE_MARGIN
from app.canvas.minimap import HEIGHT, Minimap
from app.canvas.picture import Change, Picture
from app.canvas.previews import GhostState, PortKey, Previews
from app.canvas.pulses import Pulses
from app.canvas.static_layer import StaticLayer
from app.canvas.tooltips import tooltip
from app.canvas.view import View
from app.theme import Theme, dark
from core.graph import Graph, GraphDiff
from core.session import Snapshot
from core.trace import Moment, Trace

#: Milliseconds of a change of view, and after the last zoom step until all is painted sharply.
_ZOOM_TIME = 140
_SETTLE_TIME = 90
#: Seconds that painting everything may take before zooming shows a scaled preview instead.
_SLOW = 0.005

GestureFactory = Callable[["Canvas", QMouseEvent], Gesture | None]


class Canvas(QWidget):
    """Shows a graph, its values, and gradients flowing through it.

    Attributes:
        gesture_factory: asked at a mouse press which gesture begins, if any.

    Signals:
        selected: ids of the selected nodes, wires and frames (a frozenset).
        hovered: the ``Hit`` under the mouse, or None.
        view_changed: after panning or zooming.
        double_clicked: ``Hit`` or None, and the place in the scene.
        menu_requested: ``Hit`` or None, the place in the scene, the global position.
    """

    selected = Signal(object)
    hovered = Signal(object)
    view_changed = Signal()
    double_clicked = Signal(object, QPointF)
    menu_requested = Signal(object, QPointF, QPoint)

    def __init__(self, theme: Theme | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._navigation = navigation.Navigation(self)  # first: settings below already send events
        self.gesture_factory: GestureFactory | None = None
        self._theme = theme or dark()
        self._picture = Picture()
        self._view = View(dpr=self.devicePixelRatioF())
        self._static = StaticLayer()
        self._pulses = Pulses()
        self._pulse_region: QRegion | None = QRegion()
        self._previews = Previews()
        self._legend = Legend()
        self._minimap = Minimap()
        self._show_minimap = self._show_legend = True
        self._gesture: Gesture | None = None
        self._moved: dict[str, Point] = {}
        self._fit_pending = True
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_TIME)
        self._settle.timeout.connect(self.update)
        self._animation = QVariantAnimation(self)
        self._animation.setDuration(_ZOOM_TIME)
        self._animation.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.valueChanged.connect(self._on_animated)
        self._journey = (self._view, self._view)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Graph")
        self.setMinimumSize(240, 160)

    # -- what is shown ------------------------------------------------------------------------

    @property
    def picture(self) -> Picture:
        """What is shown, as data."""
        return self._picture

    @property
    def geometry_arrays(self) -> Geometry:
        """Where everything is."""
        return self._picture.geometry

    def show_graph(self, graph: Graph, diff: GraphDiff | None = None) -> None:
        """Show a graph: a new one (fitted into the window), or the next version after ``diff``."""
        is_new = diff is None
        self._moved.clear()
        self._apply(self._picture.show_graph(graph, diff))
        known = graph.nodes.keys() | graph.wires.keys() | graph.frames.keys()
        self.select(self._previews.selection & known)
        if self._previews.hovered is not None and self._previews.hovered.id not in known:
            self._previews.hovered = None
        if is_new:
            self._fit_pending = True
            self._fit_if_pending()

    def show_snapshot(self, snapshot: Snapshot | None) -> None:
        """Show values, errors, saved values and gradients."""
        self._apply(self._picture.show_snapshot(snapshot))

    def show_trace(self, trace: Trace | None) -> None:
        """The backward that the coming moments are of: how many contributions to expect where."""
        self._apply(self._picture.show_trace(trace))

    def show_starts(self, starts: Mapping[str, Shown | None] | None) -> None:
        """Where the next backward starts (ids), with what was given; None: as the runs do."""
        self._apply(self._picture.show_starts(starts))

    def show_moment(self, moment: Moment | None) -> None:
        """Show what can be seen of a trace now; None shows none."""
        self._apply(self._picture.show_moment(moment))

    def set_theme(self, theme: Theme) -> None:
        """Change all colours."""
        self._theme = theme
        self._static.forget_sprites()
        self.update()

    def set_reduced_motion(self, reduced: bool) -> None:
        """Light wires up instead of letting pulses travel."""
        self._pulses.reduced_motion = reduced
        self._pulses.follow(self._picture)
        self.update()

    def set_overlays(self, *, minimap: bool | None = None, legend: bool | None = None) -> None:
        """Show or hide the panels that float over the canvas."""
        self._show_minimap = self._show_minimap if minimap is None else minimap
        self._show_legend = self._show_legend if legend is None else legend
        self.update()

    def _apply(self, change: Change) -> None:
        """Repaint what changed: still parts by their boxes, moving ones by their region."""
        if change.everything:
            self._static.forget()
            self._minimap.forget()
        elif change.nodes or change.wires:
            geometry = self._picture.geometry
            self._mark([geometry.row[node] for node in change.nodes], list(change.wires))
            self._minimap.forget()
            if self._show_minimap:
                rect = self._minimap.rect(self.width(), self.height())
                self.update(rect.toAlignedRect().adjusted(-1, -1, 1, 1))
        self._pulses.follow(self._picture)
        if change.everything:
            self._pulse_region = None
            self.update()
        else:
            self._update_pulses()

    def _update_pulses(self) -> None:
        before = self._pulse_region
        now = self._pulses.region(self._picture, self._view, self._device_size(), self._theme)
        self._pulse_region = now
        if before is None or now is None:
            self.update()
        else:
            self.update(before.united(now))

    def _mark(self, rows: list[int], wires: list[int]) -> None:
        """Nodes and wires look different where they are now."""
        geometry = self._picture.geometry
        curves = geometry.curves_of(np.array(wires, dtype=np.intp))
        nodes = geometry.node_boxes(np.array(rows, dtype=np.intp))
        marks = [(box, NODE_MARGIN) for box in nodes.tolist()]
        parts = part_boxes(geometry.control[:, :, curves])
        marks += [(box, WIRE_MARGIN) for box in parts.tolist()]
        dpr = self._view.dpr
        for (left, top, right, bottom), margin in marks:
            rect = self._static.mark((left, top, right, bottom), margin)
            if not rect.isEmpty():
                logical = QRectF(
                    rect.x() / dpr, rect.y() / dpr, rect.width() / dpr, rect.height() / dpr
                )
                self.update(logical.toAlignedRect().adjusted(-1, -1, 1, 1))

    @property
    def still(self) -> StaticLayer:
        """The layer of what does not move."""
        return self._static

    @property
    def pulses(self) -> Pulses:
        """The layer of what moves."""
        return self._pulses

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
        self._previews.hovered = found
        self.update()
        self.hovered.emit(found)

    # -- previews of gestures -----------------------------------------------------------------

    def preview_moves(self, positions: Mapping[str, Point]) -> None:
        """Show nodes elsewhere without an edit; an empty mapping puts them back."""
        geometry, nodes = self._picture.geometry, self._picture.graph.nodes
        back = {node: nodes[node].pos for node in self._moved if node not in positions}
        target = {**back, **positions}
        if not target:
            return
        rows = [geometry.row[node] for node in target]
        self._mark(rows, geometry.wires_at(rows).tolist())
        wires = geometry.move(target)
        self._mark(rows, wires.tolist())
        self._moved = dict(positions)

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
        self._previews.ports = states or {}
        self._previews.ports_kind = kind
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

    # -- view ---------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        """What part of the scene is on screen."""
        return self._view

    def to_scene(self, pos: QPointF) -> QPointF:
        """Scene units of a place in logical pixels."""
        return QPointF(*self._view.to_scene(pos.x(), pos.y()))

    def to_screen(self, pos: QPointF) -> QPointF:
        """Logical pixels of a place in scene units."""
        return QPointF(*self._view.to_screen(pos.x(), pos.y()))

    def set_view(self, view: View) -> None:
        """Show another part of the scene at once."""
        if view == self._view:
            return
        if view.zoom != self._view.zoom and self._static.cost > _SLOW:
            self._settle.start()
        self._view = view
        self._pulse_region = None
        self.update()
        self.view_changed.emit()

    def pan(self, dx: float, dy: float) -> None:
        """Shift the picture by logical pixels."""
        self._animation.stop()
        self.set_view(self._view.panned(dx, dy))

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom about a place in logical pixels, or about the middle."""
        self._animation.stop()
        at = at or QPointF(self.width() / 2, self.height() / 2)
        self.set_view(self._view.zoomed(factor, at.x(), at.y()))

    def zoom_to(self, zoom: float, *, animated: bool = True) -> None:
        """Zoom to a scale (1: 100 %) about the middle."""
        middle = (self.width() / 2, self.height() / 2)
        self._go(self._view.zoomed(zoom / self._view.zoom, *middle), animated=animated)

    def frame_all(self, *, animated: bool = True) -> None:
        """Bring the whole graph into the window."""
        self._go(self._fitted(self._picture.bounds()), animated=animated)

    def frame_selection(self, *, animated: bool = True) -> None:
        """Bring what is selected into the window; without selection everything."""
        row = self._picture.geometry.row
        rows = [row[node] for node in self.selection if node in row]
        if not rows:
            self.frame_all(animated=animated)
            return
        self._go(self._fitted(self._picture.geometry.bounds(np.array(rows))), animated=animated)

    def reveal(self, node: str, *, animated: bool = True) -> None:
        """Bring a node into the middle unless it is well in sight."""
        geometry = self._picture.geometry
        left, top, right, bottom = geometry.bounds(np.array([geometry.row[node]]))
        inner = self.rect().adjusted(40, 40, -40, -40)
        corners = [self.to_screen(QPointF(left, top)), self.to_screen(QPointF(right, bottom))]
        if all(inner.contains(corner.toPoint()) for corner in corners):
            return
        zoom = max(self._view.zoom, 0.6)
        middle = ((left + right) / 2, (top + bottom) / 2)
        self._go(
            self._view.placed(zoom, *middle, self.width() / 2, self.height() / 2),
            animated=animated,
        )

    def finish_animation(self) -> None:
        """Jump to the end of a change of view that is under way."""
        if self._animation.state() == QVariantAnimation.State.Running:
            self._animation.stop()
            self.set_view(self._journey[1])

    def settle(self) -> None:
        """Paint sharply what is shown as a scaled preview while zooming."""
        self._settle.stop()
        self.update()

    def _fitted(self, box: tuple[float, float, float, float]) -> View:
        # The panels at the foot should cover none of it.
        foot = HEIGHT + INSET if self._show_legend or self._show_minimap else 0
        return self._view.fitted(box, self.width(), max(100, self.height() - foot))

    def _go(self, view: View, *, animated: bool) -> None:
        self._animation.stop()
        if not animated or self._pulses.reduced_motion or not self.isVisible():
            self.set_view(view)
            return
        self._journey = (self._view, view)
        self._animation.start()

    def _on_animated(self, part: float) -> None:
        start, end = self._journey
        done = part >= 1.0
        self.set_view(end if done else start.between(end, part, self.width(), self.height()))

    def _fit_if_pending(self) -> None:
        """A new graph is fitted once the window has its size."""
        if self._fit_pending and self.isVisible() and self._picture.geometry.nodes:
            self._fit_pending = False
            self.frame_all(animated=False)

    # -- painting -----------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Ground and still picture, then everything that lies over it."""
        painter = QPainter(self)
        painter.setClipRegion(event.region())
        dpr = self._view.dpr
        painter.save()
        painter.scale(1 / dpr, 1 / dpr)
        self._paint_still(painter, self._device_size())
        painter.restore()
        size = (self.width(), self.height())
        self._previews.paint(painter, self._picture, self._view, size, self._theme)
        painter.save()
        painter.scale(1 / dpr, 1 / dpr)
        self._pulses.paint(painter, self._picture, self._view, self._theme)
        painter.restore()
        self._paint_panels(painter, event.rect())
        if self._gesture is not None:
            self._gesture.paint(painter)
        painter.end()

    def _device_size(self) -> tuple[int, int]:
        dpr = self._view.dpr
        return round(self.width() * dpr), round(self.height() * dpr)

    def _paint_still(self, painter: QPainter, device: tuple[int, int]) -> None:
        source = QPainter.CompositionMode.CompositionMode_Source
        over = QPainter.CompositionMode.CompositionMode_SourceOver
        if self._settle.isActive():
            painter.setCompositionMode(source)
            painter.drawPixmap(0, 0, self._static.ground)
            painter.setCompositionMode(over)
            self._static.preview(painter, self._view)
            return
        ground, still = self._static.render(self._picture, self._view, device, self._theme)
        painter.setCompositionMode(source)
        painter.drawPixmap(0, 0, ground)
        painter.setCompositionMode(over)
        painter.drawPixmap(0, 0, still)

    def _paint_panels(self, painter: QPainter, dirty: QRect) -> None:
        width, height, theme = self.width(), self.height(), self._theme
        if not self._picture.geometry.nodes:
            paint_empty(painter, QRectF(self.rect()), theme)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        dirty = dirty.adjusted(-SHADOW, -SHADOW, SHADOW, SHADOW)
        if self._show_legend:
            rect = self._legend.rect(height).toAlignedRect()
            if dirty.intersects(rect):
                self._legend.paint(painter, height, theme, self._view.dpr)
        if self._show_minimap:
            rect = self._minimap.rect(width, height).toAlignedRect()
            if dirty.intersects(rect):
                self._minimap.paint(painter, self._picture, self._view, width, height, theme)

    # -- events -------------------------------------------------------------------------------

    def minimap_place(self, pos: QPointF) -> QPointF | None:
        """The place in the scene that a place on the minimap stands for; None beside it."""
        width, height = self.width(), self.height()
        if not self._show_minimap or not self._picture.geometry.nodes:
            return None
        if not self._minimap.rect(width, height).contains(pos):
            return None
        return QPointF(*self._minimap.to_scene(pos.x(), pos.y(), width, height))

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

    def event(self, event: QEvent) -> bool:
        """Tool tips and touchpad pinches, which have no handler of their own."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._show_tooltip(event)
            return True
        if self._navigation.other(event):
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The first size fits a new graph."""
        super().resizeEvent(event)
        self._follow_screen()
        self._fit_if_pending()

    def showEvent(self, event: QEvent) -> None:
        """Fit what was given before the window was there."""
        super().showEvent(event)  # type: ignore[arg-type]
        self._follow_screen()
        self._fit_if_pending()

    def _follow_screen(self) -> None:
        """Another screen may have another number of device pixels per logical pixel."""
        dpr = self.devicePixelRatioF()
        if dpr != self._view.dpr:
            middle = self._view.to_scene(self.width() / 2, self.height() / 2)
            view = View(self._view.zoom, dpr=dpr)
            self._view = view.placed(view.zoom, *middle, self.width() / 2, self.height() / 2)

    def sizeHint(self) -> QSize:
        """As large as it can get."""
        return QSize(1000, 700)
