"""A surface that can be looked around on: pan, zoom, and journeys to what matters."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEasingCurve, QEvent, QPointF, QSize, QVariantAnimation
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.canvas.nodes_painter import NAME_ZOOM
from app.canvas.surface import Surface
from app.canvas.view import Box, View
from app.theme import Theme
from core.graph import Graph, GraphDiff

#: Milliseconds of a change of view.
_ZOOM_TIME = 140


class Viewport(Surface):
    """Owns how the view changes; a new graph is fitted into the window, and stays so until the
    view or the graph is changed."""

    def __init__(self, theme: Theme | None = None, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._fit_pending = True
        self._whole: View | None = None  # the view that shows all of the graph as it is
        self._animation = QVariantAnimation(self)
        self._animation.setDuration(_ZOOM_TIME)
        self._animation.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.valueChanged.connect(self._on_animated)
        self._journey = (self._view, self._view)
        self._left_over = (0.0, 0.0)
        self.setMinimumSize(240, 160)

    def show_graph(self, graph: Graph, diff: GraphDiff | None = None) -> None:
        """Show a graph: a new one (fitted into the window), or the next version after ``diff``."""
        super().show_graph(graph, diff)
        # Under the hands of who edits, nothing must move by itself.
        self._fit_pending, self._whole = diff is None, None
        self._fit_if_pending()

    def pan(self, dx: float, dy: float) -> None:
        """Shift the picture by logical pixels.

        It moves by whole device pixels; what is left over counts the next time, or at 125 % a slow
        hand would leave the picture behind.
        """
        self._animation.stop()
        view, dpr = self._view, self._view.dpr
        dx, dy = dx + self._left_over[0], dy + self._left_over[1]
        panned = view.panned(dx, dy)
        self._left_over = (dx - (view.x - panned.x) / dpr, dy - (view.y - panned.y) / dpr)
        self.set_view(panned)

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom about a place in logical pixels, or about the middle."""
        self._animation.stop()
        at = at or QPointF(self.width() / 2, self.height() / 2)
        self.set_view(self._view.zoomed(factor, at.x(), at.y()))

    def zoom_to(self, zoom: float, *, animated: bool = True) -> None:
        """Zoom to a scale (1: 100 %) about the middle."""
        middle = (self.width() / 2, self.height() / 2)
        self._go(self._view.zoomed(zoom / self._view.zoom, *middle), animated=animated)

    def frame_all(self, *, animated: bool = True) -> None:
        """Bring the whole graph into the window."""
        self._whole = self._fitted(self._picture.bounds())
        self._go(self._whole, animated=animated)

    def frame_selection(self, *, animated: bool = True) -> None:
        """Bring what is selected into the window; without selection everything."""
        row = self._picture.geometry.row
        rows = [row[node] for node in self._previews.selection if node in row]
        if not rows:
            self.frame_all(animated=animated)
            return
        self._go(self._fitted(self._picture.geometry.bounds(np.array(rows))), animated=animated)

    def reveal(self, node: str, *, closely: bool = False, animated: bool = True) -> None:
        """Bring a node into the middle unless it is well in sight.

        Args:
            closely: that takes its name to be readable, too.
        """
        geometry = self._picture.geometry
        left, top, right, bottom = geometry.bounds(np.array([geometry.row[node]]))
        inner = self.rect().adjusted(40, 40, -40, -40)
        corners = [self.to_screen(QPointF(left, top)), self.to_screen(QPointF(right, bottom))]
        is_near = self._view.zoom >= NAME_ZOOM or not closely
        if is_near and all(inner.contains(corner.toPoint()) for corner in corners):
            return
        zoom = max(self._view.zoom, 0.6)
        middle = ((left + right) / 2, (top + bottom) / 2)
        self._go(
            self._view.placed(zoom, *middle, self.width() / 2, self.height() / 2),
            animated=animated,
        )

    def finish_animation(self) -> None:
        """Jump to the end of a change of view that is under way, and of what fades."""
        if self._fades:
            self._fades.settle()
            self.update()
        if self._animation.state() == QVariantAnimation.State.Running:
            self._animation.stop()
            self.set_view(self._journey[1])

    def _fitted(self, box: Box) -> View:
        # The panels at the foot should cover none of it.
        room = max(100, self.height() - self._overlays.foot)
        return self._view.fitted(box, self.width(), room)

    def _go(self, view: View, *, animated: bool) -> None:
        self._animation.stop()
        if not animated or self._pulses.reduced_motion or not self.isVisible():
            self.set_view(view)
            return
        self._journey = (self._view, view)
        self._animation.start()

    def _on_animated(self, part: float) -> None:
        start, end = self._journey
        done = part >= 1.0
        self.set_view(end if done else start.between(end, part, self.width(), self.height()))

    def _fit_if_pending(self) -> None:
        """A new graph is fitted once the window has its size."""
        if self._fit_pending and self.isVisible() and self._picture.geometry.nodes:
            self._fit_pending = False
            self.frame_all(animated=False)

    # -- the window ---------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The first size fits a new graph; what was in sight as a whole stays so."""
        super().resizeEvent(event)
        self._follow_screen()
        self._fit_pending |= self._view == self._whole
        self._fit_if_pending()

    def showEvent(self, event: QEvent) -> None:
        """Fit what was given before the window was there."""
        super().showEvent(event)  # type: ignore[arg-type]
        self._follow_screen()
        self._fit_if_pending()

    def sizeHint(self) -> QSize:
        """As large as it can get."""
        return QSize(1000, 700)

    def _follow_screen(self) -> None:
        """Another screen may have another number of device pixels per logical pixel."""
        dpr = self.devicePixelRatioF()
        if dpr != self._view.dpr:
            middle = self._view.to_scene(self.width() / 2, self.height() / 2)
            view = View(self._view.zoom, dpr=dpr)
            self._view = view.placed(view.zoom, *middle, self.width() / 2, self.height() / 2)
