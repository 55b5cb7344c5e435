"""The rows of the list of commands: what is found, where it stands, its key, or why not now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QFont, QFontMetricsF, QKeySequence, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from app.panels.row_ground import paint_row_ground
from app.theme import Theme, mix, ui_font

FOUND_ROLE = Qt.ItemDataRole.UserRole

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_HEIGHT = 34
_KEY_HEIGHT = 20.0


@dataclass(frozen=True, slots=True)
class Command:
    """An action that can be chosen from the list.

    Attributes:
        text: what it is called there.
        where: the menu it stands in.
        why_not: why it would do nothing now; "" when it would.
    """

    action: QAction
    text: str
    where: str
    why_not: str = ""

    @property
    def id(self) -> str:
        """What the settings call it."""
        return self.action.objectName()

    @property
    def key(self) -> str:
        """Its first key, as the user reads it."""
        return self.action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)

    @property
    def state(self) -> str:
        """Whether a switch is on."""
        return ("on" if self.action.isChecked() else "off") if self.action.isCheckable() else ""


@dataclass(frozen=True, slots=True)
class Found:
    """A row: a command, and which letters of its text were typed."""

    command: Command
    letters: tuple[int, ...] = ()


class CommandModel(QAbstractListModel):
    """Commands as a search has ranked them."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Found] = []

    def show_rows(self, rows: Sequence[Found]) -> None:
        """Show these, best first."""
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        command = row.command
        if role == FOUND_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return command.text
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            said = (command.where, command.state, command.key, command.why_not)
            return ", ".join(word for word in said if word)
        return None


class CommandPainter(QStyledItemDelegate):
    """Paints a row in the theme's colours."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(80, _HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        found: Found = index.data(FOUND_ROLE)
        command, theme = found.command, self.theme
        rect = QRectF(option.rect).adjusted(12, 0, -10, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_row_ground(painter, QRectF(option.rect), option.state, theme)
        if command.key:
            rect.setRight(self._paint_key(painter, rect, command) - 10)
        note = command.why_not or " · ".join(w for w in (command.where, command.state) if w)
        color = theme.text_faint if command.why_not else theme.text
        rect.setLeft(self._paint_text(painter, rect, found, color) + 12)
        font = ui_font(12)
        painter.setFont(font)
        painter.setPen(theme.text_faint if command.why_not else theme.text_muted)
        fitting = QFontMetricsF(font).elidedText(note, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, fitting)
        painter.restore()

    def _paint_key(self, painter: QPainter, rect: QRectF, command: Command) -> float:
        """Draws the key at the right; returns where it begins."""
        theme, font = self.theme, ui_font(11, QFont.Weight.Medium)
        width = QFontMetricsF(font).horizontalAdvance(command.key) + 14
        top = rect.center().y() - _KEY_HEIGHT / 2
        chip = QRectF(rect.right() - width, top, width, _KEY_HEIGHT)
        painter.setPen(theme.border)
        painter.setBrush(theme.surface_raised)
        painter.drawRoundedRect(chip, 5, 5)
        painter.setPen(theme.text_faint if command.why_not else theme.text_muted)
        painter.setFont(font)
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, command.key)
        return chip.left()

    def _paint_text(self, painter: QPainter, rect: QRectF, found: Found, color: QColor) -> float:
        """Draws the name, what was typed of it in bold; returns where it ends."""
        x, typed = rect.left(), frozenset(found.letters)
        for is_typed, places in groupby(range(len(found.command.text)), typed.__contains__):
            part = "".join(found.command.text[place] for place in places)
            font = ui_font(13, QFont.Weight.Bold if is_typed else QFont.Weight.Normal)
            width = QFontMetricsF(font).horizontalAdvance(part)
            painter.setFont(font)
            painter.setPen(mix(color, self.theme.accent, 0.55) if is_typed else color)
            painter.drawText(QRectF(x, rect.top(), width + 1, rect.height()), _MIDDLE, part)
            x += width
        return x


_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
