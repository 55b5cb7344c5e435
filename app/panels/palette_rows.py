"""The palette's list: headings and rows with a glyph, a label and one line on what it does."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from app.catalog import ENTRY_MIME, HEADINGS, Entry
from app.panels.row_ground import paint_row_ground
from app.theme import Theme, ui_font

ENTRY_ROLE = Qt.ItemDataRole.UserRole

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_HEADING = 30
_ROW = 42
_CHIP_WIDTH, _CHIP_HEIGHT = 30.0, 24.0


class PaletteModel(QAbstractListModel):
    """Rows of two kinds: a heading (a str) or an ``Entry``."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[str | Entry] = []

    def show_by_category(self, entries: list[Entry]) -> None:
        """Show all entries under headings."""
        rows: list[str | Entry] = []
        category = None
        for entry in entries:
            if entry.category != category:
                category = entry.category
                rows.append(HEADINGS.get(category, category.capitalize()))
            rows.append(entry)
        self._set_rows(rows)

    def show_ranked(self, entries: list[Entry]) -> None:
        """Show entries as a search has ranked them."""
        self._set_rows(list(entries))

    def entry(self, index: _Index) -> Entry | None:
        """The entry at a row; None for a heading."""
        row = self.rows[index.row()] if index.isValid() else None
        return row if isinstance(row, Entry) else None

    def _set_rows(self, rows: list[str | Entry]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        if role == ENTRY_ROLE:
            return row
        if isinstance(row, str):
            return row if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.DisplayRole:
            return row.label
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return row.summary
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if self.entry(index) is None:
            return Qt.ItemFlag.NoItemFlags
        item = Qt.ItemFlag
        return item.ItemIsEnabled | item.ItemIsSelectable | item.ItemIsDragEnabled

    def mimeTypes(self) -> list[str]:  # noqa: N802 (Qt's name)
        return [ENTRY_MIME]

    def mimeData(self, indexes: Any) -> QMimeData:  # noqa: N802 (Qt's name)
        data = QMimeData()
        dragged = [entry for index in indexes if (entry := self.entry(index)) is not None]
        if dragged:
            data.setData(ENTRY_MIME, dragged[0].key.encode())
        return data


class RowPainter(QStyledItemDelegate):
    """Paints headings and rows in the theme's colours."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(80, _HEADING if isinstance(index.data(ENTRY_ROLE), str) else _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.data(ENTRY_ROLE)
        rect = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, Entry):
            paint_row_ground(painter, rect, option.state, self.theme)
            self._paint_entry(painter, rect, row)
        else:
            painter.setFont(ui_font(11, QFont.Weight.DemiBold))
            painter.setPen(self.theme.text_muted)
            below = rect.adjusted(10, 9, -6, 0)
            painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, str(row))
        painter.restore()

    def _paint_entry(self, painter: QPainter, rect: QRectF, entry: Entry) -> None:
        theme = self.theme
        top = rect.center().y() - _CHIP_HEIGHT / 2
        chip = QRectF(rect.left() + 10, top, _CHIP_WIDTH, _CHIP_HEIGHT)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.header(entry.color)[1])
        painter.drawRoundedRect(chip, 6, 6)
        painter.setPen(theme.header_text(entry.color))
        painter.setFont(_fitting_font(entry.glyph, _CHIP_WIDTH - 6))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, entry.glyph)
        words = rect.adjusted(10 + _CHIP_WIDTH + 10, 4, -10, -4)
        upper = QRectF(words.left(), words.top(), words.width(), words.height() / 2)
        painter.setFont(label_font := ui_font(13, QFont.Weight.Medium))
        painter.setPen(theme.text)
        _draw_elided(painter, upper, entry.label, label_font)
        painter.setFont(summary_font := ui_font(11))
        painter.setPen(theme.text_muted)
        _draw_elided(painter, upper.translated(0, upper.height()), entry.summary, summary_font)


def _fitting_font(glyph: str, width: float) -> QFont:
    for px in (13, 12, 11, 10, 9, 8):
        font = ui_font(px, QFont.Weight.DemiBold)
        if QFontMetricsF(font).horizontalAdvance(glyph) <= width:
            break
    return font


def _draw_elided(painter: QPainter, rect: QRectF, text: str, font: QFont) -> None:
    metrics = QFontMetricsF(font)
    fitting = metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, fitting)
