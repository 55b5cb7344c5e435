"""What a gesture shows before it becomes an edit, and what is selected or pointed at.

All of it is painted over the still picture, in logical pixels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from app.canvas.area import Area
from app.canvas.curves import Floats, Ints, control_points
from app.canvas.hit import Hit
from app.canvas.metrics import NODE_RADIUS, NODE_WIDTH
from app.canvas.nodes_painter import FULL_ZOOM, visible_nodes
from app.canvas.painting import draw_rects, fill_round, stroke_round
from app.canvas.picture import Picture
from app.canvas.view import View
from app.colors import Theme, faded

Point = tuple[float, float]
GhostState = Literal["free", "fits", "refused"]
PortKey = tuple[str, str]


@dataclass
class Previews:
    """State of the overlay.

    Attributes:
        selection: ids of selected nodes, wires and frames.
        hovered: what the mouse points at.
        ghost: start and end of a wire being dragged, in scene units, and whether it may be dropped.
        band: a rubber band in scene units.
        ports: while a wire is dragged: (node, port) -> None if it may go there, else why not;
            ``ports_kind`` says which side's ports they are.
    """

    selection: frozenset[str] = frozenset()
    hovered: Hit | None = None
    ghost: tuple[Point, Point, GhostState] | None = None
    band: QRectF | None = None
    ports: Mapping[PortKey, str | None] = field(default_factory=dict)
    ports_kind: Literal["input", "output"] = "input"
    _fitting: Mapping[str, list[str]] = field(default_factory=dict)

    def offer_ports(
        self, states: Mapping[PortKey, str | None], kind: Literal["input", "output"]
    ) -> None:
        """Set ``ports`` and ``ports_kind``."""
        self.ports, self.ports_kind = states, kind
        fitting: dict[str, list[str]] = {}
        for (node, port), reason in states.items():
            if reason is None:
                fitting.setdefault(node, []).append(port)
        self._fitting = fitting

    def paint(
        self, painter: QPainter, picture: Picture, view: View, size: tuple[int, int], theme: Theme
    ) -> None:
        """Paint it all over a window of ``size`` logical pixels."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        if self.ports:
            self._paint_ports(painter, picture, view, size, theme)
        if self.hovered is not None:
            self._paint_hovered(painter, picture, view, theme)
        if self.selection:
            self._paint_selection(painter, picture, view, size, theme)
        if self.ghost is not None:
            self._paint_ghost(painter, view, theme)
        if self.band is not None:
            band = self.band
            rect = _screen(view, band.left(), band.top(), band.right(), band.bottom())
            fill_round(painter, rect, 4, faded(theme.accent, 0.12))
            stroke_round(painter, rect, 4, QPen(faded(theme.accent, 0.8), 1))

    def _paint_selection(
        self, painter: QPainter, picture: Picture, view: View, size: tuple[int, int], theme: Theme
    ) -> None:
        geometry = picture.geometry
        rows = _visible(picture, view, size)
        chosen = rows[[geometry.nodes[row] in self.selection for row in rows.tolist()]]
        boxes = geometry.node_boxes(chosen) * view.scale - (view.x, view.y, view.x, view.y)
        boxes /= view.dpr
        if view.zoom >= FULL_ZOOM:
            reach, radius = 3.5, NODE_RADIUS * view.zoom + 3.5
            for left, top, right, bottom in boxes.tolist():
                ring = QRectF(left, top, right - left, bottom - top)
                ring.adjust(-reach, -reach, reach, reach)
                stroke_round(painter, ring, radius, QPen(theme.accent, 2))
        elif len(boxes):
            rects = np.column_stack([boxes[:, :2] - 1, boxes[:, 2:] - boxes[:, :2] + 2])
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(theme.accent, 0))
            painter.setBrush(faded(theme.accent, 0.25))
            draw_rects(painter, rects)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        for wire in self.selection & geometry.wire_row.keys():
            self._trace_wire(painter, picture, view, wire, QPen(theme.accent, 2.5))
        for frame in self.selection & picture.graph.frames.keys():
            x, y, width, height = picture.graph.frames[frame].rect
            rect = _screen(view, x, y, x + width, y + height)
            stroke_round(painter, rect, 14 * view.zoom, QPen(theme.accent, 2))

    def _paint_hovered(self, painter: QPainter, picture: Picture, view: View, theme: Theme) -> None:
        hit, geometry = self.hovered, picture.geometry
        assert hit is not None
        if hit.kind == "wire" and hit.id in geometry.wire_row:
            pen = QPen(faded(theme.text, 0.55), max(1.5, 2.2 * view.zoom))
            self._trace_wire(painter, picture, view, hit.id, pen)
        elif hit.kind in ("input", "output") and hit.id in geometry.row:
            find = geometry.input_pos if hit.kind == "input" else geometry.output_pos
            center = QPointF(*view.to_screen(*find(hit.id, hit.port)))
            _ring(painter, center, 9 * view.zoom, theme.accent)
        elif hit.kind == "node" and hit.id in geometry.row and view.zoom >= FULL_ZOOM:
            rect = _node_rect(picture, view, geometry.row[hit.id])
            pen = QPen(faded(theme.text, 0.35), 1.2)
            stroke_round(painter, rect.adjusted(-1, -1, 1, 1), NODE_RADIUS * view.zoom + 1, pen)

    def _paint_ports(
        self, painter: QPainter, picture: Picture, view: View, size: tuple[int, int], theme: Theme
    ) -> None:
        """Ports that fit are lit; nodes on which none does step back."""
        geometry, fitting = picture.geometry, self._fitting
        rows = _visible(picture, view, size)
        if view.zoom < FULL_ZOOM:
            fits = np.array([geometry.nodes[row] in fitting for row in rows.tolist()], dtype=bool)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            _paint_small(painter, geometry.node_boxes(rows[~fits]), view, theme.background, 0.6)
            _paint_small(painter, geometry.node_boxes(rows[fits]), view, theme.accent, 0.35)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            return
        for row in rows.tolist():
            node = geometry.nodes[row]
            if node not in fitting:
                rect = _node_rect(picture, view, row).adjusted(-8, -2, 8, 2)
                fill_round(painter, rect, NODE_RADIUS * view.zoom, faded(theme.background, 0.6))
                continue
            find = geometry.input_pos if self.ports_kind == "input" else geometry.output_pos
            for port in fitting[node]:
                center = QPointF(*view.to_screen(*find(node, port)))
                _ring(painter, center, max(4.0, 8 * view.zoom), theme.accent)

    def _paint_ghost(self, painter: QPainter, view: View, theme: Theme) -> None:
        assert self.ghost is not None
        start, end, state = self.ghost
        control = control_points(np.array([start]), np.array([end]))[:, :, 0]
        points = [QPointF(*view.to_screen(*point)) for point in control.tolist()]
        path = QPainterPath(points[0])
        path.cubicTo(*points[1:])
        color = {"free": theme.text_muted, "fits": theme.accent, "refused": theme.error}[state]
        pen = QPen(color, max(1.5, 2.2 * view.zoom))
        if state == "refused":
            pen.setDashPattern([3, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        tip = points[3] if state != "free" or end != start else points[0]
        fill_round(painter, QRectF(tip.x() - 4, tip.y() - 4, 8, 8), 4, color)

    @staticmethod
    def _trace_wire(painter: QPainter, picture: Picture, view: View, wire: str, pen: QPen) -> None:
        geometry = picture.geometry
        first, last = geometry.first_curve[geometry.wire_row[wire] :][:2]
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for curve in range(int(first), int(last)):
            points = [
                QPointF(*view.to_screen(*point)) for point in geometry.control[:, :, curve].tolist()
            ]
            path = QPainterPath(points[0])
            path.cubicTo(*points[1:])
            painter.drawPath(path)


def _paint_small(
    painter: QPainter, boxes: Floats, view: View, color: QColor, strength: float
) -> None:
    """Cover nodes too small for anything finer."""
    places = (boxes * view.scale - (view.x, view.y, view.x, view.y)) / view.dpr
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(faded(color, strength))
    draw_rects(painter, np.column_stack([places[:, :2], places[:, 2:] - places[:, :2]]))


def _ring(painter: QPainter, center: QPointF, radius: float, color: QColor) -> None:
    painter.setPen(QPen(color, 2))
    painter.setBrush(faded(color, 0.25))
    painter.drawEllipse(center, radius, radius)


def _node_rect(picture: Picture, view: View, row: int) -> QRectF:
    x, y = picture.geometry.pos[row].tolist()
    return _screen(view, x, y, x + NODE_WIDTH, y + float(picture.geometry.heights[row]))


def _screen(view: View, left: float, top: float, right: float, bottom: float) -> QRectF:
    x, y = view.to_screen(left, top)
    x1, y1 = view.to_screen(right, bottom)
    return QRectF(x, y, x1 - x, y1 - y)


def _visible(picture: Picture, view: View, size: tuple[int, int]) -> Ints:
    box = (*view.to_scene(0, 0), *view.to_scene(*size))
    return visible_nodes(picture.geometry, Area(box))
