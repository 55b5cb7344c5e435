"""The list of all commands: found by a few letters, run by Enter."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.actions import ACTIONS
from app.availability import why_not
from app.settings import Settings
from core.files import dumps

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
KEY = Qt.Key


def open_list(user):
    user.key(KEY.Key_F3, on=user.window.focusWidget())
    return user.window.commands


def texts(commands):
    return [row.command.text for row in commands.model.rows]


def row_of(commands, text):
    return next(row.command for row in commands.model.rows if row.command.text == text)


@pytest.mark.parametrize(("key", "modifiers"), [(KEY.Key_P, CONTROL | SHIFT), (KEY.Key_F3, None)])
def test_both_keys_open_it(user, key, modifiers):
    user.key(key, modifiers or Qt.KeyboardModifier.NoModifier, on=user.canvas)
    assert user.window.commands.isVisible()
    assert user.focus() is user.window.commands.field


def test_every_action_is_in_it_with_its_menu_and_key(user):
    commands = open_list(user)
    listed = {row.command.id: row.command for row in commands.model.rows}
    assert {spec.id for spec in ACTIONS} - listed.keys() == {"commands"}
    assert (listed["find"].where, listed["find"].key) == ("Edit", "Ctrl+F")
    assert listed["nudge_left"].where == "Canvas"
    assert {"dock_inspector", "dock_messages"} <= listed.keys()


def test_typing_and_enter_run_it(user):
    user.add("leaf")
    commands = open_list(user)
    user.type("sel all")
    assert texts(commands)[0] == "Select all"
    user.key(KEY.Key_Return)
    assert not commands.isVisible()
    assert user.canvas.selection == {user.id("x")}
    assert user.window.focusWidget() is user.canvas


def test_the_arrow_keys_choose_another(user):
    commands = open_list(user)
    user.type("zoom")
    assert texts(commands)[:2] == ["Zoom in", "Zoom out"]
    before = user.canvas.view.zoom
    user.key(KEY.Key_Down)
    user.key(KEY.Key_Return)
    assert user.canvas.view.zoom < before


def test_a_click_runs_it(user):
    commands = open_list(user)
    user.type("new")
    rect = commands.list.visualRect(commands.model.index(0))
    QTest.mouseClick(commands.list.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert len(user.window.tabs) == 2


def test_escape_gives_the_focus_back_and_does_nothing(user):
    field = user.window.palette_panel.search_field
    field.setFocus()
    commands = open_list(user)
    user.type("new")
    user.key(KEY.Key_Escape)
    assert not commands.isVisible()
    assert user.window.focusWidget() is field
    assert len(user.window.tabs) == 1
    assert Settings().recent_commands() == []


def test_what_cannot_be_done_says_why_and_is_not_run(user):
    commands = open_list(user)
    user.type("duplicate")
    assert row_of(commands, "Duplicate").why_not == "No node is selected"
    user.key(KEY.Key_Return)
    assert commands.isVisible()
    user.key(KEY.Key_Escape)

    user.add("leaf")
    commands = open_list(user)
    user.type("duplicate")
    assert row_of(commands, "Duplicate").why_not == ""
    user.key(KEY.Key_Return)
    assert len(user.graph.nodes) == 2


def test_what_was_chosen_last_stands_first(user, make_user):
    user.add("leaf")
    for word in ("zoom in", "select all", "zoom in"):
        open_list(user)
        user.type(word)
        user.key(KEY.Key_Return)
    commands = open_list(user)
    assert texts(commands)[:3] == ["Zoom in", "Select all", "New"]
    user.key(KEY.Key_Escape)
    assert texts(open_list(make_user()))[:2] == ["Zoom in", "Select all"]


def test_the_users_own_keys_are_shown(user):
    Settings().set_keys("about", ["Ctrl+K"])
    user.window.action_table.load_keys()
    assert row_of(open_list(user), "About Pullback").key == "Ctrl+K"


def test_panels_are_shown_and_hidden(user):
    open_list(user)
    user.type("hide operations")
    user.key(KEY.Key_Return)
    assert not user.window.docks["palette"].isVisible()


def test_a_word_that_nothing_has_is_said(user):
    commands = open_list(user)
    user.type("qqq")
    assert texts(commands) == []
    assert not commands.list.isVisible()
    user.key(KEY.Key_Return)
    assert commands.isVisible()


def test_it_acts_on_the_tab_that_is_shown(user):
    user.add("leaf")
    user.key(KEY.Key_N, CONTROL, on=user.canvas)
    commands = open_list(user)
    assert row_of(commands, "Undo").why_not == "There is nothing to undo"
    assert row_of(commands, "Next tab").why_not == ""
    user.type("next tab")
    user.key(KEY.Key_Return)
    assert row_of(open_list(user), "Undo Add x").why_not == ""


def test_what_is_greyed_would_indeed_do_nothing(user):
    QGuiApplication.clipboard().setText("not a graph")
    before = dumps(user.graph)
    greyed = [spec.id for spec in ACTIONS if why_not(spec.id, user.window.tabs)]
    assert len(greyed) > 30
    for action_id in greyed:
        user.window.action_table[action_id].trigger()
    user.until_idle()
    assert dumps(user.graph) == before
    assert user.document.undo_stack.count() == 0
    assert user.tab.player.trace is None
    assert len(user.window.tabs) == 1


def test_it_closes_well_when_what_had_the_focus_is_gone(user):
    user.add("leaf")
    user.tab.inspector.edit_name()
    open_list(user)
    user.document.undo_stack.undo()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    user.key(KEY.Key_Escape)
    assert not user.window.commands.isVisible()
    user.key(KEY.Key_F3, on=user.canvas)
    assert user.window.commands.isVisible()


def test_an_open_menu_greys_what_would_do_nothing_and_leaves_its_keys(user):
    user.add("leaf")
    user.until_idle()
    bar, actions = user.window.menuBar(), user.window.action_table
    graph = next(entry for entry in bar.actions() if entry.text() == "Graph")
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.actionGeometry(graph).center())
    assert actions["make_function"].isEnabled()
    assert not actions["leave_function"].isEnabled()
    assert not actions["flatten"].isEnabled()

    QTest.keyClick(graph.menu(), KEY.Key_Escape)
    assert actions["leave_function"].isEnabled()
    user.key(KEY.Key_G, CONTROL | Qt.KeyboardModifier.AltModifier | SHIFT, on=user.canvas)
    assert "No function is selected" in user.tab.messages.cards[0].what.text()
