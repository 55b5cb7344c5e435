"""Files of numbers are dropped on the canvas, on an input, on a port."""

import threading

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog

from app import importing
from app.panels.array_chooser import ArrayChooser


def mime(*paths):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drop(qtbot, user, place, *paths):
    """Drag files over the canvas and let go; waits until they are read."""
    data = mime(*paths)
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0))
    entering = QDragEnterEvent(place, *how)
    QApplication.sendEvent(user.canvas, entering)
    assert entering.isAccepted()
    QApplication.sendEvent(user.canvas, QDragMoveEvent(place, *how))
    with qtbot.waitSignal(user.tab.value_files.finished):
        QApplication.sendEvent(user.canvas, QDropEvent(QPointF(place), *how))
    user.until_idle()


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "weights.npy"
    np.save(path, np.array([2.0, 3.0]))
    return path


def choose_when_asked(qtbot, names):
    """Select these rows in the dialog that is about to open, and press Import."""

    def choose():
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, ArrayChooser)
        dialog.arrays.clearSelection()
        for row in range(dialog.arrays.count()):
            item = dialog.arrays.item(row)
            item.setSelected(item.text().split()[0] in names)
        qtbot.mouseClick(dialog.ok_button, Qt.MouseButton.LeftButton)

    QTimer.singleShot(0, choose)


def test_on_the_canvas_a_file_becomes_an_input_where_it_was_dropped(qtbot, user, weights):
    place = QPoint(300, 200)
    drop(qtbot, user, place, weights)

    node = user.graph.named("weights")
    assert node.params["value"].tolist() == [2.0, 3.0]
    assert node.params["source"] == {"kind": "file", "file": "weights.npy"}
    assert user.canvas.hit(QPointF(place)).id == node.id
    assert user.canvas.selection == {node.id}
    assert user.rows("weights")["value"] == [2.0, 3.0]

    user.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier, on=user.canvas)
    assert not user.graph.nodes
    assert not user.document.undo_stack.canUndo()


def test_on_an_input_it_becomes_its_value(qtbot, user, weights):
    user.add("leaf")
    drop(qtbot, user, user.middle("x"), weights)

    assert list(user.graph.names) == ["x"]
    assert user.graph.named("x").params["value"].tolist() == [2.0, 3.0]
    assert user.graph.named("x").params["requires_grad"]
    assert user.document.undo_stack.undoText() == "Set x"


def test_on_an_operation_a_new_input_is_wired_to_the_port(qtbot, user, weights):
    user.add("multiply")
    drop(qtbot, user, user.input("multiply", "b"), weights)
    drop(qtbot, user, user.middle("multiply"), weights)

    wires = user.graph.wires_into(user.id("multiply"))
    assert {port: user.graph.nodes[w.source].name for port, w in wires.items()} == {
        "b": "weights",
        "a": "weights2",
    }
    assert user.rows("multiply")["value"] == [4.0, 9.0]
    assert user.document.undo_stack.count() == 3

    drop(qtbot, user, user.middle("multiply"), weights)
    assert "no free input" in user.tab.messages.cards[0].what.text()
    assert user.document.undo_stack.count() == 3


def test_of_an_archive_the_user_chooses(qtbot, user, tmp_path):
    path = tmp_path / "layer.npz"
    np.savez(path, W=np.ones((2, 3)), b=np.zeros(2), step=np.array(7))
    choose_when_asked(qtbot, {"W", "b"})
    drop(qtbot, user, QPoint(300, 200), path)

    assert set(user.graph.names) == {"W", "b"}
    assert user.graph.named("W").params["source"]["array"] == "W"
    assert user.document.undo_stack.undoText() == "Import 2 values"
    assert user.document.undo_stack.count() == 1


def test_several_tables_at_once_are_one_edit(qtbot, user, tmp_path):
    for name, text in (("a.csv", "1,5;2\n3;4"), ("b.txt", "5\n6")):
        (tmp_path / name).write_text(text)
    drop(qtbot, user, QPoint(300, 200), tmp_path / "a.csv", tmp_path / "b.txt")

    assert user.graph.named("a").params["value"].tolist() == [[1.5, 2.0], [3.0, 4.0]]
    assert user.graph.named("b").params["value"].tolist() == [5.0, 6.0]
    assert user.document.undo_stack.count() == 1


@pytest.mark.parametrize("where", ["canvas", "node"])
def test_a_bad_file_is_said_and_changes_nothing(qtbot, user, tmp_path, weights, where):
    bad = tmp_path / "bad.npy"
    bad.write_bytes(weights.read_bytes()[:-3])
    user.add("leaf")
    before, count = user.graph, user.document.undo_stack.count()
    drop(qtbot, user, user.middle("x") if where == "node" else QPoint(300, 200), bad)

    assert user.graph is before
    assert user.document.undo_stack.count() == count
    assert "bad.npy is cut short" in user.tab.messages.cards[0].what.text()


def test_one_bad_file_of_two_brings_neither(qtbot, user, tmp_path, weights):
    (tmp_path / "bad.csv").write_text("1,two")
    drop(qtbot, user, QPoint(300, 200), weights, tmp_path / "bad.csv")
    assert not user.graph.nodes


def test_import_values_in_the_file_menu(qtbot, user, weights, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(weights)], ""))
    with qtbot.waitSignal(user.tab.value_files.finished):
        user.key(
            Qt.Key.Key_O,
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
            on=user.canvas,
        )
    assert user.graph.named("weights").params["value"].tolist() == [2.0, 3.0]


def test_the_window_goes_on_while_a_long_file_is_read(qtbot, user, weights, monkeypatch):
    gate = threading.Event()

    def slow(path, name):
        assert gate.wait(10)
        return np.zeros(3)

    monkeypatch.setattr(importing, "read_array", slow)
    files = user.tab.value_files
    with qtbot.waitSignal(files.reading) as reading:
        files.drop([weights], QPointF(0, 0), None)
    assert reading.args == ["weights.npy"]
    user.add("leaf")  # the window is alive
    with qtbot.waitSignal(files.finished):
        gate.set()
    assert set(user.graph.names) == {"x", "weights"}


def test_what_was_asked_for_in_another_document_is_dropped(qtbot, user, weights, monkeypatch):
    files = user.tab.value_files
    with qtbot.waitSignal(files.finished):
        files.drop([weights], QPointF(0, 0), None)
        user.document.set_graph(user.graph)
    assert not user.graph.nodes


def test_twenty_six_megabytes(qtbot, user, tmp_path):
    path = tmp_path / "large.npy"
    np.save(path, np.random.default_rng(0).normal(size=(1300, 2500)))
    drop(qtbot, user, QPoint(300, 200), path)
    assert user.graph.named("large").params["value"].shape == (1300, 2500)
    assert user.tab.evaluator.snapshot.values[user.id("large")][0].shape == (1300, 2500)
