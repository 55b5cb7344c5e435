"""What the window shows, exported as a picture or as an animation."""

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QProcess, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog


@pytest.fixture
def user(make_user, square):
    user = make_user()
    user.document.set_graph(square)
    user.until_idle()
    user.tab.backward.rows[0].set_cotangent(np.ones(2))
    return user


def export(user, monkeypatch, path):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    user.window.action_table["export_picture"].trigger()


def test_a_picture_is_what_the_canvas_shows_at_that_moment(user, monkeypatch, tmp_path):
    export(user, monkeypatch, tmp_path / "before.png")
    user.key(Qt.Key.Key_F5, on=user.canvas)
    user.play_to_end()
    export(user, monkeypatch, tmp_path / "after.png")
    before, after = (QImage(str(tmp_path / f"{name}.png")) for name in ("before", "after"))
    assert before.size() == after.size()
    assert before.width() >= 1280
    assert before != after


def test_an_animation_plays_the_backward_as_it_is_set(user, monkeypatch, tmp_path, qtbot):
    path = tmp_path / "square"
    with qtbot.waitSignal(user.tab.picture_export.written, timeout=60_000) as written:
        export(user, monkeypatch, path)
    assert written.args == [tmp_path / "square.gif"]
    with Image.open(tmp_path / "square.gif") as film:
        assert film.n_frames > 20
    assert not user.graph.runs  # what was shown is no part of the document


def test_an_animation_that_cannot_be_made_is_said(user, monkeypatch, tmp_path, qtbot):
    with qtbot.waitSignal(user.tab.picture_export.failed, timeout=60_000):
        export(user, monkeypatch, tmp_path / "nowhere" / "film.gif")
    assert "animation" in user.tab.messages.cards[0].what.text()


def test_closing_the_tab_gives_up_the_animation(user, monkeypatch, tmp_path):
    export(user, monkeypatch, tmp_path / "film.gif")
    (process,) = user.tab.picture_export.findChildren(QProcess)
    ended = []
    process.stateChanged.connect(ended.append)
    user.document.undo_stack.setClean()
    user.key(Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier, on=user.canvas)
    assert ended[-1] == QProcess.ProcessState.NotRunning
    assert not (tmp_path / "film.gif").exists()
