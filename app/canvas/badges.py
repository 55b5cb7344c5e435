"""Small signs on nodes: round badges, tags with an icon, wrapped messages."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from app.canvas.painting import draw_text, font
from app.colors import Theme

_RADIUS = 9.5
_LINE = 15.0


def draw_badge(painter: QPainter, center: QPointF, name: str, theme: Theme) -> None:
    """A round sign: ``error``, ``freed``, ``root`` or ``pinned``."""
    ground = theme.error if name == "error" else theme.chip
    painter.setPen(QPen(theme.background, 3))
    painter.setBrush(ground)
    painter.drawEllipse(center, _RADIUS, _RADIUS)
    painter.save()
    painter.translate(center)
    signs = {"error": _exclamation, "freed": _struck_drop, "root": _target, "pinned": _pin}
    signs[name](painter, theme)
    painter.restore()


def draw_busy(painter: QPainter, center: QPointF, beat: int, theme: Theme) -> None:
    """A round sign with an arc that goes on by a twelfth of a turn with every beat."""
    painter.setPen(QPen(theme.background, 3))
    painter.setBrush(theme.chip)
    painter.drawEllipse(center, _RADIUS, _RADIUS)
    ring = QRectF(center.x() - 5, center.y() - 5, 10, 10)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.outline_faint, 2))
    painter.drawEllipse(ring)
    painter.setPen(QPen(theme.text, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawArc(ring, -30 * 16 * beat, 100 * 16)  # Qt counts sixteenths of a degree


def draw_tag(painter: QPainter, at: QPointF, icon: str, text: str, theme: Theme) -> None:
    """An icon and a word, ``at`` the middle of the left edge."""
    painter.save()
    painter.translate(at)
    (_leaf if icon == "leaf" else _lock)(painter, theme.text_muted)
    painter.restore()
    room = QRectF(at.x() + 15, at.y() - 10, 70, 20)
    draw_text(painter, room, text, font(11), theme.text_muted)


def draw_wrapped(painter: QPainter, room: QRectF, text: str) -> None:
    """Text on as many lines as ``room`` has, the last one elided; font and pen as set."""
    measures = QFontMetricsF(painter.font())
    lines = max(1, int((room.height() + 4) // _LINE))
    words = text.split()
    y = room.top()
    for line in range(lines):
        taken = ""
        while words and line < lines - 1:
            longer = f"{taken} {words[0]}".strip()
            if taken and measures.horizontalAdvance(longer) > room.width():
                break
            taken = longer
            words.pop(0)
        if line == lines - 1:
            taken = " ".join(words)
        taken = measures.elidedText(taken, Qt.TextElideMode.ElideRight, room.width() + 0.5)
        painter.drawText(QPointF(room.left(), y + measures.ascent()), taken)
        y += _LINE


def _exclamation(painter: QPainter, _theme: Theme) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor("#FFFFFF"))
    painter.drawRoundedRect(QRectF(-1.2, -5.5, 2.4, 6.6), 1.2, 1.2)
    painter.drawEllipse(QPointF(0, 4), 1.5, 1.5)


def _struck_drop(painter: QPainter, theme: Theme) -> None:
    drop = QPainterPath(QPointF(0, -5.5))
    drop.cubicTo(1.2, -3.2, 4, -0.9, 4, 1.4)
    drop.cubicTo(4, 3.7, 2.2, 5.2, 0, 5.2)
    drop.cubicTo(-2.2, 5.2, -4, 3.7, -4, 1.4)
    drop.cubicTo(-4, -0.9, -1.2, -3.2, 0, -5.5)
    painter.setPen(QPen(theme.text_muted, 1.2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(drop)
    painter.drawLine(QPointF(-5, 5), QPointF(5, -5))


def _target(painter: QPainter, theme: Theme) -> None:
    """Where a backward starts."""
    painter.setPen(QPen(theme.text, 1.3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QPointF(0, 0), 4.6, 4.6)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.text)
    painter.drawEllipse(QPointF(0, 0), 1.9, 1.9)


def _pin(painter: QPainter, theme: Theme) -> None:
    """A drawing pin, stuck in from the upper right."""
    painter.rotate(35)
    round_pen = (Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    painter.setPen(QPen(theme.text, 1.2, *round_pen))
    painter.setBrush(theme.text)
    painter.drawPolygon(
        [QPointF(-1.9, -4.8), QPointF(1.9, -4.8), QPointF(1.6, -0.9), QPointF(3.2, 1.1),
         QPointF(-3.2, 1.1), QPointF(-1.6, -0.9)]
    )  # fmt: skip
    painter.drawLine(QPointF(0, 1.2), QPointF(0, 5.4))


def _leaf(painter: QPainter, color: QColor) -> None:
    leaf = QPainterPath(QPointF(1, 4.5))
    leaf.cubicTo(-0.5, -1, 3.5, -4.5, 10.5, -4.8)
    leaf.cubicTo(11.3, 0.5, 9.3, 5.4, 4.6, 5.0)
    leaf.cubicTo(2.8, 4.8, 2.2, 3.8, 2.2, 2.8)
    painter.setPen(QPen(color, 1.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(leaf)
    painter.drawLine(QPointF(0.6, 5.4), QPointF(6.6, -0.6))


def _lock(painter: QPainter, color: QColor) -> None:
    painter.setPen(QPen(color, 1.2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(1.2, -0.8, 8.6, 6.2), 1.6, 1.6)
    shackle = QPainterPath(QPointF(3, -1))
    shackle.lineTo(3, -2.8)
    shackle.cubicTo(3, -6, 8, -6, 8, -2.8)
    shackle.lineTo(8, -1)
    painter.drawPath(shackle)
