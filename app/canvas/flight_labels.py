"""Where the labels of flows go: a sprite for each flow, placed once and carried along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QPixmap

from app.canvas.area import Area
from app.canvas.curves import Floats, Ints
from app.canvas.labels import LabelSprite, label_of, place
from app.canvas.nodes_painter import visible_nodes
from app.canvas.picture import Picture
from app.canvas.view import View
from app.colors import Theme
from core.moments import InFlight
from core.trace import Flow

#: At most so many labels, and none below this zoom.
MOST_LABELS = 24
LABEL_ZOOM = 0.45
#: How much of the scene around a wire counts when placing its label, in logical pixels.
_AROUND = 220.0


@dataclass(frozen=True, slots=True)
class _Placed:
    """A label's sprite and its offset from its pulse in device pixels.

    ``flow`` keeps the object alive whose id is the key.
    """

    flow: Flow
    made_for: tuple[float, str]
    sprite: LabelSprite
    left: float
    top: float


class FlightLabels:
    """Sprites of the labels of what is in flight."""

    def __init__(self) -> None:
        self._placed: dict[int, _Placed] = {}

    def clear(self) -> None:
        """Forget all labels."""
        self._placed.clear()

    def placed(
        self,
        flights: Sequence[InFlight],
        wires: Ints,
        x: Floats,
        y: Floats,
        picture: Picture,
        view: View,
        theme: Theme,
    ) -> list[tuple[QPoint, QPixmap]]:
        """Top left corner, in device pixels, and picture of each label; others are forgotten.

        Args:
            wires, x, y: wire and place (device pixels) of each flight's pulse.
        """
        # In coarse steps, so that zooming does not make every label anew at every step.
        scale = view.dpr * min(1.5, max(0.875, round(view.zoom * 4) / 4))
        key = (scale, theme.name)
        result: list[tuple[QPoint, QPixmap]] = []
        placed: dict[int, _Placed] = {}
        for k, flight in enumerate(flights[:MOST_LABELS]):
            label = self._placed.get(id(flight.flow))
            if label is None or label.made_for != key:
                label = self._make(flight, int(wires[k]), picture, view, theme, key)
            placed[id(flight.flow)] = label
            corner = label.sprite.corner(float(x[k]) + label.left, float(y[k]) + label.top)
            result.append((corner, label.sprite.pixmap))
        self._placed = placed
        return result

    def _make(
        self,
        flight: InFlight,
        wire: int,
        picture: Picture,
        view: View,
        theme: Theme,
        key: tuple[float, str],
    ) -> _Placed:
        geometry, scale = picture.geometry, key[0]
        label = label_of(flight, picture.facts)
        to_units = view.scale / scale  # logical pixels of the label per scene unit
        path = np.stack(geometry.along(np.repeat(wire, 7), np.linspace(0.1, 0.9, 7)), axis=1)
        around = _AROUND / to_units
        low, high = path.min(axis=0) - around, path.max(axis=0) + around
        rows = visible_nodes(geometry, Area((low[0], low[1], high[0], high[1])))
        boxes = geometry.node_boxes(rows) * to_units
        left, top, above = place(label.size, path * to_units, boxes)
        sprite = LabelSprite(label, theme, scale, tip=-left, above=above)
        return _Placed(flight.flow, key, sprite, left * scale, top * scale)
