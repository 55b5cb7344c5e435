"""The strip of tabs over the canvas: one a graph, to be moved, closed and made."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QTabBar, QWidget

from app.panels.widgets import IconButton
from app.theme import Theme

_HEIGHT = 36
#: Below this a tab is not squeezed: the strip scrolls.
_NARROWEST = 120
#: Before a title that has changes to save.
DIRTY = "• "
_RIGHT = QTabBar.ButtonPosition.RightSide


class _Bar(QTabBar):
    """Tabs that a middle click closes.

    Signals:
        close_asked: the user wants a tab closed (index).
    """

    close_asked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("graph-tabs")
        self.setAccessibleName("Open graphs")
        self.setMovable(True)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Ctrl+Tab goes through them

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.MiddleButton:
            index = self.tabAt(event.position().toPoint())
            if index >= 0:
                self.close_asked.emit(index)
                return
        super().mouseReleaseEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """WORKAROUND: Qt keeps what it scrolled away when there was less room."""
        super().resizeEvent(event)
        current = self.currentIndex()
        with QSignalBlocker(self):
            self.setCurrentIndex(0)
            self.setCurrentIndex(current)

    def minimumTabSizeHint(self, index: int) -> QSize:  # noqa: N802 (Qt's name)
        size = self.tabSizeHint(index)
        return QSize(min(_NARROWEST, size.width()), size.height())


class TabStrip(QWidget):
    """The tabs, and a button for one more. Hidden while there is only one: its title is the
    window's.

    Signals:
        chosen: another tab is the current one (index).
        moved: a tab was dragged to another place (from, to).
        close_asked: the user wants a tab closed (index).
        menu_asked: the user wants the menu of the current tab, at a point of the screen.
        new_asked: the user wants one more.
    """

    chosen = Signal(int)
    moved = Signal(int, int)
    close_asked = Signal(int)
    menu_asked = Signal(QPoint)
    new_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("kind", "panel")
        self.setFixedHeight(_HEIGHT)
        self.bar = _Bar()
        self.plus = IconButton("plus", "New graph (Ctrl+N)", 15)
        self.plus.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 0, 6, 0)
        layout.setSpacing(4)
        layout.addWidget(self.bar, alignment=Qt.AlignmentFlag.AlignBottom)
        layout.addWidget(self.plus)
        layout.addStretch(1)
        self.bar.currentChanged.connect(self.chosen)
        self.bar.tabMoved.connect(self.moved)
        self.bar.close_asked.connect(self.close_asked)
        self.plus.clicked.connect(self.new_asked)
        self.set_theme(theme)
        self._show_if_needed()

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self.plus.set_theme(theme)
        for index in range(self.bar.count()):
            self.close_button(index).set_theme(theme)

    def add(self, index: int) -> None:
        """Make room for one more tab at ``index``."""
        self.bar.insertTab(index, "")
        close = IconButton("x", "Close (Ctrl+W)", 12)
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        close.set_theme(self._theme)
        close.clicked.connect(lambda: self.close_asked.emit(self._index_of(close)))
        self.bar.setTabButton(index, _RIGHT, close)
        self._show_if_needed()

    def remove(self, index: int) -> None:
        """Take a tab away; the one beside it becomes current if it was."""
        self.bar.removeTab(index)
        self._show_if_needed()

    def show_title(self, index: int, title: str, tip: str, *, modified: bool) -> None:
        """Name a tab, with a dot if it has changes to save."""
        text = title.replace("&", "&&")
        self.bar.setTabText(index, DIRTY + text if modified else text)
        self.bar.setTabToolTip(index, tip)

    def close_button(self, index: int) -> IconButton:
        """The cross of a tab."""
        button = self.bar.tabButton(index, _RIGHT)
        assert isinstance(button, IconButton)
        return button

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Beside the tabs a double click makes one more."""
        if not self.bar.geometry().contains(event.position().toPoint()):
            self.new_asked.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """A right click brings its tab to the front, then asks for the menu."""
        index = self.bar.tabAt(self.bar.mapFromGlobal(event.globalPos()))
        if index >= 0:
            self.bar.setCurrentIndex(index)
            self.menu_asked.emit(event.globalPos())

    def _index_of(self, close: QWidget) -> int:
        return next(i for i in range(self.bar.count()) if self.bar.tabButton(i, _RIGHT) is close)

    def _show_if_needed(self) -> None:
        self.setVisible(self.bar.count() > 1)
