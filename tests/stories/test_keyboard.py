"""Everything by keys: building, wiring, looking, finding, the clipboard, playback."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.graph import INPUT, Graph

Key = Qt.Key
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


def press(user, key, modifiers=Qt.KeyboardModifier.NoModifier):
    """A key on the canvas."""
    user.key(key, modifiers, on=user.canvas)


def undo_text(user):
    return user.document.undo_stack.undoText()


def leaf(user, value):
    """A leaf with a value, by keys alone."""
    user.add("leaf")
    user.key(Key.Key_Return)
    user.focus().selectAll()
    user.type(value)
    user.key(Key.Key_Return)
    assert user.focus() is user.canvas


def find(user, words):
    """Ctrl+F, words, Enter."""
    press(user, Key.Key_F, CONTROL)
    finder = user.window.finder
    QTest.keyClicks(finder.field, words)
    QTest.keyClick(finder.field, Key.Key_Return)


def connect(user, words):
    """C, words, Enter: a wire from the selected node."""
    press(user, Key.Key_C)
    connector = user.window.connector
    assert connector.isVisible()
    QTest.keyClicks(connector.field, words)
    QTest.keyClick(connector.field, Key.Key_Return)


def test_a_graph_with_two_branches_is_built_run_and_taken_apart(user):
    leaf(user, "2")
    press(user, Key.Key_Escape)
    leaf(user, "3")
    user.add("multiply")  # wired to the second leaf, which is selected
    names = [node.name for node in user.graph.nodes.values() if node.op == INPUT]
    find(user, names[0])
    connect(user, "multiply.b")
    assert undo_text(user) == f"Connect {names[0]} to multiply.b"
    assert user.canvas.selection == {user.id("multiply")}
    user.until_idle()
    assert user.rows("multiply")["value"] == "6"

    press(user, Key.Key_F5)
    user.play_to_end()
    assert user.rows(names[0])["grad"] == "+3"

    press(user, Key.Key_X)
    assert undo_text(user) == "Disconnect multiply"
    assert user.graph.wires == {}


def test_connecting_offers_only_ports_that_may_be_joined(user, square):
    graph, _ = square.with_node("tanh", (300.0, 240.0), "t")
    user.document.set_graph(graph)
    find(user, "y")
    press(user, Key.Key_C)
    offered = user.window.connector.list
    assert [offered.item(i).text() for i in range(offered.count())] == ["t.x tanh"]
    QTest.keyClick(user.window.connector.field, Key.Key_Escape)


@pytest.fixture
def shown(make_user, square):
    """x times x, and a log of a negative number."""
    user = make_user()
    params = {"value": np.array(-7.25), "requires_grad": True, "source": None}
    graph, low = square.with_node(INPUT, (0.0, 300.0), "low", params)
    graph, log = graph.with_node("log", (300.0, 300.0), "ln")
    graph, _ = graph.with_wire(low, "y", log, "x")
    graph, _ = graph.with_node("tanh", (600.0, 300.0), "lost")
    user.document.set_graph(graph)
    user.until_idle()
    user.canvas.frame_all(animated=False)
    return user


@pytest.mark.parametrize(
    ("words", "name"),
    [("ln", "ln"), ("multiply", "y"), ("-7.25", "low"), ("nan", "ln"), ("needs", "lost")],
    ids=["name", "operation", "value", "note", "error"],
)
def test_nodes_are_found_by(shown, words, name):
    find(shown, words)
    assert shown.canvas.selection == {shown.id(name)}
    assert shown.focus() is shown.canvas


# -- looking -------------------------------------------------------------------------------------


def test_keys_of_the_view(shown):
    canvas = shown.canvas
    canvas.set_reduced_motion(True)  # views jump
    find(shown, "low")
    press(shown, Key.Key_F)
    x, y = shown.graph.named("low").pos
    middle = canvas.to_screen(QPointF(x + 81, y + 60))
    assert (middle - QPointF(canvas.rect().center())).manhattanLength() < 120
    near = canvas.view.zoom
    press(shown, Key.Key_Home)
    assert canvas.view.zoom < near
    press(shown, Key.Key_0, CONTROL)
    assert canvas.view.zoom == 1.0
    press(shown, Key.Key_Equal, CONTROL)
    assert canvas.view.zoom > 1.0
    press(shown, Key.Key_Minus, CONTROL)
    press(shown, Key.Key_Minus, CONTROL)
    assert canvas.view.zoom < 1.0


# -- choosing and changing -----------------------------------------------------------------------


def test_shift_a_opens_the_palette_too(user):
    press(user, Key.Key_A, SHIFT)
    user.type("relu")
    user.key(Key.Key_Return)
    assert user.graph.named("relu")


def test_keys_of_the_selection(shown):
    def names():
        return {shown.graph.nodes[i].name for i in shown.canvas.selection}

    press(shown, Key.Key_A, CONTROL)
    assert names() == set(shown.graph.names)
    press(shown, Key.Key_A, CONTROL | SHIFT)
    assert names() == set()
    find(shown, "low")
    press(shown, Key.Key_L, SHIFT)
    assert names() == {"low", "ln"}
    press(shown, Key.Key_I, CONTROL)
    assert names() == {"x", "y", "lost"}
    find(shown, "low")
    press(shown, Key.Key_Up)
    assert names() == {"x"}
    press(shown, Key.Key_Right)
    press(shown, Key.Key_Down)
    press(shown, Key.Key_Left)
    assert names() == {"low"}


def test_f2_renames_and_enter_edits(shown):
    find(shown, "low")
    press(shown, Key.Key_F2)
    shown.type("lower")
    shown.key(Key.Key_Return)
    assert undo_text(shown) == "Rename low to lower"
    shown.canvas.setFocus()
    press(shown, Key.Key_Return)
    shown.focus().selectAll()
    shown.type("4")
    shown.key(Key.Key_Return)
    shown.until_idle()
    assert shown.rows("lower")["value"] == "4"


def test_cut_and_paste_keep_inner_wires_and_with_shift_the_outer_ones(shown):
    find(shown, "ln")
    press(shown, Key.Key_X, CONTROL)
    assert "ln" not in shown.graph.names
    assert QGuiApplication.clipboard().text().startswith("{")
    press(shown, Key.Key_V, CONTROL)
    assert shown.graph.wires_into(shown.id("ln")) == {}
    press(shown, Key.Key_Z, CONTROL)
    press(shown, Key.Key_V, CONTROL | SHIFT)
    assert shown.graph.wires_into(shown.id("ln"))["x"].source == shown.id("low")
    press(shown, Key.Key_A, CONTROL)
    press(shown, Key.Key_X, CONTROL)
    assert shown.graph.nodes == {}
    press(shown, Key.Key_V, CONTROL)
    assert len(shown.graph.wires) == 3


def test_duplicates_keep_what_feeds_them(shown):
    find(shown, "ln")
    press(shown, Key.Key_D, CONTROL)
    assert shown.graph.wires_into(shown.id("ln2"))["x"].source == shown.id("low")


def test_undo_and_both_keys_of_redo(shown):
    find(shown, "lost")
    press(shown, Key.Key_Backspace)
    gone = shown.graph
    for modifiers, key in ((CONTROL | SHIFT, Key.Key_Z), (CONTROL, Key.Key_Y)):
        press(shown, Key.Key_Z, CONTROL)
        assert "lost" in shown.graph.names
        press(shown, key, modifiers)
        assert shown.graph is gone


def test_what_changes_nothing_is_no_entry(shown):
    find(shown, "low")
    press(shown, Key.Key_X)  # nothing is wired to it
    press(shown, Key.Key_Down, SHIFT)
    press(shown, Key.Key_Up, SHIFT)
    assert shown.document.undo_stack.count() == 0


@pytest.mark.parametrize("where", ["the inspector", "the value on the node"])
def test_letters_typed_into_a_field_are_no_keys_of_the_canvas(shown, where):
    find(shown, "low")
    graph = shown.graph
    if where == "the inspector":
        press(shown, Key.Key_F2)
        field = shown.focus()
    else:
        QTest.mouseDClick(shown.canvas, Qt.MouseButton.LeftButton, pos=shown.middle("low"))
        field = shown.tab.value_on_node.field
    field.selectAll()
    QTest.keyClicks(field, "hxpscflr")
    QTest.keyClick(field, Key.Key_Backspace)
    assert field.text() == "hxpscfl"
    assert shown.graph is graph
    assert shown.canvas.selection == {shown.id("low")}
    QTest.keyClick(field, Key.Key_Escape)


# -- running -------------------------------------------------------------------------------------


def test_keys_of_playback(shown):
    shown.tab.backward.set_roots([(shown.id("ln"), "y")])
    press(shown, Key.Key_F5)
    shown.until_idle()
    player = shown.tab.player
    assert player.is_playing
    press(shown, Key.Key_Comma, SHIFT)
    assert player.moment.time == 0.0
    press(shown, Key.Key_Period)
    assert 0.0 < player.moment.time < player.duration
    press(shown, Key.Key_Period, SHIFT)
    assert player.moment.time == player.duration
    press(shown, Key.Key_Comma)
    assert player.moment.time < player.duration
    press(shown, Key.Key_F5, CONTROL)
    shown.until_idle()
    assert shown.rows("low")["grad"] == "None"


def test_a_question_mark_shows_the_keys(user):
    seen = []

    def look():
        dialog = QApplication.activeModalWidget()
        seen.append(dialog.windowTitle())
        dialog.reject()

    QTimer.singleShot(0, look)
    press(user, Key.Key_Question)
    assert seen == ["Keys and mouse"]


def test_an_empty_graph_takes_every_key_without_harm(user):
    assert user.graph.nodes == Graph().nodes
    for key in (Key.Key_F, Key.Key_Home, Key.Key_C, Key.Key_X, Key.Key_H, Key.Key_L, Key.Key_Left):
        press(user, key)
    assert user.document.undo_stack.count() == 0
