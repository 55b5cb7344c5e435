"""The legend of the gradient scale, floating in the lower left corner."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from app.canvas.format import MINUS
from app.canvas.painting import CENTER, RIGHT, draw_panel, draw_text, font
from app.canvas.wire_painter import lit_width
from app.colors import Theme

WIDTH, HEIGHT = 300, 56
#: Distance of floating panels from the rim of the window, and room for their shadow.
INSET = 22
SHADOW = 24
_BAR = 240


class Legend:
    """Painted once per theme and screen."""

    def __init__(self) -> None:
        self._pixmap = QPixmap()
        self._key: tuple[str, float] = ("", 0.0)

    def rect(self, height: int) -> QRectF:
        """Where it lies in a window of that height, in logical pixels."""
        return QRectF(INSET, height - INSET - HEIGHT, WIDTH, HEIGHT)

    def paint(self, painter: QPainter, height: int, theme: Theme, dpr: float) -> None:
        """Paint it, on a painter in logical pixels."""
        if self._key != (theme.name, dpr):
            self._pixmap = _draw(theme, dpr)
            self._key = (theme.name, dpr)
        corner = self.rect(height).topLeft()
        painter.drawPixmap(int(corner.x()) - SHADOW, int(corner.y()) - SHADOW, self._pixmap)


def _draw(theme: Theme, dpr: float) -> QPixmap:
    pixmap = QPixmap(round((WIDTH + 2 * SHADOW) * dpr), round((HEIGHT + 2 * SHADOW) * dpr))
    pixmap.setDevicePixelRatio(dpr)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(SHADOW, SHADOW)
    draw_panel(painter, QRectF(0, 0, WIDTH, HEIGHT), theme, 14)
    words = font(11)
    draw_text(painter, QRectF(16, 6, 140, 18), "Gradient", words, theme.text)
    draw_text(painter, QRectF(140, 6, WIDTH - 156, 18), "rms, log scale", words,
              theme.text_muted, RIGHT)  # fmt: skip
    left = (WIDTH - _BAR) / 2
    painter.setPen(Qt.PenStyle.NoPen)
    for step in range(_BAR):
        signed = step / (_BAR - 1) * 2 - 1
        height = float(lit_width(abs(signed)))
        painter.setBrush(theme.gradient_color(signed))
        painter.drawRect(QRectF(left + step, 32 - height / 2, 2.0, height))
    signs = font(12, "medium", mono=True)
    draw_text(painter, QRectF(left - 20, 23, 16, 18), MINUS, signs, theme.negative, CENTER)
    draw_text(painter, QRectF(left + _BAR + 4, 23, 16, 18), "+", signs, theme.positive, CENTER)
    ticks = font(9, "medium", mono=True)
    for at, text in ((0.0, "10"), (0.25, "0.1"), (0.5, "≤ 0.001"), (0.75, "0.1"), (1.0, "10")):
        box = QRectF(left + at * _BAR - 28, 38, 56, 14)
        draw_text(painter, box, text, ticks, theme.text_muted, CENTER)
    painter.end()
    return pixmap
