"""The line that stands for time."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.panels.scrubber import Scrubber
from app.theme import dark


@pytest.fixture
def scrubber(qtbot) -> Scrubber:
    scrubber = Scrubber()
    qtbot.addWidget(scrubber)
    scrubber.set_theme(dark())
    scrubber.resize(260, 28)
    scrubber.show()
    return scrubber


def test_ten_thousand_marks_are_no_bar(scrubber) -> None:
    scrubber.set_marks(np.linspace(0.0, 10.0, 10_000).tolist(), 10.0)
    many = scrubber.grab().toImage()
    scrubber.set_marks((), 10.0)
    assert scrubber.grab().toImage() != many


def test_marks_get_room_when_the_line_grows(scrubber) -> None:
    marks = np.linspace(0.0, 10.0, 100).tolist()
    scrubber.set_marks(marks, 10.0)
    scrubber.resize(900, 28)
    grown = scrubber.grab().toImage()
    scrubber.set_marks(marks, 10.0)
    assert scrubber.grab().toImage() == grown


def test_a_press_asks_for_the_time_there(scrubber, qtbot) -> None:
    scrubber.set_marks([0.0, 10.0], 10.0)
    with qtbot.waitSignal(scrubber.scrubbed) as asked:
        QTest.mouseClick(scrubber, Qt.MouseButton.LeftButton, pos=QPoint(130, 14))
    assert asked.args[0] == pytest.approx(5.0, abs=0.05)
