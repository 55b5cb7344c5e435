"""Gestures over empty ground: the rubber band that selects, and the knife that cuts wires."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPalette, QPen

from app import edits
from app.canvas.editor import CanvasEditor
from app.canvas.geometry import Geometry
from app.canvas.gestures.base import HandGesture, has
from app.canvas.hit import nodes_in

#: Points that stand for a wire when it is tested against a cut.
_SAMPLES = 24


class RubberBand(HandGesture):
    """Selects what it touches; Shift adds to what was selected, Ctrl takes away."""

    def __init__(self, editor: CanvasEditor, event: QMouseEvent) -> None:
        super().__init__(editor, event)
        self._before = self.canvas.selection
        self._adds = has(event, Qt.KeyboardModifier.ShiftModifier)
        self._removes = has(event, Qt.KeyboardModifier.ControlModifier)

    def drag(self, event: QMouseEvent) -> None:
        band = QRectF(QPointF(*self.start_place), QPointF(*self.place(event))).normalized()
        self.canvas.preview_rect(band)
        box = (band.left(), band.top(), band.right(), band.bottom())
        touched = frozenset(nodes_in(self.canvas.geometry_arrays, *box))
        if self._removes:
            self.canvas.select(self._before - touched)
        else:
            self.canvas.select(self._before | touched if self._adds else touched)

    def release(self, event: QMouseEvent) -> None:
        self.canvas.preview_rect(None)
        self.end()
        if not self.moved and not self._adds and not self._removes:
            self.canvas.select(())

    def cancel(self) -> None:
        self.canvas.preview_rect(None)
        self.canvas.select(self._before)


class Knife(HandGesture):
    """Draws a line; the wires it crosses are cut when the button comes up."""

    def __init__(self, editor: CanvasEditor, event: QMouseEvent) -> None:
        super().__init__(editor, event)
        self._path = [QPointF(*self.start_place)]

    def drag(self, event: QMouseEvent) -> None:
        self._path.append(QPointF(*self.place(event)))
        self.canvas.update()

    def release(self, event: QMouseEvent) -> None:
        self.end()
        cut = wires_crossed(self.canvas.geometry_arrays, self._path)
        if cut:
            self.editor.make(edits.delete(self.editor.document.graph, (), cut))

    def paint(self, painter: QPainter) -> None:
        color = self.canvas.palette().color(QPalette.ColorRole.BrightText)
        painter.setPen(QPen(color, 1.5, Qt.PenStyle.DashLine))
        painter.drawPolyline([self.canvas.to_screen(place) for place in self._path])


def wires_crossed(geometry: Geometry, path: list[QPointF]) -> list[str]:
    """Ids of the wires that a line through the scene crosses."""
    count = len(geometry.wires)
    if not count or len(path) < 2:
        return []
    rows = np.repeat(np.arange(count), _SAMPLES)
    x, y = geometry.along(rows, np.tile(np.linspace(0.0, 1.0, _SAMPLES), count))
    wires = np.stack([x, y], axis=-1).reshape(count, _SAMPLES, 2)
    starts, ends = wires[:, :-1], wires[:, 1:]
    crossed = np.zeros(count, dtype=bool)
    for a, b in pairwise(path):
        p, q = np.array([a.x(), a.y()]), np.array([b.x(), b.y()])
        apart = _side(p, q, starts) * _side(p, q, ends) < 0
        beside = _side(starts, ends, p) * _side(starts, ends, q) < 0
        crossed |= (apart & beside).any(axis=1)
    return [geometry.wires[row] for row in np.flatnonzero(crossed)]


def _side(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Positive where ``c`` is on one side of the line from ``a`` to ``b``, negative beyond."""
    ab, ac = b - a, c - a
    return np.asarray(ab[..., 0] * ac[..., 1] - ab[..., 1] * ac[..., 0])
