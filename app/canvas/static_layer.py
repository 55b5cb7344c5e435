"""Everything that does not move, painted once into a pixmap and then only where it changed.

The pixmap is transparent, in device pixels, and somewhat larger than the window: most steps of
panning then copy from another place and paint nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPixmap, QRegion

from app.canvas import backdrop
from app.canvas.area import Area
from app.canvas.curves import Floats
from app.canvas.lifted import NOTHING_LIFTED, Lifted
from app.canvas.nodes_painter import paint_nodes, visible_nodes
from app.canvas.picture import Picture
from app.canvas.regions import covering, rects
from app.canvas.sprites import Sprites
from app.canvas.view import Box, View
from app.canvas.wire_painter import paint_wires, visible_curves
from app.colors import Theme

#: How far the pixmap reaches beyond the window, in logical pixels.
_MARGIN = 96


def paint_static(
    painter: QPainter,
    picture: Picture,
    sprites: Sprites,
    view: View,
    rect: Box,
    pieces: Sequence[Box] = (),
    lifted: Lifted = NOTHING_LIFTED,
) -> None:
    """Grid, frames, wires and nodes inside ``rect``, all in device pixels, but for what is lifted.

    ``pieces``: parts of ``rect`` that alone matter; the painter is clipped to them.
    """
    theme, geometry = sprites.theme, picture.geometry
    area = Area(view.scene_box(*rect), tuple(view.scene_box(*piece) for piece in pieces))
    backdrop.paint_grid(painter, view, rect, theme)
    _paint_frames(painter, picture, view, theme)
    curves = lifted.without_curves(geometry, visible_curves(geometry, area))
    paint_wires(painter, geometry, picture.wires, view, curves, theme)
    nodes = lifted.without_nodes(visible_nodes(geometry, area))
    paint_nodes(painter, picture, sprites, view, nodes)


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
    """The cached picture of what stands still.

    Attributes:
        view: what the window showed when it was brought up to date last.
        size: of the window in device pixels.
        lifted: what is painted elsewhere, see ``lifted``.
        cost: seconds that painting the whole window took last time.
    """

    def __init__(self) -> None:
        self.view = View()
        self.size = (0, 0)
        self.lifted = NOTHING_LIFTED
        self.cost = 0.0
        self._pixmap = QPixmap()
        self._corner = View()  # the view of a window as large as the pixmap
        self._sprites: Sprites | None = None
        self._dirty: QRegion | None = None  # of the pixmap; None: everything

    @property
    def sprites(self) -> Sprites | None:
        """The node pictures in use."""
        return self._sprites

    @property
    def is_forgotten(self) -> bool:
        """Whether nothing of it can be shown any more, not even scaled."""
        return self._dirty is None

    def forget(self) -> None:
        """Paint everything anew next time."""
        self._dirty = None

    def forget_sprites(self) -> None:
        """Paint everything anew, also what is kept of single nodes."""
        self._sprites = None
        self._dirty = None

    def drop(self) -> None:
        """Let go of the pictures; they are painted anew when they are wanted again."""
        self.forget_sprites()
        self._pixmap = QPixmap()

    def mark(self, boxes: Floats) -> QRegion:
        """Note that parts of the scene (n, 4) changed; the pixels of the window they are on."""
        if self._dirty is not None:
            self._dirty += _covering(boxes, self._corner, self._pixmap.rect())
        return self.pixels(boxes)

    def pixels(self, boxes: Floats) -> QRegion:
        """The pixels of the window that parts of the scene (n, 4) are on."""
        return _covering(boxes, self.view, QRect(0, 0, *self.size))

    def render(
        self, picture: Picture, view: View, size: tuple[int, int], theme: Theme
    ) -> QRegion | None:
        """Bring the window up to date for ``view``, with as little work as possible.

        Returns:
            The part of the window that differs from what it was; None: all of it.
        """
        sprites = self._prepare(view, size, theme)
        has_moved = view != self.view
        self.view = view
        if self._dirty is not None and not self._pixmap.rect().contains(self._window()):
            self._scroll()
        if self._dirty is None:
            self._paint_window(picture, sprites)
            return None
        # While panning the margin is painted, too: the next steps will show it.
        due = self._dirty if has_moved else self._dirty & QRegion(self._window())
        if not due.isEmpty():
            self._repaint(due, picture, sprites)
            self._dirty -= due
        return None if has_moved else due.translated(-self._window().topLeft())

    def copy_to(self, painter: QPainter) -> None:
        """Paint the window's part of it at the origin."""
        window = self._window()
        painter.drawPixmap(0, 0, self._pixmap, window.x(), window.y(), *self.size)

    def _window(self) -> QRect:
        """Where in the pixmap the window lies."""
        return QRect(self.view.x - self._corner.x, self.view.y - self._corner.y, *self.size)

    def _prepare(self, view: View, size: tuple[int, int], theme: Theme) -> Sprites:
        margin = _margin(view)
        self.size = size
        whole = (size[0] + 2 * margin, size[1] + 2 * margin)
        if (self._pixmap.width(), self._pixmap.height()) != whole:
            self._pixmap = QPixmap(*whole)
            self._dirty = None
        sprites = self._sprites
        if sprites is None or sprites.scale != view.scale or sprites.theme is not theme:
            sprites = self._sprites = Sprites(theme, view.scale, view.dpr)
            self._dirty = None
        return sprites

    def _paint_window(self, picture: Picture, sprites: Sprites) -> None:
        """Everything anew, but for the margin, which is left for when it comes into sight."""
        started = perf_counter()
        self._corner = _around(self.view)
        window = self._window()
        self._pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(self._pixmap)
        painter.setClipRect(window)
        paint_static(painter, picture, sprites, self._corner, _box(window), (), self.lifted)
        painter.end()
        self._dirty = QRegion(self._pixmap.rect()) - QRegion(window)
        self.cost = perf_counter() - started

    def _scroll(self) -> None:
        """Bring the window back into the middle; what comes into sight is dirty."""
        assert self._dirty is not None
        corner = _around(self.view)
        dx, dy = self._corner.x - corner.x, self._corner.y - corner.y
        whole = self._pixmap.rect()
        if abs(dx) >= whole.width() or abs(dy) >= whole.height():
            self._dirty = None
            return
        self._corner = corner
        self._pixmap.scroll(dx, dy, whole)
        self._dirty.translate(dx, dy)
        self._dirty += QRegion(whole) - QRegion(whole.translated(dx, dy))
        self._dirty &= QRegion(whole)

    def _repaint(self, region: QRegion, picture: Picture, sprites: Sprites) -> None:
        bounds, parts = region.boundingRect(), rects(region)
        painter = QPainter(self._pixmap)
        painter.setClipRegion(region)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        painter.fillRect(bounds, Qt.GlobalColor.transparent)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        pieces = [_box(rect) for rect in parts] if len(parts) > 1 else []
        paint_static(painter, picture, sprites, self._corner, _box(bounds), pieces, self.lifted)
        painter.end()


def _covering(boxes: Floats, view: View, within: QRect) -> QRegion:
    return covering(boxes * view.scale - (view.x, view.y, view.x, view.y), within)


def _margin(view: View) -> int:
    return round(_MARGIN * view.dpr)


def _around(view: View) -> View:
    """The view of a window that is larger by the margin on all sides."""
    return replace(view, x=view.x - _margin(view), y=view.y - _margin(view))


def _box(rect: QRect) -> Box:
    return (rect.left(), rect.top(), rect.left() + rect.width(), rect.top() + rect.height())
