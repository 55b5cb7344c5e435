"""Repainting a part gives the pixels that repainting everything gives."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter, QPixmap

from app.canvas import Canvas, static_layer
from app.canvas.picture import Picture
from app.canvas.static_layer import StaticLayer
from app.canvas.view import View
from app.theme import dark, light
from core.graph import diff

SIZE = (1200, 800)


def pixels(image: QImage | QPixmap) -> np.ndarray:
    if isinstance(image, QPixmap):
        image = image.toImage()
    image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return data[:, : 4 * image.width()].reshape(image.height(), image.width(), 4).copy()


def rendered(layer: StaticLayer, picture: Picture, view: View) -> np.ndarray:
    layer.render(picture, view, SIZE, dark())
    image = QImage(*SIZE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    layer.copy_to(painter)
    painter.end()
    return pixels(image)


def still(picture: Picture, view: View) -> np.ndarray:
    return rendered(StaticLayer(), picture, view)


def assert_same_picture(first: np.ndarray, second: np.ndarray) -> None:
    """Equal, but for the last bit where a line is cut at another place by a clip."""
    difference = np.abs(first.astype(int) - second)
    assert difference.max() <= 4
    assert (difference > 0).mean() < 1e-4


@pytest.fixture
def playing(qapp, story) -> Picture:
    picture = Picture(story.graph)
    picture.show_snapshot(story.after)
    picture.show_trace(story.trace)
    picture.show_moment(story.moment(0.4))
    return picture


@pytest.mark.parametrize("zoom", [0.15, 0.35, 0.7, 1.3])
@pytest.mark.parametrize("dpr", [1.0, 2.0])
def test_part_equals_whole(playing, story, zoom: float, dpr: float) -> None:
    view = View(dpr=dpr).placed(zoom, 700, 400, 300 / dpr, 200 / dpr)
    layer = StaticLayer()
    layer.render(playing, view, SIZE, dark())
    geometry = playing.geometry
    row = geometry.row[story.ids["e"]]
    assert not layer.mark(
        geometry.painted_boxes(np.array([row]), geometry.wires_at([row]))
    ).isEmpty()
    part = rendered(layer, playing, view)

    np.testing.assert_array_equal(part, still(playing, view))


@pytest.mark.parametrize("dpr", [1.0, 2.0])
def test_panned_equals_whole(playing, dpr: float) -> None:
    view = View(dpr=dpr).placed(0.8, 700, 400, 300, 200)
    layer = StaticLayer()
    layer.render(playing, view, SIZE, dark())
    for step in ((13, 7), (-40, 3), (0, -25)):
        view = view.panned(*step)
        moved = rendered(layer, playing, view)
    difference = np.abs(moved.astype(int) - still(playing, view))

    # Lines cut at the seam may differ in how a pixel's coverage is rounded.
    assert difference.max() <= 44
    assert (difference > 2).mean() < 1e-4


@pytest.fixture
def dragged(canvas, story) -> Canvas:
    canvas.grab()
    for step in range(4):
        canvas.preview_moves({story.ids["e"]: (600.0 + 9 * step, 350.0 - 7 * step)})
        canvas.grab()
    return canvas


def edited(canvas: Canvas, story) -> np.ndarray:
    """What a canvas shows that knows nothing but the graph after the drag."""
    fresh = Canvas(dark())
    fresh.resize(canvas.size())
    fresh.show()
    fresh.show_graph(story.graph.moved({story.ids["e"]: (627.0, 329.0)}))
    fresh.show_snapshot(story.before)
    fresh.set_view(canvas.view)
    picture = pixels(fresh.grab())
    fresh.close()
    return picture


def above_the_minimap(picture: np.ndarray) -> np.ndarray:
    """The minimap follows the edit, not the drag."""
    return picture[:-150].astype(int)


def test_dragging_looks_like_the_edit(dragged, story) -> None:
    """But for the rims of what dragged wires pass below."""
    shown, after = pixels(dragged.grab()), edited(dragged, story)
    difference = np.abs(above_the_minimap(shown) - above_the_minimap(after))
    assert difference.max() < 20
    assert (difference > 4).mean() < 1e-4


def test_what_was_dragged_lies_as_edited_when_dropped(dragged, story) -> None:
    after = story.graph.moved({story.ids["e"]: (627.0, 329.0)})
    dragged.preview_moves({})
    dragged.show_graph(after, diff(story.graph, after))
    assert_same_picture(pixels(dragged.grab()), edited(dragged, story))


def test_dragging_paints_nothing_but_what_is_dragged(dragged, story, monkeypatch) -> None:
    painted = []
    monkeypatch.setattr(static_layer, "paint_static", lambda *args: painted.append(args))
    dragged.preview_moves({story.ids["e"]: (640.0, 320.0)})
    dragged.grab()
    assert not painted


def test_panning_a_little_paints_nothing(canvas, monkeypatch) -> None:
    canvas.grab()
    canvas.pan(9, -4)
    canvas.grab()
    painted = []
    monkeypatch.setattr(static_layer, "paint_static", lambda *args: painted.append(args))
    canvas.pan(9, -4)
    canvas.grab()
    assert not painted


def test_a_value_set_or_a_name_given_repaints_its_node_alone(playing, story) -> None:
    view = View().placed(0.7, 700, 400, 300, 200)
    geometry = playing.geometry
    target = story.ids["target"]
    set_value = story.graph.with_params(target, value=np.array([-3.0, 4.0]))
    renamed = set_value.with_name(target, "wanted")
    for before, after in ((story.graph, set_value), (set_value, renamed)):
        layer = StaticLayer()
        layer.render(playing, view, SIZE, dark())
        change = playing.show_graph(after, diff(before, after))
        assert (change.nodes, change.everything) == ({target}, False)
        layer.mark(
            geometry.painted_boxes(np.array([geometry.row[target]]), np.array([], dtype=int))
        )
        part = rendered(layer, playing, view)
        np.testing.assert_array_equal(part, still(playing, view))
    assert playing.geometry is geometry


def test_an_input_that_begins_to_require_grad_changes_its_colour(playing, story) -> None:
    after = story.graph.with_params(story.ids["target"], requires_grad=True)
    assert playing.show_graph(after, diff(story.graph, after)).everything


def test_a_cancelled_drag_leaves_no_trace(canvas, story) -> None:
    before = pixels(canvas.grab())
    canvas.preview_moves({story.ids["e"]: (0.0, 0.0)})
    canvas.grab()
    canvas.preview_moves({})

    assert_same_picture(pixels(canvas.grab()), before)


def test_playing_step_by_step_equals_seeking(canvas, story) -> None:
    canvas.show_snapshot(story.after)
    canvas.show_trace(story.trace)
    for part in np.linspace(0.0, 0.62, 24):
        canvas.show_moment(story.moment(float(part)))
        canvas.repaint()
    canvas.finish_animation()
    played = pixels(canvas.grab())
    canvas.show_moment(None)
    canvas.show_moment(story.moment(0.62))

    assert_same_picture(pixels(canvas.grab()), played)


def test_an_edit_right_after_zooming_is_seen_at_once(canvas, story) -> None:
    canvas.grab()
    canvas.still.cost = 1.0  # so long that zooming shows a scaled picture
    canvas.zoom(1.1)
    after = story.graph.moved({story.ids["z"]: (600.0, 90.0)})
    canvas.show_graph(after, diff(story.graph, after))
    seen = pixels(canvas.grab())
    canvas.still.forget()
    assert_same_picture(seen, pixels(canvas.grab()))


def test_themes_paint_different_pictures(canvas) -> None:
    first = pixels(canvas.grab())
    canvas.set_theme(light())
    assert pixels(canvas.grab()).mean() > first.mean() + 100


def test_zooming_out_to_the_smallest_and_in_to_the_largest_paints(canvas) -> None:
    for factor in (1e-4, 1e4, 1e-1):
        canvas.zoom(factor, QPointF(10, 10))
        canvas.settle()
        assert pixels(canvas.grab()).std() > 0


def test_a_new_graph_is_not_shown_as_a_scaled_picture_of_the_old_one(canvas, story) -> None:
    canvas.grab()
    canvas.still.cost = 1.0  # as on a slow machine, where zooming shows previews
    canvas.zoom(3.0)
    canvas.show_graph(story.graph)
    first = pixels(canvas.grab())
    canvas.settle()
    assert_same_picture(first, pixels(canvas.grab()))


def test_what_is_hidden_keeps_no_pictures_and_comes_back_the_same(canvas) -> None:
    before = pixels(canvas.grab())
    canvas.hide()
    assert canvas.still.is_forgotten
    assert canvas.still.sprites is None
    canvas.show()
    assert_same_picture(before, pixels(canvas.grab()))
