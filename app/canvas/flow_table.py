"""Where flows travel and how large they are, by their row in a schedule: looked up once each."""

from __future__ import annotations

import numpy as np

from app.canvas.curves import Floats, Ints
from app.canvas.geometry import Geometry
from app.canvas.sizes import Sizes
from core.moments import Flights

_NOWHERE, _UNKNOWN = -1, -2


class FlowTable:
    """The flows of one schedule on the wires of one graph."""

    def __init__(self, flights: Flights, geometry: Geometry) -> None:
        """``flights``: any of the flows of the schedule."""
        self._nodes, self._flows = flights.nodes, flights.flows
        self._geometry = geometry
        count = len(self._flows)
        self._wires = np.full(count, _UNKNOWN, dtype=np.intp)
        self._signed, self._magnitude = np.zeros(count), np.zeros(count)

    def is_of(self, flights: Flights, geometry: Geometry) -> bool:
        """Whether these are flows of its schedule, and that its graph."""
        return flights.flows is self._flows and geometry is self._geometry

    def wires(self, rows: Ints, sizes: Sizes) -> Ints:
        """Rows of the wires that flows travel on; -1 for those whose wire is gone."""
        entry = self._geometry.entry
        for row in rows[self._wires[rows] == _UNKNOWN].tolist():
            flow = self._flows[row]
            self._wires[row] = entry.get((self._nodes[row], flow.port), _NOWHERE)
            self._signed[row], self._magnitude[row] = sizes.of_wire(flow.contribution)
        return self._wires[rows]

    def measures(self, rows: Ints) -> tuple[Floats, Floats]:
        """Signed magnitude and magnitude of flows whose wires were asked for."""
        return self._signed[rows], self._magnitude[rows]
