"""A student builds y = x² at x = (2, 3) and asks three times where the gradient comes from."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

CASES = [([1.0, 1.0], [4.0, 6.0]), ([1.0, 0.0], [4.0, 0.0]), ([0.0, 1.0], [0.0, 6.0])]


def build_with_the_mouse(user):
    window = user.window
    entry = window.palette_panel.entry
    window.palette_panel.chosen.emit(entry("leaf"))
    user.until_idle()
    field = window.current.inspector.view.value.value_field
    field.setFocus()
    field.selectAll()
    user.type("2, 3")
    user.key(Qt.Key.Key_Return)
    user.drag(user.output("x"), user.output("x") + QPoint(150, -40))
    user.type("multiply")
    user.key(Qt.Key.Key_Return)
    user.canvas.finish_animation()
    user.drag(user.output("x"), user.input("multiply", "b"))
    user.until_idle()


@pytest.mark.parametrize(("cotangent", "grad"), CASES)
def test_with_the_mouse(user, cotangent, grad):
    build_with_the_mouse(user)
    assert user.rows("multiply")["value"] == [4.0, 9.0]

    (row,) = user.tab.backward.rows
    assert row.is_missing
    text = {(1.0, 1.0): "ones", (1.0, 0.0): "e₁", (0.0, 1.0): "e₂"}[tuple(cotangent)]
    user.window.docks["backward"].raise_()
    assert user.rows("multiply")["cotangent"] == "missing"
    user.press_button(next(b for b in row.buttons() if b.text() == text))
    assert user.rows("multiply")["cotangent"] == cotangent
    user.press_button(user.tab.backward.backward_button)
    user.play_to_end()

    assert user.rows("x")["grad"] == grad
    assert user.rows("multiply")["cotangent"] == cotangent
    np.testing.assert_array_equal(user.tab.evaluator.snapshot.grads[user.id("x")], grad)


@pytest.mark.parametrize(("cotangent", "grad"), CASES)
def test_with_the_keyboard_alone(user, cotangent, grad):
    user.add("leaf")
    user.key(Qt.Key.Key_Return)  # edit the first field
    user.focus().selectAll()
    user.type("2 3")
    user.key(Qt.Key.Key_Return)
    assert user.focus() is user.canvas  # so that Tab is the palette again
    user.add("square")  # wired to x, which is selected
    user.until_idle()
    assert user.rows("square")["value"] == [4.0, 9.0]

    user.key(Qt.Key.Key_F5)  # no cotangent yet: goes to the field that needs one
    user.until_idle()
    assert user.focus() is user.tab.backward.rows[0].field
    user.type(" ".join(map(str, cotangent)))
    user.key(Qt.Key.Key_Return)
    user.key(Qt.Key.Key_F5)
    user.play_to_end()

    assert user.rows("x")["grad"] == grad


def test_a_missing_cotangent_is_said_once_and_until_backward_runs(user):
    build_with_the_mouse(user)
    messages = user.tab.messages
    for _ in range(2):
        user.press_button(user.tab.backward.backward_button)
        user.until_idle()
    assert [card.error.kind for card in messages.cards] == ["nonscalar_root"]

    user.tab.backward.rows[0].set_cotangent(np.array([1.0, 0.0]))
    user.press_button(user.tab.backward.backward_button)
    user.play_to_end()
    assert user.rows("x")["grad"] == [4.0, 0.0]
    assert messages.cards == []


def test_the_second_backward_is_refused_and_repaired_by_a_button(user):
    build_with_the_mouse(user)
    window = user.window
    window.current.backward.rows[0].set_cotangent(np.array([1.0, 1.0]))
    for _ in range(2):
        user.key(Qt.Key.Key_F5, on=user.canvas)
        user.until_idle()
    card = window.current.messages.cards[0]
    assert card.error.kind == "graph_freed"
    assert user.canvas.selection == {user.id("multiply")}
    user.play_to_end()
    assert user.rows("x")["grad"] == [4.0, 6.0]
    assert "backward 1 freed them" in user.message("multiply")
    assert user.message("multiply").startswith("multiply needs")  # its name is above that

    user.press_button(card.buttons["retain"])
    user.until_idle()
    user.key(Qt.Key.Key_F5, on=user.canvas)
    user.play_to_end()
    assert window.current.messages.cards == []
    assert user.message("multiply") == ""
    assert user.rows("x")["grad"] == [8.0, 12.0]


def test_a_run_that_stopped_is_repaired_and_played_again(user):
    build_with_the_mouse(user)
    backward = user.window.current.backward
    backward.rows[0].set_cotangent(np.array([1.0, 1.0]))
    action = backward.action()
    backward.runs.keep((action, action))
    user.press_button(backward.runs.rows[0].play)
    user.play_to_end()
    card = user.window.current.messages.cards[0]

    user.press_button(card.buttons["retain"])
    user.until_idle()
    assert user.window.current.messages.cards == []
    assert user.window.current.evaluator.snapshot.grads[user.id("x")].tolist() == [8.0, 12.0]
    assert len(user.window.current.player.traces) == 2
    (kept,) = user.document.graph.runs
    assert [action.retain_graph for action in kept.actions] == [True, None]

    user.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier, on=user.canvas)
    assert user.document.graph.runs[0].actions == (action, action)


def test_forward_again_repairs_it_too(user):
    build_with_the_mouse(user)
    window = user.window
    window.current.backward.rows[0].set_cotangent(np.array([1.0, 1.0]))
    for _ in range(2):
        user.key(Qt.Key.Key_F5, on=user.canvas)
        user.until_idle()
    user.press_button(window.current.messages.cards[0].buttons["forward"])
    user.key(Qt.Key.Key_F5, on=user.canvas)
    user.play_to_end()
    assert user.rows("x")["grad"] == [8.0, 12.0]


def test_an_edit_makes_the_values_new_and_keeps_the_gradient(user):
    build_with_the_mouse(user)
    window = user.window
    window.current.backward.rows[0].set_cotangent(np.array([1.0, 1.0]))
    user.key(Qt.Key.Key_F5, on=user.canvas)
    user.play_to_end()
    after = user.graph.with_params(user.id("x"), value=[5.0, 7.0])
    user.document.edit("Set x", after)
    user.until_idle()
    assert user.rows("multiply")["value"] == [25.0, 49.0]
    assert window.current.player.stale
    assert window.current.evaluator.snapshot.grads[user.id("x")].tolist() == [4.0, 6.0]


def test_undo_all_and_redo_all(user):
    build_with_the_mouse(user)
    user.click(user.middle("multiply"))
    user.key(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier, on=user.canvas)
    user.key(Qt.Key.Key_Delete, on=user.canvas)
    last, stack = user.graph, user.document.undo_stack
    while stack.canUndo():
        user.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier, on=user.canvas)
    assert user.graph.nodes == {}
    while stack.canRedo():
        user.key(Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier, on=user.canvas)
    assert user.graph is last
    user.until_idle()
    assert user.rows("multiply")["value"] == [4.0, 9.0]
