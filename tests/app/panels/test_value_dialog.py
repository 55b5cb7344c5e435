"""The dialog for larger values, by real keys."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.panels.value_dialog import ValueDialog
from core.making import make

CONTROL = Qt.KeyboardModifier.ControlModifier
MATRIX = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.fixture
def opened(shown, theme):
    def open_(array, source=None):
        return shown(ValueDialog(np.asarray(array), source), 560, 480)

    return open_


def press_ok(qtbot, dialog):
    qtbot.mouseClick(dialog.ok_button, Qt.MouseButton.LeftButton)


def go(dialog, row, column):
    view = dialog.table.view
    view.setFocus()
    view.setCurrentIndex(view.table.index(row, column))
    return view


def type_into(qtbot, dialog, row, column, text):
    view = go(dialog, row, column)
    qtbot.keyClicks(view, text[0])  # begins to edit, as in a spreadsheet
    editor = view.indexWidget(view.currentIndex()) or QGuiApplication.focusObject()
    qtbot.keyClicks(editor, text[1:])
    qtbot.keyClick(editor, Qt.Key.Key_Return)


def test_text_of_any_depth(qtbot, opened):
    dialog = opened(1.0)
    dialog.text.selectAll()
    qtbot.keyClicks(dialog.text, "[[[1, 2], [3, 4]]]")
    press_ok(qtbot, dialog)
    assert dialog.array.shape == (1, 2, 2)
    assert dialog.source is None


def test_what_is_wrong_is_said_and_the_dialog_stays(qtbot, opened):
    dialog = opened(1.0)
    dialog.text.setPlainText("1 2; 3")
    press_ok(qtbot, dialog)
    assert dialog.isVisible()
    assert "Row 2" in dialog.message.text()


def test_a_matrix_opens_as_a_table_and_cells_are_typed(qtbot, opened):
    dialog = opened(MATRIX)
    type_into(qtbot, dialog, 1, 0, "-7")
    press_ok(qtbot, dialog)
    assert dialog.array.tolist() == [[1.0, 2.0], [-7.0, 4.0]]
    assert MATRIX[1, 0] == 3.0


def test_a_cell_that_is_no_number_is_refused(qtbot, opened):
    dialog = opened(MATRIX)
    with qtbot.waitSignal(dialog.table.refused):
        type_into(qtbot, dialog, 0, 1, "two")
    assert "Row 0, column 1" in dialog.message.text()
    press_ok(qtbot, dialog)
    assert dialog.array.tolist() == MATRIX.tolist()


def test_copy_gives_what_spreadsheets_read(qtbot, opened):
    dialog = opened(MATRIX)
    view = go(dialog, 0, 0)
    view.selectAll()
    qtbot.keyClick(view, Qt.Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "1\t2\n3\t4"


@pytest.mark.parametrize("text", ["5\t6,5\n7\t8", "5;6,5\n7;8", "5,6.5\n7,8"])
def test_paste_takes_what_spreadsheets_give_and_grows(qtbot, opened, text):
    dialog = opened(MATRIX)
    QGuiApplication.clipboard().setText(text)
    qtbot.keyClick(go(dialog, 1, 1), Qt.Key.Key_V, CONTROL)
    assert dialog.table.shape_field.text() == "3, 3"
    press_ok(qtbot, dialog)
    assert dialog.array.tolist() == [[1, 2, 0], [3, 5, 6.5], [0, 7, 8]]


def test_paste_of_something_else_changes_nothing(qtbot, opened):
    dialog = opened(MATRIX)
    QGuiApplication.clipboard().setText("hello")
    qtbot.keyClick(go(dialog, 0, 0), Qt.Key.Key_V, CONTROL)
    assert "no table" in dialog.message.text()
    assert dialog.table.array.tolist() == MATRIX.tolist()


def test_delete_clears(qtbot, opened):
    dialog = opened(MATRIX)
    view = go(dialog, 0, 0)
    view.clearSelection()
    view.selectRow(1)
    qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert dialog.table.array.tolist() == [[1, 2], [0, 0]]


def test_resizing_by_shape(qtbot, opened):
    dialog = opened(MATRIX)
    field = dialog.table.shape_field
    field.selectAll()
    qtbot.keyClicks(field, "2, 3")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert dialog.isVisible()
    press_ok(qtbot, dialog)
    assert dialog.array.tolist() == [[1, 2, 0], [3, 4, 0]]


def test_more_axes_are_gone_through_slice_by_slice(qtbot, opened):
    dialog = opened(np.arange(12.0).reshape(3, 2, 2))
    (box,) = dialog.table.place_boxes
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Up)
    view = dialog.table.view
    assert view.table.data(view.table.index(0, 0)) == "4"
    type_into(qtbot, dialog, 0, 0, "40")
    press_ok(qtbot, dialog)
    assert dialog.array[1].tolist() == [[40, 5], [6, 7]]


def test_a_million_rows_open_at_once_and_nothing_is_copied(qtbot, opened):
    array = np.zeros((1_000_000, 3))
    dialog = opened(array)
    assert dialog.table.view.table.rowCount() == 1_000_000
    assert dialog.table.array is array
    type_into(qtbot, dialog, 0, 1, "5")
    press_ok(qtbot, dialog)
    assert dialog.array[0].tolist() == [0, 5, 0]
    assert array[0, 1] == 0.0


def test_pages_carry_over_what_was_made(qtbot, opened):
    dialog = opened(1.0)
    dialog.text.setPlainText("1 2; 3 4")
    dialog.tabs.setCurrentIndex(1)
    type_into(qtbot, dialog, 0, 0, "9")
    dialog.tabs.setCurrentIndex(0)
    assert dialog.text.toPlainText() == "9, 2; 3, 4"


def test_random_values_keep_their_seed(qtbot, opened):
    source = {"kind": "normal", "shape": [2, 3], "seed": 5}
    dialog = opened(make(source), source)
    assert dialog.tabs.currentIndex() == 2
    assert dialog.recipe.fields["seed"].text() == "5"
    press_ok(qtbot, dialog)
    assert dialog.source == source
    np.testing.assert_array_equal(dialog.array, make(source))


def test_a_look_at_the_table_does_not_forget_how_the_value_was_made(qtbot, opened):
    source = {"kind": "normal", "shape": [2, 3], "seed": 5}
    dialog = opened(make(source), source)
    dialog.tabs.setCurrentIndex(1)
    press_ok(qtbot, dialog)
    assert dialog.source == source
