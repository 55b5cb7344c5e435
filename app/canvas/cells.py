"""Paints the right side of a node's row: a number, a word, a strip, or what is still to come."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from app.canvas import format as fmt
from app.canvas.content import Cell
from app.canvas.painting import (
    CENTER,
    RIGHT,
    clip_path,
    dashed,
    draw_text,
    font,
    stroke_round,
    width,
)
from app.colors import Theme, contrast, faded, mix

_GAP = 1.5
_FLAT = 12.0
_NUMBERED = 15.0
_MATRIX = 16.0
_LEADING_ZERO = re.compile(r"\b0\.")


def draw_cell(painter: QPainter, room: QRectF, cell: Cell, theme: Theme) -> None:
    """A cell at the right of ``room``."""
    if cell.pending:
        rect = _middle(room, _FLAT)
        stroke_round(painter, rect, 3, dashed(faded(theme.outline_faint, 0.8), 1, 2, 3))
    elif cell.strip is not None:
        draw_strip(painter, room, cell, theme)
    else:
        is_number = cell.tone in ("value", "gradient") or cell.text in ("NaN", "∞", f"{fmt.MINUS}∞")
        of = font(12, "medium", mono=True) if is_number else font(11)
        draw_text(painter, room, cell.text, of, text_color(cell, theme), RIGHT)


def draw_strip(painter: QPainter, room: QRectF, cell: Cell, theme: Theme) -> None:
    """An array as cells of grey (values) or of gradient colours, with numbers if they fit."""
    assert cell.strip is not None
    rows, columns = cell.strip.shape
    rect = _middle(room, _MATRIX if rows > 1 else _NUMBERED if cell.numbers else _FLAT)
    gap_x = _GAP if columns <= 8 else 0.8
    gap_y = _GAP if rows <= 2 else 0.8
    across = (rect.width() - (columns - 1) * gap_x) / columns
    down = (rect.height() - (rows - 1) * gap_y) / rows
    colors = [strip_color(x, cell.tone, theme) for x in cell.strip.ravel().tolist()]
    painter.save()
    painter.setClipPath(clip_path(rect, 3))
    for k, color in enumerate(colors):
        x = rect.left() + (k % columns) * (across + gap_x)
        y = rect.top() + (k // columns) * (down + gap_y)
        painter.fillRect(QRectF(x, y, across, down), color)
    painter.restore()
    if cell.tone == "value":
        outline = QPen(faded(theme.outline_faint, 0.45), 1)
        stroke_round(painter, rect.adjusted(-0.5, -0.5, 0.5, 0.5), 3.5, outline)
    if rows == 1 and cell.numbers:
        _draw_numbers(painter, rect, across, gap_x, cell, colors)


def _draw_numbers(
    painter: QPainter,
    rect: QRectF,
    across: float,
    gap: float,
    cell: Cell,
    grounds: list[QColor],
) -> None:
    of = font(10, "medium", mono=True)
    texts = next(
        (
            texts
            for texts in _shorter_and_shorter(cell)
            if max(width(text, of) for text in texts) <= across - 2
        ),
        (),
    )
    for k, text in enumerate(texts):
        box = QRectF(rect.left() + k * (across + gap), rect.top(), across, rect.height())
        draw_text(painter, box.adjusted(-1, 0, 1, 0), text, of, _ink(grounds[k]), CENTER)


def _shorter_and_shorter(cell: Cell) -> Iterator[list[str]]:
    """The numbers of a strip with fewer and fewer digits, and at last .69 for 0.69."""
    signed = cell.tone == "gradient"
    for digits in (4, 3, 2):
        texts = [fmt.number(x, digits, signed=signed) for x in cell.numbers]
        yield texts
    yield [_LEADING_ZERO.sub(".", text) for text in texts]


def strip_color(value: float, tone: str, theme: Theme) -> QColor:
    """Colour of one cell of a strip; ``value`` from -1 to 1."""
    if np.isnan(value):
        return theme.error
    if tone == "gradient":
        return theme.gradient_color(value)
    low = mix(theme.surface, theme.text, 0.17 if theme.is_dark else 0.10)
    high = mix(theme.surface, theme.text, 0.95)
    return mix(low, high, ((value + 1) / 2) ** 1.1)


def text_color(cell: Cell, theme: Theme) -> QColor:
    """Colour of a cell's number or word."""
    if cell.tone == "gradient":
        return theme.gradient_text(cell.signed)
    return {"value": theme.text, "muted": theme.text_faint, "error": theme.error_text}[cell.tone]


def _ink(ground: QColor) -> QColor:
    dark, light = QColor("#10141D"), QColor("#FFFFFF")
    return max((dark, light), key=lambda ink: contrast(ink, ground))


def _middle(room: QRectF, height: float) -> QRectF:
    return QRectF(room.left(), room.center().y() - height / 2, room.width(), height)
