"""Arrays in full: the value of the selected node beside its gradient, as numbers or as pictures."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSpinBox,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.canvas.format import Array, Shown, number, shape_text, size_of
from app.panels.values.plots import Plot
from app.panels.widgets import EmptyState, caption
from app.theme import Theme, mono_font, signed_magnitude
from core.graph import Graph, output_ports
from core.moments import Moment
from core.session import Snapshot
from core.trace import Summary

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_MODES = ("Table", "Heat map", "Histogram")


class GridModel(QAbstractTableModel):
    """A matrix as a table, whatever its size: only what is seen is formatted."""

    def __init__(self, theme: Theme, *, gradient: bool) -> None:
        super().__init__()
        self._theme = theme
        self._gradient = gradient
        self._grid: Array = np.zeros((0, 0))

    def show_grid(self, grid: Array) -> None:
        """Show another matrix."""
        self.beginResetModel()
        self._grid = grid
        self.endResetModel()

    def rowCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else int(self._grid.shape[0])

    def columnCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else int(self._grid.shape[1])

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        x = self._grid[index.row(), index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return number(x, signed=self._gradient)
        if role == Qt.ItemDataRole.ToolTipRole:
            return repr(x.item())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and self._gradient:
            return self._theme.gradient_text(signed_magnitude(float(np.real(x)), abs(x)))
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        return section if role == Qt.ItemDataRole.DisplayRole else None


class ArrayPane(QFrame):
    """One array, in the way chosen: table, heat map or histogram."""

    def __init__(self, name: str, theme: Theme, *, gradient: bool) -> None:
        super().__init__()
        self._theme = theme
        self._gradient = gradient
        self._array: Array | None = None
        self._mode = 0
        self._slice = 0
        self._title = caption(name)
        self._facts = QLabel()
        self._facts.setFont(mono_font(11))
        self._facts.setProperty("kind", "muted")
        self.model = GridModel(theme, gradient=gradient)
        self._table = QTableView()
        self._table.setModel(self.model)
        self._table.setFont(mono_font(12))
        self._table.setFrameShape(QFrame.Shape.NoFrame)
        self._table.verticalHeader().setDefaultSectionSize(24)
        self._table.horizontalHeader().setDefaultSectionSize(84)
        self._plot: Plot | None = None
        self._none = QLabel("—")
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._none.setProperty("kind", "muted")
        self._stack = QStackedWidget()
        self._stack.addWidget(self._none)
        self._stack.addWidget(self._table)
        heading = QHBoxLayout()
        heading.addWidget(self._title)
        heading.addStretch(1)
        heading.addWidget(self._facts)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(heading)
        layout.addWidget(self._stack, stretch=1)

    @property
    def slices(self) -> int:
        """How many matrices the array is made of."""
        if self._array is None or self._array.ndim < 3:
            return 1
        return max(1, int(np.prod(self._array.shape[:-2])))

    def show_array(self, array: Shown | None) -> None:
        """Show another array; of a summary what is left of it."""
        self._array = array.sample if isinstance(array, Summary) else array
        if array is None:
            self._facts.clear()
        else:
            size = size_of(array)
            words = [shape_text(array), f"mean {number(size.mean)}", f"rms {number(size.rms)}"]
            self._facts.setText("  ".join(words))
        self._refresh()

    def set_view(self, mode: int, index: int) -> None:
        """Show as a table (0), heat map (1) or histogram (2), and which of the matrices."""
        self._mode, self._slice = mode, index
        self._refresh()

    def _refresh(self) -> None:
        array = self._array
        if array is None:
            self._stack.setCurrentWidget(self._none)
            return
        grid = _as_grid(array, min(self._slice, self.slices - 1))
        if self._mode == 0:
            self.model.show_grid(grid)
            self._stack.setCurrentWidget(self._table)
            return
        if self._plot is None:
            self._plot = Plot(self._theme, gradient=self._gradient)
            self._stack.addWidget(self._plot)
        if self._mode == 1:
            self._plot.show_heat(grid)
        else:
            self._plot.show_histogram(array)
        self._stack.setCurrentWidget(self._plot)


def _as_grid(array: Array, index: int) -> Array:
    """The ``index``-th matrix of an array, taking its last two axes as rows and columns."""
    if array.ndim < 2:
        return array.reshape(1, -1)
    return array.reshape(-1, *array.shape[-2:])[index] if array.size else array.reshape(0, 0)


class ValuesPanel(QStackedWidget):
    """The value of the selected node beside its gradient."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._node: str | None = None
        self._snapshot: Snapshot | None = None
        self._moment = Moment(0.0, 0)
        self._empty = EmptyState("table", "No array to show", "Select a node to see it in full.")
        self.mode_box = QComboBox()
        self.mode_box.addItems(_MODES)
        self.mode_box.setAccessibleName("How arrays are shown")
        self.index_box = QSpinBox()
        self.index_box.setPrefix("slice ")
        self.index_box.setAccessibleName("Which matrix of the array")
        self.output_box = QComboBox()
        self.output_box.setAccessibleName("Which output of the node")
        self.output_box.hide()
        self.output_box.activated.connect(lambda _: self._refresh())
        self.mode_box.currentIndexChanged.connect(self._on_view_changed)
        self.index_box.valueChanged.connect(self._on_view_changed)
        bar = QVBoxLayout()
        bar.setSpacing(8)
        bar.addWidget(self.output_box)
        bar.addWidget(self.mode_box)
        bar.addWidget(self.index_box)
        bar.addStretch(1)
        page = QWidget()
        self._panes_layout = QHBoxLayout(page)
        self._panes_layout.setContentsMargins(12, 10, 12, 10)
        self._panes_layout.setSpacing(18)
        self._panes_layout.addLayout(bar)
        self._make_panes()
        self.addWidget(self._empty)
        self.addWidget(page)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._empty.set_theme(theme)
        if theme is not self._theme:
            self._theme = theme
            for pane in (self.value, self.gradient):
                self._panes_layout.removeWidget(pane)
                pane.hide()
                pane.deleteLater()
            self._make_panes()
        self._refresh()

    def select(self, ids: Collection[str]) -> None:
        """Show this node, if it is one."""
        self._node = next(iter(ids)) if len(ids) == 1 else None
        self._refresh()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Take new values."""
        self._snapshot = snapshot
        self._refresh()

    def show_moment(self, moment: Moment) -> None:
        """Take what has arrived by this moment."""
        self._moment = moment
        self._refresh()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self._refresh()

    def _make_panes(self) -> None:
        self.value = ArrayPane("Value", self._theme, gradient=False)
        self.gradient = ArrayPane("Gradient", self._theme, gradient=True)
        self._panes_layout.addWidget(self.value, stretch=1)
        self._panes_layout.addWidget(self.gradient, stretch=1)

    def _refresh(self) -> None:
        values = self._snapshot.values.get(self._node or "", ()) if self._snapshot else ()
        self.setCurrentIndex(1 if values else 0)
        if not values or not self.isVisible():
            return  # while a graph plays, hidden tables cost nothing
        self._offer_outputs(len(values))
        self.value.show_array(values[self._output])
        self.gradient.show_array(self._current_gradient())
        self.index_box.setRange(0, self.value.slices - 1)
        self.index_box.setVisible(self.value.slices > 1)
        self._on_view_changed()

    @property
    def _output(self) -> int:
        return max(0, self.output_box.currentIndex())

    def _offer_outputs(self, count: int) -> None:
        """The outputs by name, to choose from when there are several."""
        graph = self._snapshot.graph if self._snapshot else Graph()
        node = graph.nodes.get(self._node or "")
        ports = output_ports(node, graph) if node is not None else ()
        names = [*ports[:count], *(f"output {k + 1}" for k in range(len(ports), count))]
        if names != [self.output_box.itemText(i) for i in range(self.output_box.count())]:
            self.output_box.clear()
            self.output_box.addItems(names)
        self.output_box.setVisible(count > 1)

    def _current_gradient(self) -> Shown | None:
        node = self._node or ""
        grads = self._snapshot.grads if self._snapshot else {}
        kept = self._moment.grads.get(node, grads.get(node))
        if kept is not None:
            return kept
        arrived = self._moment.cotangents.get(node, ())
        return arrived[self._output] if self._output < len(arrived) else None

    def _on_view_changed(self) -> None:
        for pane in (self.value, self.gradient):
            pane.set_view(self.mode_box.currentIndex(), self.index_box.value())
