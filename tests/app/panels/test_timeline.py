from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget

from app.panels.timeline import Timeline
from app.playback import Player
from core.graph import Backward
from core.session import Session


@pytest.fixture
def player(qtbot, square):
    player = Player()
    player.load(Session(square).perform(Backward((("n2", "y"),), (np.ones(2),))).trace)
    return player


@pytest.fixture
def timeline(shown, theme, player):
    timeline = Timeline(player)
    timeline.set_theme(theme)
    return shown(timeline, 640, 54)


def test_it_says_where_the_player_is(timeline, player):
    player.set_speed(0.5)
    player.to_end()
    assert timeline.text() == f"Backward 1 · step 2 of {len(player.trace.steps)} · 0.5×"


def test_without_a_trace_it_says_what_to_do(shown, theme):
    timeline = Timeline(Player())
    timeline.set_theme(theme)
    shown(timeline, 640, 54)
    assert "F5" in timeline.text()


def test_pressing_on_the_line_seeks(qtbot, timeline, player):
    middle = QPoint(timeline.scrubber.width() // 2, timeline.scrubber.height() // 2)
    qtbot.mouseClick(timeline.scrubber, Qt.MouseButton.LeftButton, pos=middle)
    assert player.moment.time == pytest.approx(player.duration / 2, rel=0.02)


def test_arrow_keys_on_the_line_step(qtbot, timeline, player):
    qtbot.keyClick(timeline.scrubber, Qt.Key.Key_Right)
    assert player.moment.time == pytest.approx(player.boundaries()[1])
    qtbot.keyClick(timeline.scrubber, Qt.Key.Key_Left)
    assert player.moment.time == 0.0


def test_options_are_ticked_as_the_player_has_them(timeline, player):
    player.set_speed(2.0)
    player.set_mode("wave")
    player.set_loop(True)
    ticked = {action.text() for action in timeline.options_menu.actions() if action.isChecked()}
    assert ticked == {"2×", "As a wave", "Loop"}


def test_any_backward_since_the_restart_can_be_chosen(timeline, player, square):
    session = Session(square)
    action = Backward((("n2", "y"),), (np.ones(2),), retain_graph=True)
    player.load(*(session.perform(action).trace for _ in range(2)))
    timeline.options_menu.aboutToShow.emit()
    first, second = timeline.trace_menu.actions()
    assert first.isChecked()
    second.trigger()
    assert player.index == 1
    assert timeline.text().startswith("Backward 2")


def test_an_edit_is_mentioned(timeline, player):
    player.mark_stale()
    assert "outdated" in timeline.text()


@pytest.mark.parametrize("width", [260, 320, 399, 400, 519, 520, 640])
def test_nothing_lies_over_another_however_narrow_it_is(shown, theme, player, width):
    canvas = shown(QWidget(), 700, 100)
    timeline = Timeline(player, canvas)
    timeline.set_theme(theme)
    timeline.show()
    player.to_end()
    timeline.setGeometry(0, 0, width, 56)
    QApplication.processEvents()
    layout = timeline.layout()
    parts = [layout.itemAt(i).widget() for i in range(layout.count())]
    places = [part.geometry() for part in parts if part is not None and part.isVisible()]
    assert all(left.right() < right.left() for left, right in pairwise(places))
    assert places[-1].right() < width
