import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.actions import Actions
from app.keys_dialog import KeysDialog
from app.settings import Settings


@pytest.fixture
def dialog(qtbot):
    owner = QWidget()
    qtbot.addWidget(owner)
    settings = Settings()
    dialog = KeysDialog(Actions(owner, settings), settings, owner)
    with qtbot.waitExposed(dialog):
        dialog.show()
    dialog.owner = owner
    return dialog


def press(qtbot, dialog, key, modifiers):
    dialog.edit.setFocus()
    qtbot.keyClick(dialog.edit, key, modifiers)
    dialog.edit.editingFinished.emit()


def test_another_key_is_taken_and_remembered(qtbot, dialog):
    dialog.choose("backward")
    press(qtbot, dialog, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert dialog.tree.currentItem().text(1) == "Ctrl+B"
    assert Settings().keys("backward", ("F5",)) == ("Ctrl+B",)

    qtbot.mouseClick(dialog.reset, Qt.MouseButton.LeftButton)
    assert dialog.tree.currentItem().text(1) == "F5"


def test_a_key_that_is_taken_is_refused(qtbot, dialog):
    dialog.choose("backward")
    press(qtbot, dialog, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert "already means “Save”" in dialog.message.text()
    assert dialog.tree.currentItem().text(1) == "F5"


def test_the_list_is_searched_by_word_and_by_key(qtbot, dialog):
    qtbot.keyClicks(dialog.filter_field, "f5")
    shown = [
        item.text(0)
        for row in range(dialog.tree.topLevelItemCount())
        if not (item := dialog.tree.topLevelItem(row)).isHidden()
    ]
    assert shown == ["Backward", "Restart", "Forward again", "zero_grad"]


def test_the_search_finds_gestures_of_the_mouse_too(qtbot, dialog):
    dialog.tabs.setCurrentWidget(dialog.mouse)
    qtbot.keyClicks(dialog.filter_field, "alt-")
    shown = [
        item.text(0)
        for row in range(dialog.mouse.topLevelItemCount())
        if not (item := dialog.mouse.topLevelItem(row)).isHidden()
    ]
    assert shown == ["Duplicate", "Take a wire off"]
