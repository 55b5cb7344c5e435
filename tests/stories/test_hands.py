"""What a hand does on the canvas: drags, clicks and keys, each one edit, each undone in one go."""

import random

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.canvas.editor import CanvasEditor
from core.files import dumps

SHIFT, CONTROL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
RIGHT = Qt.MouseButton.RightButton


@pytest.fixture
def user(make_user, square):
    """x times x, and a tanh that is not wired."""
    user = make_user()
    graph, _ = square.with_node("tanh", (300.0, 240.0), "t")
    user.document.set_graph(graph)
    user.until_idle()
    user.canvas.frame_all(animated=False)
    return user


def undo_text(user):
    return user.document.undo_stack.undoText()


def test_a_wire_dropped_on_a_port_connects(user):
    user.drag(user.output("y"), user.input("t", "x"))
    assert undo_text(user) == "Connect y to t.x"
    user.until_idle()
    assert user.rows("t")["value"] == pytest.approx([0.9993292997, 0.9999999695])


def test_a_wire_may_be_dropped_twenty_pixels_from_a_port_or_on_the_node(user):
    user.drag(user.output("y"), user.input("t", "x") - QPoint(14, 8))
    assert undo_text(user) == "Connect y to t.x"
    user.document.undo_stack.undo()
    user.drag(user.output("y"), user.middle("t"))
    assert undo_text(user) == "Connect y to t.x"


def test_a_loop_is_refused_with_its_reason(user):
    user.drag(user.output("y"), user.input("t", "x"))
    user.drag(user.output("t"), user.input("y", "a"))
    assert user.document.undo_stack.count() == 1
    assert "loop" in user.tab.messages.cards[0].what.text()


def test_a_wire_dropped_on_its_own_port_changes_nothing(user):
    user.drag(user.output("y"), user.output("y") + QPoint(6, 0))
    user.key(Qt.Key.Key_Escape, on=user.window.popup)
    assert user.document.undo_stack.count() == 0


def test_click_click_wiring(user):
    user.click(user.output("y"))
    QTest.mouseMove(user.canvas, user.input("t", "x"))
    user.click(user.input("t", "x"))
    assert undo_text(user) == "Connect y to t.x"
    assert user.canvas.gesture is None


def test_escape_cancels_a_wire(user):
    user.click(user.output("y"))
    assert user.canvas.gesture is not None
    user.key(Qt.Key.Key_Escape, on=user.canvas)
    assert user.canvas.gesture is None
    assert user.document.undo_stack.count() == 0


def test_an_input_can_be_dragged_to_an_output(user):
    user.drag(user.input("t", "x"), user.output("y"))
    assert undo_text(user) == "Connect y to t.x"


def test_a_wired_input_is_picked_up_and_moved(user):
    user.drag(user.input("y", "b"), user.input("t", "x"))
    wires = user.graph.wires_into(user.id("t"))
    assert wires["x"].source == user.id("x")
    assert "b" not in user.graph.wires_into(user.id("y"))
    assert user.document.undo_stack.count() == 1


def test_a_wired_input_dropped_on_nothing_with_shift_is_disconnected(user):
    user.drag(user.input("y", "b"), user.input("y", "b") + QPoint(-60, 120), SHIFT)
    assert "b" not in user.graph.wires_into(user.id("y"))
    assert not user.window.popup.isVisible()


def test_a_wire_dropped_on_nothing_asks_for_a_node(user):
    user.drag(user.output("y"), user.output("y") + QPoint(90, 30))
    user.type("sum")
    user.key(Qt.Key.Key_Return)
    assert user.graph.wires_into(user.id("sum"))["x"].source == user.id("y")
    assert user.document.undo_stack.count() == 1


def test_a_drag_moves_and_is_one_undo(user):
    before = user.graph.named("y").pos
    user.drag(user.middle("y"), user.middle("y") + QPoint(40, 60))
    assert user.graph.named("y").pos != before
    assert user.document.undo_stack.count() == 1
    assert undo_text(user) == "Move y"
    user.document.undo_stack.undo()
    assert user.graph.named("y").pos == before


def test_escape_puts_dragged_nodes_back(user):
    start = user.middle("y")
    QTest.mousePress(user.canvas, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(user.canvas, start + QPoint(50, 50))
    user.key(Qt.Key.Key_Escape, on=user.canvas)
    QTest.mouseRelease(user.canvas, Qt.MouseButton.LeftButton, pos=start + QPoint(50, 50))
    assert user.document.undo_stack.count() == 0
    row = user.canvas.geometry_arrays.row[user.id("y")]
    assert tuple(user.canvas.geometry_arrays.pos[row]) == user.graph.named("y").pos


def test_alt_drag_duplicates(user):
    user.drag(user.middle("y"), user.middle("y") + QPoint(0, 150), ALT)
    assert user.graph.named("y2").pos[1] > user.graph.named("y").pos[1]
    assert user.canvas.selection == {user.id("y2")}


def test_a_loose_node_dropped_on_a_wire_is_inserted(user):
    start, end = user.output("x"), user.input("y", "a")
    header = user.middle("t")
    # The middle of the node comes to lie on the middle of the wire.
    height = user.tab.editor.sizes()[user.id("t")][1]
    down = int((height / 2 - 15) * user.canvas.view.zoom)
    user.drag(header, (start + end) / 2 - QPoint(0, down))
    assert undo_text(user) == "Insert t"
    assert user.graph.wires_into(user.id("t"))["x"].source == user.id("x")
    assert any(w.source == user.id("t") for w in user.graph.wires_into(user.id("y")).values())


def test_a_rubber_band_selects_shift_adds_control_removes(user):
    corner = user.middle("x") - QPoint(150, 80)
    user.drag(corner, user.middle("x") + QPoint(20, 60))
    assert user.canvas.selection == {user.id("x")}
    user.drag(user.middle("t") + QPoint(-110, 190), user.middle("t"), SHIFT)
    assert user.canvas.selection == {user.id("x"), user.id("t")}
    user.drag(corner, user.middle("x") + QPoint(20, 60), CONTROL)
    assert user.canvas.selection == {user.id("t")}


def test_clicks_select_and_nothing_selects_nothing(user):
    user.click(user.middle("x"))
    user.click(user.middle("y"), SHIFT)
    assert user.canvas.selection == {user.id("x"), user.id("y")}
    user.click(user.middle("x"), CONTROL)
    assert user.canvas.selection == {user.id("y")}
    user.click(user.middle("x") - QPoint(0, 120))
    assert user.canvas.selection == frozenset()


def test_alt_click_breaks_a_wire_and_a_double_click_reroutes_it(user):
    place = (user.output("x") + user.input("y", "a")) / 2
    QTest.mouseDClick(user.canvas, Qt.MouseButton.LeftButton, pos=place)
    (wire,) = [w for w in user.graph.wires.values() if w.points]
    user.click(place, ALT)
    assert wire.id not in user.graph.wires
    assert undo_text(user) == "Delete a wire"


def test_the_knife_cuts_what_it_crosses(user):
    middle = (user.output("x") + user.input("y", "b")) / 2
    user.drag(middle - QPoint(0, 120), middle + QPoint(0, 120), CONTROL, RIGHT)
    assert user.graph.wires == {}
    assert undo_text(user) == "Delete 2 wires"


def test_a_double_click_on_nothing_opens_the_palette(user):
    place = user.middle("x") - QPoint(0, 130)
    QTest.mouseDClick(user.canvas, Qt.MouseButton.LeftButton, pos=place)
    user.type("relu")
    user.key(Qt.Key.Key_Return)
    assert user.graph.named("relu")


def test_copy_and_paste_as_text(user):
    user.key(Qt.Key.Key_A, CONTROL, on=user.canvas)
    user.key(Qt.Key.Key_C, CONTROL, on=user.canvas)
    assert QGuiApplication.clipboard().text().startswith("{")
    user.key(Qt.Key.Key_V, CONTROL, on=user.canvas)
    assert len(user.graph.nodes) == 6
    assert len(user.graph.wires) == 4

    QGuiApplication.clipboard().setText("a shopping list")
    user.key(Qt.Key.Key_V, CONTROL, on=user.canvas)
    assert len(user.graph.nodes) == 6
    assert user.tab.messages.cards[0].error.kind == "file"


def test_keys_on_the_selection(user):
    user.click(user.middle("x"))
    user.key(Qt.Key.Key_Right, on=user.canvas)
    assert user.canvas.selection == {user.id("y")}
    before = user.graph.named("y").pos
    for _ in range(3):
        user.key(Qt.Key.Key_Down, SHIFT, on=user.canvas)
    assert user.graph.named("y").pos == (before[0], before[1] + 72.0)
    assert user.document.undo_stack.count() == 1

    user.key(Qt.Key.Key_L, on=user.canvas)
    assert user.canvas.selection == {user.id("x"), user.id("y")}
    user.key(Qt.Key.Key_H, on=user.canvas)
    assert user.graph.named("y").collapsed
    user.key(Qt.Key.Key_G, CONTROL, on=user.canvas)
    assert len(user.graph.frames) == 1
    user.key(Qt.Key.Key_G, CONTROL | SHIFT, on=user.canvas)
    assert user.graph.frames == {}
    user.key(Qt.Key.Key_I, CONTROL, on=user.canvas)
    assert user.canvas.selection == {user.id("t")}
    user.key(Qt.Key.Key_Delete, on=user.canvas)
    assert "t" not in user.graph.names


def test_a_frame_takes_its_nodes_along(user):
    user.key(Qt.Key.Key_A, CONTROL, on=user.canvas)
    user.key(Qt.Key.Key_G, CONTROL, on=user.canvas)
    user.canvas.frame_all(animated=False)
    (frame,) = user.graph.frames.values()
    title = user.canvas.to_screen(QPointF(frame.rect[0] + 40, frame.rect[1] + 14)).toPoint()
    before = user.graph.named("x").pos
    user.drag(title, title + QPoint(30, 20))
    (moved,) = user.graph.frames.values()
    assert moved.rect[0] > frame.rect[0]
    assert user.graph.named("x").pos[0] - before[0] == pytest.approx(moved.rect[0] - frame.rect[0])


def test_a_frame_is_named_in_the_inspector(user):
    user.key(Qt.Key.Key_A, CONTROL, on=user.canvas)
    user.key(Qt.Key.Key_G, CONTROL, on=user.canvas)
    (frame,) = user.graph.frames
    user.canvas.select([frame])
    user.key(Qt.Key.Key_F2, on=user.canvas)
    user.type("Layer one")
    user.key(Qt.Key.Key_Return)
    assert user.graph.frames[frame].title == "Layer one"
    assert undo_text(user) == "Rename a frame"

    user.tick(user.tab.inspector.frame_view.no_grad)
    user.until_idle()
    assert user.graph.frames[frame].no_grad
    assert user.rows("y")["cotangent"] == "no grad"


def test_delete_in_a_text_field_deletes_text_not_nodes(user):
    user.click(user.middle("x"))
    user.tab.inspector.edit_name()
    user.key(Qt.Key.Key_Delete)
    assert "x" in user.graph.names


def test_space_plays_and_held_down_it_pans(user):
    user.tab.backward.set_roots([(user.id("y"), "y")])
    user.press_button(user.tab.backward.rows[0].buttons()[-1])
    user.canvas.setFocus()
    user.key(Qt.Key.Key_Space)  # nothing to play yet: runs backward
    user.until_idle()
    assert user.tab.player.is_playing
    user.key(Qt.Key.Key_Space)
    assert not user.tab.player.is_playing

    view = user.canvas.view
    QTest.keyPress(user.canvas, Qt.Key.Key_Space)
    user.drag(QPoint(500, 300), QPoint(540, 330))
    QTest.keyRelease(user.canvas, Qt.Key.Key_Space)
    assert user.canvas.view != view
    assert not user.tab.player.is_playing


def test_find_leads_to_a_node(user):
    user.key(Qt.Key.Key_F, CONTROL, on=user.canvas)
    finder = user.window.finder
    QTest.keyClicks(finder.field, "tan")
    QTest.keyClick(finder.field, Qt.Key.Key_Return)
    assert user.canvas.selection == {user.id("t")}


def test_a_row_of_the_palette_is_dropped_where_its_node_shall_be(user):
    palette = user.window.palette_panel
    row = next(i for i, r in enumerate(palette.model.rows) if getattr(r, "key", "") == "exp")
    data, place = palette.model.mimeData([palette.model.index(row)]), QPoint(300, 200)
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0))
    entering = QDragEnterEvent(place, *how)
    QApplication.sendEvent(user.canvas, entering)
    assert entering.isAccepted()
    QApplication.sendEvent(user.canvas, QDropEvent(QPointF(place), *how))

    node = user.graph.named("exp")
    hit = user.canvas.hit(QPointF(place))
    assert (hit.kind, hit.id) == ("node", node.id)
    assert user.canvas.selection == {node.id}


def test_five_hundred_random_steps_then_undo_everything_and_close(user):
    rng = random.Random(7)
    window, canvas = user.window, user.canvas
    first = dumps(user.graph)
    entries = [e for e in window.palette_panel.model.rows if not isinstance(e, str)]
    handlers = dict(window.current.keyboard.handlers())
    handlers["arrange"] = window.current.arranger.arrange_all
    for name in ("add_node", "frame_all"):
        handlers.pop(name)
    editor: CanvasEditor = window.current.editor
    for _ in range(500):
        nodes = list(user.graph.nodes)
        choice = rng.random()
        if choice < 0.15 and len(nodes) < 40:
            editor.add_in_view(rng.choice(entries))
        elif choice < 0.35 and nodes:
            source, target = rng.choice(nodes), rng.choice(nodes)
            user.drag(
                user.output(user.graph.nodes[source].name, canvas.geometry_arrays.ports[
                    canvas.geometry_arrays.row[source]].outputs[0]),
                user.middle(user.graph.nodes[target].name), SHIFT,
            )  # fmt: skip
        elif choice < 0.5 and nodes:
            canvas.select(rng.sample(nodes, min(3, len(nodes))))
        elif choice < 0.6:
            window.current.backward.run_backward()
        elif choice < 0.7:
            user.document.undo_stack.undo()
        elif choice < 0.75:
            user.document.undo_stack.redo()
        elif choice < 0.8:
            window.current.player.step()
        else:
            handlers[rng.choice(sorted(handlers))]()
    user.until_idle()
    while user.document.undo_stack.canUndo():
        user.document.undo_stack.undo()
    user.until_idle()
    assert dumps(user.graph) == first
