"""The window itself: its looks, its memory, and what it does when something goes wrong."""

import logging
import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.launch import report_to
from app.settings import Settings

CONTROL = Qt.KeyboardModifier.ControlModifier


def test_both_themes_are_remembered(make_user):
    user = make_user()
    assert user.window.theme.is_dark
    user.key(Qt.Key.Key_F12, on=user.canvas)
    assert not user.window.theme.is_dark
    assert Settings().theme == "light"
    assert not make_user().window.theme.is_dark


def test_projector_size_gives_the_canvas_everything_and_gives_it_back(user):
    user.add("leaf")
    shown = [name for name, dock in user.window.docks.docks.items() if dock.isVisible()]
    user.key(Qt.Key.Key_P, CONTROL, on=user.canvas)
    QApplication.sendPostedEvents()
    assert not any(dock.isVisible() for dock in user.window.docks.docks.values())
    assert user.canvas.width() == user.window.width()
    assert user.canvas.view.zoom > 1.25

    user.key(Qt.Key.Key_P, CONTROL, on=user.canvas)
    assert [name for name, dock in user.window.docks.docks.items() if dock.isVisible()] == shown


@pytest.mark.parametrize(("width", "height"), [(1000, 640), (1900, 1100)])
def test_the_bar_lies_clear_of_legend_and_minimap(user, width, height):
    user.window.resize(width, height)
    QApplication.sendPostedEvents()
    bar = user.tab.timeline.geometry()
    assert user.canvas.rect().contains(bar)
    assert bar.width() >= 380


def test_f6_goes_round_the_panels(user):
    user.canvas.setFocus()
    places = []
    for _ in range(4):
        user.key(Qt.Key.Key_F6)
        places.append(user.window.focusWidget())
    assert len(set(places)) > 1
    assert user.window.palette_panel.search_field in places


def test_an_exception_in_the_program_becomes_a_message(user, caplog):
    report = report_to(user.window.windows)
    with caplog.at_level(logging.ERROR):
        try:
            raise ZeroDivisionError("no")
        except ZeroDivisionError:
            report(*sys.exc_info())
    assert "ZeroDivisionError" in user.tab.messages.cards[0].what.text()
    assert "ZeroDivisionError" in caplog.text


def test_what_is_wrong_with_nodes_is_counted_without_getting_in_the_way(user):
    user.add("add")
    user.until_idle()
    assert user.window.messages_button.text().strip() == "1"
    assert not user.window.docks["messages"].isVisible()
    user.press_button(user.window.messages_button)
    assert user.window.docks["messages"].isVisible()
    user.press_button(user.window.messages_button)
    assert not user.window.docks["messages"].isVisible()


def test_the_menu_of_a_node_acts_on_it(user):
    user.add("leaf")
    user.canvas.frame_all(animated=False)
    user.click(user.middle("x"), button=Qt.MouseButton.RightButton)
    assert user.canvas.selection == {user.id("x")}
    user.window.action_table["duplicate"].trigger()
    assert len(user.graph.nodes) == 2
