"""Finds a node by name: type, and it is selected and brought into view."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QWidget

from app.panels.widgets import column
from app.theme import Theme
from core.graph import Graph

_SIZE = (320, 300)
_MOST = 200
_ID = Qt.ItemDataRole.UserRole


class Finder(QFrame):
    """A field over a list of nodes, at the top of the canvas.

    Signals:
        found: the user wants to see this node (node id).
    """

    found = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._graph = Graph()
        self.setObjectName("finder")
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find a node by name or operation")
        self.list = QListWidget()
        layout = column(self, margin=10)
        layout.addWidget(self.field)
        layout.addWidget(self.list, stretch=1)
        self.resize(*_SIZE)
        self.field.textChanged.connect(self._refresh)
        self.field.installEventFilter(self)
        self.list.itemActivated.connect(self._choose)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self.setStyleSheet(
            f"#finder {{ background: {theme.surface.name()};"
            f" border: 1px solid {theme.border.name()}; }}"
        )

    def open_at(self, pos: QPoint, graph: Graph) -> None:
        """Open at a point of the screen."""
        self._graph = graph
        self.field.clear()
        self._refresh()
        self.move(pos)
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys move the list and Enter chooses while the field has the focus."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.list.currentItem())
                return True
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                self.list.event(event)
                return True
        return super().eventFilter(watched, event)

    def _refresh(self) -> None:
        query = self.field.text().lower()
        self.list.clear()
        fitting = [
            node
            for node in self._graph.nodes.values()
            if query in node.name.lower() or query in node.label.lower()
        ]
        for node in sorted(fitting, key=lambda n: not n.name.lower().startswith(query))[:_MOST]:
            text = node.name if node.label == node.name else f"{node.name}    {node.label}"
            item = QListWidgetItem(text)
            item.setData(_ID, node.id)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.hide()
            self.found.emit(str(item.data(_ID)))
