"""Functions by hand: make one, open it, edit it for two instances, play through it, flatten it."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from core.files import load
from core.graph import CALL

NEURON = Path(__file__).parents[2] / "resources" / "examples" / "4_neuron.pullback"
CTRL, ALT, SHIFT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


class Hands:
    """What a user does with functions, by keys and mouse."""

    def __init__(self, user):
        self.user = user

    def make(self, *names):
        """Select nodes by clicks and make a function of them."""
        user = self.user
        for k, name in enumerate(names):
            user.click(user.middle(name), SHIFT if k else Qt.KeyboardModifier.NoModifier)
        user.key(Qt.Key.Key_G, CTRL | ALT, on=user.canvas)
        user.until_idle()

    def open(self, name):
        """Double-click a node."""
        user = self.user
        user.canvas.finish_animation()
        QTest.mouseDClick(user.canvas, Qt.MouseButton.LeftButton, pos=user.middle(name))
        user.until_idle()
        user.canvas.finish_animation()

    def backward(self):
        """F5, and see all of it arrive."""
        self.user.key(Qt.Key.Key_F5, on=self.user.canvas)
        self.user.play_to_end()

    def grads(self):
        """The gradients of the leaves, by name."""
        grads = self.user.tab.evaluator.snapshot.grads
        names = {i: node.name for i, node in self.user.document.graph.nodes.items()}
        return {names[i]: None if g is None else g.tolist() for i, g in grads.items() if i in names}


@pytest.fixture
def neuron(make_user):
    """y = tanh(w·x + b), of which the sum is a function."""
    user = make_user(NEURON)
    user.hands = Hands(user)
    user.hands.make("w·x", "z")
    return user


def test_a_selection_becomes_a_function_node(neuron):
    call = neuron.graph.named("function")

    assert neuron.canvas.selection == {call.id}
    assert call.params["function"].inputs == ("w", "x", "b")
    assert "z" not in neuron.graph.names
    assert neuron.rows("function")["value"] == "1"
    content = neuron.canvas.picture.content(neuron.canvas.picture.geometry.row[call.id])
    assert content.stacked
    assert [port.name for port in content.inputs] == ["w", "x", "b"]


def test_a_function_lies_on_no_node_that_stays(make_user):
    user = make_user(NEURON)
    Hands(user).make("x", "w·x", "z", "y")  # b lies in the middle of them, and stays
    geometry = user.canvas.picture.geometry
    boxes = geometry.node_boxes(np.arange(len(geometry.nodes)))
    left, top, right, bottom = boxes[geometry.row[user.id("function")]]
    for row, (x, y, end, foot) in enumerate(boxes):
        if row != geometry.row[user.id("function")]:
            assert right <= x or end <= left or bottom <= y or foot <= top


def test_what_makes_no_function_is_said(make_user):
    user = make_user(NEURON)
    Hands(user).make("w·x", "y")

    assert "'z' lies between" in user.tab.messages.cards[0].what.text()
    assert user.document.undo_stack.count() == 0


def test_opened_and_left_by_click_key_and_escape(neuron):
    breadcrumb = neuron.tab.breadcrumb
    assert not breadcrumb.isVisible()
    call = neuron.id("function")

    neuron.hands.open("function")
    assert set(neuron.graph.names) == {"w", "x", "b", "w·x", "z", "y"}
    assert [button.text() for button in breadcrumb.buttons] == ["4_neuron", "function"]
    assert breadcrumb.isVisible()
    assert neuron.rows("w·x")["value"] == "4"
    neuron.press_button(breadcrumb.buttons[0])
    assert neuron.canvas.selection == {call}
    assert not breadcrumb.isVisible()

    neuron.key(Qt.Key.Key_I, on=neuron.canvas)
    assert neuron.tab.level.path == (call,)
    neuron.key(Qt.Key.Key_U, on=neuron.canvas)
    assert neuron.tab.level.path == ()
    neuron.key(Qt.Key.Key_Return, CTRL, on=neuron.canvas)
    assert neuron.tab.level.path == (call,)
    neuron.key(Qt.Key.Key_Escape, on=neuron.canvas)
    assert neuron.tab.level.path == ()


def test_the_view_is_where_it_was_when_coming_back(neuron):
    neuron.canvas.pan(37, -21)
    before = neuron.canvas.view

    neuron.hands.open("function")
    assert neuron.canvas.view != before
    neuron.key(Qt.Key.Key_U, on=neuron.canvas)
    assert neuron.canvas.view == before


def test_backward_plays_through_it_closed(neuron):
    neuron.hands.backward()
    player = neuron.tab.player

    assert [step.op for step in player.trace.steps] == ["tanh", "call", "", ""]
    assert neuron.rows("function")["cotangent"] == "+0.42"
    flows = {flow.port for flow in player.trace.steps[1].flows}
    assert flows == {"w", "b"}
    assert neuron.rows("b")["grad"] == "+0.42"
    call = neuron.id("function")
    assert {key[1] for key in player.moment.arrived if key[0] == call} == {"w", "b"}


def test_backward_plays_through_it_opened(neuron):
    neuron.hands.open("function")
    neuron.hands.backward()
    player = neuron.tab.player

    assert [step.op for step in player.trace.steps][:2] == ["pass", "add"]
    assert neuron.rows("w·x")["cotangent"] == "+0.42"
    assert neuron.rows("w")["cotangent"] == pytest.approx([-0.42, -0.84], abs=0.01)
    neuron.key(Qt.Key.Key_U, on=neuron.canvas)
    assert neuron.rows("b")["arriving"] == "+0.42"  # the moment at which the function is through
    player.to_end()
    assert neuron.rows("b")["grad"] == "+0.42"


def test_opening_it_while_it_plays_shows_the_same_moment(neuron):
    neuron.hands.backward()
    player = neuron.tab.player
    outer = player.schedule
    step = [step.op for step in outer.trace.steps].index("call")
    start, end = outer.step_starts[step], outer.step_ends[step]

    player.seek((start + end) / 2)
    neuron.hands.open("function")
    assert player.moment.time == pytest.approx(player.duration / 2)
    neuron.key(Qt.Key.Key_U, on=neuron.canvas)
    assert player.moment.time == pytest.approx((start + end) / 2)
    player.seek(float(start) / 2)
    neuron.hands.open("function")
    assert player.moment.time == 0


def test_an_edit_inside_reaches_both_instances(neuron):
    neuron.click(neuron.middle("function"))
    neuron.key(Qt.Key.Key_D, CTRL, on=neuron.canvas)
    neuron.until_idle()
    assert neuron.rows("function2")["value"] == "1"

    neuron.hands.open("function2")
    inner = neuron.graph.named("z")
    (wire,) = [w for w in neuron.graph.wires_into(inner.id).values() if w.port == "b"]
    neuron.click(_on_wire(neuron, wire.id))
    neuron.key(Qt.Key.Key_Delete, on=neuron.canvas)
    neuron.until_idle()
    neuron.key(Qt.Key.Key_U, on=neuron.canvas)

    assert "needs b" in neuron.message("function")
    assert "needs b" in neuron.message("function2")
    neuron.key(Qt.Key.Key_Z, CTRL, on=neuron.canvas)
    neuron.until_idle()
    assert neuron.tab.level.names[-1] == "function2"  # to where it can be seen
    neuron.key(Qt.Key.Key_U, on=neuron.canvas)
    assert neuron.rows("function")["value"] == neuron.rows("function2")["value"] == "1"


def test_the_message_of_an_inner_error_leads_inside(neuron):
    neuron.hands.open("function")
    z = neuron.graph.named("z")
    neuron.click(_on_wire(neuron, neuron.graph.wires_into(z.id)["b"].id))
    neuron.key(Qt.Key.Key_Delete, on=neuron.canvas)
    neuron.until_idle()
    neuron.key(Qt.Key.Key_U, on=neuron.canvas)
    cards = neuron.tab.messages.cards
    assert len(cards) == 1  # not said again for the function node
    neuron.tab.messages.node_asked.emit(cards[0].error.node)

    assert neuron.tab.level.names[-1] == "function"
    assert neuron.canvas.selection == {z.id}


def test_the_last_result_cannot_be_deleted(neuron):
    neuron.hands.open("function")
    neuron.click(neuron.middle("y"))
    neuron.key(Qt.Key.Key_Delete, on=neuron.canvas)

    assert "would have no result" in neuron.tab.messages.cards[0].what.text()
    assert "y" in neuron.graph.names


def test_flattened_the_gradients_are_the_same(neuron):
    neuron.hands.backward()
    closed = neuron.hands.grads()
    neuron.key(Qt.Key.Key_F5, CTRL, on=neuron.canvas)
    neuron.click(neuron.middle("function"))
    neuron.key(Qt.Key.Key_G, CTRL | ALT | SHIFT, on=neuron.canvas)
    neuron.until_idle()

    assert {"w·x", "z"} <= set(neuron.graph.names)
    assert all(node.op != CALL for node in neuron.graph.nodes.values())
    neuron.hands.backward()
    assert neuron.hands.grads() == closed


def test_saved_opened_again_and_played(neuron, make_user, tmp_path):
    path = tmp_path / "saved.pullback"
    neuron.hands.open("function")  # the whole document is saved, not what is shown
    neuron.tab.document.set_saved(path)
    neuron.key(Qt.Key.Key_S, CTRL, on=neuron.canvas)
    neuron.hands.backward()
    assert load(path).named("function").op == CALL

    copy = tmp_path / "copy.pullback"  # a file that is open is shown, not opened again
    copy.write_bytes(path.read_bytes())
    other = make_user(copy)
    other.hands = Hands(other)
    other.hands.backward()
    assert other.hands.grads() == neuron.hands.grads()


def test_copied_into_another_document(neuron, make_user):
    neuron.click(neuron.middle("function"))
    neuron.key(Qt.Key.Key_C, CTRL, on=neuron.canvas)
    other = make_user()
    other.key(Qt.Key.Key_V, CTRL, on=other.canvas)
    other.until_idle()

    assert other.graph.named("function").label == "function"
    Hands(other).open("function")
    assert "z" in other.graph.names
    QApplication.clipboard().clear()


def test_each_step_is_one_undo_and_all_can_be_undone(neuron):
    before = load(NEURON)
    neuron.hands.open("function")
    neuron.click(neuron.middle("b"))
    neuron.key(Qt.Key.Key_F2, on=neuron.canvas)
    neuron.type("bias")
    neuron.key(Qt.Key.Key_Return)
    neuron.drag(neuron.middle("z"), neuron.middle("z") + QPoint(10, 40))
    neuron.key(Qt.Key.Key_U, on=neuron.canvas)
    assert neuron.graph.named("function").params["function"].inputs == ("w", "x", "bias")
    neuron.click(neuron.middle("function"))
    neuron.key(Qt.Key.Key_G, CTRL | ALT | SHIFT, on=neuron.canvas)
    neuron.until_idle()

    stack = neuron.document.undo_stack
    assert [stack.text(i) for i in range(stack.count())] == [
        "Make function", "Rename b to bias", "Move z", "Flatten function",
    ]  # fmt: skip
    for _ in range(stack.count()):
        neuron.key(Qt.Key.Key_Z, CTRL, on=neuron.canvas)
    neuron.until_idle()
    assert neuron.document.graph.nodes.keys() == before.nodes.keys()
    assert not neuron.document.graph.functions
    for _ in range(stack.count()):
        neuron.key(Qt.Key.Key_Z, CTRL | SHIFT, on=neuron.canvas)
    assert "function" not in neuron.graph.names
    assert not stack.canRedo()


def test_undoing_what_made_an_open_function_leads_out_of_it(neuron):
    neuron.hands.open("function")
    neuron.key(Qt.Key.Key_Z, CTRL, on=neuron.canvas)
    neuron.until_idle()

    assert neuron.tab.level.path == ()
    assert not neuron.tab.breadcrumb.isVisible()
    assert neuron.rows("z")["value"] == "1"


def test_a_function_in_a_function(neuron):
    neuron.hands.make("function", "y")
    neuron.hands.open("function2")
    neuron.hands.open("function")

    assert [b.text() for b in neuron.tab.breadcrumb.buttons] == [
        "4_neuron",
        "function2",
        "function",
    ]
    neuron.hands.backward()
    assert neuron.rows("z")["cotangent"] == "+0.42"
    neuron.press_button(neuron.tab.breadcrumb.buttons[0])
    assert neuron.tab.level.path == ()
    np.testing.assert_allclose(neuron.hands.grads()["b"], 0.41997, rtol=1e-3)


def test_backward_cannot_start_inside(neuron):
    neuron.hands.open("function")
    neuron.click(neuron.middle("z"))
    neuron.key(Qt.Key.Key_R, on=neuron.canvas)

    assert "only outside of functions" in neuron.tab.messages.cards[0].what.text()


def _on_wire(user, wire):
    geometry = user.canvas.geometry_arrays
    x, y = geometry.along(np.array([geometry.wire_row[wire]]), np.array([0.85]))
    return user.pixel((float(x[0]), float(y[0])))


def test_find_leads_inside_and_out_again(neuron):
    def find(words):
        neuron.key(Qt.Key.Key_F, CTRL, on=neuron.canvas)
        QTest.keyClicks(neuron.window.finder.field, words)
        QTest.keyClick(neuron.window.finder.field, Qt.Key.Key_Return)

    find("z add in function")
    assert neuron.tab.level.names[-1] == "function"
    assert neuron.canvas.selection == {neuron.id("z")}
    find("tanh")
    assert neuron.tab.level.path == ()
    assert {neuron.graph.nodes[i].label for i in neuron.canvas.selection} == {"tanh"}


def test_the_inside_is_arranged_and_wired_by_keys(neuron):
    neuron.hands.open("function")
    neuron.click(neuron.middle("b"))
    neuron.key(Qt.Key.Key_P, on=neuron.canvas)
    place = neuron.graph.named("b").pos
    neuron.key(Qt.Key.Key_L, CTRL, on=neuron.canvas)
    assert neuron.graph.named("b").pos == place
    assert neuron.graph.named("w·x").pos[0] < neuron.graph.named("z").pos[0]
    assert neuron.tab.level.names[-1] == "function"

    neuron.key(Qt.Key.Key_C, on=neuron.canvas)
    QTest.keyClicks(neuron.window.connector.field, "w·x.a")
    QTest.keyClick(neuron.window.connector.field, Qt.Key.Key_Return)
    assert neuron.graph.wires_into(neuron.id("w·x"))["a"].source == neuron.id("b")
    neuron.key(Qt.Key.Key_U, on=neuron.canvas)
    assert neuron.tab.level.path == ()


# -- the panels ------------------------------------------------------------------------------------


def test_the_palette_offers_the_functions_of_the_document(neuron):
    function = neuron.graph.named("function").params["function"]
    palette = neuron.window.palette_panel
    entry = palette.entry(f"function {function.id}")
    assert palette.model.rows[:2] == ["Functions", entry]
    assert entry.summary == "w, x, b → y"

    neuron.click(neuron.middle("b"))
    neuron.add("function")  # and is wired to b, which is selected
    neuron.until_idle()
    new = neuron.graph.named("function2")
    assert new.params["function"] is function
    assert neuron.graph.wires_into(new.id)["w"].source == neuron.id("b")

    neuron.hands.open("function")
    labels = [row if isinstance(row, str) else row.label for row in palette.model.rows[:3]]
    assert labels == ["Functions", "argument", "result"]  # a function does not hold itself
    neuron.canvas.select(())
    neuron.add("argument")
    neuron.key(Qt.Key.Key_U, on=neuron.canvas)
    assert len(neuron.graph.named("function2").params["function"].inputs) == 4


def test_another_tab_has_other_functions(neuron):
    palette = neuron.window.palette_panel
    neuron.key(Qt.Key.Key_N, CTRL, on=neuron.canvas)
    assert palette.model.rows[0] == "Values"
    neuron.key(Qt.Key.Key_Tab, CTRL, on=neuron.canvas)
    assert palette.model.rows[0] == "Functions"


def test_the_inspector_has_the_name_the_ports_and_the_way_inside(neuron, qtbot):
    fields = neuron.tab.inspector.view.function
    function = neuron.graph.named("function").params["function"]
    names = [field.text() for field in fields.port_fields.values()]
    assert names == ["w", "x", "b", "y"]

    def enter(field, text):
        count = neuron.document.undo_stack.count()
        field.setFocus()
        field.selectAll()
        neuron.type(text)
        neuron.key(Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: neuron.document.undo_stack.count() > count)

    enter(fields.name_field, "affine")
    assert neuron.graph.named("function").label == "affine"
    assert neuron.tab.inspector.view.function is fields
    enter(fields.port_fields[function.arguments[2].id], "bias")
    assert set(neuron.graph.wires_into(neuron.id("function"))) == {"w", "x", "bias"}

    neuron.press_button(neuron.tab.inspector.view.function.open_button)
    assert neuron.tab.level.names[-1] == "function"
    neuron.key(Qt.Key.Key_U, on=neuron.canvas)
    neuron.press_button(neuron.tab.inspector.view.function.flatten_button)
    assert "z" in neuron.graph.names


def test_a_name_that_is_taken_is_refused_in_the_field(neuron, qtbot):
    fields = neuron.tab.inspector.view.function
    field = fields.port_fields[neuron.graph.named("function").params["function"].arguments[0].id]
    field.setFocus()
    field.selectAll()
    neuron.type("z")
    neuron.key(Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: "'z' is taken" in field.toolTip())
    assert neuron.graph.named("function").params["function"].inputs[0] == "w"


def test_the_inspector_shows_the_vjps_of_the_function(neuron):
    neuron.hands.backward()
    neuron.canvas.select([neuron.id("function")])

    assert set(neuron.tab.inspector.view.state.vjp_rows) == {"w", "b"}


def test_a_function_is_deleted_from_the_palette_when_nothing_uses_it(neuron):
    palette = neuron.window.palette_panel

    def delete():
        row = palette.list.visualRect(palette.model.index(1)).center()
        palette.list.customContextMenuRequested.emit(row)
        menu = QApplication.activePopupWidget()
        assert [action.text() for action in menu.actions()] == ["Delete function"]
        neuron.key(Qt.Key.Key_Down, on=menu)
        neuron.key(Qt.Key.Key_Return, on=menu)

    delete()
    assert "is used by function" in neuron.tab.messages.cards[0].what.text()
    neuron.click(neuron.middle("function"))
    neuron.key(Qt.Key.Key_Delete, on=neuron.canvas)
    delete()
    assert not neuron.document.graph.functions
    assert palette.model.rows[0] == "Values"
    neuron.key(Qt.Key.Key_Z, CTRL, on=neuron.canvas)
    assert palette.model.rows[0] == "Functions"


def test_what_is_said_at_the_top_leaves_the_way_back_free(neuron):
    neuron.window.resize(900, 640)
    neuron.hands.open("function")
    page, breadcrumb = neuron.tab.page, neuron.tab.breadcrumb
    page.show_busy(True)
    (said,) = (label for label in page.findChildren(QLabel) if "Computing" in label.text())
    assert breadcrumb.isVisible()
    assert not breadcrumb.geometry().intersects(said.geometry())
    page.show_busy(False)


def test_what_is_found_can_be_read(neuron):
    neuron.canvas.zoom_to(0.05, animated=False)
    neuron.key(Qt.Key.Key_F, CTRL, on=neuron.canvas)
    QTest.keyClicks(neuron.window.finder.field, "tanh")
    neuron.key(Qt.Key.Key_Return, on=neuron.window.finder.field)
    neuron.canvas.finish_animation()
    assert neuron.canvas.view.zoom > 0.5
    assert neuron.canvas.rect().contains(neuron.middle("y"))


def test_nodes_in_functions_are_found_and_shown(neuron):
    neuron.key(Qt.Key.Key_F, CTRL, on=neuron.canvas)
    finder = neuron.window.finder
    QTest.keyClicks(finder.field, "w·x")
    neuron.key(Qt.Key.Key_Return, on=finder.field)

    assert neuron.tab.level.names[-1] == "function"
    assert neuron.canvas.selection == {neuron.id("w·x")}
    neuron.key(Qt.Key.Key_F, CTRL, on=neuron.canvas)
    QTest.keyClicks(finder.field, "tanh")
    neuron.key(Qt.Key.Key_Return, on=finder.field)
    assert neuron.tab.level.path == ()
    assert neuron.canvas.selection == {neuron.id("y")}


def test_inner_nodes_are_wired_by_keys_alone(neuron):
    neuron.hands.open("function")
    neuron.click(neuron.middle("x"))
    neuron.key(Qt.Key.Key_C, on=neuron.canvas)
    QTest.keyClicks(neuron.window.connector.field, "z.b")
    neuron.key(Qt.Key.Key_Return, on=neuron.window.connector.field)

    z = neuron.graph.named("z")
    assert neuron.graph.wires_into(z.id)["b"].source == neuron.id("x")
