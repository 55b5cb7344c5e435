"""ONNX models and programs are opened as new graphs, and graphs exported as models."""

import numpy as np
import pytest
from onnx import load_model
from onnx.helper import make_node as node
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog

from tests.core.onnx.models import model, value

LEFT, COPY = Qt.MouseButton.LeftButton, Qt.DropAction.CopyAction


def opened(qtbot, user, path):
    """Open a file as File > Open does; waits until it is there or refused."""
    with qtbot.waitSignal(user.window.opener.settled):
        user.window.opener.open_path(path)
    user.until_idle()


@pytest.fixture
def classifier(tmp_path):
    """tanh(x W) with an operator that is not here behind it."""
    nodes = [
        node("MatMul", ["x", "layer.W"], ["h"], "/layer/MatMul"),
        node("Tanh", ["h"], ["a"], "/layer/Tanh"),
        node("Hardmax", ["a"], ["choice"], "/head/Hardmax"),
    ]
    weights = {"layer.W": np.ones((3, 2), np.float32)}
    proto = model(nodes, [value("x", [1, 3])], ["a", "choice"], weights)
    path = tmp_path / "classifier.onnx"
    path.write_bytes(proto.SerializeToString())
    return path


def test_a_model_opens_as_a_new_graph_with_its_notes(qtbot, user, classifier):
    opened(qtbot, user, classifier)

    assert user.document.path is None
    assert user.document.title == "classifier"
    assert user.graph.named("layer.W").params["requires_grad"]
    assert user.graph.named("a").op == "tanh"
    assert "onnx.Hardmax" in user.message("choice")
    note = user.tab.messages.cards[0]
    assert "'choice' (onnx.Hardmax)" in note.what.text()
    assert user.window.settings.recent() == [classifier]


def test_a_program_opens_up_to_its_error(qtbot, user, tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import torch\nx = torch.ones(2, requires_grad=True)\ny = x.sin()\noops()")
    opened(qtbot, user, path)

    assert user.graph.named("y").op == "sin"
    assert "line 4" in user.tab.messages.cards[0].what.text()


def test_a_file_that_is_no_model_changes_nothing(qtbot, user, tmp_path):
    path = tmp_path / "broken.onnx"
    path.write_bytes(b"no model")
    before = user.document
    opened(qtbot, user, path)

    assert user.document is before
    assert not user.graph.nodes
    assert "no ONNX model" in user.tab.messages.cards[0].what.text()


def test_two_models_dropped_on_the_window_open_in_two_tabs(qtbot, user, classifier, tmp_path):
    again = tmp_path / "again.onnx"
    again.write_bytes(classifier.read_bytes())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in (classifier, again)])
    how = (COPY, data, LEFT, Qt.KeyboardModifier.NoModifier)
    entering = QDragEnterEvent(QPoint(500, 400), *how)
    QApplication.sendEvent(user.window, entering)
    assert entering.isAccepted()
    settled = []
    user.window.opener.settled.connect(lambda: settled.append(user.document.title))
    QApplication.sendEvent(user.window, QDropEvent(QPointF(500, 400), *how))
    qtbot.waitUntil(lambda: len(settled) == 2)
    user.until_idle()
    assert [tab.document.title for tab in user.window.tabs] == ["classifier", "again"]


def test_a_graph_is_exported_as_a_model(qtbot, user, tmp_path, monkeypatch):
    path = tmp_path / "square.onnx"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    user.add("leaf")
    user.add("square")
    with qtbot.waitSignal(user.tab.model_export.written):
        user.window.action_table["export_model"].trigger()

    assert [n.op_type for n in load_model(path).graph.node] == ["Mul"]
    assert user.document.path is None  # exporting is not saving


def test_a_node_that_onnx_cannot_tell_is_named(qtbot, user, tmp_path, monkeypatch):
    path = tmp_path / "inverse.onnx"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    graph, x = user.graph.with_node("input", params={"value": np.eye(2)})
    graph, inverse = graph.with_node("linalg.inv", (300, 0), name="inverted")
    user.document.edit("Add", graph.with_wire(x, "y", inverse, "x")[0])
    user.until_idle()
    with qtbot.waitSignal(user.tab.model_export.failed):
        user.window.action_table["export_model"].trigger()

    assert "'inverted'" in user.tab.messages.cards[0].what.text()
    assert not path.exists()


def test_an_empty_graph_is_not_exported(user, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: pytest.fail("asked where to"))
    user.window.action_table["export_model"].trigger()

    assert "empty" in user.tab.messages.cards[0].what.text()
