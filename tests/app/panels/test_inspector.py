import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton

from app.panels.inspector import Inspector
from app.playback import Player
from core.graph import Backward


@pytest.fixture
def inspector(qtbot, shown, theme, document, evaluator):
    inspector = Inspector(document, theme)
    evaluator.evaluated.connect(inspector.show_snapshot)
    with qtbot.waitSignal(evaluator.evaluated):
        evaluator.evaluate()
    return shown(inspector)


def type_into(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_with_nothing_selected_it_says_what_to_do(inspector):
    assert inspector.view is None
    inspector.select({"n1"})
    inspector.select(())
    assert inspector.view is None


def test_a_leaf_shows_its_value_and_takes_another(qtbot, inspector, document, evaluator):
    inspector.select({"n1"})
    assert inspector.view.value.value_field.text() == "2, 3"
    assert inspector.view.state.values[0].text() == "[2, 3]"

    with qtbot.waitSignal(evaluator.evaluated):
        type_into(qtbot, inspector.view.value.value_field, "5, 1")
    assert document.undo_stack.undoText() == "Set x"
    assert inspector.view.state.values[0].text() == "[5, 1]"


def test_a_value_that_cannot_be_read_changes_nothing_and_says_why(qtbot, inspector, document):
    inspector.select({"n1"})
    field = inspector.view.value.value_field
    type_into(qtbot, field, "2, zwei")
    assert "'zwei' is not a number" in field.toolTip()
    assert field.property("invalid") == "true"
    assert not document.undo_stack.canUndo()


def test_undo_brings_the_old_value_back_into_the_field(qtbot, inspector, document):
    inspector.select({"n1"})
    type_into(qtbot, inspector.view.value.value_field, "7")
    document.undo_stack.undo()
    assert inspector.view.value.value_field.text() == "2, 3"


def test_requires_grad_and_dtype(qtbot, inspector, document):
    inspector.select({"n1"})
    box = inspector.view.value.requires_grad
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    assert document.graph.nodes["n1"].params["requires_grad"] is False

    inspector.view.value.dtype_box.textActivated.emit("float32")
    assert document.graph.nodes["n1"].params["value"].dtype == np.float32


def test_a_taken_name_is_refused_at_the_field(qtbot, inspector, document):
    inspector.select({"n2"})
    type_into(qtbot, inspector.view.head.name_field, "x")
    assert "taken" in inspector.view.head.name_field.toolTip()
    assert not document.undo_stack.canUndo()

    type_into(qtbot, inspector.view.head.name_field, "square")
    assert document.graph.nodes["n2"].name == "square"
    assert document.undo_stack.undoText() == "Rename y to square"


def test_a_wired_port_leads_to_its_source(qtbot, inspector):
    inspector.select({"n2"})
    button = inspector.view.ports.findChildren(QPushButton)[0]
    with qtbot.waitSignal(inspector.source_asked) as asked:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert asked.args == ["n1"]


def test_an_unwired_port_takes_a_typed_value_and_loses_it_when_emptied(
    qtbot, inspector, document, evaluator
):
    graph, add = document.graph.with_node("add")
    document.edit("Add add", graph)
    inspector.select({add})
    type_into(qtbot, inspector.view.ports.fields["a"], "1")
    with qtbot.waitSignal(evaluator.evaluated):
        type_into(qtbot, inspector.view.ports.fields["b"], "2")
    assert document.graph.nodes[add].inline["b"] == 2.0

    field = inspector.view.ports.fields["b"]
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert "b" not in document.graph.nodes[add].inline


def test_parameters_have_editors(qtbot, inspector, document):
    graph, total = document.graph.with_node("sum")
    document.edit("Add sum", graph)
    inspector.select({total})
    axis = inspector.view.params.editors["axis"].focusProxy()
    type_into(qtbot, axis, "0")
    assert document.graph.nodes[total].params["axis"] == 0
    assert document.undo_stack.undoText() == "Set sum.axis to 0"


def test_the_gradient_is_that_of_the_moment(qtbot, inspector, evaluator):
    player = Player()
    evaluator.traced.connect(player.add)
    player.loaded.connect(inspector.show_trace)
    player.moved.connect(inspector.show_moment)
    with qtbot.waitSignal(evaluator.performed):
        evaluator.perform(Backward((("n2", "y"),), (np.array([1.0, 0.0]),)))
    inspector.select({"n1"})
    assert inspector.view.state.grad.text() == "None"
    player.to_end()
    assert inspector.view.state.grad.text() == "[+4, 0]"

    inspector.select({"n2"})
    assert inspector.view.state.cotangents[0].text() == "[+1, 0]"
    assert inspector.view.state.vjp_rows["a"].text() == "[+2, 0]"
    assert inspector.view.state.saved_rows["a"].note() == "freed by backward 1"
    player.to_start()
    assert inspector.view.state.saved_rows["a"].note() == "16 B"


def test_several_nodes_are_summed_up(inspector):
    inspector.select({"n1", "n2"})
    assert inspector.view is None
    assert inspector.currentIndex() == 1


def test_deleting_the_selected_node_empties_it(inspector, document):
    inspector.select({"n2"})
    document.edit("Delete y", document.graph.without(["n2"]))
    assert inspector.view is None
    assert inspector.currentIndex() == 0
