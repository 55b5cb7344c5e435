"""The text field of the code: lines that light up, and clicks that say which line they hit."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from app.theme import Theme, faded, mono_font

_SIZE = 12
_GUTTER = 6


class CodeEdit(QPlainTextEdit):
    """Code with line numbers.

    Signals:
        line_clicked: a line, counted from 0, was clicked on.
        apply_asked: Ctrl+Enter.
    """

    line_clicked = Signal(int)
    apply_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._numbers = _Numbers(self)
        self._lit: tuple[int, ...] = ()
        self._wrong: int | None = None
        font = mono_font(_SIZE)
        font.setFeature(QFont.Tag("calt"), 0)  # code is shown as it is written: != and not ≠
        self.setFont(font)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(False)
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self.setAccessibleName("Code")
        self.blockCountChanged.connect(lambda _: self._make_room())
        self.updateRequest.connect(self._on_update)
        self._make_room()

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self._show_marks()
        self._numbers.update()

    def set_code(self, text: str) -> None:
        """Show other text; where the user has scrolled to stays in view."""
        across, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        self.setPlainText(text)
        self.document().setModified(False)
        self.horizontalScrollBar().setValue(across)
        self.verticalScrollBar().setValue(down)

    def light(self, lines: Iterable[int], *, reveal: bool = True) -> None:
        """Mark the lines of what is selected, and bring the first into view."""
        self._lit = tuple(lines)
        self._show_marks()
        if reveal and self._lit:
            self._reveal(self._lit[0])

    def mark_wrong(self, line: int | None) -> None:
        """Mark the line of an error and bring it into view; None takes the mark away."""
        self._wrong = line
        self._show_marks()
        if line is not None:
            self._reveal(line)

    @property
    def lit(self) -> tuple[int, ...]:
        """The lines that are marked."""
        return self._lit

    @property
    def wrong(self) -> int | None:
        """The line of the error."""
        return self._wrong

    # -- events -----------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        entered = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if entered and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.apply_asked.emit()
        elif event.key() == Qt.Key.Key_Tab and not self.isReadOnly():
            self.insertPlainText("    ")
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.line_clicked.emit(self.textCursor().blockNumber())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.contentsRect()
        width = self._gutter_width()
        self._numbers.setGeometry(QRect(inside.left(), inside.top(), width, inside.height()))

    # -- marks ------------------------------------------------------------------------------------

    def _show_marks(self) -> None:
        marks = [self._mark(line, faded(self._theme.accent, 0.2)) for line in self._lit]
        if self._wrong is not None:
            marks.append(self._mark(self._wrong, faded(self._theme.error, 0.28)))
        self.setExtraSelections(marks)

    def _mark(self, line: int, color: QColor) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        mark.format.setBackground(color)
        mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        mark.cursor = QTextCursor(self.document().findBlockByNumber(line))
        return mark

    def _reveal(self, line: int) -> None:
        block = self.document().findBlockByNumber(line)
        place = self.blockBoundingGeometry(block).translated(self.contentOffset())
        if place.top() < 0 or place.bottom() > self.viewport().height():
            self.verticalScrollBar().setValue(max(line - 3, 0))

    # -- line numbers -----------------------------------------------------------------------------

    def _gutter_width(self) -> int:
        digits = max(2, len(str(self.blockCount())))
        return self.fontMetrics().horizontalAdvance("9" * digits) + 2 * _GUTTER

    def _make_room(self) -> None:
        self.setViewportMargins(self._gutter_width(), 0, 0, 0)

    def _on_update(self, rect: QRect, scrolled: int) -> None:
        if scrolled:
            self._numbers.scroll(0, scrolled)
        else:
            self._numbers.update(0, rect.y(), self._numbers.width(), rect.height())

    def paint_numbers(self, painter: QPainter, event: QPaintEvent) -> None:
        """The numbers of the lines that are seen."""
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        place = self.blockBoundingGeometry(block).translated(self.contentOffset())
        while block.isValid() and place.top() <= event.rect().bottom():
            marked = block.blockNumber() in self._lit
            painter.setPen(self._theme.accent if marked else self._theme.text_faint)
            width = self._numbers.width() - _GUTTER
            painter.drawText(
                QRect(0, round(place.top()), width, self.fontMetrics().height()),
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                str(block.blockNumber() + 1),
            )
            block = block.next()
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())


class _Numbers(QWidget):
    """The strip left of the text."""

    def __init__(self, editor: CodeEdit) -> None:
        super().__init__(editor)
        self._editor = editor

    def sizeHint(self) -> QSize:
        return QSize(40, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._editor.paint_numbers(QPainter(self), event)
