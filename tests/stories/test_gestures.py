"""What hands expect of the mouse, line by line: panning, zooming, wires, points, giving up."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

NO, SHIFT, CONTROL, ALT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
NOWHERE = QPoint()
LEFT, MIDDLE, RIGHT = (
    Qt.MouseButton.LeftButton,
    Qt.MouseButton.MiddleButton,
    Qt.MouseButton.RightButton,
)


@pytest.fixture
def user(make_user, square):
    """x times x, and a tanh that is not wired."""
    user = make_user()
    graph, _ = square.with_node("tanh", (300.0, 240.0), "t")
    user.document.set_graph(graph)
    user.until_idle()
    user.canvas.zoom_to(1.0, animated=False)
    user.canvas.settle()
    return user


def undo_text(user):
    return user.document.undo_stack.undoText()


def zoom_about_the_middle(user, zoom):
    user.canvas.zoom_to(zoom, animated=False)
    user.canvas.settle()


# -- looking around ------------------------------------------------------------------------------


@pytest.mark.parametrize(("button", "space"), [(MIDDLE, False), (LEFT, True)])
def test_dragging_pans_over_nodes_too(user, button, space):
    start, before = user.middle("y"), user.canvas.to_screen(QPointF(0, 0))
    if space:
        QTest.keyPress(user.canvas, Qt.Key.Key_Space)
    user.drag(start, start + QPoint(60, 40), button=button)
    if space:
        QTest.keyRelease(user.canvas, Qt.Key.Key_Space)
    assert panned(user, before) == pytest.approx((60, 40), abs=0.5)
    assert user.document.undo_stack.count() == 0


def panned(user, before):
    """How far the picture went; whole device pixels may be half a logical one off."""
    gone = user.canvas.to_screen(QPointF(0, 0)) - before
    return gone.x(), gone.y()


def wheel(user, at, *, notches=0.0, pixels=NOWHERE, modifiers=NO, touchpad=False):
    phase = Qt.ScrollPhase.ScrollUpdate if touchpad else Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(
        QPointF(at), QPointF(user.canvas.mapToGlobal(at)), pixels, QPoint(0, round(120 * notches)),
        Qt.MouseButton.NoButton, modifiers, phase, False,
    )  # fmt: skip
    QApplication.sendEvent(user.canvas, event)


def test_the_wheel_zooms_at_the_cursor_by_how_far_it_turned(user):
    at = user.middle("t")
    place = user.canvas.to_scene(QPointF(at))
    wheel(user, at, notches=1)
    once = user.canvas.view.zoom
    assert (user.canvas.to_scene(QPointF(at)) - place).manhattanLength() < 2
    wheel(user, at, notches=0.5)
    assert user.canvas.view.zoom / once == pytest.approx(once**0.5)
    wheel(user, at, notches=-1.5)
    assert user.canvas.view.zoom == pytest.approx(1.0)


def test_two_fingers_pan_and_with_control_they_zoom(user):
    at, before = user.middle("t"), user.canvas.to_screen(QPointF(0, 0))
    wheel(user, at, pixels=QPoint(30, -20), notches=-1, touchpad=True)
    assert panned(user, before) == pytest.approx((30, -20), abs=0.5)
    assert user.canvas.view.zoom == 1.0
    wheel(user, at, pixels=QPoint(0, 40), notches=1, modifiers=CONTROL, touchpad=True)
    assert user.canvas.view.zoom > 1.0


def test_the_wheel_can_be_told_to_pan_in_every_window(user, make_user):
    other = make_user()
    at, before = user.middle("t"), user.canvas.to_screen(QPointF(0, 0))
    user.window.action_table["wheel_pans"].trigger()
    wheel(user, at, notches=-1)
    assert user.canvas.view.zoom == 1.0
    assert user.canvas.to_screen(QPointF(0, 0)) - before == QPointF(0, -120)
    assert other.window.action_table["wheel_pans"].isChecked()
    wheel(user, at, notches=1, modifiers=CONTROL)
    assert user.canvas.view.zoom > 1.0


# -- wires ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("zoom", [0.25, 1.0, 3.0])
def test_a_wire_drops_on_a_port_twenty_pixels_away_at_any_zoom(user, zoom):
    zoom_about_the_middle(user, zoom)
    start = user.output("y")
    user.drag(start, user.input("t", "x") - QPoint(17, 0))
    assert undo_text(user) == "Connect y to t.x"


def test_a_wire_dropped_on_a_node_takes_its_first_free_port(user):
    user.document.set_graph(user.graph.without(wires=[user.graph.wires_into(user.id("y"))["a"].id]))
    user.drag(user.output("x"), user.middle("y"))
    assert set(user.graph.wires_into(user.id("y"))) == {"a", "b"}
    user.drag(user.output("t"), user.middle("y"))  # none is free: nothing is replaced by chance
    assert user.document.undo_stack.count() == 1


def test_a_loose_node_over_a_wire_lights_it_and_shift_keeps_it_loose(user):
    start, end = user.middle("t"), (user.output("x") + user.input("y", "a")) / 2
    height = user.tab.editor.sizes()[user.id("t")][1]
    end -= QPoint(0, int(height / 2 - 15))
    told = []
    user.canvas.hovered.connect(told.append)
    QTest.mousePress(user.canvas, LEFT, NO, start)
    QTest.mouseMove(user.canvas, (start + end) / 2)
    QTest.mouseMove(user.canvas, end)
    assert told[-1].kind == "wire"
    QTest.mouseRelease(user.canvas, LEFT, SHIFT, end)
    assert undo_text(user) == "Move t"
    assert told[-1] is None


def test_deleting_with_healing_leads_the_wire_past(user):
    user.drag(user.output("y"), user.input("t", "x"))
    start = user.output("t")
    user.drag(start, start + QPoint(120, 0))
    user.type("sum")
    user.key(Qt.Key.Key_Return)
    user.click(user.middle("t"))
    user.key(Qt.Key.Key_Delete, CONTROL, on=user.canvas)
    assert undo_text(user) == "Dissolve t"
    assert user.graph.wires_into(user.id("sum"))["x"].source == user.id("y")


def test_the_knife_opens_no_menu(user):
    """Some systems ask for the menu when the button comes up: the knife has ended then."""
    middle = (user.output("x") + user.input("y", "b")) / 2
    user.drag(middle - QPoint(0, 120), middle + QPoint(0, 120), CONTROL, RIGHT)
    pos = middle + QPoint(0, 120)
    reason = QContextMenuEvent.Reason.Mouse
    event = QContextMenuEvent(reason, pos, user.canvas.mapToGlobal(pos), CONTROL)
    QApplication.sendEvent(user.canvas, event)
    assert QApplication.activePopupWidget() is None
    assert user.graph.wires == {}


def test_a_right_click_selects_first_and_its_menu_acts(user):
    user.click(user.middle("x"))
    user.choose(user.middle("t"), "Delete")
    assert "t" not in user.graph.names
    assert "x" in user.graph.names


def test_a_right_click_keeps_a_selection_it_hits(user):
    user.click(user.middle("x"))
    user.click(user.middle("t"), SHIFT)
    user.choose(user.middle("t"), "Delete")
    assert undo_text(user) == "Delete 2 nodes"


# -- while the view moves --------------------------------------------------------------------------


def test_a_dragged_node_stays_under_the_mouse_while_the_view_moves(user):
    user.window.action_table["snaps"].trigger()
    start = user.middle("t")
    before = user.graph.named("t").pos
    QTest.mousePress(user.canvas, LEFT, NO, start)
    QTest.mouseMove(user.canvas, start + QPoint(40, 0))
    wheel(user, start + QPoint(40, 0), pixels=QPoint(-100, 30), touchpad=True)
    QTest.mouseMove(user.canvas, start + QPoint(41, 0))
    QTest.mouseRelease(user.canvas, LEFT, NO, start + QPoint(41, 0))
    x, y = user.graph.named("t").pos
    assert (x - before[0], y - before[1]) == pytest.approx((141.0, -30.0), abs=0.5)


@pytest.mark.parametrize("what", ["a node", "a wire", "a rubber band"])
def test_at_the_edge_the_view_moves_on_under_what_is_held(user, qtbot, what):
    canvas = user.canvas
    start, _, _ = starts(user)[what]
    edge = QPoint(canvas.width() - 4, start.y())
    QTest.mousePress(canvas, LEFT, NO, start)
    QTest.mouseMove(canvas, (start + edge) / 2)
    QTest.mouseMove(canvas, edge)
    gone = user.canvas.to_scene(QPointF(edge)).x() + 200.0
    qtbot.waitUntil(lambda: canvas.to_scene(QPointF(edge)).x() > gone)
    user.key(Qt.Key.Key_Escape, on=canvas)
    QTest.mouseRelease(canvas, LEFT, NO, edge)
    place = canvas.view
    qtbot.waitUntil(lambda: canvas.findChildren(QTimer, "edge") == [])
    assert canvas.view == place
    assert user.document.undo_stack.count() == 0


def test_a_drag_that_begins_at_the_edge_does_not_move_the_view(user):
    canvas = user.canvas
    x, y = user.graph.named("t").pos
    canvas.set_view(canvas.view.placed(1.0, x + 81.0, y + 15.0, canvas.width() - 6, 300.0))
    canvas.settle()
    before, start = canvas.view, QPoint(canvas.width() - 6, 300)
    user.drag(start, start + QPoint(0, 60))
    assert canvas.view == before
    assert undo_text(user) == "Move t"


def test_a_rubber_band_keeps_hold_of_its_corner_while_the_view_moves(user):
    start = user.middle("x") - QPoint(150, 80)
    QTest.mousePress(user.canvas, LEFT, NO, start)
    QTest.mouseMove(user.canvas, start + QPoint(10, 10))
    wheel(user, start, pixels=QPoint(-200, -150), touchpad=True)
    QTest.mouseMove(user.canvas, start + QPoint(11, 11))
    assert user.canvas.selection == {user.id("x")}
    QTest.mouseRelease(user.canvas, LEFT, NO, start + QPoint(11, 11))


# -- reroute points ------------------------------------------------------------------------------


@pytest.fixture
def rerouted(user):
    """The wire into y.a is led through a point half-way."""
    place = (user.output("x") + user.input("y", "a")) / 2
    QTest.mouseDClick(user.canvas, LEFT, pos=place)
    (wire,) = [w for w in user.graph.wires.values() if w.points]
    return user, wire.id, place


def test_a_reroute_point_is_dragged(rerouted):
    user, wire, place = rerouted
    user.drag(place, place - QPoint(0, 50))
    assert undo_text(user) == "Move a reroute point"
    where = user.canvas.to_screen(QPointF(*user.graph.wires[wire].points[0]))
    assert where.toPoint() == place - QPoint(0, 50)


def test_a_reroute_point_dropped_on_an_end_is_gone(rerouted):
    user, wire, place = rerouted
    user.drag(place, user.input("y", "a"))
    assert undo_text(user) == "Remove a reroute point"
    assert user.graph.wires[wire].points == ()


def test_a_double_click_on_a_reroute_point_removes_it(rerouted):
    user, wire, place = rerouted
    QTest.mouseDClick(user.canvas, LEFT, pos=place)
    assert undo_text(user) == "Remove a reroute point"
    assert user.graph.wires[wire].points == ()


def test_a_second_point_goes_where_it_makes_the_shortest_detour(rerouted):
    user, wire, place = rerouted
    first = user.graph.wires[wire].points[0]
    QTest.mouseDClick(user.canvas, LEFT, pos=(user.output("x") + place) / 2)
    points = user.graph.wires[wire].points
    assert points[1] == first
    assert points[0][0] < first[0]


# -- giving up -----------------------------------------------------------------------------------


def starts(user):
    empty = user.middle("x") - QPoint(0, 130)
    return {
        "a wire": (user.output("y"), NO, LEFT),
        "a picked-up wire": (user.input("y", "b"), NO, LEFT),
        "a node": (user.middle("t"), NO, LEFT),
        "a copy": (user.middle("t"), ALT, LEFT),
        "a rubber band": (empty, NO, LEFT),
        "the knife": (empty, CONTROL, RIGHT),
    }


@pytest.mark.parametrize(
    "what", ["a wire", "a picked-up wire", "a node", "a copy", "a rubber band", "the knife"]
)
def test_escape_gives_up_every_gesture(user, what):
    start, modifiers, button = starts(user)[what]
    graph, selection = user.graph, user.canvas.selection
    end = start + QPoint(70, 190)
    QTest.mousePress(user.canvas, button, modifiers, start)
    for share in (0.5, 1.0):
        QTest.mouseMove(user.canvas, start + (end - start) * share)
    assert user.canvas.gesture is not None
    user.canvas.grab()  # its preview is painted
    user.key(Qt.Key.Key_Escape, on=user.canvas)
    assert user.canvas.gesture is None
    QTest.mouseRelease(user.canvas, button, modifiers, end)
    assert user.graph is graph
    assert user.document.undo_stack.count() == 0
    if what == "a rubber band":
        assert user.canvas.selection == selection


def test_escape_puts_a_dragged_reroute_point_back(rerouted):
    user, _, place = rerouted
    graph = user.graph
    QTest.mousePress(user.canvas, LEFT, NO, place)
    for step in (20, 60):
        QTest.mouseMove(user.canvas, place - QPoint(0, step))
    user.key(Qt.Key.Key_Escape, on=user.canvas)
    QTest.mouseRelease(user.canvas, LEFT, NO, place - QPoint(0, 60))
    assert user.graph is graph


def test_escape_puts_a_dragged_frame_back(user):
    user.key(Qt.Key.Key_A, CONTROL, on=user.canvas)
    user.key(Qt.Key.Key_G, CONTROL, on=user.canvas)
    user.canvas.frame_all(animated=False)
    graph, (frame,) = user.graph, user.graph.frames.values()
    title = user.pixel((frame.rect[0] + 40, frame.rect[1] + 14))
    QTest.mousePress(user.canvas, LEFT, NO, title)
    for step in (20, 60):
        QTest.mouseMove(user.canvas, title + QPoint(step, 10))
    user.key(Qt.Key.Key_Escape, on=user.canvas)
    QTest.mouseRelease(user.canvas, LEFT, NO, title + QPoint(60, 10))
    assert user.graph is graph


def test_a_copy_is_previewed_while_the_original_stays(user):
    start = user.middle("t")
    geometry = user.canvas.geometry_arrays
    before = tuple(geometry.pos[geometry.row[user.id("t")]])
    QTest.mousePress(user.canvas, LEFT, ALT, start)
    for share in (0.5, 1.0):
        QTest.mouseMove(user.canvas, start + QPoint(0, 160) * share)
    assert tuple(geometry.pos[geometry.row[user.id("t")]]) == before
    corner = user.pixel(before) + QPoint(1, 160)
    image = user.canvas.grab().toImage()
    edge = image.pixelColor((corner + QPoint(40, 0)) * image.devicePixelRatio())
    beyond = image.pixelColor((corner + QPoint(40, -12)) * image.devicePixelRatio())
    assert edge != beyond
    QTest.mouseRelease(user.canvas, LEFT, ALT, start + QPoint(0, 160))
    assert user.graph.named("t2").pos[1] > before[1]


def test_a_dragged_frame_is_previewed_with_its_nodes_and_snaps(user):
    user.key(Qt.Key.Key_A, CONTROL, on=user.canvas)
    user.key(Qt.Key.Key_G, CONTROL, on=user.canvas)
    (frame,) = user.graph.frames.values()
    user.canvas.zoom_to(1.0, animated=False)
    user.canvas.settle()
    title = user.pixel((frame.rect[0] + 40, frame.rect[1] + 14))
    QTest.mousePress(user.canvas, LEFT, NO, title)
    by = QPoint(*(75 - round(place % 24.0) for place in frame.rect[:2]))  # 3 off the grid
    for share in (0.5, 1.0):
        QTest.mouseMove(user.canvas, title + by * share)
    geometry = user.canvas.geometry_arrays
    assert tuple(geometry.pos[geometry.row[user.id("x")]]) != user.graph.named("x").pos
    QTest.mouseRelease(user.canvas, LEFT, NO, title + by)
    (moved,) = user.graph.frames.values()
    assert (moved.rect[0] % 24.0, moved.rect[1] % 24.0) == (0.0, 0.0)
    assert user.document.undo_stack.count() == 2
