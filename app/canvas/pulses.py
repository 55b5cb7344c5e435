"""The moving overlay: pulses on wires, the part of a wire they have lit, ripples and labels.

All of it is a function of the moment shown. Positions of all pulses come from one evaluation, and
all their sprites from one atlas in one call.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QPainter, QPixmap, QRegion

from app.canvas import glow
from app.canvas.curves import Floats, Ints
from app.canvas.flight_labels import LABEL_ZOOM, FlightLabels
from app.canvas.flow_table import FlowTable
from app.canvas.flying import NO_FLIGHTS, NOTHING_FLIES, Flying, device_places, ease
from app.canvas.geometry import Geometry
from app.canvas.picture import Picture
from app.canvas.pulse_painter import (
    FEW,
    RICH,
    fired_at,
    paint_light,
    paint_ripples,
    paint_tails,
    radius,
)
from app.canvas.regions import covering
from app.canvas.view import Box, View
from app.colors import Theme
from core.moments import Flights

#: Labels when there are more pulses than look well together: the largest gradients'.
_CROWD_LABELS = 8
#: How far behind a pulse its trail reaches, as a part of the wire.
_TRAIL = glow.TRAIL * glow.TRAIL_STEP + 0.06


Label = tuple[QPoint, QPixmap]


@dataclass(frozen=True)
class _Sight:
    """The pulses and labels in a window; ``key`` says for what it was found."""

    key: tuple[object, ...]
    flying: Flying
    labels: list[Label]


class Pulses:
    """What moves now."""

    def __init__(self) -> None:
        self.reduced_motion = False
        self._flying = NOTHING_FLIES
        self._table: FlowTable | None = None
        self._labels = FlightLabels()
        self._sight = _Sight((), NOTHING_FLIES, [])

    def __len__(self) -> int:
        return len(self._flying)

    def follow(self, picture: Picture) -> None:
        """Take over what is in flight in the picture's moment."""
        moment = picture.moment
        if moment is None or not moment.in_flight:
            self._flying = NOTHING_FLIES
            self._labels.clear()
            return
        flights, geometry = Flights.of(moment.in_flight), picture.geometry
        table = self._table
        if table is None or not table.is_of(flights, geometry):
            table = self._table = FlowTable(flights, geometry)
        known = table.wires(flights.rows, picture.sizes) >= 0
        flights = flights[known]
        wires = table.wires(flights.rows, picture.sizes)
        self.show(wires, flights.progress, *table.measures(flights.rows), flights)

    def show(
        self,
        wires: Ints,
        progress: Floats,
        signed: Floats,
        size: Floats,
        flights: Flights = NO_FLIGHTS,
    ) -> None:
        """Show pulses on wires; ``progress`` from 0 at the target to 1 at the source."""
        t = np.zeros(len(wires)) if self.reduced_motion else 1.0 - ease(progress)
        self._flying = Flying(wires, t, signed, size, flights)

    # -- painting -----------------------------------------------------------------------------

    def paint(self, painter: QPainter, picture: Picture, view: View, theme: Theme) -> None:
        """Everything that moves, on a painter in device pixels."""
        device = painter.device()
        ratio = device.devicePixelRatioF()
        size = (round(device.width() * ratio), round(device.height() * ratio))
        seen = self._look(picture, view, size, theme)
        flying = seen.flying
        if not len(flying):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        if len(flying) <= FEW:
            paint_tails(painter, flying, picture, view, theme)
        if not self.reduced_motion:
            if len(flying) <= FEW:
                paint_ripples(painter, flying, picture, view, theme)
            paint_light(painter, flying, picture.geometry, view, theme)
        for corner, pixmap in seen.labels:
            painter.drawPixmap(corner, pixmap)

    def region(
        self, picture: Picture, view: View, size: tuple[int, int], theme: Theme
    ) -> QRegion | None:
        """Device pixels of a window of ``size`` that painting touches.

        None: too many to tell apart.
        """
        seen = self._look(picture, view, size, theme)
        flying, geometry = seen.flying, picture.geometry
        if len(flying) > FEW:
            return None
        if not len(flying):
            return QRegion()
        margin = radius(view) + 4
        t = np.clip(np.linspace(0.0, _TRAIL, 5)[:, None] + flying.t[None, :], 0, 1)
        wires = np.broadcast_to(flying.wires, t.shape).ravel()
        places = np.stack(device_places(geometry, wires, t.ravel(), view)).reshape(2, *t.shape)
        boxes = [np.concatenate([places.min(axis=1) - margin, places.max(axis=1) + margin]).T]
        if flying.flights:
            boxes.append(_ripple_boxes(flying, geometry, view))
        if seen.labels:
            boxes.append(np.array([_box(*label) for label in seen.labels], dtype=float))
        return covering(np.vstack(boxes), QRect(0, 0, *size))

    def _look(self, picture: Picture, view: View, size: tuple[int, int], theme: Theme) -> _Sight:
        """What of it a window shows; a frame asks twice, for its region and to paint it."""
        geometry = picture.geometry
        key = (self._flying, geometry, geometry.version, view, size, theme, self.reduced_motion)
        if self._sight.key != key:
            flying = self._flying.in_sight(picture.geometry, view, size)
            has_labels = bool(flying.flights) and view.zoom >= LABEL_ZOOM
            labels = self._placed(flying, picture, view, theme) if has_labels else []
            self._sight = _Sight(key, flying, labels)
        return self._sight

    def _placed(self, flying: Flying, picture: Picture, view: View, theme: Theme) -> list[Label]:
        """Labels of all pulses, or of the largest where all would be a crowd."""
        if len(flying) > RICH:
            flying = flying.only(np.argsort(-flying.magnitude, kind="stable")[:_CROWD_LABELS])
        t = np.full(len(flying), 0.5) if self.reduced_motion else flying.t
        x, y = device_places(picture.geometry, flying.wires, t, view)
        return self._labels.placed(flying.flights, flying.wires, x, y, picture, view, theme)


def _ripple_boxes(flying: Flying, geometry: Geometry, view: View) -> Floats:
    nodes = {flight.node: flight for flight in flying.flights}
    centers = np.array([fired_at(flight, geometry) for flight in nodes.values()])
    centers = centers * view.scale - (view.x, view.y)
    reach = 27 * view.scale
    return np.hstack([centers - reach, centers + reach])


def _box(corner: QPoint, pixmap: QPixmap) -> Box:
    x, y = corner.x(), corner.y()
    return (x, y, x + pixmap.width(), y + pixmap.height())
