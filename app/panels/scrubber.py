"""The line under the canvas that stands for time: a mark per step, a handle to drag."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme import Theme

_LINE = 4.0
_HANDLE = 6.5
_MARK = 1.6
#: Marks closer than this many pixels would merge into a bar: they are left out.
_MARK_GAP = 5.0


class Scrubber(QWidget):
    """Shows a time between 0 and ``duration`` and lets it be dragged.

    Signals:
        scrubbed: the user asked for this time (seconds).
        stepped: the user asked for the next (+1) or previous (−1) step.
    """

    scrubbed = Signal(float)
    stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._time = 0.0
        self._duration = 0.0
        self._marks: Sequence[float] = ()
        self._drawn: list[float] = []
        self._theme: Theme | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Time")

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self.update()

    def set_marks(self, marks: Sequence[float], duration: float) -> None:
        """Put a mark at each of these times."""
        self._marks, self._duration = marks, duration
        self._drawn = self._thinned()
        self.setEnabled(duration > 0)
        self.update()

    def set_time(self, time: float) -> None:
        """Move the handle."""
        self._time = time
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(260, 28)

    def minimumSizeHint(self) -> QSize:
        return QSize(70, 28)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._scrub(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._scrub(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() in steps:
            self.stepped.emit(steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._theme
        if theme is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        middle, here = self.height() / 2, self._x(self._time)
        ink = theme.text if self._duration > 0 else theme.border
        self._bar(painter, _HANDLE, self.width() - _HANDLE, theme.border)
        if self._duration <= 0:
            return
        self._bar(painter, _HANDLE, here, ink)
        for x in self._drawn:
            painter.setBrush(theme.surface if x < here else theme.text_faint)
            painter.drawEllipse(QPointF(x, middle), _MARK, _MARK)
        if self.hasFocus():
            painter.setBrush(theme.accent)
            painter.drawEllipse(QPointF(here, middle), _HANDLE + 2.5, _HANDLE + 2.5)
        painter.setBrush(ink)
        painter.drawEllipse(QPointF(here, middle), _HANDLE, _HANDLE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._drawn = self._thinned()

    def _thinned(self) -> list[float]:
        """Where marks are drawn: as many as there is room for."""
        drawn: list[float] = []
        for x in map(self._x, self._marks):
            if not drawn or x - drawn[-1] >= _MARK_GAP:
                drawn.append(x)
        return drawn

    def _bar(self, painter: QPainter, left: float, right: float, color: QColor) -> None:
        painter.setBrush(color)
        rect = QRectF(left, (self.height() - _LINE) / 2, max(0.0, right - left), _LINE)
        painter.drawRoundedRect(rect, _LINE / 2, _LINE / 2)

    def _x(self, time: float) -> float:
        share = time / self._duration if self._duration > 0 else 0.0
        return _HANDLE + share * (self.width() - 2 * _HANDLE)

    def _scrub(self, event: QMouseEvent) -> None:
        share = (event.position().x() - _HANDLE) / max(1.0, self.width() - 2 * _HANDLE)
        self.scrubbed.emit(min(max(share, 0.0), 1.0) * self._duration)
