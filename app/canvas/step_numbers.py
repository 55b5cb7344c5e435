"""Without motion, what travelled when is told by numbers: each lit wire has that of its step."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from app.canvas.curves import Ints
from app.canvas.flying import Flying, device_places
from app.canvas.painting import CENTER, draw_text, font, width
from app.canvas.picture import Picture
from app.canvas.view import View
from app.colors import Theme

#: Smaller than this they could not be read; more than this would be a crowd.
_LEAST_ZOOM = 0.45
_MOST = 200
#: Half the height, in scene units; it stays within the glow of the wire it stands on.
_RADIUS = 8.5


def numbered_wires(picture: Picture, view: View, size: tuple[int, int]) -> list[tuple[int, int]]:
    """Rows of the lit wires in a window of ``size`` device pixels, and the steps that lit them."""
    moment, entry = picture.moment, picture.geometry.entry
    if moment is None or not moment.arrived or view.zoom < _LEAST_ZOOM:
        return []
    numbers = picture.facts.step_numbers
    lit = {entry[key]: numbers[key] for key in moment.arrived if key in entry and key in numbers}
    if not lit:
        return []
    rows: Ints = np.fromiter(lit, dtype=np.intp)
    none = np.zeros(len(rows))
    seen = Flying(rows, none, none, none).in_sight(picture.geometry, view, size).wires
    return [(int(row), lit[int(row)]) for row in seen] if len(seen) <= _MOST else []


def paint_step_numbers(
    painter: QPainter, picture: Picture, view: View, size: tuple[int, int], theme: Theme
) -> None:
    """The numbers in the middle of their wires, the last one bright; in device pixels."""
    found = numbered_wires(picture, view, size)
    if not found or picture.moment is None:
        return
    rows = np.array([row for row, _ in found], dtype=np.intp)
    xs, ys = device_places(picture.geometry, rows, np.full(len(rows), 0.5), view)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    radius = _RADIUS * view.scale
    text_font = font(max(6, round(11 * view.scale)), "semibold")
    for (_, number), x, y in zip(found, xs.tolist(), ys.tolist(), strict=True):
        is_last = number == picture.moment.step
        half = max(radius, width(str(number), text_font) / 2 + 5 * view.scale)
        box = QRectF(QPointF(x - half, y - radius), QPointF(x + half, y + radius))
        painter.setPen(QPen(theme.active if is_last else theme.border, 1.4 * view.scale))
        painter.setBrush(theme.pill)
        painter.drawRoundedRect(box, radius, radius)
        ink = theme.text if is_last else theme.text_muted
        draw_text(painter, box, str(number), text_font, ink, CENTER)
