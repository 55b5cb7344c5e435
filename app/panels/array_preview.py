"""One array as a row of the inspector: name and type at the left, its numbers at the right."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.canvas.format import Shown, number, shape_text, size_of
from app.panels.numbers import grid_text, inline_text
from app.panels.widgets import mono
from app.theme import Theme, mix, mono_font, signed_magnitude, ui_font
from core.trace import Summary

#: Arrays up to this many elements are written out, larger ones drawn as heat.
_WRITTEN = 6
_WRITTEN_GRID = 5
_STRIP_CELLS = 24
_LABEL_WIDTH = 84
_GAP = 10


class Strip(QWidget):
    """The first rows and columns of an array as coloured cells."""

    def __init__(self) -> None:
        super().__init__()
        self._colors: list[list[QColor]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_colors(self, colors: list[list[QColor]]) -> None:
        """Show these cells, row by row."""
        self._colors = colors
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(100, max(14, 9 * len(self._colors)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._colors or not self._colors[0]:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        width = self.width() / len(self._colors[0])
        height = self.height() / len(self._colors)
        for i, row in enumerate(self._colors):
            for j, color in enumerate(row):
                painter.setBrush(color)
                cell = QRectF(j * width, i * height, width, height)
                painter.drawRoundedRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)


class ArrayPreview(QWidget):
    """Shows an array, its summary, or why there is none.

    Args:
        name: what it is called at the left.
        gradient: whether its colours are those of gradients, and plus signs are shown.
    """

    def __init__(self, name: str, theme: Theme, *, gradient: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self._gradient = gradient
        self.name_label = QLabel(name)
        self.name_label.setFont(ui_font(12))
        self.name_label.setProperty("kind", "muted")
        self._type = QLabel()
        self._type.setFont(mono_font(10))
        self._numbers = mono()
        self._numbers.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._strip = Strip()
        self._note = QLabel()
        self._note.setFont(ui_font(11))
        self._note.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._note.setWordWrap(True)
        left = QVBoxLayout()
        left.setSpacing(0)
        left.addWidget(self.name_label)
        left.addWidget(self._type)
        left.addStretch(1)
        right = QVBoxLayout()
        right.setSpacing(3)
        for widget in (self._numbers, self._strip, self._note):
            right.addWidget(widget)
        right.addStretch(1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_GAP)
        layout.addLayout(left)
        layout.addLayout(right, stretch=1)
        self.name_label.setMinimumWidth(_LABEL_WIDTH)
        self._ink(self._type, theme.text_faint)
        # It never asks for more room than there is: what would not fit is drawn instead.
        self._numbers.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._array: Shown | None = None
        self._remark = ""
        # Not within the resize event: hiding and showing there would send the next one.
        self._refit = QTimer(self, singleShot=True, interval=0)
        self._refit.timeout.connect(self._show_again)
        self.show_nothing("")

    def show_array(self, array: Shown, note: str = "") -> None:
        """Show an array, with a remark below it."""
        self._array, self._remark = array, note
        self._type.setText(shape_text(array))
        written = self._written(array)
        self._numbers.setVisible(written is not None)
        self._strip.setVisible(written is None)
        if written is not None:
            self._numbers.setText(written)
            self._ink(self._numbers, self._number_color(array))
        else:
            self._strip.set_colors(self._cells(array))
            note = " · ".join(part for part in (self._statistics(array), note) if part)
        self._set_note(note)
        self.setAccessibleName(f"{self.name_label.text()} {inline_text(array)}")

    def show_faded(self, array: Shown, why: str) -> None:
        """Show an array that is no longer in use, greyed, and say why."""
        self.show_array(array)
        self._array = None
        self._ink(self._numbers, self._theme.text_faint)
        self._strip.hide()
        self._set_note(why)

    def show_nothing(self, why: str) -> None:
        """Say why there is no array."""
        self._array = None
        self._type.clear()
        self._strip.hide()
        self._numbers.setVisible(True)
        self._numbers.setText(why)
        self._ink(self._numbers, self._theme.text_faint)
        self._set_note("")
        self.setAccessibleName(f"{self.name_label.text()} {why}")

    def text(self) -> str:
        """The numbers as shown; empty when they are drawn."""
        return self._numbers.text() if not self._numbers.isHidden() else ""

    def note(self) -> str:
        """The remark below."""
        return self._note.text()

    def _set_note(self, note: str) -> None:
        self._note.setText(note)
        self._note.setVisible(bool(note))
        self._ink(self._note, self._theme.text_muted)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._refit.start()

    def _show_again(self) -> None:
        if self._array is not None:
            self.show_array(self._array, self._remark)

    def _written(self, array: Shown) -> str | None:
        """The numbers in words, where they are few enough and there is room."""
        if isinstance(array, Summary):
            return None
        if array.size == 0:
            return f"no elements in {array.shape}"
        if array.ndim < 2 and array.size <= _WRITTEN:
            text = inline_text(array, _WRITTEN, signed=self._gradient)
        elif array.ndim == 2 and max(array.shape) <= _WRITTEN_GRID:
            text = grid_text(array, signed=self._gradient)
        else:
            return None
        longest = max(map(self._numbers.fontMetrics().horizontalAdvance, text.split("\n")))
        room = self.width() - _LABEL_WIDTH - _GAP
        return text if array.size == 1 or longest <= room else None

    def _number_color(self, array: Shown) -> QColor:
        size = size_of(array)
        if not np.isfinite(size.rms):
            return self._theme.error_text
        if not self._gradient:
            return self._theme.text
        return self._theme.gradient_text(signed_magnitude(size.mean, size.rms))

    def _statistics(self, array: Shown) -> str:
        size = size_of(array)
        if np.isnan(size.rms):
            return "contains NaN"
        return f"rms {number(size.rms)} · mean {number(size.mean, signed=True)}"

    def _cells(self, array: Shown) -> list[list[QColor]]:
        sample = array.sample if isinstance(array, Summary) else array
        grid = np.atleast_2d(sample.reshape(-1, sample.shape[-1]) if sample.ndim > 2 else sample)
        grid = np.real(grid[:4, :_STRIP_CELLS]).astype(float)
        if self._gradient:
            return [
                [self._theme.gradient_color(signed_magnitude(x, abs(x))) for x in row]
                for row in grid.tolist()
            ]
        finite = grid[np.isfinite(grid)]
        low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
        span = high - low or 1.0
        return [[self._grey((x - low) / span) for x in row] for row in grid.tolist()]

    def _grey(self, share: float) -> QColor:
        if not np.isfinite(share):
            return self._theme.error
        return mix(self._theme.border, self._theme.text, 0.12 + 0.82 * share)

    @staticmethod
    def _ink(label: QLabel, color: QColor) -> None:
        label.setStyleSheet(f"color: {color.name()};")
