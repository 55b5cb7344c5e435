import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.panels.backward_panel import BackwardPanel
from core.graph import Backward, Run, ZeroGrad


@pytest.fixture
def panel(qtbot, shown, theme, document, evaluator):
    panel = BackwardPanel(document, theme)
    evaluator.evaluated.connect(panel.show_snapshot)
    evaluator.performed.connect(panel.note_performed)
    panel.action_asked.connect(evaluator.perform)
    with qtbot.waitSignal(evaluator.evaluated):
        evaluator.evaluate()
    return shown(panel)


def click(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_root_is_the_output_that_nothing_uses(panel):
    assert [row.output for row in panel.rows] == [("n2", "y")]


def test_a_vector_needs_a_cotangent(panel):
    (row,) = panel.rows
    assert row.is_missing
    assert row.field.placeholderText() == "missing"
    assert row.field.property("invalid") == "true"


def test_a_scalar_starts_with_one(qtbot, panel, document, evaluator):
    graph, total = document.graph.with_node("sum", name="L")
    with qtbot.waitSignal(evaluator.evaluated):
        document.edit("Add L", graph.with_wire("n2", "y", total, "x")[0])
    (row,) = panel.rows
    assert row.output == (total, "y")
    assert not row.is_missing
    assert row.field.placeholderText() == "1"
    assert panel.action().cotangents is None


@pytest.mark.parametrize(
    ("button", "cotangent", "grad"),
    [("e₁", [1, 0], [4, 0]), ("e₂", [0, 1], [0, 6]), ("ones", [1, 1], [4, 6])],
)
def test_buttons_give_the_cotangents_people_ask_for(
    qtbot, panel, evaluator, button, cotangent, grad
):
    (row,) = panel.rows
    click(qtbot, next(b for b in row.buttons() if b.text() == button))
    assert row.cotangent.tolist() == cotangent
    with qtbot.waitSignal(evaluator.performed):
        click(qtbot, panel.backward_button)
    assert evaluator.snapshot.grads["n1"].tolist() == grad


def test_a_typed_cotangent_must_fit(qtbot, panel):
    (row,) = panel.rows
    qtbot.keyClicks(row.field, "1, 2, 3")
    qtbot.keyClick(row.field, Qt.Key.Key_Return)
    assert row.is_missing
    assert "This cotangent is 3, the root is 2." in row.missing.text()


def test_backward_without_a_cotangent_goes_to_the_field_and_says_why(qtbot, panel, evaluator):
    with qtbot.waitSignal(evaluator.failed) as failed:
        click(qtbot, panel.backward_button)
    assert failed.args[0].kind == "nonscalar_root"
    assert panel.rows[0].field.hasFocus()


def test_options_go_into_the_action(panel):
    panel.retain_graph.setChecked(True)
    panel.create_graph.setChecked(True)
    action = panel.action()
    assert action.retain_graph is True
    assert action.create_graph is True
    assert action.inputs is None


def test_roots_can_be_added_and_taken_away(panel):
    panel.set_roots([("n2", "y"), ("n1", "y")])
    assert [row.output[0] for row in panel.rows] == ["n2", "n1"]
    panel.rows[0].removed.emit()
    assert [row.output[0] for row in panel.rows] == ["n1"]


def test_a_deleted_root_is_no_root(qtbot, panel, document, evaluator):
    with qtbot.waitSignal(evaluator.evaluated):
        document.edit("Delete y", document.graph.without(["n2"]))
    assert panel.rows == []
    assert not panel.backward_button.isEnabled()


def test_what_was_done_is_kept_as_a_run(qtbot, panel, document, evaluator):
    panel.rows[0].set_cotangent(np.array([1.0, 0.0]))
    panel.retain_graph.setChecked(True)
    for _ in range(2):
        with qtbot.waitSignal(evaluator.performed):
            panel.run_backward()
    click(qtbot, panel.keep_button)

    (run,) = document.graph.runs
    assert len(run.actions) == 2
    assert document.undo_stack.undoText() == "Keep as Run 1"


def test_runs_are_renamed_played_and_deleted(qtbot, panel, document):
    run = Run("ones", (Backward((("n2", "y"),), (np.ones(2),)),))
    document.edit("Keep", document.graph.with_run(run))
    (row,) = panel.runs.rows
    with qtbot.waitSignal(panel.run_asked) as asked:
        click(qtbot, row.play)
    assert asked.args == [run]
    assert panel.rows[0].cotangent.tolist() == [1.0, 1.0]

    row.name_field.selectAll()
    qtbot.keyClicks(row.name_field, "both")
    qtbot.keyClick(row.name_field, Qt.Key.Key_Return)
    assert [run.name for run in document.graph.runs] == ["both"]

    click(qtbot, panel.runs.rows[0].delete)
    assert document.graph.runs == ()


def test_a_graph_with_runs_opens_with_the_first_one_set_up(qtbot, panel, document, evaluator):
    run = Run("first", (Backward((("n2", "y"),), (np.array([0.0, 1.0]),), retain_graph=True),))
    with qtbot.waitSignal(evaluator.evaluated):
        document.set_graph(document.graph.with_run(run))
    assert panel.rows[0].cotangent.tolist() == [0.0, 1.0]
    assert panel.retain_graph.isChecked()


def test_a_long_run_is_told_in_short(panel, document):
    step = (Backward((("n2", "y"),)), ZeroGrad())
    document.edit("Train", document.graph.with_run(Run("training", step * 20)))
    (does,) = (
        label
        for label in panel.runs.rows[-1].findChildren(QLabel)
        if label.text().startswith("backward from")
    )
    assert does.text().count("zero_grad") == 4
    assert does.text().endswith("; 32 more")
    assert does.toolTip().count("zero_grad") == 20
