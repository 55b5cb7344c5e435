"""What a node showed before, fading over what it shows now.

Values cross over in a moment; saved values that a backward freed drain away more slowly. A node
that changes again before it has settled, as under a slider, shows each value at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import monotonic

import numpy as np
from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter, QPixmap, QRegion

from app.canvas.content import NodeContent
from app.canvas.nodes_painter import FULL_ZOOM, device_corners
from app.canvas.picture import Picture
from app.canvas.sprites import Sprites
from app.canvas.view import View

#: Milliseconds that a value fades, and that freed values drain.
FADE, DRAIN = 180, 400
#: More nodes that change at once are not followed by the eye.
_MOST = 8


@dataclass(frozen=True, slots=True)
class _Fade:
    """One node's old picture, in device pixels; gone ``duration`` milliseconds after ``start``."""

    content: NodeContent
    pixmap: QPixmap
    start: float
    duration: float

    def opacity(self, now: float) -> float:
        """From 1 to 0, slower at the end."""
        left = 1.0 - min(max((now - self.start) / self.duration, 0.0), 1.0)
        return left * left


def _milliseconds() -> float:
    return monotonic() * 1000


class Fades:
    """The nodes that are fading now.

    Attributes:
        clock: what time it is, in milliseconds.
    """

    def __init__(self) -> None:
        self.clock: Callable[[], float] = _milliseconds
        self._fading: dict[str, _Fade] = {}
        self._unsettled: dict[str, float] = {}  # when a node changed last
        self._sprites: Sprites | None = None

    def __bool__(self) -> bool:
        return bool(self._fading)

    def begin(
        self,
        nodes: Iterable[str],
        picture: Picture,
        sprites: Sprites | None,
        view: View,
    ) -> None:
        """Nodes have just changed, and are still painted as before."""
        nodes, now = list(nodes), self.clock()
        if sprites is None or view.zoom < FULL_ZOOM or len(nodes) > _MOST:
            self._fading.clear()
            return
        self._sprites = sprites
        for node in nodes:
            calm = now - self._unsettled.get(node, -FADE) >= FADE
            self._unsettled[node] = now
            drawn = sprites.drawn(node)
            self._fading.pop(node, None)
            if not calm or drawn is None:
                continue
            old, new = drawn[0], picture.content(picture.geometry.row[node])
            if _looks_alike(old, new) or (old.height, old.collapsed) != (new.height, new.collapsed):
                continue
            duration = DRAIN if new.freed and not old.freed else FADE
            self._fading[node] = _Fade(old, drawn[1], now, duration)

    def settle(self) -> None:
        """Show everything as it is."""
        self._fading.clear()
        self._unsettled.clear()

    def advance(self) -> None:
        """Let go of what has faded."""
        now = self.clock()
        self._fading = {
            node: fade for node, fade in self._fading.items() if now < fade.start + fade.duration
        }
        if not self._fading:
            self._unsettled = {n: at for n, at in self._unsettled.items() if now - at < FADE}

    def opacity(self, node: str) -> float:
        """How much of its old picture a node still shows."""
        fade = self._fading.get(node)
        return fade.opacity(self.clock()) if fade is not None else 0.0

    def region(self, picture: Picture, view: View) -> QRegion:
        """Device pixels that are fading."""
        region = QRegion()
        for _, rect, _ in self._places(picture, view):
            region += rect
        return region

    def paint(self, painter: QPainter, picture: Picture, sprites: Sprites, view: View) -> None:
        """The old pictures over the new ones, on a painter in device pixels."""
        if sprites is not self._sprites:  # another zoom or theme: they no longer fit
            self._fading.clear()
        for fade, rect, part in self._places(picture, view):
            painter.setOpacity(fade.opacity(self.clock()))
            painter.drawPixmap(rect, fade.pixmap, part)
        painter.setOpacity(1.0)

    def _places(self, picture: Picture, view: View) -> list[tuple[_Fade, QRect, QRect]]:
        """Where on the screen the bodies of fading nodes are, and where in their pictures.

        The bodies alone: a shadow painted twice would be too dark.
        """
        row, sprites = picture.geometry.row, self._sprites
        fading = [(row[node], fade) for node, fade in self._fading.items() if node in row]
        if sprites is None or not fading:
            return []
        rows = np.array([row for row, _ in fading], dtype=np.intp)
        places = []
        for (x, y), (_, fade) in zip(
            device_corners(picture.geometry, rows, view).tolist(), fading, strict=True
        ):
            width = fade.pixmap.width() - 2 * sprites.margin
            height = fade.pixmap.height() - 2 * sprites.margin
            part = QRect(sprites.margin, sprites.margin, width, height)
            places.append((fade, QRect(int(x), int(y), width, height), part))
        return places


def _looks_alike(old: NodeContent, new: NodeContent) -> bool:
    """Whether values, gradients and saved values are shown as before (a ring alone may differ)."""
    return _shown(old) == _shown(new) and (old.saved, old.freed) == (new.saved, new.freed)


def _shown(content: NodeContent) -> list[tuple[object, ...]]:
    return [
        (label, cell.text, cell.numbers, None if cell.strip is None else cell.strip.tobytes())
        for label, cell in content.rows
    ]
