"""What is on its way, as arrays: one evaluation gives the places of all pulses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.canvas.curves import Floats, Ints
from app.canvas.geometry import Geometry
from app.canvas.metrics import WIRE_MARGIN
from app.canvas.view import View
from core.moments import Flights

#: Reach of a pulse's light in scene units.
RADIUS = 30.0
NO_FLIGHTS = Flights.of(())


def ease(progress: Floats) -> Floats:
    """Ease in and out, cubic."""
    return np.where(progress < 0.5, 4 * progress**3, 1 - (2 - 2 * progress) ** 3 / 2)


@dataclass(frozen=True, eq=False)
class Flying:
    """Pulses as arrays, one entry each.

    Attributes:
        wires: rows of their wires.
        t: where on the wire, from 1 at the target to 0 at the source.
        signed, magnitude: of what they carry.
        flights: what they stand for; may be empty.
    """

    wires: Ints
    t: Floats
    signed: Floats
    magnitude: Floats
    flights: Flights = NO_FLIGHTS

    def __len__(self) -> int:
        return len(self.wires)

    def in_sight(self, geometry: Geometry, view: View, size: tuple[float, float]) -> Flying:
        """Those whose wires touch a window of ``size`` device pixels."""
        if not len(self.wires):
            return self
        left, top, right, bottom = view.scene_box(0, 0, *size)
        margin = RADIUS / min(view.zoom, 1.0) + WIRE_MARGIN
        first, last = geometry.first_curve[self.wires], geometry.first_curve[self.wires + 1] - 1
        low = np.minimum(geometry.boxes[first, :2], geometry.boxes[last, :2])
        high = np.maximum(geometry.boxes[first, 2:], geometry.boxes[last, 2:])
        seen = np.flatnonzero(
            (low[:, 0] <= right + margin)
            & (high[:, 0] >= left - margin)
            & (low[:, 1] <= bottom + margin)
            & (high[:, 1] >= top - margin)
        )
        if len(seen) == len(self.wires):
            return self
        return self.only(seen)

    def only(self, rows: Ints) -> Flying:
        """The pulses in these rows."""
        flights = self.flights[rows] if self.flights else NO_FLIGHTS
        return Flying(
            self.wires[rows], self.t[rows], self.signed[rows], self.magnitude[rows], flights
        )


NOTHING_FLIES = Flying(np.empty(0, dtype=np.intp), np.empty(0), np.empty(0), np.empty(0))


def device_places(geometry: Geometry, wires: Ints, t: Floats, view: View) -> tuple[Floats, Floats]:
    """Places on wires in whole device pixels."""
    x, y = geometry.along(wires, t)
    return np.rint(x * view.scale - view.x), np.rint(y * view.scale - view.y)
