"""A graph as an image, for exports and tests: the canvas's painting without the canvas."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter

from app.canvas import backdrop
from app.canvas.picture import Picture
from app.canvas.pulses import Pulses
from app.canvas.sprites import Sprites
from app.canvas.static_layer import paint_static
from app.canvas.view import View
from app.colors import Theme
from core.graph import Graph
from core.moments import Moment
from core.session import Snapshot
from core.trace import Trace


class ImagePainter:
    """Paints one graph again and again: the frames of a film share sprites and geometry.

    Attributes:
        size: logical pixels of the images; all of the graph is fitted into them.
    """

    def __init__(self, graph: Graph, theme: Theme, size: QSize, scale: float = 1.0) -> None:
        self.size = size
        self._theme = theme
        self._scale = scale
        self._picture = Picture(graph)
        self._pulses = Pulses()
        self._sprites: Sprites | None = None
        self._snapshot: Snapshot | None = None
        self._trace: Trace | None = None

    def bounds(self) -> QRectF:
        """What all nodes and frames cover, in scene units."""
        left, top, right, bottom = self._picture.bounds()
        return QRectF(left, top, right - left, bottom - top)

    def image(
        self, snapshot: Snapshot | None, trace: Trace | None = None, moment: Moment | None = None
    ) -> QImage:
        """The graph now.

        Args:
            snapshot: values, errors, saved values and gradients, or None for the bare graph.
            moment: what can be seen of ``trace`` now, or None.
        """
        picture = self._picture
        if snapshot is not self._snapshot:
            picture.show_snapshot(snapshot)
            self._snapshot = snapshot
        if trace is not self._trace:
            picture.show_trace(trace)
            self._trace = trace
        picture.show_moment(moment)
        width, height = self.size.width(), self.size.height()
        image = QImage(
            round(width * self._scale),
            round(height * self._scale),
            QImage.Format.Format_ARGB32_Premultiplied,
        )
        view = View(dpr=self._scale).fitted(picture.bounds(), width, height, most=2.0)
        if self._sprites is None:
            self._sprites = Sprites(self._theme, view.scale, self._scale)
        device = (image.width(), image.height())
        painter = QPainter(image)
        backdrop.paint_ground(painter, device, self._theme)
        paint_static(painter, picture, self._sprites, view, (0, 0, *device))
        self._pulses.follow(picture)
        self._pulses.paint(painter, picture, view, self._theme)
        painter.end()
        image.setDevicePixelRatio(self._scale)
        return image


def render_image(
    graph: Graph,
    snapshot: Snapshot | None,
    moment: Moment | None,
    theme: Theme,
    size: QSize,
    scale: float = 1.0,
    trace: Trace | None = None,
) -> QImage:
    """All of the graph in ``size`` logical pixels, ``scale`` device pixels each, once."""
    return ImagePainter(graph, theme, size, scale).image(snapshot, trace, moment)
