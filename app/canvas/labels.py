"""The labels that travel with pulses: which derivative it is, by what rule, and how large.

A label is plain data made from a flow; it is painted once into a sprite and placed where it covers
least, the same place for the whole flight so that it does not jump.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPixmap

from app.canvas import format as fmt
from app.canvas.cells import draw_strip, text_color
from app.canvas.content import Cell, gradient_cell
from app.canvas.curves import Floats
from app.canvas.facts import Facts
from app.canvas.painting import RIGHT, draw_shadow, draw_text, font, width
from app.colors import Theme, faded
from core.graph.ports import numbered
from core.moments import InFlight

#: Room around a label in its sprite, its distance from the pulse, its corner.
_MARGIN = 24.0
_GAP = 22.0
_RADIUS = 9.0
_STRIP_WIDTH = 48.0
_LONGEST_NAME = 14
_LONGEST_FORMULA = 18


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """What a label says.

    Attributes:
        symbol: such as ``∂L/∂z``, or ``vᵀ∂y/∂x`` when the root is no single number.
        formula: such as ``= ḡ·b``; may be empty.
        text: one or two numbers, or the root mean square beside a strip.
        cell: the strip and colour.
    """

    symbol: str
    formula: str
    text: str
    cell: Cell

    @property
    def has_strip(self) -> bool:
        """Whether there are too many numbers to write them all."""
        return self.text.startswith("rms")

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in logical pixels."""
        upper = width(self.symbol, font(12, "semibold"))
        if self.formula:
            upper += 12 + width(self.formula, font(11, mono=True))
        lower = width(self.text, font(12, "medium", mono=True))
        if self.has_strip:
            lower += _STRIP_WIDTH + 8
        return max(upper, lower) + 20, 46.0 if self.has_strip else 42.0


def label_of(moving: InFlight, facts: Facts) -> Label:
    """The label of a flow on its way."""
    value = moving.flow.contribution
    flat = fmt.elements(value)
    if int(np.prod(value.shape, dtype=np.int64)) <= 2:
        text = "  ".join(fmt.number(x, signed=True) for x in flat)
    else:
        text = f"rms {fmt.number(fmt.size_of(value).rms)}"
    return Label(
        _symbol(facts, moving.flow.node), _formula(facts, moving), text, gradient_cell(value)
    )


def _symbol(facts: Facts, receiver: str) -> str:
    """What flows: of a root of several numbers not the derivative, which is a Jacobian, but vᵀJ."""
    node = facts.graph.nodes.get(receiver)
    name = _shortened(node.name) if node is not None else "?"
    roots = facts.root_names()
    if len(roots) != 1 or facts.trace is None:
        return f"∂/∂{name}"
    is_scalar = all(np.prod(given.shape, dtype=np.int64) == 1 for *_, given in facts.trace.roots)
    v = "" if is_scalar else "vᵀ"
    return f"{v}∂{_shortened(roots[0])}/∂{name}"


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _formula(facts: Facts, moving: InFlight) -> str:
    node = facts.graph.nodes.get(moving.node)
    spec = node.spec if node is not None else None
    if spec is None:
        return ""
    number = numbered(moving.flow.port)
    rule = spec.vjps.get(number[0] if number else moving.flow.port)
    plain = plain_formula(rule.formula) if rule is not None else ""
    return f"= {plain}" if plain else ""


_PLAIN = (
    (r"\\bar\{(\w)\}|\\bar (\w)", "\\1\\2\N{COMBINING MACRON}"),
    (r"\\(?:,|;|cdot)\s*", "·"),
    (r"\\odot\s*", "⊙"),
    (r"\^\{?(?:\\top|T)\}?", "ᵀ"),
    (r"\^\{?2\}?", "²"),
    (r"\^\{?3\}?", "³"),
    (r"\\(?:mathrm|operatorname|text)\{(\w+)\}", r"\1"),
    (r"\\(sin|cos|tan|exp|log|ln|tanh|cosh|sinh|max|min)\b\s*", r"\1 "),
    (r"\\(?:left|right)", ""),
    (r"\bg\b", "ḡ"),
    (r"-", fmt.MINUS),
)


def plain_formula(latex: str) -> str:
    """The right side of a short rule as plain text; empty if it does not fit into that."""
    text = latex.split("=")[1] if "=" in latex else latex
    for pattern, plain in _PLAIN:
        text = re.sub(pattern, plain, text)
    text = text.strip()
    return "" if re.search(r"[\\{}_^]", text) or len(text) > _LONGEST_FORMULA else text


# -- painting ------------------------------------------------------------------------------------


class LabelSprite:
    """A label painted once, with a tail above or below it."""

    def __init__(
        self, label: Label, theme: Theme, scale: float, *, tip: float, above: bool
    ) -> None:
        """``tip``: how far right of its left edge its tail points; ``above``: downwards."""
        self.width, self.height = label.size
        self._scale = scale
        self.pixmap = QPixmap(
            round((self.width + 2 * _MARGIN) * scale), round((self.height + 2 * _MARGIN) * scale)
        )
        self.pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(self.pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(scale, scale)
        painter.translate(_MARGIN, _MARGIN)
        _paint(painter, label, theme, tip=tip, above=above)
        painter.end()

    def corner(self, x: float, y: float) -> QPoint:
        """Where the sprite goes, in device pixels, for its label's top left there."""
        return QPoint(round(x - _MARGIN * self._scale), round(y - _MARGIN * self._scale))


def _paint(painter: QPainter, label: Label, theme: Theme, *, tip: float, above: bool) -> None:
    across, down = label.size
    rect = QRectF(0, 0, across, down)
    color = theme.gradient_text(label.cell.signed)
    draw_shadow(painter, rect, _RADIUS, theme, 1.2)
    outline = QPainterPath()
    outline.addRoundedRect(rect, _RADIUS, _RADIUS)
    edge, point = (down - 1, down + 7) if above else (1.0, -7.0)
    tip = min(max(tip, _RADIUS + 7), across - _RADIUS - 7)
    tail = QPainterPath(QPointF(tip - 6, edge))
    tail.lineTo(tip, point)
    tail.lineTo(tip + 6, edge)
    tail.closeSubpath()
    painter.setPen(QPen(theme.gradient_color(label.cell.signed), 1.4))
    painter.setBrush(faded(theme.pill, 0.97))
    painter.drawPath(outline.united(tail))
    upper = QRectF(10, 3, across - 20, 18)
    draw_text(painter, upper, label.symbol, font(12, "semibold"), theme.text)
    draw_text(painter, upper, label.formula, font(11, mono=True), theme.text_muted, RIGHT)
    lower = QRectF(10, 23 if label.has_strip else 21, across - 20, 18)
    numbers = font(12, "medium", mono=True)
    ink = color if label.cell.tone == "gradient" else text_color(label.cell, theme)
    if label.has_strip:
        bare = Cell(tone="gradient", strip=label.cell.strip)
        draw_strip(painter, QRectF(10, 24, _STRIP_WIDTH, 16), bare, theme)
        draw_text(painter, lower, label.text, numbers, ink, RIGHT)
    else:
        draw_text(painter, lower, label.text, numbers, ink)


def place(size: tuple[float, float], path: Floats, boxes: Floats) -> tuple[float, float, bool]:
    """Where a label goes, relative to its pulse.

    Args:
        size: width and height of the label.
        path: places the pulse will pass, (n, 2), in the units of ``size``.
        boxes: of the nodes around: x0, y0, x1, y1, (m, 4), in the same units.

    Returns:
        Offset of its top left corner from the pulse, and whether it is above it.
    """
    across, down = size
    best, least = (-across / 2, -_GAP - down, True), np.inf
    reach = across / 2 - 18
    for above in (True, False):
        y = -_GAP - down if above else _GAP
        for shift in (0.0, -12.0, 12.0, -0.5 * reach, 0.5 * reach, -reach, reach):
            x = shift - across / 2
            left, top = path[:, 0, None] + x - 4, path[:, 1, None] + y - 4
            wide = np.minimum(left + across + 8, boxes[:, 2]) - np.maximum(left, boxes[:, 0])
            high = np.minimum(top + down + 8, boxes[:, 3]) - np.maximum(top, boxes[:, 1])
            covered = float((np.clip(wide, 0, None) * np.clip(high, 0, None)).sum())
            inside = (path[None, :, 0] >= left) & (path[None, :, 0] <= left + across + 8)
            inside &= (path[None, :, 1] >= top) & (path[None, :, 1] <= top + down + 8)
            cost = covered + 160.0 * int(inside.sum()) + 4 * abs(shift) + (0 if above else 30)
            if cost < least:
                best, least = (x, y, above), cost
    return best
