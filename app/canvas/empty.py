"""What an empty canvas says: how to begin."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from app.canvas.painting import CENTER, draw_text, font
from app.icons import icon_pixmap
from app.theme import Theme

_LINES = (
    "Press Tab or double-click here to add a node.",
    "Or open an example or a file from the File menu.",
)


def paint_empty(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """A hint in the middle of ``rect``, in logical pixels."""
    middle = rect.center()
    dpr = painter.device().devicePixelRatioF()
    sign = icon_pixmap("workflow", theme.text_faint, 44, dpr)
    painter.drawPixmap(int(middle.x()) - 22, int(middle.y()) - 92, sign)
    line = QRectF(rect.left(), middle.y() - 30, rect.width(), 26)
    draw_text(painter, line, "An empty graph", font(17, "semibold"), theme.text, CENTER)
    for k, text in enumerate(_LINES):
        row = QRectF(rect.left(), middle.y() + 4 + 22 * k, rect.width(), 20)
        draw_text(painter, row, text, font(13), theme.text_muted, Qt.AlignmentFlag.AlignCenter)
