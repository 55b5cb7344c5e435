"""Errors and notes in words, each with what to do next, and with buttons where one click helps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QMouseEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.icons import icon_pixmap
from app.panels.widgets import EmptyState, IconButton, clear_layout, muted
from app.theme import Theme, mix, ui_font
from core.errors import ImportedError, PullbackError
from core.graph import Graph, inner_node, path_name
from core.instances import origins
from core.session import Snapshot

_MOST = 50


@dataclass(frozen=True, slots=True)
class WayOut:
    """A button that repairs an error: its name for whoever listens, and its text."""

    name: str
    text: str


RETAIN = WayOut("retain", "Retain and restart")
FORWARD = WayOut("forward", "Forward again")
#: What one click can do about an error, by its kind.
WAYS_OUT: dict[str, tuple[WayOut, ...]] = {
    "graph_freed": (RETAIN, FORWARD),
    "modified_saved": (FORWARD,),
    "stopped": (FORWARD,),
}


class MessageCard(QFrame):
    """One message.

    Signals:
        clicked: the user wants to see the node it is about.
        way_chosen: a repairing button was pressed (its name).
        dismissed: it was read.
    """

    clicked = Signal()
    way_chosen = Signal(str)
    dismissed = Signal()

    def __init__(self, error: PullbackError, where: str, theme: Theme, *, closable: bool) -> None:
        super().__init__()
        self.error = error
        self.setObjectName("card")
        is_note = error.kind == ImportedError.kind  # nothing is wrong: it is to be known
        tone = theme.accent if is_note else theme.error
        ground = mix(theme.surface, tone, 0.08)
        border = mix(theme.border, tone, 0.35)
        self.setStyleSheet(
            f"#card {{ background: {ground.name()}; border: 1px solid {border.name()};"
            " border-radius: 9px; }"
        )
        if error.node is not None:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            self.setToolTip("Click to select the node")
        self.setAccessibleName(str(error))
        sign = QLabel()
        shape = "info" if is_note else "circle-alert"
        sign.setPixmap(icon_pixmap(shape, tone, 17, self.devicePixelRatioF()))
        self.what = QLabel(f"{where}: {error.what}" if where else error.what)
        self.what.setFont(ui_font(12.5, QFont.Weight.Medium))
        self.what.setWordWrap(True)
        self.next_step = muted(error.next_step)
        words = QVBoxLayout()
        words.setSpacing(3)
        words.addWidget(self.what)
        words.addWidget(self.next_step)
        self.buttons: dict[str, QPushButton] = {}
        ways = WAYS_OUT.get(error.kind, ())
        if ways:
            words.addSpacing(4)
            words.addLayout(self._make_buttons(ways))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 10, 8, 10)
        layout.setSpacing(10)
        layout.addWidget(sign, alignment=Qt.AlignmentFlag.AlignTop)
        layout.addLayout(words, stretch=1)
        if closable:
            close = IconButton("x", "Dismiss", 14)
            close.set_theme(theme)
            close.clicked.connect(self.dismissed)
            layout.addWidget(close, alignment=Qt.AlignmentFlag.AlignTop)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self.clicked.emit()

    def _make_buttons(self, ways: Iterable[WayOut]) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        for way in ways:
            button = QPushButton(way.text)
            button.clicked.connect(lambda _on=False, name=way.name: self.way_chosen.emit(name))
            row.addWidget(button)
            self.buttons[way.name] = button
        row.addStretch(1)
        return row


class Messages(QStackedWidget):
    """The list: what is wrong with the graph now, and which actions could not be done.

    Signals:
        node_asked: the user wants to see the node of a message (its id, ``n7/n3`` in a function).
        way_chosen: a repairing button was pressed ("retain" or "forward").
        counted: how many messages there are.
        failed: an action failed: worth a look.
    """

    node_asked = Signal(str)
    way_chosen = Signal(str)
    counted = Signal(int)
    failed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._graph: Graph | None = None
        self._standing: list[PullbackError] = []
        self._failures: list[PullbackError] = []
        self.cards: list[MessageCard] = []
        self._empty = EmptyState("check", "Nothing is wrong", "Errors appear here, in words.")
        self._empty.set_theme(theme)
        inner = QWidget()
        self._column = QVBoxLayout(inner)
        self._column.setContentsMargins(12, 10, 12, 10)
        self._column.setSpacing(8)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(inner)
        self.addWidget(self._empty)
        self.addWidget(scroll)
        self._refresh()

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self._empty.set_theme(theme)
        self._refresh()

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self._failures) + len(self._standing)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the errors that the graph has now."""
        self._graph = snapshot.graph
        standing = origins(snapshot.errors, snapshot.graph)
        if [str(e) for e in standing] != [str(e) for e in self._standing]:
            self._standing = standing
            self._refresh()

    def add(self, error: PullbackError) -> None:
        """Show that an action could not be done; once only, however often it was tried."""
        others = [e for e in self._failures if str(e) != str(error)]
        self._failures = [error, *others][:_MOST]
        self._refresh()
        self.failed.emit()

    def dismiss(self, error: PullbackError) -> None:
        """Forget one failed action, if it is still shown."""
        if any(e is error for e in self._failures):
            self._failures = [e for e in self._failures if e is not error]
            self._refresh()

    def clear_failures(self) -> None:
        """Forget the failed actions; what is wrong with the graph stays."""
        if self._failures:
            self._failures = []
            self._refresh()

    def _refresh(self) -> None:
        clear_layout(self._column)
        self.cards = [self._card(error, closable=True) for error in self._failures]
        self.cards += [self._card(error, closable=False) for error in self._standing[:_MOST]]
        for card in self.cards:
            self._column.addWidget(card)
        self._column.addStretch(1)
        self.setCurrentIndex(1 if self.cards else 0)
        self.counted.emit(self.total)

    def _card(self, error: PullbackError, *, closable: bool) -> MessageCard:
        node_id = error.node or ""
        node = inner_node(self._graph, node_id) if self._graph else None
        where = "" if node is None or self._graph is None else path_name(self._graph, node_id)
        where = "" if node is not None and node.name in error.what else where
        card = MessageCard(error, where, self._theme, closable=closable)
        if node is not None:
            card.clicked.connect(lambda: self.node_asked.emit(node_id))
        card.way_chosen.connect(self._on_way_chosen)
        card.dismissed.connect(lambda: self.dismiss(error))
        return card

    def _on_way_chosen(self, name: str) -> None:
        self.clear_failures()
        self.way_chosen.emit(name)
