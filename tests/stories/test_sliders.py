"""A slider drags a value: values and gradients follow the hand, and it is one undo entry."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from app.sliding import SliderRange
from core.session import Session

LEFT = Qt.MouseButton.LeftButton


def at(slider, share):
    """The place on a slider where the handle stands at a share of its way."""
    return QPoint(round(8 + share * (slider.width() - 16)), slider.height() // 2)


def value(user, name="x"):
    return user.graph.named(name).params["value"]


@pytest.fixture
def squared(user):
    """y = x², x = 1, selected; backward has run and arrived."""
    user.add("leaf")
    user.add("square")
    user.until_idle()
    user.window.docks.bring_up("backward")
    user.press_button(user.tab.backward.backward_button)
    user.play_to_end()
    assert user.rows("x")["grad"] == "+2"
    user.canvas.select([user.id("x")])
    user.window.docks.bring_up("inspector")
    user.document.undo_stack.setClean()
    return user


@pytest.fixture
def slider(squared):
    """The slider in the inspector: from -10 to 10."""
    return squared.tab.inspector.view.value.slider.slider


def test_values_and_gradients_follow_the_hand_and_letting_go_is_one_entry(squared, slider):
    user, count = squared, squared.document.undo_stack.count()
    QTest.mousePress(slider, LEFT, pos=at(slider, 0.55))
    for share, shown in ((0.6, 2.0), (0.7, 4.0), (0.75, 5.0)):
        QTest.mouseMove(slider, at(slider, share))
        user.until_idle()
        assert value(user) == shown
        assert user.rows("x")["value"] == f"{shown:g}"
        assert user.rows("square")["value"] == f"{shown**2:g}"
        assert user.rows("x")["grad"] == f"+{2 * shown:g}"
        assert user.tab.player.at_end
        assert not user.tab.player.stale
        assert user.document.undo_stack.count() == count
    QTest.mouseRelease(slider, LEFT, pos=at(slider, 0.75))
    user.until_idle()

    assert user.document.undo_stack.count() == count + 1
    assert user.document.undo_stack.undoText() == "Set x"
    assert user.rows("x")["grad"] == "+10"
    user.document.undo_stack.undo()
    user.until_idle()
    assert value(user) == 1.0


def test_esc_puts_everything_back(squared, slider):
    user, graph, count = squared, squared.graph, squared.document.undo_stack.count()
    QTest.mousePress(slider, LEFT, pos=at(slider, 0.55))
    QTest.mouseMove(slider, at(slider, 0.75))
    user.until_idle()
    assert value(user) == 5.0
    QTest.keyClick(slider, Qt.Key.Key_Escape)
    QTest.mouseMove(slider, at(slider, 0.9))
    QTest.mouseRelease(slider, LEFT, pos=at(slider, 0.9))
    user.until_idle()

    assert user.graph is graph
    assert user.document.undo_stack.count() == count
    assert user.rows("x")["grad"] == "+2"
    assert not user.tab.player.stale


def test_taken_back_to_where_it_was_it_is_no_edit(squared, slider):
    user, graph, count = squared, squared.graph, squared.document.undo_stack.count()
    QTest.mousePress(slider, LEFT, pos=at(slider, 0.55))
    QTest.mouseMove(slider, at(slider, 0.75))
    QTest.mouseMove(slider, at(slider, 0.55))
    QTest.mouseRelease(slider, LEFT, pos=at(slider, 0.55))
    user.until_idle()
    assert user.graph is graph
    assert user.document.undo_stack.count() == count


def test_nothing_queues_up_and_the_newest_wins(squared, slider, monkeypatch):
    user = squared
    seen = []
    update = Session.update
    monkeypatch.setattr(
        Session,
        "update",
        lambda s, g, *rest: (seen.append(float(g.named("x").params["value"])), update(s, g, *rest))[
            1
        ],
    )
    QTest.mousePress(slider, LEFT, pos=at(slider, 0.55))
    for share in np.linspace(0.56, 1.0, 40):  # no answer is waited for
        QTest.mouseMove(slider, at(slider, share))
    QTest.mouseRelease(slider, LEFT, pos=at(slider, 1.0))
    user.until_idle()

    assert len(set(seen)) <= 4
    assert seen[-1] == value(user) == 10.0
    assert user.rows("x")["grad"] == "+20"


def test_paused_half_way_the_same_step_is_shown_again(squared, slider):
    user = squared
    user.tab.player.to_start()
    user.tab.player.step()
    time = user.tab.player.moment.time
    QTest.mousePress(slider, LEFT, pos=at(slider, 0.55))
    QTest.mouseMove(slider, at(slider, 0.75))
    QTest.mouseRelease(slider, LEFT, pos=at(slider, 0.75))
    user.until_idle()
    assert user.tab.player.moment.time == pytest.approx(time)
    assert user.tab.player.trace.steps[0].flows[0].contribution == 10.0


def test_without_a_backward_only_values_follow(user):
    user.add("leaf")
    user.canvas.select([user.id("x")])
    user.window.docks.bring_up("inspector")
    slider = user.tab.inspector.view.value.slider.slider
    QTest.mouseClick(slider, LEFT, pos=at(slider, 0.75))
    user.until_idle()
    assert value(user) == 5.0
    assert user.rows("x")["grad"] == "None"


def test_arrow_keys_step_and_a_series_is_one_entry(squared, slider):
    user, count = squared, squared.document.undo_stack.count()
    slider.setFocus()
    for _ in range(3):
        user.key(Qt.Key.Key_Right, on=slider)
        user.until_idle()
    assert value(user) == pytest.approx(1.3 if slider.maximum() == 200 else 1.6)
    assert user.document.undo_stack.count() == count + 1


def test_one_element_of_a_vector(squared):
    user = squared
    user.document.edit("Set x", user.graph.with_params(user.id("x"), value=[1.0, 2.0, 3.0]))
    user.until_idle()
    fields = user.tab.inspector.view.value.slider
    assert fields.element.text() == "[0]"
    fields.element.setValue(2)
    assert fields.element.text() == "[2]"
    QTest.mouseClick(fields.slider, LEFT, pos=at(fields.slider, 0.75))
    user.until_idle()
    assert value(user).tolist() == [1.0, 2.0, 5.0]

    user.document.edit(
        "Set x", user.graph.with_params(user.id("x"), value=[[1.0, 2.0], [3.0, 4.0]])
    )
    assert fields.element.text() == "[1, 0]"


def test_limits_can_be_changed_and_are_kept_with_the_graph(squared):
    user = squared
    fields = user.tab.inspector.view.value.slider
    for name, text in (("low", "0"), ("high", "1"), ("step", "0.25")):
        field = fields.fields[name]
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
    source = user.graph.named("x").params["source"]
    assert source == {"kind": "slider", "low": 0.0, "high": 1.0, "step": 0.25}
    QTest.mouseClick(fields.slider, LEFT, pos=at(fields.slider, 0.6))
    user.until_idle()
    assert value(user) == 0.5
    assert user.graph.named("x").params["source"] == source

    field = fields.fields["step"]
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "7")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert "step does not fit" in field.toolTip()
    assert user.graph.named("x").params["source"] == source


def test_a_slider_hangs_under_the_value_on_the_node(squared):
    user, count = squared, squared.document.undo_stack.count()
    x, y = user.graph.named("x").pos
    place = user.canvas.to_screen(QPointF(x + 60, y + 15)).toPoint()
    QTest.mouseDClick(user.canvas, LEFT, pos=place)
    on_node = user.tab.value_on_node
    assert on_node.slider.isVisible()
    QTest.mousePress(on_node.slider, LEFT, pos=at(on_node.slider, 0.6))
    QTest.mouseMove(on_node.slider, at(on_node.slider, 0.75))
    user.until_idle()
    shown = value(user)
    assert shown == pytest.approx(5.0, abs=0.2)
    assert on_node.field.text() == f"{shown:g}"
    assert user.rows("x")["grad"] == f"+{2 * shown:g}"
    QTest.keyClick(on_node.field, Qt.Key.Key_Escape)  # takes the drag back, and no more
    assert value(user) == 1.0
    assert on_node.slider.isVisible()
    assert user.document.undo_stack.count() == count

    QTest.mouseClick(on_node.slider, LEFT, pos=at(on_node.slider, 0.75))
    user.until_idle()
    assert value(user) == shown
    assert user.document.undo_stack.count() == count + 1
    QTest.keyClick(on_node.field, Qt.Key.Key_Escape)
    assert not on_node.slider.isVisible()


def test_undo_in_the_middle_of_a_drag_harms_nothing(squared, slider):
    user = squared
    QTest.mousePress(slider, LEFT, pos=at(slider, 0.55))
    QTest.mouseMove(slider, at(slider, 0.75))
    user.until_idle()
    user.document.undo_stack.undo()  # of the square that was added
    QTest.mouseMove(slider, at(slider, 0.8))
    QTest.mouseRelease(slider, LEFT, pos=at(slider, 0.8))
    user.until_idle()
    assert set(user.graph.names) == {"x"}
    assert value(user) == 6.0


def test_ranges_are_exact_at_both_ends():
    limits = SliderRange(0.0, 1.0, 0.1)
    assert [limits.value_at(k) for k in range(limits.steps + 1)] == [
        0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0,
    ]  # fmt: skip


def test_a_backward_that_no_longer_fits_is_said_once_and_the_slider_stays(squared):
    user = squared
    user.document.edit("Set x", user.graph.with_params(user.id("x"), value=[1.0, 2.0]))
    user.until_idle()
    fields = user.tab.inspector.view.value.slider
    QTest.mousePress(fields.slider, LEFT, pos=at(fields.slider, 0.6))
    for share in (0.7, 0.8, 0.9):
        QTest.mouseMove(fields.slider, at(fields.slider, share))
        user.until_idle()
        assert user.tab.messages.cards == []
    QTest.mouseRelease(fields.slider, LEFT, pos=at(fields.slider, 0.9))
    QTest.mouseClick(fields.slider, LEFT, pos=at(fields.slider, 0.75))
    user.until_idle()
    (card,) = user.tab.messages.cards
    assert "cotangent of shape (2,) is needed" in card.what.text()
    assert user.canvas.selection == {user.id("x")}
    assert user.tab.player.stale
