"""Paints one node in full, in scene units, its top left at the origin.

Nothing here is cached: ``sprites`` keeps the pictures, and exports paint without them.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPainterPath, QPen

from app.canvas import badges
from app.canvas.cells import draw_cell
from app.canvas.content import NodeContent, Port, SavedChip
from app.canvas.facts import message_lines
from app.canvas.metrics import (
    HEADER_HEIGHT,
    NODE_RADIUS,
    NODE_WIDTH,
    ROW,
    SAVED_ROW,
    TALLY_ROW,
    port_y,
    rows_top,
)
from app.canvas.painting import (
    CENTER,
    LEFT,
    RIGHT,
    clip_path,
    dashed,
    draw_hatch,
    draw_shadow,
    draw_text,
    fill_round,
    font,
    stroke_round,
    width,
)
from app.colors import Theme, faded, mix

_INDENT = 13.0
#: Where cells begin: beside the longest label of a node's rows.
_CELL_LEFT = 60.0
_CELL_LEFT_WIDE = 75.0
_WHITE = QColor("#FFFFFF")
_BLACK = QColor("#000000")


def paint_shadow(painter: QPainter, height: float, theme: Theme, *, freed: bool) -> None:
    """The shadow of a node: apart from the node, as it is dear and depends on little."""
    rect = QRectF(0, 0, NODE_WIDTH, height)
    draw_shadow(painter, rect, NODE_RADIUS, theme, 0.45 if freed else 1.0)


def paint_node(painter: QPainter, content: NodeContent, theme: Theme) -> None:
    """The whole node with its ports and badges, without its shadow."""
    rect = QRectF(0, 0, NODE_WIDTH, content.height)
    _halo(painter, rect, content, theme)
    if content.stacked:
        _stack(painter, rect, content.category, theme)
    body = clip_path(rect, NODE_RADIUS)
    surface = _surface(content, theme)
    painter.fillPath(body, surface)
    _header(painter, body, content, surface, theme)
    _border(painter, rect, content, theme)
    if not content.collapsed:
        _port_names(painter, content, theme)
        _rows(painter, content, theme)
    _ports(painter, content, theme)
    _badges(painter, content, theme)


def _surface(content: NodeContent, theme: Theme) -> QColor:
    return mix(theme.surface, theme.background, 0.55) if content.freed else theme.surface


def _halo(painter: QPainter, rect: QRectF, content: NodeContent, theme: Theme) -> None:
    rings: tuple[tuple[float, float], ...]
    if content.active:
        color, rings = theme.active, ((10, 0.05), (7, 0.08), (4.5, 0.14))
    elif content.is_error:
        color, rings = theme.error, ((8, 0.06), (4.5, 0.10))
    else:
        return
    strength = 0.55 if content.active and not theme.is_dark else 1.0
    for grow, alpha in rings:
        ring = rect.adjusted(-grow, -grow, grow, grow)
        fill_round(painter, ring, NODE_RADIUS + grow, faded(color, alpha * strength))


def _stack(painter: QPainter, rect: QRectF, category: str, theme: Theme) -> None:
    """Two more sheets that look out below: there is more inside."""
    _, color = theme.header(category)
    for k in (2, 1):
        sheet = rect.adjusted(6 * k, 20, -6 * k, 4.5 * k)
        fill_round(painter, sheet, NODE_RADIUS, mix(color, theme.background, 0.1 + 0.25 * k))
        stroke_round(painter, sheet, NODE_RADIUS, QPen(theme.border, 1))


def _border(painter: QPainter, rect: QRectF, content: NodeContent, theme: Theme) -> None:
    if content.active:
        pen = QPen(theme.active, 1.8)
    elif content.is_error:
        pen = QPen(theme.error, 1.8)
    elif content.busy:
        pen = QPen(theme.accent, 1.8)
    elif content.freed:
        pen = dashed(theme.outline_faint, 1.2, 4, 3)
    else:
        pen = QPen(theme.border, 1)
    stroke_round(painter, rect, NODE_RADIUS, pen)


# -- header --------------------------------------------------------------------------------------


def freed_text(theme: Theme) -> QColor:
    """Of a freed node's name: paler than another's, and still read with ease."""
    return mix(theme.text_muted, theme.text, 0.5)


def freed_header(category: str, surface: QColor, theme: Theme) -> QColor:
    """Behind a freed node's name."""
    return mix(theme.header(category)[1], surface, 0.8)


def _header(
    painter: QPainter, body: QPainterPath, content: NodeContent, surface: QColor, theme: Theme
) -> None:
    top, bottom = theme.header(content.category)
    text = theme.header_text(content.category)
    chip = faded(_BLACK if text == _WHITE else text, 0.17 if text == _WHITE else 0.10)
    if content.freed:
        top = bottom = freed_header(content.category, surface, theme)
        text = freed_text(theme)
        chip = faded(theme.text_muted, 0.14)
    gradient = QLinearGradient(0, 0, 0, HEADER_HEIGHT)
    gradient.setColorAt(0, top)
    gradient.setColorAt(1, bottom)
    painter.save()
    painter.setClipRect(QRectF(0, 0, NODE_WIDTH, HEADER_HEIGHT), Qt.ClipOperation.IntersectClip)
    painter.fillPath(body, gradient)
    painter.restore()
    if not content.freed:
        painter.setPen(QPen(faded(_WHITE, 0.20), 1))
        painter.drawLine(QPointF(NODE_RADIUS, 1), QPointF(NODE_WIDTH - NODE_RADIUS, 1))

    box = QRectF(7, 6, 22, 18)
    fill_round(painter, box, 5, chip)
    is_input = bool(content.mark)
    glyph = font(_glyph_px(content.glyph), "medium", italic=is_input)
    draw_text(painter, box.adjusted(-2, 0, 2, 0), content.glyph, glyph, text, CENTER)

    kind = font(10, "medium", mono=True)
    shape_room = min(width(content.shape, kind), 64.0) if content.shape else 0.0
    room = QRectF(NODE_WIDTH - 10 - shape_room, 0, shape_room, HEADER_HEIGHT)
    draw_text(painter, room, content.shape, kind, faded(text, 0.9), RIGHT)
    _title(painter, QRectF(36, 0, room.left() - 36 - 6, HEADER_HEIGHT), content, text)


def _title(painter: QPainter, room: QRectF, content: NodeContent, color: QColor) -> None:
    """The name; below it, small, the operation when that is something else."""
    name = font(13, "semibold")
    if not content.subtitle:
        draw_text(painter, room, content.title, name, color, LEFT)
        return
    draw_text(painter, room.adjusted(0, 4, 0, -12), content.title, font(12, "semibold"), color)
    draw_text(painter, room.adjusted(0, 16, 0, -3), content.subtitle, font(9), faded(color, 0.92))


def _glyph_px(glyph: str) -> int:
    return {1: 13, 2: 12, 3: 10}.get(len(glyph), 8)


# -- ports ---------------------------------------------------------------------------------------


def _port_names(painter: QPainter, content: NodeContent, theme: Theme) -> None:
    names = font(11, "medium", mono=True)
    color = theme.text_faint if content.freed else theme.text_muted
    half = NODE_WIDTH / 2 - _INDENT
    for k, port in enumerate(content.inputs):
        row = QRectF(_INDENT, port_y(k) - 10, half, 20)
        draw_text(painter, row, port.name, names, color, LEFT)
    for k, port in enumerate(content.outputs):
        row = QRectF(NODE_WIDTH - _INDENT - half, port_y(k) - 10, half, 20)
        draw_text(painter, row, port.name, names, color, RIGHT)
    if content.mark:
        icon = "leaf" if content.mark == "leaf" else "lock"
        badges.draw_tag(painter, QPointF(_INDENT, port_y(0)), icon, content.mark, theme)


def _ports(painter: QPainter, content: NodeContent, theme: Theme) -> None:
    color = theme.outline_faint if content.freed else theme.port
    for x, ports in ((0.0, content.inputs), (NODE_WIDTH, content.outputs)):
        for k, port in enumerate(ports):
            y = HEADER_HEIGHT / 2 if content.collapsed else port_y(k)
            draw_port(painter, QPointF(x, y), port, color, theme.background)


def draw_port(painter: QPainter, at: QPointF, port: Port, color: QColor, ring: QColor) -> None:
    """A circle for a scalar, a rounded square for a vector, a window for a matrix and more."""
    painter.setPen(QPen(ring, 2.5))
    painter.setBrush(color)
    if port.rank == 0:
        painter.drawEllipse(at, 5.5, 5.5)
        return
    half = 5.0 if port.rank == 1 else 5.5
    square = QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half)
    painter.drawRoundedRect(square, 2.5, 2.5)
    if port.rank > 1:
        painter.setPen(QPen(ring, 1.3))
        painter.drawLine(at + QPointF(0, -4), at + QPointF(0, 4))
        painter.drawLine(at + QPointF(-4, 0), at + QPointF(4, 0))


# -- rows ----------------------------------------------------------------------------------------


def _rows(painter: QPainter, content: NodeContent, theme: Theme) -> None:
    ports = max(1, len(content.inputs), len(content.outputs))
    y = rows_top(ports)
    painter.setPen(QPen(faded(theme.border, 0.5 if content.freed else 0.8), 1))
    painter.drawLine(QPointF(1, y - 5), QPointF(NODE_WIDTH - 1, y - 5))
    widest = max(width(label, font(11)) for label, _ in content.rows)
    left = _CELL_LEFT if _INDENT + widest < _CELL_LEFT - 3 else _CELL_LEFT_WIDE
    for label, cell in content.rows:
        draw_text(painter, QRectF(_INDENT, y, 60, ROW), label, font(11), theme.text_muted)
        room = QRectF(left, y, NODE_WIDTH - left - _INDENT, ROW)
        draw_cell(painter, room, cell, theme)
        y += ROW
    if content.tally:
        _tally(painter, y, content.tally, theme)
        y += TALLY_ROW
    if content.saved:
        _saved(painter, y, content.saved, theme)
        y += SAVED_ROW
    if content.message:
        _message(painter, y, content, theme)


def _tally(painter: QPainter, y: float, tally: str, theme: Theme) -> None:
    draw_text(painter, QRectF(_INDENT, y, 80, ROW), "accumulated", font(11), theme.text_muted)
    text = font(10, "medium")
    pill_width = width(tally, text) + 14
    pill = QRectF(NODE_WIDTH - _INDENT - pill_width, y + 2.5, pill_width, 16)
    fill_round(painter, pill, 8, theme.chip)
    draw_text(painter, pill, tally, text, theme.text, CENTER)


def _saved(painter: QPainter, y: float, saved: tuple[SavedChip, ...], theme: Theme) -> None:
    """The values kept for the VJP; freed ones grey and hatched."""
    draw_text(painter, QRectF(_INDENT, y, 50, ROW), "saved", font(11), theme.text_muted)
    names = font(10, "medium", mono=True)
    right = NODE_WIDTH - _INDENT
    for chip in reversed(saved):
        chip_width = max(20.0, width(chip.name, names) + 12)
        if right - chip_width < _INDENT + 40:
            draw_text(painter, QRectF(right - 12, y, 12, ROW), "…", names, theme.text_muted, RIGHT)
            break
        box = QRectF(right - chip_width, y + 3, chip_width, 15)
        fill_round(painter, box, 4, faded(theme.chip, 0.45) if chip.freed else theme.chip)
        if chip.freed:
            draw_hatch(painter, box, 4, faded(theme.outline_faint, 0.55))
            stroke_round(painter, box, 4, dashed(faded(theme.outline_faint, 0.8), 1, 2, 2))
            mask = QRectF(box.center().x() - width(chip.name, names) / 2 - 2, box.top() + 2,
                          width(chip.name, names) + 4, box.height() - 4)  # fmt: skip
            fill_round(painter, mask, 3, mix(theme.surface, theme.background, 0.55))
        color = theme.text_faint if chip.freed else theme.text
        draw_text(painter, box, chip.name, names, color, CENTER)
        right -= chip_width + 4


def _message(painter: QPainter, y: float, content: NodeContent, theme: Theme) -> None:
    color = theme.error if content.is_error else theme.warning
    text = theme.error_text if content.is_error else theme.warning
    height = 21.0 + 15.0 * (message_lines(content.message) - 1)
    box = QRectF(9, y + 1, NODE_WIDTH - 18, height)
    fill_round(painter, box, 5, faded(color, 0.15))
    painter.setFont(font(11, "medium"))
    painter.setPen(text)
    badges.draw_wrapped(painter, box.adjusted(8, 3, -6, -2), content.message)


def _badges(painter: QPainter, content: NodeContent, theme: Theme) -> None:
    """Round signs on the upper right corner, from right to left; the pin on the left one."""
    names = []
    if content.is_error:
        names.append("error")
    if content.freed:
        names.append("freed")
    if content.root:
        names.append("root")
    if content.pinned:
        badges.draw_badge(painter, QPointF(2, -1), "pinned", theme)
    places = [QPointF(NODE_WIDTH - 2 - 23 * k, -1) for k in range(len(names) + 1)]
    for place, name in zip(places, names, strict=False):
        badges.draw_badge(painter, place, name, theme)
    if content.busy:
        badges.draw_busy(painter, places[-1], content.busy, theme)
