import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox

from app.panels.array_editor import ArrayDialog, ArrayField, fill
from core.errors import EditRefusedError


@pytest.fixture
def field(shown, theme):
    return shown(ArrayField(), 200, 40)


def ok(dialog):
    return dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok)


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


def test_the_dialog_takes_text_of_any_depth(qtbot, shown, theme):
    dialog = shown(ArrayDialog(np.array(1.0)), 420, 400)
    dialog.text.setPlainText("[[[1, 2], [3, 4]]]")
    qtbot.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)
    assert dialog.array.shape == (1, 2, 2)
    assert dialog.source is None


def test_what_is_wrong_is_said_and_the_dialog_stays(qtbot, shown, theme):
    dialog = shown(ArrayDialog(np.array(1.0)), 420, 400)
    dialog.text.setPlainText("1 2; 3")
    qtbot.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)
    assert dialog.isVisible()
    assert "Row 2" in dialog.message.text()


def test_a_matrix_is_edited_in_a_table(qtbot, shown, theme):
    dialog = shown(ArrayDialog(np.array([[1.0, 2.0], [3.0, 4.0]])), 420, 400)
    dialog.tabs.setCurrentIndex(1)
    dialog.table.item(1, 0).setText("-7")
    qtbot.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)
    assert dialog.array.tolist() == [[1.0, 2.0], [-7.0, 4.0]]


def test_random_values_keep_their_seed(qtbot, shown, theme):
    dialog = shown(ArrayDialog(np.zeros((2, 3))), 420, 400)
    dialog.tabs.setCurrentIndex(2)
    dialog.seed.setValue(5)
    qtbot.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)
    assert dialog.source == {"kind": "normal", "shape": [2, 3], "seed": 5}
    np.testing.assert_array_equal(dialog.array, fill(dialog.source, "float64"))

    again = shown(ArrayDialog(dialog.array, dialog.source), 420, 400)
    assert again.tabs.currentIndex() == 2
    assert again.seed.value() == 5


@pytest.mark.parametrize(
    ("source", "array"),
    [
        ({"kind": "range", "start": 0.0, "stop": 3.0, "step": 1.0}, [0.0, 1.0, 2.0]),
        ({"kind": "range", "start": 3.0, "stop": 0.0, "step": -1.5}, [3.0, 1.5]),
    ],
)
def test_ranges(source, array):
    assert fill(source, "float64").tolist() == array


@pytest.mark.parametrize("bounds", [(0.0, 3.0, 0.0), (0.0, np.inf, 1.0), (0.0, 1e12, 1.0)])
def test_a_range_without_end_is_refused(bounds):
    start, stop, step = bounds
    with pytest.raises(EditRefusedError):
        fill({"kind": "range", "start": start, "stop": stop, "step": step}, "float64")


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
