"""The palette: every operation, found by typing. A dock at the side, and a popup at the cursor."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QLineEdit, QListView, QMenu, QWidget

from app.catalog import Entry, entries, search
from app.icons import icon
from app.panels.palette_rows import PaletteModel, RowPainter
from app.panels.popup import Popup
from app.panels.widgets import column, muted
from app.theme import Theme
from core.graph import CALL

_POPUP_SIZE = (320, 380)
_LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class Palette(QWidget):
    """A search field over a list of operations.

    Signals:
        chosen: the user wants this ``Entry`` on the canvas (Enter or double-click).
        delete_asked: the user wants a function gone (its id).
    """

    chosen = Signal(object)
    delete_asked = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._operations = entries()
        self._functions: list[Entry] = []
        self._fits: Callable[[Entry], bool] = lambda _entry: True
        self.search_field = QLineEdit()
        self.search_field.setPlaceholderText("Search operations")
        self.search_field.setClearButtonEnabled(True)
        self.search_field.setAccessibleName("Search operations")
        self._search_icon = self.search_field.addAction(
            icon("search", theme.text_faint), QLineEdit.ActionPosition.LeadingPosition
        )
        self.model = PaletteModel()
        self._rows = RowPainter(theme)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(self._rows)
        self.list.setMouseTracking(True)
        self.list.setDragEnabled(True)
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName("Operations")
        self._nothing = muted("Nothing fits. Try another word, such as “sum” or “relu”.")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = column(self, spacing=8, margin=10)
        layout.addWidget(self.search_field)
        layout.addWidget(self.list, stretch=1)
        layout.addWidget(self._nothing, stretch=1)
        self.search_field.textChanged.connect(self._refresh)
        self.search_field.installEventFilter(self)
        self.list.installEventFilter(self)
        self.list.doubleClicked.connect(self._choose)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self._refresh()

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._rows.theme = theme
        self._search_icon.setIcon(icon("search", theme.text_faint, self.devicePixelRatioF()))
        self.list.viewport().update()

    def show_only(self, fits: Callable[[Entry], bool]) -> None:
        """Offer only entries that ``fits`` accepts."""
        self._fits = fits
        self._refresh()

    def show_functions(self, functions: list[Entry]) -> None:
        """Offer the functions of another document, before all operations."""
        if functions != self._functions:
            self._functions = functions
            self._refresh()

    @property
    def _all(self) -> list[Entry]:
        return [*self._functions, *self._operations]

    def entry(self, key: str) -> Entry | None:
        """The entry with this key, as a drop of a dragged row names it."""
        return next((entry for entry in self._all if entry.key == key), None)

    def current(self) -> Entry | None:
        """The entry that Enter would choose."""
        return self.model.entry(self.list.currentIndex())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow keys move the list, and Enter choose, while the field has the focus."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.list.currentIndex())
                return True
            if watched is self.search_field and event.key() in _LIST_KEYS:
                self.list.event(event)
                return True
        return super().eventFilter(watched, event)

    def _refresh(self) -> None:
        query = self.search_field.text().strip()
        fitting = [entry for entry in self._all if self._fits(entry)]
        if query:
            self.model.show_ranked(search(fitting, query))
        else:
            self.model.show_by_category(fitting)
        self.list.setVisible(bool(self.model.rows))
        self._nothing.setVisible(not self.model.rows)
        first = 0 if query else 1  # without a search the first row is a heading
        self.list.setCurrentIndex(self.model.index(min(first, len(self.model.rows) - 1)))
        self.list.scrollToTop()

    def _open_menu(self, pos: QPoint) -> None:
        """What can be done with a function of the document; operations are there for good."""
        entry = self.model.entry(self.list.indexAt(pos))
        if entry is None or entry.op != CALL:
            return
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        delete = menu.addAction(f"Delete {entry.label}")
        function_id: str = entry.params()["function"]
        delete.triggered.connect(lambda: self.delete_asked.emit(function_id))
        menu.popup(self.list.viewport().mapToGlobal(pos))

    def _choose(self, index: QModelIndex) -> None:
        entry = self.model.entry(index)
        if entry is not None:
            self.chosen.emit(entry)


class PalettePopup(Popup):
    """The palette at the cursor. Closes when something is chosen, on Esc, or on a click outside.

    Signals:
        chosen: the user wants this ``Entry`` where the popup was opened.
        dismissed: it was closed without a choice.
    """

    chosen = Signal(object)
    dismissed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("palette-popup", parent)
        self.palette_list = Palette(theme)
        self.palette_list.setProperty("kind", "panel")
        self._has_chosen = False
        layout = column(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.addWidget(self.palette_list)
        self.resize(*_POPUP_SIZE)
        self.palette_list.chosen.connect(self._on_chosen)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        super().set_theme(theme)
        self.palette_list.set_theme(theme)

    def open_at(self, pos: QPoint, fits: Callable[[Entry], bool]) -> None:
        """Open at a point of the screen, offering what ``fits``, with the cursor in the field."""
        self._has_chosen = False
        self.palette_list.search_field.clear()
        self.palette_list.show_only(fits)
        screen = self.screen().availableGeometry()
        x = max(screen.left(), min(pos.x(), screen.right() - self.width()))
        y = max(screen.top(), min(pos.y(), screen.bottom() - self.height()))
        self.move(x, y)
        self.show()
        self.palette_list.search_field.setFocus(Qt.FocusReason.PopupFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not self._has_chosen:
            self.dismissed.emit()

    def _on_chosen(self, entry: Entry) -> None:
        self._has_chosen = True
        self.hide()
        self.chosen.emit(entry)
