"""A list to choose from by typing: nodes to go to, ports to draw a wire to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.panels.popup import Popup
from app.panels.widgets import column
from app.theme import Theme, mix, ui_font

_SIZE = (400, 320)
_MOST = 200
_ROW = 30
_CHOICE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Choice:
    """One row.

    Attributes:
        key: what choosing it means.
        name: what it is called.
        kind: what it is, beside the name.
        detail: what else can be said, at the right: a value, or what is wrong.
        is_error: whether the detail says what is wrong.
    """

    key: object
    name: str
    kind: str = ""
    detail: str = ""
    is_error: bool = False

    @property
    def words(self) -> str:
        """What it is found by; a minus is typed as a hyphen."""
        return f"{self.name} {self.kind} {self.detail}".lower().replace("−", "-")


class Finder(Popup):
    """A field over a list, at the top of the canvas.

    Args:
        hint: what to type, for the empty field.

    Signals:
        found: what was chosen means this (a ``Choice.key``).
    """

    found = Signal(object)

    def __init__(self, hint: str, theme: Theme, parent: QWidget) -> None:
        super().__init__("finder", parent)
        self._choices: Sequence[Choice] = ()
        self._rows = _RowPainter(theme)
        self.field = QLineEdit()
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(hint)
        self.list = QListWidget()
        self.list.setItemDelegate(self._rows)
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = column(self, margin=10)
        layout.addWidget(self.field)
        layout.addWidget(self.list, stretch=1)
        self.resize(*_SIZE)
        self.field.textChanged.connect(self._refresh)
        self.field.installEventFilter(self)
        self.list.itemActivated.connect(self._choose)
        self.list.itemClicked.connect(self._choose)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        super().set_theme(theme)
        self._rows.theme = theme

    def open_at(self, pos: QPoint, choices: Sequence[Choice]) -> None:
        """Open at a point of the screen. Esc closes it, and the focus goes back."""
        self._choices = choices
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
        fitting = [choice for choice in self._choices if query in choice.words]
        fitting.sort(key=lambda choice: not choice.name.lower().startswith(query))
        for choice in fitting[:_MOST]:
            item = QListWidgetItem(f"{choice.name} {choice.kind} {choice.detail}".strip())
            item.setData(_CHOICE, choice)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None and self.isVisible():
            self.hide()
            self.found.emit(item.data(_CHOICE).key)


class _RowPainter(QStyledItemDelegate):
    """Name, kind, and at the right the detail."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme

    def sizeHint(
        self, option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(option.rect.width(), _ROW)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme, choice = self.theme, index.data(_CHOICE)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, mix(theme.surface, theme.accent, 0.22))
        room = QRectF(option.rect).adjusted(10, 0, -10, 0)
        for text, px, color in (
            (choice.name, 13, theme.text),
            (choice.kind, 12, theme.text_muted),
        ):
            painter.setFont(ui_font(px))
            painter.setPen(color)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
            room.setLeft(room.left() + QFontMetricsF(painter.font()).horizontalAdvance(text) + 10)
        painter.setPen(theme.error_text if choice.is_error else theme.text_faint)
        measures = QFontMetricsF(painter.font())
        shown = measures.elidedText(choice.detail, Qt.TextElideMode.ElideRight, room.width())
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(room, right, shown)
        painter.restore()
