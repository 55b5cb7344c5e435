"""Small building blocks that panels share: headings, hints, icon buttons, layouts."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFocusEvent, QFont, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLayout,
    QLayoutItem,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.icons import icon, icon_pixmap
from app.theme import Theme, mono_font, ui_font

#: Space between a panel's rim and what is in it.
MARGIN = 14
GAP = 8


def column(parent: QWidget, spacing: int = GAP, margin: int = 0) -> QVBoxLayout:
    """A vertical layout with our spacing, set on ``parent``."""
    layout = QVBoxLayout(parent)
    layout.setSpacing(spacing)
    layout.setContentsMargins(margin, margin, margin, margin)
    return layout


def clear_layout(layout: QLayout) -> None:
    """Take every widget out of ``layout`` and delete it once its events are done."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
        elif (inner := item.layout()) is not None:
            clear_layout(inner)


def caption(text: str) -> QLabel:
    """A small grey heading above a group."""
    label = QLabel(text)
    label.setFont(ui_font(11, QFont.Weight.DemiBold))
    label.setProperty("kind", "muted")
    return label


def muted(text: str = "", px: int = 12) -> QLabel:
    """Explaining text, wrapped."""
    label = QLabel(text)
    label.setFont(ui_font(px))
    label.setProperty("kind", "muted")
    label.setWordWrap(True)
    return label


def mono(text: str = "", px: int = 12) -> QLabel:
    """Numbers that can be selected and copied."""
    label = QLabel(text)
    label.setFont(mono_font(px))
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def set_kind(widget: QWidget, kind: str) -> None:
    """Change the style-sheet variant of a widget that is already shown."""
    if widget.property("kind") != kind:
        widget.setProperty("kind", kind)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def set_invalid(widget: QWidget, message: str) -> None:
    """Mark a field as wrong and say why in its tooltip; an empty message takes the mark away."""
    widget.setToolTip(message)
    flag = "true" if message else "false"
    if widget.property("invalid") != flag:
        widget.setProperty("invalid", flag)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class Field(QLineEdit):
    """A line of text that Esc puts back as it was before the user typed."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setCursorPosition(0)  # what is too long shows its beginning
        self._before = text
        self.textChanged.connect(self._on_changed)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._before = self.text()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.take_back()
        else:
            super().keyPressEvent(event)

    def take_back(self) -> None:
        """Drop what was typed."""
        self.setText(self._before)
        set_invalid(self, "")

    def _on_changed(self, text: str) -> None:
        if not self.isModified():  # the program shows something else
            self._before = text


class IconButton(QToolButton):
    """A flat button with one of our icons, tinted with the theme."""

    def __init__(self, name: str, tip: str, size: int = 16, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self.setIconSize(QSize(size, size))
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setAutoRaise(True)

    def set_theme(self, theme: Theme) -> None:
        """Tint the icon."""
        self.setIcon(icon(self._name, theme.text_muted, self.devicePixelRatioF()))


class EmptyState(QWidget):
    """What a panel shows when there is nothing to show: an icon, and what to do."""

    def __init__(self, icon_name: str, title: str, hint: str) -> None:
        super().__init__()
        self._icon_name = icon_name
        self._picture = QLabel()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        heading = QLabel(title)
        heading.setProperty("kind", "title")
        heading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        heading.setWordWrap(True)
        text = muted(hint)
        text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = column(self, spacing=10, margin=24)
        layout.addStretch(2)
        for widget in (self._picture, heading, text):
            layout.addWidget(widget)
        layout.addStretch(3)

    def set_theme(self, theme: Theme) -> None:
        """Tint the icon."""
        dpr = self.devicePixelRatioF()
        self._picture.setPixmap(icon_pixmap(self._icon_name, theme.text_faint, 28, dpr))


class Hairline(QFrame):
    """A thin line between groups."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(1)
        self._color = QColor()

    def set_theme(self, theme: Theme) -> None:
        """Take the border colour."""
        self._color = theme.border
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._color)


class Chip(QLabel):
    """A small rounded tag: a category, "freed", "leaf"."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setFont(ui_font(11, QFont.Weight.Medium))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setContentsMargins(8, 3, 8, 3)

    def set_colors(self, ground: QColor, text: QColor) -> None:
        """Colour it."""
        self.setStyleSheet(
            f"background: {ground.name()}; color: {text.name()}; border-radius: 9px;"
        )


class FlowLayout(QLayout):
    """Puts widgets side by side and goes on in a new line when the row is full."""

    def __init__(self, spacing: int = 6) -> None:
        super().__init__()
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)
        self._items: list[QLayoutItem] = []

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802 (Qt's name)
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:  # noqa: N802
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _place(self, rect: QRect, *, move: bool) -> int:
        x, y, line = rect.x(), rect.y(), 0
        for item in self._items:
            hint = item.sizeHint()
            if x > rect.x() and x + hint.width() > rect.right() + 1:
                x, y, line = rect.x(), y + line + self.spacing(), 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), hint))
            x += hint.width() + self.spacing()
            line = max(line, hint.height())
        return y + line - rect.y()
