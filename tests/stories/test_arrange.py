"""Arranging: by key and menu, with pins, in another process, given up, lined up, snapped."""

import sys

import pytest
from PySide6.QtCore import QElapsedTimer, QPoint, Qt
from PySide6.QtTest import QTest

from app.settings import Settings
from benchmarks.graphs import layered
from core.graph import Graph

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton
MANY = 900


@pytest.fixture
def user(make_user):
    """a → b → c, thrown about, and d alone, at a zoom of 1."""
    user = make_user()
    graph, ids = Graph(), {}
    places = {"a": (400, 20), "b": (30, 330), "c": (250, 170), "d": (640, 330)}
    for name, pos in places.items():
        graph, ids[name] = graph.with_node("square", pos, name)
    for source, target in ("ab", "bc"):
        graph, _ = graph.with_wire(ids[source], "y", ids[target], "x")
    user.document.set_graph(graph)
    user.until_idle()
    user.canvas.set_reduced_motion(True)
    user.canvas.zoom_to(1.0, animated=False)
    return user


@pytest.fixture
def crowd(make_user):
    """So many nodes that they are arranged in another process."""
    user = make_user()
    user.document.set_graph(layered(MANY))
    user.until_idle()
    user.canvas.setFocus()
    return user


def x(user, name):
    return user.graph.named(name).pos[0]


def y(user, name):
    return user.graph.named(name).pos[1]


def shown(user, name):
    """Where a node is drawn."""
    geometry = user.canvas.geometry_arrays
    return tuple(geometry.pos[geometry.row[user.id(name)]])


def undo_text(user):
    return user.document.undo_stack.undoText()


def test_ctrl_l_arranges_everything_in_one_undo(user):
    before = user.graph
    user.key(Qt.Key.Key_L, CONTROL, on=user.canvas)
    assert x(user, "a") < x(user, "b") < x(user, "c")
    assert y(user, "a") == y(user, "b") == y(user, "c")
    assert (user.document.undo_stack.count(), undo_text(user)) == (1, "Arrange")
    user.document.undo_stack.undo()
    assert user.graph is before


def test_the_selection_alone_is_arranged(user):
    user.click(user.middle("a"))
    user.click(user.middle("b"), SHIFT)
    stays = [user.graph.named(name).pos for name in "cd"]
    user.key(Qt.Key.Key_L, CONTROL | SHIFT, on=user.canvas)
    assert x(user, "a") < x(user, "b")
    assert [user.graph.named(name).pos for name in "cd"] == stays
    assert undo_text(user) == "Arrange 2 nodes"


def test_a_pinned_node_stays_and_shows_its_pin(user):
    user.click(user.middle("c"))
    user.key(Qt.Key.Key_P, on=user.canvas)
    row = user.canvas.geometry_arrays.row[user.id("c")]
    assert user.canvas.picture.content(row).pinned
    assert user.tab.inspector.view.head.pin_button.isChecked()
    place = user.graph.named("c").pos
    user.key(Qt.Key.Key_L, CONTROL, on=user.canvas)
    assert user.graph.named("c").pos == place
    assert x(user, "b") < place[0]

    user.press_button(user.tab.inspector.view.head.pin_button)
    assert not user.graph.named("c").pinned
    assert undo_text(user) == "Unpin c"


def test_nodes_glide_to_their_places_and_are_there_when_reached_for(user):
    user.canvas.set_reduced_motion(False)
    before = shown(user, "a")
    user.key(Qt.Key.Key_L, CONTROL, on=user.canvas)
    assert user.graph.named("a").pos != before
    assert shown(user, "a") == before  # it has yet to go there
    user.click(QPoint(5, 5))
    assert shown(user, "a") == user.graph.named("a").pos


def test_with_reduced_motion_nodes_are_there_at_once(user):
    user.key(Qt.Key.Key_L, CONTROL, on=user.canvas)
    assert shown(user, "a") == user.graph.named("a").pos


# -- many nodes ----------------------------------------------------------------------------------


def test_many_nodes_are_arranged_while_the_window_lives(crowd, qtbot):
    tab, pill = crowd.tab, crowd.tab.layout_progress
    doomed, dragged = list(crowd.graph.nodes)[300:302]
    with qtbot.waitSignal(tab.arranger.ended):
        crowd.key(Qt.Key.Key_L, CONTROL, on=crowd.canvas)
        assert pill.isVisible()
        assert pill.text.startswith("Arranging 900 nodes")
        # The user goes on: what was deleted stays deleted, what was moved stays there.
        crowd.canvas.select([doomed])
        crowd.key(Qt.Key.Key_Delete, on=crowd.canvas)
        crowd.canvas.select([dragged])
        crowd.key(Qt.Key.Key_Down, SHIFT, on=crowd.canvas)
        place = crowd.graph.nodes[dragged].pos
        before = crowd.graph
    assert not pill.isVisible()
    assert doomed not in crowd.graph.nodes
    assert crowd.graph.nodes[dragged].pos == place
    assert undo_text(crowd) == "Arrange 898 nodes"
    crowd.document.undo_stack.undo()
    assert crowd.graph is before


@pytest.mark.parametrize("how", ["button", "key"])
def test_a_layout_is_given_up_at_once(crowd, qtbot, how):
    tab, before = crowd.tab, crowd.graph
    crowd.key(Qt.Key.Key_L, CONTROL, on=crowd.canvas)
    clock = QElapsedTimer()
    clock.start()
    with qtbot.waitSignal(tab.arranger.ended):
        if how == "button":
            crowd.press_button(tab.layout_progress.cancel_button)
        else:
            crowd.key(Qt.Key.Key_Period, CONTROL, on=crowd.canvas)
    assert clock.elapsed() < 200
    assert not tab.layout_progress.isVisible()
    assert not tab.arranger.is_running
    assert crowd.graph is before


def test_a_layout_that_breaks_down_says_so_and_moves_nothing(crowd, qtbot, monkeypatch):
    before = crowd.graph
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with qtbot.waitSignal(crowd.tab.arranger.refused):
        crowd.key(Qt.Key.Key_L, CONTROL, on=crowd.canvas)
    assert "The layout broke down" in crowd.tab.messages.cards[0].what.text()
    assert crowd.graph is before
    assert not crowd.tab.layout_progress.isVisible()


def test_closing_the_tab_ends_the_layout(crowd):
    arranger = crowd.tab.arranger
    crowd.key(Qt.Key.Key_L, CONTROL, on=crowd.canvas)
    crowd.key(Qt.Key.Key_W, CONTROL, on=crowd.canvas)
    assert not arranger.is_running


def test_another_graph_ends_the_layout(crowd):
    crowd.key(Qt.Key.Key_L, CONTROL, on=crowd.canvas)
    crowd.document.set_graph(Graph())
    assert not crowd.tab.arranger.is_running
    assert not crowd.tab.layout_progress.isVisible()


def test_closing_the_window_ends_the_layout(crowd):
    crowd.key(Qt.Key.Key_L, CONTROL, on=crowd.canvas)
    crowd.window.close()
    assert not crowd.tab.arranger.is_running


# -- lines ---------------------------------------------------------------------------------------


def test_the_selection_is_aligned_and_distributed_by_the_menu_of_a_node(user):
    for name in "abcd":
        user.click(user.middle(name), SHIFT)
    before = user.graph
    user.choose(user.middle("a"), "Arrange", "Align top edges")
    assert len({y(user, name) for name in "abcd"}) == 1
    assert undo_text(user) == "Align the top edges of 4 nodes"
    user.choose(user.middle("a"), "Arrange", "Distribute from left to right")
    ways = sorted(x(user, name) for name in "abcd")
    assert ways[1] - ways[0] == pytest.approx(ways[3] - ways[2])
    assert user.document.undo_stack.count() == 2
    user.document.undo_stack.undo()
    user.document.undo_stack.undo()
    assert user.graph is before


def test_the_selection_is_aligned_by_keys(user):
    user.click(user.middle("a"))
    user.click(user.middle("d"), SHIFT)
    user.key(Qt.Key.Key_Left, CONTROL | SHIFT, on=user.canvas)
    assert x(user, "a") == x(user, "d") == 400.0


# -- snapping ------------------------------------------------------------------------------------


def test_a_dragged_node_snaps_to_the_edge_of_another(user):
    start = user.middle("d")
    user.drag(start, start + QPoint(-236, 37))
    assert x(user, "d") == x(user, "a") == 400.0
    assert undo_text(user) == "Move d"


def test_a_dragged_node_snaps_to_the_grid(user):
    start = user.middle("d")
    user.drag(start, start + QPoint(220, 150))  # 860, 480: nothing to be in line with
    assert x(user, "d") == 864.0
    assert y(user, "d") == 480.0


def test_with_control_down_nothing_snaps(user):
    start, end = user.middle("d"), user.middle("d") + QPoint(-236, 37)
    user.click(start)
    QTest.mousePress(user.canvas, LEFT, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(user.canvas, start + QPoint(-100, 20))
    QTest.mouseRelease(user.canvas, LEFT, CONTROL, end)
    assert x(user, "d") == pytest.approx(404.0)


def test_guides_show_what_is_in_line(user):
    start = user.middle("d")
    QTest.mousePress(user.canvas, LEFT, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(user.canvas, start + QPoint(-100, 30))
    QTest.mouseMove(user.canvas, start + QPoint(-236, 37))
    color = user.canvas.palette().highlight().color()
    line = user.pixel((400.0, 250.0))  # between a, above, and d, below
    image = user.canvas.grab().toImage()
    line *= image.devicePixelRatio()
    near = [image.pixelColor(line + QPoint(dx, 0)) for dx in (-1, 0, 1)]
    assert color in near
    QTest.mouseRelease(user.canvas, LEFT, Qt.KeyboardModifier.NoModifier, start + QPoint(-236, 37))


def test_snapping_is_switched_off_and_stays_off(user, make_user):
    user.key(Qt.Key.Key_S, on=user.canvas)
    start = user.middle("d")
    user.drag(start, start + QPoint(-236, 37))
    assert x(user, "d") == pytest.approx(404.0)
    assert not Settings().is_chosen("snaps")
    assert not make_user().window.action_table["snaps"].isChecked()
