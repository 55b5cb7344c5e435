"""Everything that does not move, painted once into a pixmap and then only where it changed.

The pixmap is transparent, in device pixels; the lit ground lies below it and does not scroll.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap, QRegion

from app.canvas import backdrop
from app.canvas.area import Area
from app.canvas.metrics import NODE_MARGIN
from app.canvas.nodes_painter import paint_nodes
from app.canvas.picture import Picture
from app.canvas.sprites import Sprites
from app.canvas.view import Box, View
from app.canvas.wire_painter import paint_wires
from app.colors import Theme

#: Device pixels that dirty pieces are rounded out to.
_SNAP = 48


def paint_static(
    painter: QPainter,
    picture: Picture,
    sprites: Sprites,
    view: View,
    rect: Box,
    pieces: Sequence[Box] = (),
) -> None:
    """Grid, frames, wires and nodes inside ``rect``, all in device pixels.

    ``pieces``: parts of ``rect`` that alone matter; the painter is clipped to them.
    """
    theme = sprites.theme
    area = Area(view.scene_box(*rect), tuple(view.scene_box(*piece) for piece in pieces))
    backdrop.paint_grid(painter, view, rect, theme)
    _paint_frames(painter, picture, view, theme)
    paint_wires(painter, picture.geometry, picture.wires, view, area, theme)
    paint_nodes(painter, picture, sprites, view, area)


def _paint_frames(painter: QPainter, picture: Picture, view: View, theme: Theme) -> None:
    frames = picture.graph.frames
    if not frames:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.translate(-view.x, -view.y)
    painter.scale(view.scale, view.scale)
    for frame in frames.values():
        backdrop.paint_frame(painter, frame, theme)
    painter.restore()


class StaticLayer:
    """The cached picture of what stands still."""

    def __init__(self) -> None:
        self._pixmap = QPixmap()
        self._ground = QPixmap()
        self._opaque: QPixmap | None = None
        self._ground_of: tuple[int, int, str] = (0, 0, "")
        self._view = View()
        self._sprites: Sprites | None = None
        self._dirty: QRegion | None = None  # None: everything
        #: Seconds that painting everything took last time.
        self.cost = 0.0

    @property
    def sprites(self) -> Sprites | None:
        """The node pictures in use."""
        return self._sprites

    def forget(self) -> None:
        """Paint everything anew next time."""
        self._dirty = None

    def forget_sprites(self) -> None:
        """Paint everything anew, also what is kept of single nodes."""
        self._sprites = None
        self._dirty = None

    def mark(self, box: Box, margin: float = NODE_MARGIN) -> QRect:
        """Note that a part of the scene and ``margin`` around it changed; in device pixels."""
        view = self._view
        left, top, right, bottom = box
        rect = QRectF(
            (left - margin) * view.scale - view.x,
            (top - margin) * view.scale - view.y,
            (right - left + 2 * margin) * view.scale,
            (bottom - top + 2 * margin) * view.scale,
        ).toAlignedRect()
        rect = _snapped(rect).intersected(self._pixmap.rect())
        if self._dirty is not None and not rect.isEmpty():
            self._dirty += QRegion(rect)
        return rect

    def render(
        self, picture: Picture, view: View, size: tuple[int, int], theme: Theme
    ) -> tuple[QPixmap, QPixmap]:
        """Ground and picture for ``view``, brought up to date with as little work as possible."""
        self._prepare(view, size, theme)
        assert self._sprites is not None
        whole = self._pixmap.rect()
        if self._dirty is not None and view != self._view:
            self._scroll(view)
        self._view = view
        if self._dirty is None:
            started = perf_counter()
            self._pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._pixmap)
            paint_static(painter, picture, self._sprites, view, _box(whole))
            painter.end()
            self.cost = perf_counter() - started
        elif not self._dirty.isEmpty():
            self._repaint(picture, self._sprites, view)
        self._dirty = QRegion()
        self._opaque = None
        return self._ground, self._pixmap

    def preview(self, painter: QPainter, view: View) -> None:
        """What was painted last, scaled to ``view``: good enough while zooming."""
        ratio = view.scale / self._view.scale
        if self._opaque is None:  # scaling what is opaque takes a third of the time
            self._opaque = self._ground.copy()
            composer = QPainter(self._opaque)
            composer.drawPixmap(0, 0, self._pixmap)
            composer.end()
        painter.save()
        painter.translate(self._view.x * ratio - view.x, self._view.y * ratio - view.y)
        painter.scale(ratio, ratio)
        painter.drawPixmap(0, 0, self._opaque)
        painter.restore()

    @property
    def ground(self) -> QPixmap:
        """The lit ground below the picture."""
        return self._ground

    def _prepare(self, view: View, size: tuple[int, int], theme: Theme) -> None:
        if (self._pixmap.width(), self._pixmap.height()) != size:
            self._pixmap = QPixmap(*size)
            self._dirty = None
        if self._ground_of != (*size, theme.name):
            self._ground = QPixmap(*size)
            painter = QPainter(self._ground)
            backdrop.paint_ground(painter, size, theme)
            painter.end()
            self._ground_of = (*size, theme.name)
        sprites = self._sprites
        if sprites is None or sprites.scale != view.scale or sprites.theme is not theme:
            self._sprites = Sprites(theme, view.scale, view.dpr)
            self._dirty = None

    def _scroll(self, view: View) -> None:
        """Shift what is there; what comes into sight is dirty."""
        assert self._dirty is not None
        dx, dy = self._view.x - view.x, self._view.y - view.y
        whole = self._pixmap.rect()
        if abs(dx) >= whole.width() or abs(dy) >= whole.height():
            self._dirty = None
            return
        self._pixmap.scroll(dx, dy, whole)
        self._dirty.translate(dx, dy)
        self._dirty += QRegion(whole) - QRegion(whole.translated(dx, dy))
        self._dirty &= QRegion(whole)

    def _repaint(self, picture: Picture, sprites: Sprites, view: View) -> None:
        assert self._dirty is not None
        bounds = self._dirty.boundingRect()
        rects: list[QRect] = list(self._dirty)  # type: ignore[call-overload]  # stubs: no __iter__
        painter = QPainter(self._pixmap)
        painter.setClipRegion(self._dirty)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        painter.fillRect(bounds, Qt.GlobalColor.transparent)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        pieces = [_box(rect) for rect in rects] if len(rects) > 1 else []
        paint_static(painter, picture, sprites, view, _box(bounds), pieces)
        painter.end()


def _snapped(rect: QRect) -> QRect:
    """The rectangle on a coarse grid: a region of few pieces clips much faster."""
    left, top = rect.left() // _SNAP * _SNAP, rect.top() // _SNAP * _SNAP
    right = -(-(rect.x() + rect.width()) // _SNAP) * _SNAP
    bottom = -(-(rect.y() + rect.height()) // _SNAP) * _SNAP
    return QRect(left, top, right - left, bottom - top)


def _box(rect: QRect) -> Box:
    return (rect.left(), rect.top(), rect.left() + rect.width(), rect.top() + rect.height())
