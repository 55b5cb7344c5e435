"""An operation that takes long never holds up the window: it is marked, stopped, overtaken."""

import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from app.worker import wait_for_threads
from core.session import Session

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def slow_exp(monkeypatch):
    """Makes nodes called exp wait until the event is set; others are as quick as ever."""
    gate = threading.Event()
    evaluate = Session._evaluate

    def wait(session, node):
        assert node.name != "exp" or gate.wait(10)
        return evaluate(session, node)

    monkeypatch.setattr(Session, "_evaluate", wait)
    yield gate
    gate.set()


@pytest.fixture
def busy(qtbot, user, slow_exp):
    """x and t are leaves, exp of x is being computed, and says so."""
    user.add("leaf")
    user.add("leaf")
    user.until_idle()
    user.canvas.select([user.id("x")])
    with qtbot.waitSignal(user.tab.evaluator.working):
        user.add("exp")
    return user


def test_the_node_says_that_it_works_and_the_window_goes_on(qtbot, busy, slow_exp):
    user = busy
    assert user.rows("exp")["value"] == "computing…"
    assert "computing" not in str(user.rows("x")["value"])
    user.key(Qt.Key.Key_Escape, on=user.canvas)
    user.add("leaf")  # the window is alive
    assert user.rows("exp")["value"] == "computing…"

    slow_exp.set()
    user.until_idle()
    assert user.rows("exp")["value"] == "2.718"


def test_the_mark_moves_on(qtbot, busy):
    user = busy
    picture = user.canvas.picture
    row = picture.geometry.row[user.id("exp")]
    before = picture.content(row).busy
    with qtbot.waitSignal(user.tab.evaluator.working):
        pass
    assert picture.content(row).busy == before + 1 > 1


def test_stop_computing_gives_the_node_up_and_forward_again_takes_it_up(qtbot, busy, slow_exp):
    user = busy
    user.key(Qt.Key.Key_Period, CONTROL, on=user.canvas)
    user.until_idle()
    assert "stopped" in user.message("exp")
    assert user.rows("exp")["value"] == "—"

    slow_exp.set()
    (card,) = user.tab.messages.cards
    user.press_button(card.buttons["forward"])
    user.until_idle()
    assert user.rows("exp")["value"] == "2.718"
    assert user.message("exp") == ""


def test_a_newer_value_does_not_wait_for_the_older_one(qtbot, busy, slow_exp, monkeypatch):
    user = busy
    monkeypatch.undo()  # what is computed from now on is quick; what is at work still waits
    with qtbot.waitSignal(user.tab.evaluator.evaluated):
        user.document.edit("Set x", user.graph.with_params(user.id("x"), value=0.0))
    assert user.rows("exp")["value"] == "1"
    assert user.tab.evaluator.is_idle


def test_a_real_decomposition(qtbot, user):
    user.add("leaf")
    matrix = np.random.default_rng(0).normal(size=(250, 250))
    user.document.edit("Set x", user.graph.with_params(user.id("x"), value=matrix))
    user.canvas.select([user.id("x")])
    user.add("svd")
    user.canvas.select([])
    user.add("constant")  # while the decomposition is at work
    user.until_idle()
    snapshot = user.tab.evaluator.snapshot
    assert snapshot.errors == {}
    u, s, vt = snapshot.values[user.id("svd")]
    np.testing.assert_allclose((u * s) @ vt, matrix, atol=1e-8)


def test_its_tab_closes_at_once_and_its_thread_ends_when_it_can(busy, slow_exp, monkeypatch):
    user = busy
    button = QMessageBox.StandardButton.Discard
    monkeypatch.setattr(QMessageBox, "question", lambda *_: button)
    closed = user.tab
    user.key(Qt.Key.Key_W, CONTROL, on=user.canvas)
    assert user.tab is not closed
    assert not user.graph.nodes
    assert not wait_for_threads(0.01)
    slow_exp.set()
    assert wait_for_threads(5.0)
