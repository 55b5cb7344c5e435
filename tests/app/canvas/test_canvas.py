"""The widget: view, selection, mouse, previews."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtTest import QTest

from app.canvas import Canvas
from app.canvas.hit import Hit
from app.canvas.tooltips import tooltip
from app.canvas.view import View
from app.theme import dark
from core.graph import Graph, diff


def test_a_new_graph_is_fitted_into_the_window(canvas, story) -> None:
    corners = [canvas.to_screen(QPointF(*node.pos)) for node in story.graph.nodes.values()]
    assert all(canvas.rect().contains(corner.toPoint()) for corner in corners)


def test_a_graph_in_sight_stays_in_sight_in_a_smaller_window(canvas) -> None:
    canvas.resize(600, 400)
    left, top, right, bottom = canvas.picture.bounds()
    for corner in (QPointF(left, top), QPointF(right, bottom)):
        assert canvas.rect().contains(canvas.to_screen(corner).toPoint())


def test_a_view_the_user_chose_is_kept_in_a_smaller_window(canvas) -> None:
    canvas.zoom(1.2, QPointF(300, 200))
    before = canvas.view
    canvas.resize(600, 400)
    assert canvas.view == before


def test_no_resizing_moves_a_graph_that_is_being_built(canvas) -> None:
    canvas.show_graph(Graph())
    graph, _ = Graph().with_node("square", pos=(0.0, 0.0))
    canvas.show_graph(graph, diff(Graph(), graph))
    before = canvas.view
    canvas.resize(600, 400)
    assert canvas.view == before


def test_scene_and_screen_are_inverse(canvas) -> None:
    there = canvas.to_scene(canvas.to_screen(QPointF(123.5, -40.25)))
    assert there.x() == pytest.approx(123.5)
    assert there.y() == pytest.approx(-40.25)


def test_zooming_keeps_the_place_under_the_mouse(canvas) -> None:
    at = QPointF(300, 200)
    before = canvas.to_scene(at)
    canvas.zoom(1.7, at)
    after = canvas.to_scene(at)
    assert (after - before).manhattanLength() < 2


def test_middle_drag_pans(canvas) -> None:
    before = canvas.to_screen(QPointF(0, 0))
    QTest.mousePress(canvas, Qt.MouseButton.MiddleButton, pos=QPoint(300, 300))
    _move(canvas, QPointF(340, 320), Qt.MouseButton.MiddleButton)
    QTest.mouseRelease(canvas, Qt.MouseButton.MiddleButton, pos=QPoint(340, 320))
    assert canvas.to_screen(QPointF(0, 0)) - before == QPointF(40, 20)


@pytest.mark.parametrize("dpr", [1.0, 1.25, 1.5, 2.0])
def test_many_small_steps_pan_as_far_as_one_large_one(canvas, dpr) -> None:
    canvas.set_view(View(1.0, dpr=dpr))
    for _ in range(99):
        canvas.pan(1.0, -1.0)
    gone = canvas.to_screen(QPointF(0, 0))
    assert (gone.x(), gone.y()) == pytest.approx((99.0, -99.0), abs=0.6)


def test_selection_tells_only_news(qtbot, canvas, story) -> None:
    told = []
    canvas.selected.connect(told.append)
    canvas.select([story.ids["e"]])
    canvas.select([story.ids["e"]])
    canvas.select([story.ids["z"]], "add")
    canvas.select([story.ids["e"]], "remove")
    canvas.select_all()
    assert told == [
        {story.ids["e"]},
        {story.ids["e"], story.ids["z"]},
        {story.ids["z"]},
        set(story.graph.nodes),
    ]


def test_what_is_deleted_is_no_longer_selected(canvas, story) -> None:
    canvas.select([story.ids["e"], story.ids["z"]])
    after = story.graph.without(nodes=(story.ids["e"],))
    canvas.show_graph(after, diff(story.graph, after))
    assert canvas.selection == {story.ids["z"]}


def test_framing_the_selection_brings_it_to_the_middle(canvas, story) -> None:
    canvas.select([story.ids["λ"]])
    canvas.frame_selection(animated=False)
    node = story.graph.nodes[story.ids["λ"]]
    middle = canvas.to_screen(QPointF(node.pos[0] + 81, node.pos[1] + 60))
    assert (middle - QPointF(canvas.rect().center())).manhattanLength() < 60


def test_an_animated_view_arrives(canvas, story, qtbot) -> None:
    canvas.zoom_to(2.0, animated=False)
    canvas.frame_all()
    canvas.finish_animation()
    assert canvas.view.zoom < 1.0


def test_pointing_at_a_node_tells_it(canvas, story) -> None:
    told = []
    canvas.hovered.connect(told.append)
    node = story.graph.nodes[story.ids["z"]]
    _move(canvas, canvas.to_screen(QPointF(node.pos[0] + 60, node.pos[1] + 15)))
    assert told == [Hit("node", node.id)]


class Recorded:
    """A gesture that writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def press(self, event: QMouseEvent) -> None:
        self.told.append("press")

    def move(self, event: QMouseEvent) -> None:
        self.told.append("move")

    def release(self, event: QMouseEvent) -> None:
        self.told.append("release")

    def cancel(self) -> None:
        self.told.append("cancel")

    def paint(self, painter: QPainter) -> None:
        painter.drawLine(0, 0, 10, 10)


def test_a_gesture_owns_the_mouse_until_it_is_cancelled(canvas) -> None:
    gesture = Recorded()
    canvas.gesture_factory = lambda _canvas, _event: gesture
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    _move(canvas, QPointF(40, 40), Qt.MouseButton.LeftButton)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(40, 40))
    canvas.grab()
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert gesture.told == ["press", "move", "release", "cancel"]
    assert canvas.gesture is None


def test_previews_paint_without_changing_the_graph(canvas, story) -> None:
    output = canvas.geometry_arrays.output_pos(story.ids["x"], "y")
    canvas.preview_wire(output, (400.0, 400.0), "fits")
    canvas.preview_ports({(story.ids["e"], "a"): None, (story.ids["e"], "b"): "would be a loop"})
    canvas.select(story.graph.wires)
    canvas.grab()
    canvas.preview_wire(None)
    canvas.preview_ports(None)
    assert canvas.picture.graph is story.graph


def test_the_minimap_takes_you_there(canvas) -> None:
    corner = QPoint(canvas.width() - 100, canvas.height() - 70)
    canvas.zoom_to(2.0, animated=False)
    target = canvas.minimap_place(QPointF(corner))
    assert target is not None
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=corner)
    middle = canvas.to_scene(QPointF(canvas.width() / 2, canvas.height() / 2))
    assert (middle - target).manhattanLength() < 3


def test_tool_tips_say_everything_in_full(canvas, story) -> None:
    facts = canvas.picture.facts
    assert "0.9" in tooltip(Hit("node", story.ids["x"]), facts)
    assert "NaN" in tooltip(Hit("node", story.ids["log"]), facts)
    for wire in story.graph.wires:
        assert "→" in tooltip(Hit("wire", wire), facts)
    assert "input" in tooltip(Hit("input", story.ids["e"], "a"), facts)
    assert "f64[2]" in tooltip(Hit("output", story.ids["e"], "y"), facts)


def test_an_empty_graph_says_how_to_begin(qtbot) -> None:
    empty = Canvas(dark())
    qtbot.addWidget(empty)
    empty.resize(600, 400)
    empty.show()
    empty.show_graph(Graph())
    image = empty.grab().toImage()
    colors = {image.pixelColor(x, 200).name() for x in range(600)}
    assert len(colors) > 5


def _move(canvas: Canvas, to: QPointF, button: Qt.MouseButton = Qt.MouseButton.NoButton) -> None:
    event = QMouseEvent(
        QMouseEvent.Type.MouseMove,
        to,
        QPointF(canvas.mapToGlobal(to.toPoint())),
        Qt.MouseButton.NoButton,
        button,
        Qt.KeyboardModifier.NoModifier,
    )
    canvas.mouseMoveEvent(event)
