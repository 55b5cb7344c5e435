"""The still layer on its ground, as one opaque picture that a frame only has to copy from."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPixmap, QRegion

from app.canvas import backdrop
from app.canvas.static_layer import StaticLayer
from app.canvas.view import View
from app.colors import Theme

_SOURCE = QPainter.CompositionMode.CompositionMode_Source
_OVER = QPainter.CompositionMode.CompositionMode_SourceOver


class Composite:
    """Ground and still layer together, kept while the still layer stays where it is."""

    def __init__(self) -> None:
        self._ground = QPixmap()
        self._ground_of: tuple[int, int, str] = (0, 0, "")
        self._opaque = QPixmap()
        self._is_composed = False

    def paint(
        self, painter: QPainter, layer: StaticLayer, changed: QRegion | None, theme: Theme
    ) -> None:
        """Paint it, on a painter in device pixels.

        Args:
            changed: what ``layer.render`` did; None stands for everything. A picture that changes
                as a whole, as in panning, is painted as it is: it will hardly be shown twice.
        """
        if changed is None:
            self._prepare(layer, theme)
            self._is_composed = False
            self._compose(painter, layer)
            return
        if not self._is_composed:
            self._compose_all(layer, theme)
        elif not changed.isEmpty():
            composer = QPainter(self._opaque)
            composer.setClipRegion(changed)
            self._compose(composer, layer)
            composer.end()
        painter.setCompositionMode(_SOURCE)
        painter.drawPixmap(0, 0, self._opaque)
        painter.setCompositionMode(_OVER)

    def preview(self, painter: QPainter, layer: StaticLayer, view: View, theme: Theme) -> None:
        """What was painted last, scaled to ``view``: good enough while zooming."""
        if not self._is_composed:  # scaling what is opaque takes a third of the time
            self._compose_all(layer, theme)
        shown = layer.view
        ratio = view.scale / shown.scale
        painter.setCompositionMode(_SOURCE)
        painter.drawPixmap(0, 0, self._ground)
        painter.setCompositionMode(_OVER)
        painter.save()
        painter.translate(shown.x * ratio - view.x, shown.y * ratio - view.y)
        painter.scale(ratio, ratio)
        painter.drawPixmap(0, 0, self._opaque)
        painter.restore()

    def _compose_all(self, layer: StaticLayer, theme: Theme) -> None:
        self._prepare(layer, theme)
        if self._opaque.size() != self._ground.size():
            self._opaque = QPixmap(self._ground.size())
        composer = QPainter(self._opaque)
        self._compose(composer, layer)
        composer.end()
        self._is_composed = True

    def _compose(self, painter: QPainter, layer: StaticLayer) -> None:
        painter.setCompositionMode(_SOURCE)
        painter.drawPixmap(0, 0, self._ground)
        painter.setCompositionMode(_OVER)
        layer.copy_to(painter)

    def _prepare(self, layer: StaticLayer, theme: Theme) -> None:
        width, height = layer.size
        if self._ground_of != (width, height, theme.name):
            self._ground = QPixmap(width, height)
            painter = QPainter(self._ground)
            backdrop.paint_ground(painter, (width, height), theme)
            painter.end()
            self._ground_of = (width, height, theme.name)
