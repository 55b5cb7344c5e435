"""Several graphs in one window: each tab is a program of its own."""

import threading

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from app.panels.tab_bar import DIRTY
from app.saving import read, write
from app.worker import wait_for_threads

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton


@pytest.fixture
def files(square, tmp_path):
    """Three files: in the first x is (2, 3); in the others it has another name."""
    paths = [tmp_path / f"{name}.pullback" for name in ("one", "two", "three")]
    for path, name in zip(paths, ("x", "u", "v"), strict=True):
        write(square.with_name("n1", name), path)
    return paths


def bar(user):
    return user.window.tabs.strip.bar


def titles(user):
    return [bar(user).tabText(i) for i in range(bar(user).count())]


def middle_of(user, index):
    return bar(user).tabRect(index).center()


def engines():
    return [thread for thread in threading.enumerate() if thread.name == "engine"]


def answer(monkeypatch, name):
    """What the user will say when asked about changes; returns the questions."""
    asked = []
    button = QMessageBox.StandardButton[name]
    monkeypatch.setattr(QMessageBox, "question", lambda *args: asked.append(args[2]) or button)
    return asked


def test_files_of_the_command_line_open_in_tabs(make_user, files):
    user = make_user(*files)
    assert titles(user) == ["one", "two", "three"]
    assert user.window.windowTitle().startswith("three")
    user.until_idle()
    assert user.rows("v")["value"] == [2.0, 3.0]


@pytest.mark.parametrize("key", [Qt.Key.Key_T, Qt.Key.Key_N])
def test_a_new_tab_is_empty_and_leaves_the_other_as_it_is(make_user, files, key):
    user = make_user(files[0])
    user.key(key, CONTROL, on=user.canvas)
    assert titles(user) == ["one", "Untitled 2"]
    assert not user.graph.nodes
    user.add("leaf")

    user.key(Qt.Key.Key_Tab, CONTROL, on=user.canvas)
    assert set(user.graph.nodes) == {"n1", "n2"}
    assert not user.document.modified


def test_one_graph_needs_no_tabs(user):
    assert not user.window.tabs.strip.isVisible()
    user.key(Qt.Key.Key_N, CONTROL, on=user.canvas)
    assert user.window.tabs.strip.isVisible()
    QTest.mouseClick(user.window.tabs.strip.plus, LEFT)
    assert len(titles(user)) == 3


def test_an_untouched_tab_gives_its_place_to_a_file(user, files):
    user.window.opener.open_all(files[:2])
    assert titles(user) == ["one", "two"]


def test_control_tab_goes_round(make_user, files):
    user = make_user(*files)
    seen = []
    for modifiers in (CONTROL, CONTROL, CONTROL | SHIFT):
        user.key(Qt.Key.Key_Tab, modifiers, on=user.canvas)
        seen.append(user.document.title)
    assert seen == ["one", "two", "one"]
    assert user.window.focusWidget() is user.canvas


def test_every_tab_has_its_own_undo(make_user, files):
    user = make_user(*files[:2])
    user.add("leaf")
    user.key(Qt.Key.Key_Tab, CONTROL, on=user.canvas)
    assert not user.window.action_table["undo"].isEnabled()
    user.key(Qt.Key.Key_Z, CONTROL, on=user.canvas)
    assert len(user.graph.nodes) == 2

    user.key(Qt.Key.Key_Tab, CONTROL, on=user.canvas)
    assert user.window.action_table["undo"].text() == "Undo Add x"
    user.key(Qt.Key.Key_Z, CONTROL, on=user.canvas)
    assert set(user.graph.nodes) == {"n1", "n2"}


def test_gradients_selection_and_player_stay_with_their_tab(make_user, files):
    user = make_user(*files[:2])
    first, second = user.window.tabs
    user.tab.backward.rows[0].set_cotangent(np.ones(2))
    user.key(Qt.Key.Key_F5, on=user.canvas)
    user.play_to_end()
    user.click(user.middle("u"))
    assert user.rows("u")["grad"] == [4.0, 6.0]

    user.key(Qt.Key.Key_Tab, CONTROL, on=user.canvas)
    assert user.tab is first
    assert user.tab.player.trace is None
    assert user.canvas.selection == frozenset()
    assert user.tab.inspector.view is None
    assert user.tab.inspector.isVisible() != second.inspector.isVisible()
    assert user.rows("x")["grad"] == "None"

    user.key(Qt.Key.Key_Tab, CONTROL, on=user.canvas)
    assert user.tab.player.at_end
    assert user.tab.inspector.view.head.name_field.text() == "u"
    assert user.rows("u")["grad"] == [4.0, 6.0]


def test_nothing_plays_unseen_and_it_goes_on_when_seen_again(make_user, files):
    user = make_user(*files[:2])
    user.tab.backward.rows[0].set_cotangent(np.ones(2))
    user.key(Qt.Key.Key_F5, on=user.canvas)
    user.until_idle()
    player = user.tab.player
    assert player.is_playing
    user.key(Qt.Key.Key_Tab, CONTROL, on=user.canvas)
    assert not player.is_playing
    user.key(Qt.Key.Key_Tab, CONTROL, on=user.canvas)
    assert player.is_playing


def test_a_backward_that_ends_behind_another_tab_waits_to_be_seen(make_user, files, qtbot):
    user = make_user(*files[:2])
    second = user.tab
    second.backward.rows[0].set_cotangent(np.ones(2))
    user.key(Qt.Key.Key_F5, on=user.canvas)
    user.key(Qt.Key.Key_Tab, CONTROL, on=user.canvas)
    qtbot.waitUntil(lambda: second.evaluator.is_idle)
    assert not second.player.is_playing
    user.key(Qt.Key.Key_Tab, CONTROL, on=user.canvas)
    assert second.player.is_playing


def test_a_dot_says_what_is_not_saved(make_user, files, monkeypatch):
    user = make_user(*files[:2])
    user.add("leaf")
    assert titles(user) == ["one", DIRTY + "two"]
    assert user.window.isWindowModified()
    user.key(Qt.Key.Key_Tab, CONTROL, on=user.canvas)
    assert not user.window.isWindowModified()
    user.key(Qt.Key.Key_Tab, CONTROL, on=user.canvas)
    user.key(Qt.Key.Key_S, CONTROL, on=user.canvas)
    assert titles(user) == ["one", "two"]
    assert not user.window.isWindowModified()


def test_closing_asks_about_changes_and_cancel_keeps_the_tab(make_user, files, monkeypatch):
    user = make_user(*files[:2])
    user.add("leaf")
    asked = answer(monkeypatch, "Cancel")
    user.key(Qt.Key.Key_W, CONTROL, on=user.canvas)
    assert asked == ["Save the changes to two first?"]
    assert titles(user) == ["one", DIRTY + "two"]

    answer(monkeypatch, "Save")
    user.key(Qt.Key.Key_W, CONTROL, on=user.canvas)
    assert titles(user) == ["one"]
    assert len(read(files[1]).nodes) == 3


def test_the_last_tab_leaves_an_empty_graph(make_user, files):
    user = make_user(files[0])
    user.key(Qt.Key.Key_W, CONTROL, on=user.canvas)
    assert user.window.isVisible()
    assert len(titles(user)) == 1
    assert not user.graph.nodes
    user.add("leaf")
    assert len(user.graph.nodes) == 1


def test_a_middle_click_and_the_cross_close_tabs(make_user, files):
    user = make_user(*files)
    QTest.mouseClick(bar(user), MIDDLE, pos=middle_of(user, 0))
    assert titles(user) == ["two", "three"]
    assert user.document.title == "three"
    QTest.mouseClick(user.window.tabs.strip.close_button(1), LEFT)
    assert titles(user) == ["two"]
    assert user.document.title == "two"
    user.until_idle()
    assert user.rows("u")["value"] == [2.0, 3.0]


def test_a_right_click_on_a_tab_closes_the_others(make_user, files, monkeypatch):
    user = make_user(*files)
    user.add("leaf")
    asked = answer(monkeypatch, "Cancel")
    place = middle_of(user, 1)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, bar(user).mapToGlobal(place))
    QApplication.sendEvent(bar(user), event)
    menu = QApplication.activePopupWidget()
    assert user.document.title == "two"
    close = user.window.action_table["close_others"]
    assert close in menu.actions()
    menu.close()

    close.trigger()
    assert asked == ["Save the changes to three first?"]
    assert titles(user) == ["one", "two", DIRTY + "three"]
    answer(monkeypatch, "Discard")
    user.window.tabs.step(-1)
    close.trigger()
    assert titles(user) == [user.document.title]


def test_a_dragged_tab_keeps_its_graph(make_user, files):
    user = make_user(*files)
    start, end = middle_of(user, 0), middle_of(user, 2) + QPoint(20, 0)
    QTest.mousePress(bar(user), LEFT, pos=start)
    for share in (0.2, 0.5, 0.8, 1.0):
        QTest.mouseMove(bar(user), start + (end - start) * share)
    QTest.mouseRelease(bar(user), LEFT, pos=end)
    assert titles(user) == ["two", "three", "one"]
    shown = []
    for index in range(3):
        QTest.mouseClick(bar(user), LEFT, pos=middle_of(user, index))
        shown.append((user.document.title, user.graph.nodes["n1"].name))
    assert shown == [("two", "u"), ("three", "v"), ("one", "x")]


def test_a_file_that_is_open_is_shown_not_opened_again(make_user, files, tmp_path):
    user = make_user(*files)
    link = tmp_path / "link.pullback"
    link.symlink_to(files[0])
    user.window.opener.open_path(link)
    assert titles(user) == ["one", "two", "three"]
    assert user.document.title == "one"


def test_two_files_of_one_name_are_told_apart(make_user, square, tmp_path):
    paths = [tmp_path / folder / "net.pullback" for folder in ("old", "new")]
    for path in paths:
        path.parent.mkdir()
        write(square, path)
    user = make_user(*paths)
    assert titles(user) == ["net (old)", "net (new)"]
    assert bar(user).tabToolTip(1) == str(paths[1])


def test_a_file_open_in_another_tab_is_not_written_over(make_user, files, monkeypatch):
    user = make_user(*files[:2])
    before = files[0].read_text()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(files[0]), ""))
    user.add("leaf")
    user.key(Qt.Key.Key_S, CONTROL | SHIFT, on=user.canvas)
    assert "open in another tab" in user.tab.messages.cards[0].what.text()
    assert files[0].read_text() == before
    assert user.document.path == files[1]


def test_a_broken_file_opens_no_tab(make_user, files, tmp_path):
    user = make_user(*files[:2])
    broken = tmp_path / "broken.pullback"
    broken.write_text("{")
    user.window.opener.open_path(broken)
    assert titles(user) == ["one", "two"]
    assert "broken.pullback" in user.tab.messages.cards[0].what.text()
    assert set(user.graph.nodes) == {"n1", "n2"}


def test_a_closed_tab_takes_its_thread_and_its_widgets_along(make_user, files):
    user = make_user(files[0])
    before, widgets = len(engines()), len(user.window.findChildren(object))
    user.window.opener.open_all(files[1:])
    user.until_idle()
    assert len(engines()) == before + 2
    for _ in files[1:]:
        user.key(Qt.Key.Key_W, CONTROL, on=user.canvas)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert wait_for_threads(2.0)
    assert len(engines()) == before
    assert len(user.window.findChildren(object)) <= widgets


def test_as_many_tabs_are_seen_as_there_is_room_for(make_user, files):
    user = make_user(*files)
    user.window.resize(1000, 640)
    for _ in range(4):
        user.key(Qt.Key.Key_N, CONTROL, on=user.canvas)
        QApplication.processEvents()
    first, last = bar(user).tabRect(0), bar(user).tabRect(6)
    assert first.left() < 0, "there is not room for all"
    assert last.right() > bar(user).width() - 120, "but what there is, is used"
    user.window.resize(1800, 640)
    QApplication.processEvents()
    assert bar(user).tabRect(0).left() == 0
