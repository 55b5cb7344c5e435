import threading

import numpy as np
import pytest

from app.document import Document
from app.evaluator import Evaluator, wait_for_threads
from core.graph import Backward, Run
from core.session import Session

ONES = np.ones(2)


@pytest.fixture
def document(qtbot, square):
    return Document(square)


@pytest.fixture
def evaluator(qtbot, document):
    evaluator = Evaluator(document)
    with qtbot.waitSignal(evaluator.evaluated):
        evaluator.evaluate()
    yield evaluator
    evaluator.close()
    assert wait_for_threads(2.0)


@pytest.fixture
def gate(monkeypatch):
    """Holds every ``Session.update`` in the worker until it is opened."""
    gate, entered = threading.Event(), threading.Event()
    update = Session.update

    def wait(session, graph):
        entered.set()
        gate.wait(10)
        return update(session, graph)

    monkeypatch.setattr(Session, "update", wait)
    gate.entered = entered
    yield gate
    gate.set()


def root(cotangent=ONES):
    return Backward((("n2", "y"),), None if cotangent is None else (cotangent,))


def test_values_follow_an_edit(qtbot, document, evaluator):
    with qtbot.waitSignal(evaluator.evaluated):
        document.edit("Set x", document.graph.with_params("n1", value=[5.0, 0.0]))
    assert evaluator.snapshot.values["n2"][0].tolist() == [25.0, 0.0]


def test_moving_a_node_computes_nothing(qtbot, document, evaluator):
    document.edit("Move x", document.graph.moved({"n1": (99.0, 0.0)}))
    assert evaluator.is_idle


def test_a_backward_gives_a_trace_and_gradients(qtbot, evaluator):
    with qtbot.waitSignal(evaluator.traced) as traced:
        evaluator.perform(root())
    assert traced.args[0].number == 1
    assert evaluator.snapshot.grads["n1"].tolist() == [4.0, 6.0]


def test_what_cannot_be_done_is_said(qtbot, evaluator):
    with qtbot.waitSignal(evaluator.failed) as failed:
        evaluator.perform(root(None))
    assert failed.args[0].kind == "nonscalar_root"


def test_restart_forgets_gradients_and_a_run_starts_fresh(qtbot, evaluator):
    with qtbot.waitSignal(evaluator.performed):
        evaluator.perform(root())
    with qtbot.waitSignals([evaluator.restarted, evaluator.evaluated]):
        evaluator.restart()
    assert evaluator.snapshot.grads["n1"] is None

    with qtbot.waitSignal(evaluator.ran) as ran:
        evaluator.run(Run("two", (Backward((("n2", "y"),), (ONES,), retain_graph=True), root())))
    assert [result.trace.number for result in ran.args[0].results] == [1, 2]
    assert evaluator.snapshot.grads["n1"].tolist() == [8.0, 12.0]


def test_the_newest_edit_overtakes_those_that_wait(qtbot, document, evaluator, gate):
    snapshots = []
    evaluator.evaluated.connect(snapshots.append)
    for value in (1.0, 2.0, 3.0, 4.0):
        document.edit("Set x", document.graph.with_params("n1", value=[value, 0.0]))
    with qtbot.waitSignal(evaluator.evaluated):
        gate.set()

    assert len(snapshots) == 1  # the first was outdated, the second and third were never computed
    assert snapshots[0].values["n2"][0].tolist() == [16.0, 0.0]
    assert evaluator.is_idle


def test_an_action_after_an_edit_is_done_on_the_edited_graph(qtbot, document, evaluator, gate):
    document.edit("Set x", document.graph.with_params("n1", value=[1.0, 1.0]))
    evaluator.perform(root())
    with qtbot.waitSignal(evaluator.performed):
        gate.set()
    assert evaluator.snapshot.grads["n1"].tolist() == [2.0, 2.0]


def test_long_work_is_shown_as_busy_and_short_work_is_not(qtbot, document, evaluator, gate):
    with qtbot.waitSignal(evaluator.busy) as busy:
        evaluator.restart()
    assert busy.args == [True]
    with qtbot.waitSignal(evaluator.busy) as busy:
        gate.set()
    assert busy.args == [False]


def test_cancel_leaves_the_call_alone_and_goes_on_with_a_fresh_thread(
    qtbot, document, evaluator, gate
):
    evaluator.restart()
    assert gate.entered.wait(10)
    evaluator.cancel()
    assert evaluator.is_idle
    gate.set()

    with qtbot.waitSignal(evaluator.evaluated):
        document.edit("Set x", document.graph.with_params("n1", value=[3.0, 0.0]))
    assert evaluator.snapshot.values["n2"][0].tolist() == [9.0, 0.0]


def test_another_document_gets_another_session(qtbot, document, evaluator):
    with qtbot.waitSignal(evaluator.performed):
        evaluator.perform(root())
    with qtbot.waitSignal(evaluator.evaluated):
        document.set_graph(document.graph)
    assert evaluator.snapshot.grads["n1"] is None
    assert evaluator.snapshot.backwards == 0


def test_whatever_the_engine_raises_is_said_and_the_next_edit_is_computed(
    qtbot, document, evaluator, monkeypatch
):
    def broken(session, graph):
        raise ZeroDivisionError("a bug")

    with monkeypatch.context() as patch, qtbot.waitSignal(evaluator.failed) as failed:
        patch.setattr(Session, "update", broken)
        evaluator.evaluate()
    assert "a bug" in failed.args[0].what
    assert evaluator.is_idle

    with qtbot.waitSignal(evaluator.evaluated):
        document.edit("Set x", document.graph.with_params("n1", value=[5.0, 0.0]))
    assert evaluator.snapshot.values["n2"][0].tolist() == [25.0, 0.0]
