import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.panels.array_editor import ArrayField


@pytest.fixture
def field(shown, theme):
    return shown(ArrayField(), 200, 40)


def test_typing_keeps_the_dtype(qtbot, field):
    field.set_array(np.array([1, 2], np.int64))
    field.selectAll()
    qtbot.keyClicks(field, "3, 4")
    with qtbot.waitSignal(field.array_edited) as edited:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert edited.args[0].dtype == np.int64


def test_the_same_text_again_is_no_edit(qtbot, field):
    field.set_array(np.array(2.0))
    got = []
    field.array_edited.connect(got.append)
    field.selectAll()
    qtbot.keyClicks(field, "2.0")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert got == []


def test_large_arrays_are_named_not_typed(field):
    field.set_array(np.zeros((100, 100)))
    assert field.isReadOnly()
    assert field.text() == "f64[100,100]"


def test_a_table_from_a_spreadsheet_is_pasted_as_a_matrix(qtbot, field):
    field.set_array(np.array(2.0))
    QGuiApplication.clipboard().setText("1,5\t2\n3\t4\n")
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    with qtbot.waitSignal(field.array_edited) as edited:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert edited.args[0].tolist() == [[1.5, 2.0], [3.0, 4.0]]


def test_other_text_is_pasted_as_it_is(qtbot, field):
    field.set_array(np.array(2.0))
    QGuiApplication.clipboard().setText("7, 8")
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert field.text() == "7, 8"


def test_escape_drops_what_was_typed(qtbot, field):
    field.set_array(np.array([2.0, 3.0]))
    field.selectAll()
    qtbot.keyClicks(field, "7, nonsense")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.property("invalid") == "true"
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert (field.text(), field.property("invalid")) == ("2, 3", "false")
    with qtbot.assertNotEmitted(field.array_edited):
        field.editingFinished.emit()
