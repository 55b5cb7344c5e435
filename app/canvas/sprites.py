"""Pictures of nodes in device pixels, kept for one scale and theme.

Large nodes are pictures of their own, the least recently used forgotten beyond a bound. Small ones
(no text) share one picture per category, status and height, and gradient bars share one palette.
"""

from __future__ import annotations

import math
from collections import OrderedDict

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPixmap

from app.canvas.content import NodeContent
from app.canvas.metrics import NODE_MARGIN, NODE_RADIUS, NODE_WIDTH, SMALL_HEADER
from app.canvas.node_painter import paint_node, paint_shadow
from app.canvas.styles import Status
from app.colors import Theme, mix

#: Bytes of node pictures kept.
_MOST_BYTES = 60 * 2**20
_BYTES_PER_PIXEL = 4
#: Shades of the gradient palette, negative to positive.
SHADES = 33


class Sprites:
    """Pictures for one theme at one scale."""

    def __init__(self, theme: Theme, scale: float, dpr: float) -> None:
        self.theme = theme
        self.scale = scale
        self.dpr = dpr
        self.margin = math.ceil(NODE_MARGIN * scale)
        self._nodes: OrderedDict[str, tuple[NodeContent, QPixmap]] = OrderedDict()
        self._bytes = 0
        self._shadows: dict[tuple[float, bool], QPixmap] = {}
        self._small: dict[tuple[str, int, int], QPixmap] = {}
        self._palette: QPixmap | None = None

    @property
    def bytes(self) -> int:
        """What the pictures of large nodes take, at most 60 MiB."""
        return self._bytes

    # -- large --------------------------------------------------------------------------------

    def node(self, node_id: str, content: NodeContent) -> QPixmap:
        """The node in full; its top left corner lies ``margin`` pixels into the picture."""
        known = self._nodes.get(node_id)
        if known is not None and known[0] is content:
            self._nodes.move_to_end(node_id)
            return known[1]
        if known is not None:
            self._bytes -= _size(known[1])
        pixmap = self._draw_node(content)
        self._nodes[node_id] = (content, pixmap)
        self._nodes.move_to_end(node_id)
        self._bytes += _size(pixmap)
        while self._bytes > _MOST_BYTES and len(self._nodes) > 1:
            _, (_, oldest) = self._nodes.popitem(last=False)
            self._bytes -= _size(oldest)
        return pixmap

    def drawn(self, node_id: str) -> tuple[NodeContent, QPixmap] | None:
        """The picture of the node that was asked for last, with what it shows."""
        return self._nodes.get(node_id)

    def _draw_node(self, content: NodeContent) -> QPixmap:
        pixmap = self._shadow(content.height, freed=content.freed).copy()
        painter = self._painter(pixmap)
        paint_node(painter, content, self.theme)
        painter.end()
        return pixmap

    def _shadow(self, height: float, *, freed: bool) -> QPixmap:
        """A picture of the size of a node's with nothing but the shadow."""
        key = (height, freed)
        if key not in self._shadows:
            pixmap = QPixmap(
                math.ceil(NODE_WIDTH * self.scale) + 2 * self.margin,
                math.ceil(height * self.scale) + 2 * self.margin,
            )
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = self._painter(pixmap)
            paint_shadow(painter, height, self.theme, freed=freed)
            painter.end()
            self._shadows[key] = pixmap
        return self._shadows[key]

    def _painter(self, pixmap: QPixmap) -> QPainter:
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(self.margin, self.margin)
        painter.scale(self.scale, self.scale)
        return painter

    # -- small --------------------------------------------------------------------------------

    @property
    def small_width(self) -> int:
        """Width of a small node in device pixels."""
        return max(2, round(NODE_WIDTH * self.scale))

    def small(self, category: str, status: int, height: int) -> QPixmap:
        """A node too small for text, ``height`` device pixels high."""
        key = (category, status, height)
        if key not in self._small:
            self._small[key] = self._draw_small(category, status, height)
        return self._small[key]

    def _draw_small(self, category: str, status: int, height: int) -> QPixmap:
        theme, width = self.theme, self.small_width
        top, bottom = theme.header(category)
        surface = theme.surface
        header = mix(top, bottom, 0.6)
        if status == Status.FREED:
            surface = mix(theme.surface, theme.background, 0.55)
            header = mix(bottom, surface, 0.62)
        pixmap = QPixmap(width, height)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # A hairline stays visible at any size, and the corners stay round.
        line = max(1.0, 0.8 * self.dpr)
        rect = QRectF(line / 2, line / 2, width - line, height - line)
        radius = max(1.5 * self.dpr, NODE_RADIUS * self.scale) if width > 8 else 0.0
        body = QPainterPath()
        body.addRoundedRect(rect, radius, radius)
        painter.fillPath(body, surface)
        painter.setClipRect(QRectF(0, 0, width, max(1.0, SMALL_HEADER * self.scale)))
        painter.fillPath(body, header)
        painter.setClipping(False)
        if width > 10:
            border = {
                Status.ERROR: theme.error,
                Status.ACTIVE: theme.active,
            }.get(Status(status), theme.border)
            strong = status in (Status.ERROR, Status.ACTIVE)
            painter.setPen(QPen(border, line * (1.8 if strong else 1.0)))
            painter.drawPath(body)
        elif status == Status.ERROR:
            painter.fillPath(body, theme.error)
        painter.end()
        return pixmap

    def palette(self) -> tuple[QPixmap, int, int]:
        """Gradient bars side by side, ``SHADES`` of them; the width and height of one."""
        width = max(1, round(0.76 * NODE_WIDTH * self.scale))
        height = max(1, round(13 * self.scale))
        if self._palette is None:
            pixmap = QPixmap(width * SHADES, height)
            painter = QPainter(pixmap)
            for shade, signed in enumerate(np.linspace(-1.0, 1.0, SHADES).tolist()):
                painter.fillRect(shade * width, 0, width, height, self.theme.gradient_color(signed))
            painter.end()
            self._palette = pixmap
        return self._palette, width, height


def _size(pixmap: QPixmap) -> int:
    return pixmap.width() * pixmap.height() * _BYTES_PER_PIXEL
