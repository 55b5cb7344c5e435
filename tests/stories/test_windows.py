"""Several windows of one program: what they share, and what each has of its own."""

import threading

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox

from app.saving import write
from app.settings import Settings
from app.worker import wait_for_threads
from core.files import dumps

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def path(square, tmp_path):
    path = tmp_path / "square.pullback"
    write(square, path)
    return path


@pytest.fixture
def foreign():
    """Puts a text on the clipboard that is no graph."""
    clipboard = QGuiApplication.clipboard()

    def put(text):
        clipboard.setText(text)

    yield put
    clipboard.clear()


def test_a_window_opens_no_larger_than_the_screen(user, windows):
    user.key(Qt.Key.Key_N, CONTROL | SHIFT, on=user.canvas)
    window = list(windows)[-1]
    screen = window.screen().availableSize()
    assert screen.height() < 920  # it would like more
    assert window.height() < screen.height()
    assert window.width() <= screen.width()


def test_control_shift_n_opens_one_more_window(user, windows):
    user.key(Qt.Key.Key_N, CONTROL | SHIFT, on=user.canvas)
    first, second = windows
    assert second.isVisible()
    assert second.pos() != first.pos()
    assert not second.current.document.graph.nodes
    assert second.current.evaluator is not first.current.evaluator


def test_a_file_open_in_another_window_is_shown_there(qtbot, make_user, path):
    one, other = make_user(path), make_user()
    one.come_here()
    one.key(Qt.Key.Key_N, CONTROL, on=one.canvas)
    other.come_here()
    with qtbot.waitActive(one.window):
        other.window.opener.open_path(path)
    assert other.document.path is None
    assert one.document.path == path


def test_nodes_are_copied_from_window_to_window(make_user, path):
    one, other = make_user(path), make_user()
    one.come_here()
    one.key(Qt.Key.Key_A, CONTROL, on=one.canvas)
    one.key(Qt.Key.Key_C, CONTROL, on=one.canvas)
    other.come_here()
    other.key(Qt.Key.Key_V, CONTROL, on=other.canvas)
    other.until_idle()
    assert len(other.graph.nodes) == len(other.graph.wires) == 2
    assert other.rows("y")["value"] == [4.0, 9.0]
    assert other.document.undo_stack.count() == 1


def test_what_was_copied_outlives_its_document(make_user, path):
    one, other = make_user(path), make_user()
    one.come_here()
    one.key(Qt.Key.Key_A, CONTROL, on=one.canvas)
    one.key(Qt.Key.Key_X, CONTROL, on=one.canvas)
    assert not one.graph.nodes
    one.document.undo_stack.undo()
    one.document.undo_stack.setClean()
    one.window.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    other.come_here()
    other.key(Qt.Key.Key_V, CONTROL, on=other.canvas)
    other.until_idle()
    assert other.rows("y")["value"] == [4.0, 9.0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 3",
        "{",
        "[1, 2]",
        '{"format": "pullback"}',
        '{"nodes": [{"id": 7}]}',
        "\x00\ud7ff" * 9,
    ],
)
@pytest.mark.parametrize("key", [CONTROL, CONTROL | SHIFT])
def test_foreign_text_is_refused_without_harm(make_user, path, foreign, text, key):
    user = make_user(path)
    before = dumps(user.graph)
    foreign(text)
    user.key(Qt.Key.Key_V, key, on=user.canvas)
    assert dumps(user.graph) == before
    assert user.document.undo_stack.count() == 0
    assert user.tab.messages.total == 1
    assert user.tab.messages.cards[0].next_step.text()


def test_windows_wear_the_same_theme_and_have_the_same_keys(make_user, windows):
    one, other = make_user(), make_user()
    one.key(Qt.Key.Key_F12, on=one.canvas)
    assert not one.window.theme.is_dark
    assert not other.window.theme.is_dark
    assert other.window.action_table["light_theme"].isChecked()


def test_motion_chosen_in_one_window_is_not_unchosen_by_another(make_user, path):
    one, other = make_user(), make_user(path)
    one.tab.player.set_reduced_motion(True)
    other.tab.player.set_loop(True)
    assert Settings().reduced_motion


def test_closing_one_window_leaves_the_other(make_user, path, windows):
    one, other = make_user(), make_user(path)
    one.window.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert list(windows) == [other.window]
    other.add("leaf")
    other.until_idle()
    assert len(other.graph.nodes) == 3


def test_closing_the_only_tab_of_a_further_window_closes_it(make_user, windows):
    one, other = make_user(), make_user()
    other.key(Qt.Key.Key_W, CONTROL, on=other.canvas)
    assert list(windows) == [one.window]


def test_quitting_asks_in_every_window_and_stops_at_cancel(make_user, windows, monkeypatch):
    one, other = make_user(), make_user()
    other.add("leaf")
    one.come_here()
    one.add("leaf")
    answers = [QMessageBox.StandardButton.Discard, QMessageBox.StandardButton.Cancel]
    monkeypatch.setattr(QMessageBox, "question", lambda *_: answers.pop(0))
    one.key(Qt.Key.Key_Q, CONTROL, on=one.canvas)
    assert list(windows) == [other.window]
    assert answers == []


def test_the_window_that_is_asked_about_comes_to_the_front(qtbot, make_user, monkeypatch):
    one, other = make_user(), make_user()
    one.come_here()
    one.add("leaf")
    other.come_here()
    cancel = QMessageBox.StandardButton.Cancel
    monkeypatch.setattr(QMessageBox, "question", lambda *_: cancel)
    with qtbot.waitActive(one.window):
        other.key(Qt.Key.Key_Q, CONTROL, on=other.canvas)
    assert one.window.isActiveWindow()


def test_closed_windows_leave_no_threads(qtbot, make_user, path, windows):
    before = set(threading.enumerate())
    users = [make_user(path), make_user()]
    users[1].key(Qt.Key.Key_N, CONTROL, on=users[1].canvas)
    assert len(threading.enumerate()) == len(before) + 3
    windows.close_all()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert wait_for_threads(2.0)
    assert set(threading.enumerate()) == before
