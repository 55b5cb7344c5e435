"""The live code beside the canvas: it follows, it is followed, and it can be edited."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest

from app.panels.code import panel as panel_module
from core.export import TARGETS
from core.graph import INPUT, Backward, Graph, Run

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def user(make_user, square, qtbot):
    """y = x · x and t = tanh(y), the code in view."""
    user = make_user()
    graph, t = square.with_node("tanh", (600.0, 40.0), name="t")
    graph, _ = graph.with_wire(graph.named("y").id, "y", t, "x")
    with qtbot.waitSignal(user.tab.code.shown):
        user.document.set_graph(graph)
        user.window.docks.bring_up("code")
    user.canvas.frame_all(animated=False)
    return user


class Code:
    """What a person does with the panel."""

    def __init__(self, user, qtbot):
        self.panel = user.tab.code
        self.editor = self.panel.editor
        self._user, self._qtbot = user, qtbot

    @property
    def text(self):
        return self.editor.toPlainText()

    def line(self, text):
        """The number of the line, from 0."""
        return self.text.splitlines().index(text)

    def click_line(self, text):
        block = self.editor.document().findBlockByNumber(self.line(text))
        place = self.editor.blockBoundingGeometry(block).translated(self.editor.contentOffset())
        pos = QPoint(round(place.left()) + 20, round(place.center().y()))
        QTest.mouseClick(
            self.editor.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, pos
        )

    def retype(self, old, new):
        """Select a piece of the text and type another in its place."""
        self.editor.setFocus()
        cursor = self.editor.textCursor()
        start = self.text.index(old)
        cursor.setPosition(start)
        cursor.setPosition(start + len(old), QTextCursor.MoveMode.KeepAnchor)
        self.editor.setTextCursor(cursor)
        QTest.keyClicks(self.editor, new)

    def apply(self):
        with self._qtbot.waitSignal(self.panel.jobs.read):
            QTest.keyClick(self.editor, Qt.Key.Key_Return, CONTROL)
        self._user.until_idle()

    def choose(self, target):
        with self._qtbot.waitSignal(self.panel.shown):
            place = self.panel.tabs.tabRect(list(TARGETS).index(target)).center()
            QTest.mouseClick(self.panel.tabs, Qt.MouseButton.LeftButton, pos=place)


@pytest.fixture
def code(user, qtbot):
    return Code(user, qtbot)


def test_the_code_follows_every_edit(user, code, qtbot):
    assert "t = torch.tanh(y)" in code.text
    with qtbot.waitSignal(code.panel.shown):
        user.document.edit("Rename", user.graph.with_name(user.id("t"), "top"))
    assert "top = torch.tanh(y)" in code.text
    with qtbot.waitSignal(code.panel.shown):
        user.document.undo_stack.undo()
    assert "t = torch.tanh(y)" in code.text


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("numpy", "t = np.tanh(y)"),
        ("jax", "    t = jnp.tanh(y)"),
        ("latex", r"t &= \tanh y"),
    ],
)
def test_the_other_languages_are_one_click_away(user, code, target, words):
    code.choose(target)
    assert words in code.text
    assert code.editor.isReadOnly()
    code.choose("pytorch")
    assert not code.editor.isReadOnly()


def test_selecting_a_node_marks_its_lines(user, code):
    user.click(user.middle("t"))
    assert code.editor.lit[0] == code.line("t = torch.tanh(y)")
    assert code.panel.isVisible()  # the inspector did not come up over it
    user.click(user.middle("x"))
    assert code.line("t = torch.tanh(y)") not in code.editor.lit


def test_clicking_a_line_selects_its_node(user, code):
    code.click_line("y = x * x")
    assert user.canvas.selection == {user.id("y")}
    assert code.editor.lit[0] == code.line("y = x * x")


def test_one_click_copies(user, code):
    user.press_button(code.panel.copy_button)
    assert QGuiApplication.clipboard().text() == f"{code.text}\n"


def test_edited_code_is_the_graph_in_one_undo(user, code, qtbot):
    before = user.graph
    places = {node.name: node.pos for node in before.nodes.values()}
    code.retype("torch.tanh(y)", "torch.exp(y) + x")
    assert code.panel.footer.apply_button.isVisible()
    with qtbot.waitSignal(code.panel.shown):
        code.apply()
    assert user.document.undo_stack.undoText() == "Edit the code"
    t = user.graph.named("t")
    assert t.op == "add"
    assert t.id == before.named("t").id
    assert {n: user.graph.named(n).pos for n in places} == places
    assert user.graph.nodes[user.id("x")] is before.nodes[before.named("x").id]
    assert user.graph.named("exp").pos not in places.values()
    np.testing.assert_allclose(user.rows("t")["value"], [np.exp(4) + 2, np.exp(9) + 3])
    assert not code.panel.footer.apply_button.isVisible()
    user.document.undo_stack.undo()
    assert user.graph is before


def test_text_that_means_the_same_is_no_edit(user, code, qtbot):
    before = user.graph
    code.retype("y = x * x", "y = x  *  x  # the square")
    with qtbot.waitSignal(code.panel.shown):
        code.apply()
    assert user.graph is before
    assert "the square" not in code.text


def test_an_error_stands_at_its_line_and_the_text_stays(user, code):
    before = user.graph
    code.retype("torch.tanh(y)", "torch.tan(nothing)")
    code.apply()
    assert user.graph is before
    assert "t = torch.tan(nothing)" in code.text
    assert code.editor.wrong == code.line("t = torch.tan(nothing)")
    assert "Line 8" in code.panel.footer.note.text()
    assert "nothing" in code.panel.footer.note.text()
    user.press_button(code.panel.footer.discard_button)
    assert not code.panel.is_edited


def test_an_edit_of_the_graph_does_not_overwrite_the_text(user, code, qtbot):
    code.retype("torch.tanh(y)", "torch.sin(y)")
    user.document.edit("Rename", user.graph.with_name(user.id("x"), "start"))
    user.until_idle()
    code.panel.show_snapshot(code.panel._snapshot)
    assert "t = torch.sin(y)" in code.text
    with qtbot.waitSignal(code.panel.shown):
        user.press_button(code.panel.footer.discard_button)
    assert "y = start * start" in code.text


def test_what_backward_would_do_is_written(user, code, qtbot):
    assert "backward" not in code.text  # the cotangent is missing
    user.window.docks.bring_up("backward")
    user.press_button(user.tab.backward.rows[0].buttons()[-1])  # ones
    user.tick(user.tab.backward.retain_graph)
    with qtbot.waitSignal(code.panel.shown):
        user.window.docks.bring_up("code")
    assert "t.backward(torch.tensor([1.0, 1.0]), retain_graph=True)" in code.text


def test_a_run_can_be_chosen_and_edited(user, code, qtbot):
    root = (user.id("t"), "y")
    run = Run("steep", (Backward((root,), (np.array([1.0, 0.0]),)),))
    user.document.edit("Keep a run", user.graph.with_run(run))
    with qtbot.waitSignal(code.panel.shown):
        code.panel.runs.setFocus()
        QTest.keyClick(code.panel.runs, Qt.Key.Key_Down)
        QTest.keyClick(code.panel.runs, Qt.Key.Key_Return)
    code.retype("t.backward(torch.tensor([1.0, 0.0]))", "t.backward(torch.tensor([0.0, 3.0]))")
    code.apply()
    (changed,) = user.graph.runs
    assert changed.name == "steep"
    assert changed.actions[0].roots == (root,)
    assert changed.actions[0].cotangents[0].tolist() == [0.0, 3.0]
    assert user.graph.nodes == user.document.graph.nodes


def test_a_huge_graph_is_written_only_when_asked_for(user, code, qtbot, monkeypatch):
    monkeypatch.setattr(panel_module, "MOST_NODES", 5)
    graph = Graph()
    for k in range(6):
        graph, _ = graph.with_node(INPUT, (0.0, 200.0 * k))
    user.document.set_graph(graph)
    user.until_idle()
    qtbot.waitUntil(code.panel.footer.anyway_button.isVisible)
    assert "6 nodes" in code.panel.footer.note.text()
    assert code.text == ""
    with qtbot.waitSignal(code.panel.shown):
        user.press_button(code.panel.footer.anyway_button)
    assert "torch.tensor" in code.text
    assert not code.panel.footer.anyway_button.isVisible()
