"""LaTeX formulas drawn as vectors, in the theme's colours; plain text where that fails.

The only user of mathra. Without it, or for a formula it cannot read, the source is shown as text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme import mono_font

_TEXT_PX = 12
_EXTRAS = re.compile(r"<(metadata|title|style|desc)\b.*?</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Formula:
    """A rendered formula.

    Attributes:
        svg: the picture, drawn in ``currentColor``.
        width, height: in em.
        speech: the formula read aloud, for screen readers.
    """

    svg: str
    width: float
    height: float
    speech: str


@lru_cache(maxsize=512)
def render(tex: str) -> Formula | None:
    """The formula ``tex`` as a picture; None when it cannot be drawn."""
    try:
        import mathra
    except ImportError:
        return None
    try:
        result = mathra.render(tex)
    except ValueError:
        return None
    # QtSvg warns of what it does not know: the source, the spoken text and the style go.
    svg = _EXTRAS.sub("", result["svg"])
    # One em is 1000 units of the view box.
    _, _, width, height = (float(x) for x in svg.split('viewBox="', 1)[1].split('"')[0].split())
    return Formula(svg, width / 1000, height / 1000, result["speech"])


class FormulaView(QWidget):
    """One formula, as large as it is, shrunk when the panel is narrower."""

    def __init__(self, px: float = 16, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._px = px
        self._tex = ""
        self._formula: Formula | None = None
        self._color = QColor()
        self._renderer = QSvgRenderer(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_formula(self, tex: str, color: QColor) -> None:
        """Show ``tex`` in ``color``."""
        if (tex, color) == (self._tex, self._color):
            return
        self._tex, self._color = tex, color
        self._formula = render(tex)
        if self._formula is not None:
            # QtSvg draws currentColor black.
            svg = self._formula.svg.replace("currentColor", color.name())
            self._renderer.load(QByteArray(svg.encode()))
        spoken = self._formula.speech if self._formula else tex
        self.setAccessibleName(spoken)
        self.setToolTip(tex)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        if self._formula is None:
            return QSize(80, _TEXT_PX + 8)
        return QSize(round(self._formula.width * self._px), round(self._height()) + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._formula is None:
            painter.setFont(mono_font(_TEXT_PX))
            painter.setPen(self._color)
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, self._tex)
            return
        width, height = self._formula.width * self._px, self._height()
        shrink = min(1.0, self.width() / width)
        top = (self.height() - height * shrink) / 2
        self._renderer.render(painter, QRectF(0, top, width * shrink, height * shrink))

    def _height(self) -> float:
        return self._formula.height * self._px if self._formula else 0.0
