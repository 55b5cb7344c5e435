"""Heat maps and histograms of arrays. The only user of pyqtgraph, imported when first needed."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.canvas.format import Array
from app.theme import Theme, mix, signed_magnitude

#: More pixels than this would not be seen: larger arrays are thinned out.
_MOST_PIXELS = 512
_BINS = 40


class Plot(QWidget):
    """Draws one array.

    Args:
        gradient: colour by sign and log size, as on the canvas; else from low to high in greys.
    """

    def __init__(self, theme: Theme, *, gradient: bool) -> None:
        super().__init__()
        import pyqtgraph

        self._pg = pyqtgraph
        self._theme = theme
        self._gradient = gradient
        self._view: Any = pyqtgraph.PlotWidget(background=None)
        self._view.setMenuEnabled(False)
        self._view.hideButtons()
        for side in ("left", "bottom"):
            axis = self._view.getAxis(side)
            axis.setPen(theme.border)
            axis.setTextPen(theme.text_muted)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._view)

    def show_heat(self, grid: Array) -> None:
        """Show a matrix as cells; the first row is at the top."""
        rows, columns = (max(1, -(-length // _MOST_PIXELS)) for length in grid.shape)
        thin = np.real(grid[::rows, ::columns]).astype(float)
        self._view.clear()
        image = self._pg.ImageItem(self._rgb(thin), axisOrder="row-major", levels=(0, 255))
        image.setRect(-0.5, -0.5, grid.shape[1], grid.shape[0])
        self._view.addItem(image)
        self._view.getViewBox().invertY(True)
        self._view.getViewBox().setAspectLocked(True)
        self._view.getViewBox().autoRange(padding=0.02)

    def show_histogram(self, array: Array) -> None:
        """Show how often which values occur; NaN and infinities are left out."""
        flat = np.real(array).astype(float).reshape(-1)
        flat = flat[np.isfinite(flat)]
        self._view.clear()
        self._view.getViewBox().invertY(False)
        self._view.getViewBox().setAspectLocked(False)
        if not flat.size:
            return
        counts, edges = np.histogram(flat, bins=min(_BINS, max(1, flat.size)))
        centres = (edges[:-1] + edges[1:]) / 2
        colors = [self._bar_color(x) for x in centres]
        width = (edges[1] - edges[0]) * 0.9
        bars = self._pg.BarGraphItem(
            x=centres, height=counts, width=width, brushes=colors, pen=None
        )
        self._view.addItem(bars)
        self._view.getViewBox().autoRange(padding=0.04)

    def _bar_color(self, x: float) -> QColor:
        if not self._gradient:
            return self._theme.text_muted
        return self._theme.positive if x >= 0 else self._theme.negative

    def _rgb(self, grid: Array) -> Array:
        """One colour a cell, (rows, columns, 3) in uint8, by a table of 256 colours."""
        shares = self._signed(grid) if self._gradient else self._shares(grid)
        known = np.isfinite(shares)
        table = np.array([_rgb(self._table_color(i / 255)) for i in range(256)], np.uint8)
        rows = np.where(known, shares, 0.0)
        rgb: Array = table[np.clip(np.rint(rows * 255), 0, 255).astype(int)]
        rgb[~known] = _rgb(self._theme.error)
        return rgb

    def _table_color(self, share: float) -> QColor:
        if self._gradient:
            return self._theme.gradient_color(2 * share - 1)
        return mix(self._theme.border, self._theme.text, 0.1 + 0.85 * share)

    @staticmethod
    def _signed(grid: Array) -> Array:
        sizes = np.vectorize(lambda x: signed_magnitude(x, abs(x)), otypes=[float])(grid)
        return np.asarray((sizes + 1) / 2)

    @staticmethod
    def _shares(grid: Array) -> Array:
        finite = grid[np.isfinite(grid)]
        low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
        return np.asarray((grid - low) / ((high - low) or 1.0))


def _rgb(color: QColor) -> tuple[int, int, int]:
    return color.red(), color.green(), color.blue()
