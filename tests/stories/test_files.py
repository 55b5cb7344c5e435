"""What is saved is what comes back, and nothing is lost on the way."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from app.examples import examples, title
from app.saving import read, write
from core.files import dumps
from core.graph import Backward, Run

CONTROL = Qt.KeyboardModifier.ControlModifier
NO = Qt.KeyboardModifier.NoModifier


def test_save_close_reopen(make_user, square, tmp_path, monkeypatch):
    path = tmp_path / "square.pullback"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    user = make_user()
    user.add("leaf")
    user.add("square")
    user.key(Qt.Key.Key_S, CONTROL, on=user.canvas)
    assert user.window.windowTitle().startswith("square")
    saved = dumps(user.graph)
    user.window.close()

    again = make_user(path)
    assert dumps(again.graph) == saved
    assert not again.document.modified
    assert again.rows("square")["value"] == "1"


def test_closing_with_changes_asks_and_cancel_keeps_the_window(user, monkeypatch):
    button = QMessageBox.StandardButton
    monkeypatch.setattr(QMessageBox, "question", lambda *_: button.Cancel)
    user.add("leaf")
    user.window.close()
    assert user.window.isVisible()


def test_a_dropped_file_opens(make_user, square, tmp_path):
    path = tmp_path / "dropped.pullback"
    write(square, path)
    user = make_user()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    mouse = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, NO)
    entering = QDragEnterEvent(QPoint(500, 400), *mouse)
    QApplication.sendEvent(user.window, entering)
    assert entering.isAccepted()
    QApplication.sendEvent(user.window, QDropEvent(QPointF(500, 400), *mouse))
    user.until_idle()
    assert user.document.path == path
    assert user.rows("y")["value"] == [4.0, 9.0]


def test_a_broken_file_is_said_and_changes_nothing(make_user, square, tmp_path):
    path = tmp_path / "good.pullback"
    write(square, path)
    user = make_user(path)
    before = user.graph
    broken = tmp_path / "broken.pullback"
    broken.write_text("{")
    user.window.opener.open_path(broken)
    assert user.graph is before
    assert "broken.pullback" in user.tab.messages.cards[0].what.text()


def test_a_run_kept_in_the_file_is_played_with_one_click(make_user, square, tmp_path):
    path = tmp_path / "runs.pullback"
    run = Run("first", (Backward((("n2", "y"),), ([1.0, 0.0],)),))
    write(square.with_run(run), path)
    user = make_user(path)
    user.window.docks["backward"].raise_()
    user.press_button(user.tab.backward.runs.rows[0].play)
    user.play_to_end()
    assert user.rows("x")["grad"] == [4.0, 0.0]


def test_the_first_start_opens_an_example(make_user):
    user = make_user(first_start=True)
    assert user.graph.nodes
    assert user.document.path is None
    assert make_user().graph.nodes == {}


@pytest.mark.parametrize("path", examples(), ids=title)
def test_every_example_opens_runs_and_plays_to_its_end(make_user, path):
    user = make_user(path)
    assert user.tab.evaluator.snapshot.errors == {}
    assert user.graph.runs, "an example shows something: it has a run"
    for run in user.graph.runs:
        user.tab.backward.run_asked.emit(run)
        user.until_idle()
        player = user.tab.player
        player.set_speed(4.0)
        for _ in range(2000):
            if player.at_end and player.index == len(player.traces) - 1:
                break
            player.advance(0.25)
        assert player.at_end


@pytest.mark.parametrize("path", examples(), ids=title)
def test_every_example_saves_as_it_is(path, tmp_path):
    graph = read(path)
    write(graph, tmp_path / "again.pullback")
    assert dumps(read(tmp_path / "again.pullback")) == dumps(graph)
