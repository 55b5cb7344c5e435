"""The layers of the canvas, painted one over the other: a picture under a view.

Ground and still layer lie below (``composite``), then come previews of gestures, what moves, and
what floats over the canvas.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QWidget

from app.canvas.composite import Composite
from app.canvas.fades import Fades
from app.canvas.geometry import Geometry
from app.canvas.lifted import paint_lifted
from app.canvas.overlays import Overlays
from app.canvas.picture import Picture
from app.canvas.previews import Previews
from app.canvas.pulses import Pulses
from app.canvas.static_layer import StaticLayer
from app.canvas.step_numbers import paint_step_numbers
from app.canvas.view import View
from app.theme import Theme, dark

#: Milliseconds after the last zoom step until all is painted sharply.
_SETTLE_TIME = 90
#: Seconds that painting everything may take before zooming shows a scaled preview instead.
_SLOW = 0.005


class Layers(QWidget):
    """Paints its layers where they are dirty, under a view.

    Signals:
        view_changed: after panning or zooming.
    """

    view_changed = Signal()

    def __init__(self, theme: Theme | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme or dark()
        self._picture = Picture()
        self._view = View(dpr=self.devicePixelRatioF())
        self._static = StaticLayer()
        self._composite = Composite()
        self._pulses = Pulses()
        self._pulse_region: QRegion | None = QRegion()  # logical pixels; None: anywhere
        self._fades = Fades()
        self._previews = Previews()
        self._overlays = Overlays()
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_TIME)
        self._settle.timeout.connect(self.update)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    @property
    def picture(self) -> Picture:
        """What is shown, as data."""
        return self._picture

    @property
    def geometry_arrays(self) -> Geometry:
        """Where everything is."""
        return self._picture.geometry

    @property
    def still(self) -> StaticLayer:
        """The layer of what does not move."""
        return self._static

    @property
    def pulses(self) -> Pulses:
        """The layer of what moves."""
        return self._pulses

    @property
    def fades(self) -> Fades:
        """What of nodes' old looks can still be seen."""
        return self._fades

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

    def settle(self) -> None:
        """Paint sharply what is shown as a scaled preview while zooming."""
        self._settle.stop()
        self.update()

    def hideEvent(self, event: QHideEvent) -> None:
        """What is not seen needs no pictures: behind many tabs they would fill the memory."""
        super().hideEvent(event)
        self._static.drop()
        self._composite = Composite()

    # -- painting -----------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Ground and still picture, then everything that lies over it."""
        painter = QPainter(self)
        painter.setClipRegion(event.region())
        dpr, size = self._view.dpr, self._size()
        painter.save()
        painter.scale(1 / dpr, 1 / dpr)
        self._paint_still(painter, self._device_size())
        painter.restore()
        self._previews.paint(painter, self._picture, self._view, size, self._theme)
        if self._pulses.reduced_motion:
            painter.save()
            painter.scale(1 / dpr, 1 / dpr)
            paint_step_numbers(painter, self._picture, self._view, self._device_size(), self._theme)
            painter.restore()
        # What lies over the canvas has it painted below, too, mostly where nothing moves.
        if self._pulse_region is None or self._pulse_region.intersects(event.region()):
            painter.save()
            painter.scale(1 / dpr, 1 / dpr)
            self._pulses.paint(painter, self._picture, self._view, self._theme)
            painter.restore()
        self._overlays.paint(painter, self._picture, self._view, size, event.rect(), self._theme)
        self._paint_above(painter)
        painter.end()

    def _paint_above(self, painter: QPainter) -> None:
        """What lies over everything, in logical pixels."""

    def _size(self) -> tuple[int, int]:
        return self.width(), self.height()

    def _device_size(self) -> tuple[int, int]:
        dpr = self._view.dpr
        return round(self.width() * dpr), round(self.height() * dpr)

    def _paint_still(self, painter: QPainter, device: tuple[int, int]) -> None:
        static, view, theme = self._static, self._view, self._theme
        if self._settle.isActive() and not static.is_forgotten:
            self._composite.preview(painter, static, view, theme)
            return
        changed = static.render(self._picture, view, device, theme)
        self._composite.paint(painter, static, changed, theme)
        if self._fades and static.sprites is not None:
            self._fades.paint(painter, self._picture, static.sprites, view)
        if static.lifted and static.sprites is not None:
            paint_lifted(painter, self._picture, static.sprites, view, device, static.lifted)
