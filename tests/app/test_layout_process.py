"""The process that lays out: its answer, its end, and what is said when it cannot do it."""

import os
import sys

import pytest
from PySide6.QtCore import QObject

from app.layout_process import LayoutProcess
from core.topology.worker import Task

TASK = Task({"a": (162.0, 118.0), "b": (162.0, 118.0)}, [("a", "b")])


@pytest.fixture
def owner(qapp):
    owner = QObject()
    yield owner
    owner.deleteLater()


def test_it_finds_what_the_function_finds(owner, qtbot):
    process = LayoutProcess(TASK, owner)
    with qtbot.waitSignal(process.solved) as caught:
        pass
    assert caught.args == [TASK.solve()]


def test_it_is_gone_as_soon_as_it_is_stopped(owner):
    sizes = {f"n{i}": (162.0, 118.0) for i in range(3000)}
    process = LayoutProcess(Task(sizes, [(f"n{i}", f"n{i + 1}") for i in range(2999)]), owner)
    number = process.number
    os.kill(number, 0)  # it is there
    process.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_it_tells_why_it_broke_down(owner, qtbot):
    process = LayoutProcess(Task({"a": (1.0, 1.0)}, [("a", "nobody")]), owner)
    with qtbot.waitSignal(process.failed) as caught:
        pass
    assert "nobody" in caught.args[0]


def test_it_tells_that_it_cannot_be_started(owner, qtbot, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    process = LayoutProcess(TASK, owner)
    with qtbot.waitSignal(process.failed) as caught:
        pass
    assert caught.args[0]
