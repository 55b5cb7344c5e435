"""Every key in one list, with a field to choose another one; and what the mouse can do."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.actions import ACTIONS, Actions, ActionSpec
from app.gesture_list import GESTURES
from app.settings import Settings

_ID = Qt.ItemDataRole.UserRole
_ROW = 26
_PORTABLE = QKeySequence.SequenceFormat.PortableText


class KeysDialog(QDialog):
    """Shows what every key does; double-click or Enter puts the cursor into the field below."""

    def __init__(self, actions: Actions, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self._actions = actions
        self._settings = settings
        self.setWindowTitle("Keys and mouse")
        self.resize(620, min(690, max(400, parent.window().height() - 60)))
        self.filter_field = QLineEdit()
        self.filter_field.setPlaceholderText("Search")
        self.tree = QTreeWidget()
        self.tree.setColumnCount(2)
        self.tree.setHeaderLabels(["Action", "Keys"])
        self.tree.setRootIsDecorated(False)
        self.tree.setColumnWidth(0, 270)
        self.edit = QKeySequenceEdit()
        self.edit.setAccessibleName("New key")
        self.reset = QPushButton("Default")
        self.message = QLabel("Choose an action, then press the key it should have.")
        self.message.setProperty("kind", "muted")
        self.message.setWordWrap(True)
        self.mouse = QTreeWidget()
        self.mouse.setColumnCount(2)
        self.mouse.setHeaderLabels(["To", "With the mouse"])
        self.mouse.setRootIsDecorated(False)
        self.mouse.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
        self.mouse.setColumnWidth(0, 220)
        for gesture in GESTURES:
            row = QTreeWidgetItem([gesture.does, gesture.how])
            row.setSizeHint(0, QSize(0, _ROW))  # or it is measured before the style is there
            self.mouse.addTopLevelItem(row)
        line = QHBoxLayout()
        line.addWidget(self.edit, stretch=1)
        line.addWidget(self.reset)
        keys, column = QWidget(), QVBoxLayout()
        keys.setLayout(column)
        column.setContentsMargins(0, 10, 0, 0)
        column.setSpacing(10)
        column.addWidget(self.tree, stretch=1)
        column.addLayout(line)
        column.addWidget(self.message)
        self.tabs = QTabWidget()
        self.tabs.addTab(keys, "Keys")
        self.tabs.addTab(self.mouse, "Mouse")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(10)
        layout.addWidget(self.filter_field)
        layout.addWidget(self.tabs, stretch=1)
        for spec in ACTIONS:
            item = QTreeWidgetItem([spec.text.rstrip("…"), ""])
            item.setData(0, _ID, spec.id)
            self.tree.addTopLevelItem(item)
        self._show_keys()
        self.filter_field.textChanged.connect(self._filter)
        self.tree.currentItemChanged.connect(self._on_chosen)
        self.tree.itemActivated.connect(lambda *_: self.edit.setFocus())
        self.edit.editingFinished.connect(self._on_edited)
        self.reset.clicked.connect(lambda: self._set_keys(None))

    def choose(self, action_id: str) -> None:
        """Make this action the one whose key is edited."""
        for row in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(row)
            if item is not None and item.data(0, _ID) == action_id:
                self.tree.setCurrentItem(item)

    def _chosen(self) -> ActionSpec | None:
        item = self.tree.currentItem()
        if item is None:
            return None
        return next(spec for spec in ACTIONS if spec.id == item.data(0, _ID))

    def _on_chosen(self) -> None:
        spec = self._chosen()
        if spec is not None:
            self.edit.setKeySequence(self._actions[spec.id].shortcut())
            self.message.setText(f"Press the new key for “{spec.text.rstrip('…')}”.")

    def _on_edited(self) -> None:
        spec = self._chosen()
        sequence = self.edit.keySequence()
        if spec is None or sequence == self._actions[spec.id].shortcut():
            return
        taken = self._owner(sequence)
        if taken is not None and taken.id != spec.id:
            self.message.setText(f"{sequence.toString()} already means “{taken.text}”.")
            self.edit.setKeySequence(self._actions[spec.id].shortcut())
            return
        key = sequence.toString(_PORTABLE)
        self._set_keys((key,) if key else ())

    def _owner(self, sequence: QKeySequence) -> ActionSpec | None:
        """The action that has this key now."""
        if sequence.isEmpty():
            return None
        for spec in ACTIONS:
            if sequence in self._actions[spec.id].shortcuts():
                return spec
        return None

    def _set_keys(self, keys: tuple[str, ...] | None) -> None:
        spec = self._chosen()
        if spec is None:
            return
        self._settings.set_keys(spec.id, keys)
        self._actions.load_keys()
        self._show_keys()
        self._on_chosen()

    def _show_keys(self) -> None:
        for row in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(row)
            assert item is not None
            keys = self._actions[item.data(0, _ID)].shortcuts()
            text = ", ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in keys)
            item.setText(1, text)

    def _filter(self, text: str) -> None:
        for tree in (self.tree, self.mouse):
            for row in range(tree.topLevelItemCount()):
                item = tree.topLevelItem(row)
                assert item is not None
                shown = text.lower() in f"{item.text(0)} {item.text(1)}".lower()
                item.setHidden(not shown)
