"""Which part of the scene is on screen, and how large."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from app.canvas.metrics import MAX_ZOOM, MIN_ZOOM

Box = tuple[float, float, float, float]

_FIT_MARGIN = 48.0
_FIT_ZOOM = 1.25


@dataclass(frozen=True, slots=True)
class View:
    """Scene to screen: device pixel = scene * zoom * dpr - offset.

    Attributes:
        zoom: logical pixels per scene unit.
        x, y: offset in whole device pixels, so that panning moves the picture by whole pixels.
        dpr: device pixels per logical pixel.
    """

    zoom: float = 1.0
    x: int = 0
    y: int = 0
    dpr: float = 1.0

    @property
    def scale(self) -> float:
        """Device pixels per scene unit."""
        return self.zoom * self.dpr

    def to_scene(self, x: float, y: float) -> tuple[float, float]:
        """Scene units of a place in logical pixels."""
        return (x * self.dpr + self.x) / self.scale, (y * self.dpr + self.y) / self.scale

    def to_screen(self, x: float, y: float) -> tuple[float, float]:
        """Logical pixels of a place in scene units."""
        return (x * self.scale - self.x) / self.dpr, (y * self.scale - self.y) / self.dpr

    def scene_box(self, left: float, top: float, right: float, bottom: float) -> Box:
        """The part of the scene that a rectangle of device pixels shows."""
        scale = self.scale
        return (
            (left + self.x) / scale,
            (top + self.y) / scale,
            (right + self.x) / scale,
            (bottom + self.y) / scale,
        )

    def panned(self, dx: float, dy: float) -> View:
        """Moved so that the picture shifts by so many logical pixels."""
        return replace(self, x=self.x - round(dx * self.dpr), y=self.y - round(dy * self.dpr))

    def zoomed(self, factor: float, x: float, y: float) -> View:
        """Zoomed such that the scene stays under a place in logical pixels."""
        zoom = min(MAX_ZOOM, max(MIN_ZOOM, self.zoom * factor))
        scene_x, scene_y = self.to_scene(x, y)
        return self.placed(zoom, scene_x, scene_y, x, y)

    def placed(self, zoom: float, scene_x: float, scene_y: float, x: float, y: float) -> View:
        """Zoomed to ``zoom`` with a place of the scene at a place in logical pixels."""
        scale = zoom * self.dpr
        return replace(
            self,
            zoom=zoom,
            x=round(scene_x * scale - x * self.dpr),
            y=round(scene_y * scale - y * self.dpr),
        )

    def fitted(self, box: Box, width: float, height: float, most: float = _FIT_ZOOM) -> View:
        """All of ``box`` in a window of that many logical pixels, no larger than ``most``."""
        left, top, right, bottom = box
        margin = min(_FIT_MARGIN, width / 8, height / 8)
        zoom = min(
            (width - 2 * margin) / max(right - left, 1.0),
            (height - 2 * margin) / max(bottom - top, 1.0),
            most,
        )
        zoom = max(MIN_ZOOM, zoom)
        return self.placed(zoom, (left + right) / 2, (top + bottom) / 2, width / 2, height / 2)

    def between(self, other: View, part: float, width: float, height: float) -> View:
        """A view on the way to ``other``: zoom changes evenly in its logarithm."""
        zoom = math.exp(math.log(self.zoom) + (math.log(other.zoom) - math.log(self.zoom)) * part)
        first = self.to_scene(width / 2, height / 2)
        last = other.to_scene(width / 2, height / 2)
        # The middle moves with the size of what is seen, or it would rush past when zooming in.
        if abs(other.zoom - self.zoom) > 1e-9:
            part = (1 / self.zoom - 1 / zoom) / (1 / self.zoom - 1 / other.zoom)
        middle = [a + (b - a) * part for a, b in zip(first, last, strict=True)]
        return self.placed(zoom, middle[0], middle[1], width / 2, height / 2)
