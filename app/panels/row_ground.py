"""What lies behind a row of a list: nothing, or that it is selected or under the mouse."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle

from app.theme import Theme, faded, mix


def paint_row_ground(
    painter: QPainter, rect: QRectF, state: QStyle.StateFlag, theme: Theme
) -> None:
    """Paint the ground of a row that covers ``rect``."""
    if state & QStyle.StateFlag.State_Selected:
        ground = faded(theme.accent, 0.22 if theme.is_dark else 0.14)
    elif state & QStyle.StateFlag.State_MouseOver:
        ground = mix(theme.surface_raised, theme.text, 0.06)
    else:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(rect.adjusted(3, 1, -3, -1), 7, 7)
