import threading

import numpy as np
import pytest

from app.document import Document
from app.evaluator import Evaluator
from app.worker import wait_for_threads
from core.graph import INPUT, Backward, Forward, Run
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

    def wait(session, *args):
        entered.set()
        gate.wait(10)
        return update(session, *args)

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


@pytest.fixture
def slow(monkeypatch):
    """Holds the computing of nodes: ``slow.hold("y")`` until ``slow.release("y")``."""

    class Slow:
        def __init__(self):
            self.gates, self.entered, self.computed = {}, {}, []

        def hold(self, name):
            self.gates[name], self.entered[name] = threading.Event(), threading.Event()

        def release(self, name):
            self.gates.pop(name).set()

    slow = Slow()
    evaluate = Session._evaluate

    def wait(session, node):
        gate = slow.gates.get(node.name)
        if gate is not None:
            slow.entered[node.name].set()
            assert gate.wait(10)
        slow.computed.append(node.name)
        return evaluate(session, node)

    monkeypatch.setattr(Session, "_evaluate", wait)
    yield slow
    for name in list(slow.gates):
        slow.release(name)


@pytest.fixture
def aside(document):
    """A node z = exp(t) that has nothing to do with y = x * x."""
    graph, t = document.graph.with_node(INPUT, (0, 200), "t", {"value": np.array(0.0)})
    graph, z = graph.with_node("exp", (300, 200), "z")
    graph, _ = graph.with_wire(t, "y", z, "x")
    document.graph = graph
    return t, z


def set_x(document, value):
    document.edit("Set x", document.graph.with_params("n1", value=value))


def test_a_slow_node_is_named_while_it_works(qtbot, document, evaluator, slow):
    slow.hold("y")
    with qtbot.waitSignal(evaluator.working) as working:
        set_x(document, [5.0, 0.0])
    assert working.args == ["n2"]
    with qtbot.waitSignal(evaluator.working, check_params_cb=lambda node: node is None):
        slow.release("y")


def test_cancel_gives_up_the_node_at_work_and_all_others_get_their_values(
    qtbot, document, aside, evaluator, slow
):
    slow.hold("y")
    set_x(document, [5.0, 0.0])
    assert slow.entered["y"].wait(10)
    with qtbot.waitSignal(evaluator.evaluated):
        evaluator.cancel()
    assert evaluator.is_idle
    assert evaluator.snapshot.errors["n2"].kind == "stopped"
    assert evaluator.snapshot.values["n1"][0].tolist() == [5.0, 0.0]
    assert evaluator.snapshot.values[aside[1]][0] == 1.0

    slow.release("y")
    with qtbot.waitSignal(evaluator.evaluated):
        evaluator.perform(Forward())
    assert evaluator.snapshot.errors == {}
    assert evaluator.snapshot.values["n2"][0].tolist() == [25.0, 0.0]


def test_gradients_outlive_a_cancelled_edit(qtbot, document, evaluator, slow):
    with qtbot.waitSignal(evaluator.performed):
        evaluator.perform(root())
    slow.hold("y")
    set_x(document, [5.0, 0.0])
    assert slow.entered["y"].wait(10)
    with qtbot.waitSignal(evaluator.evaluated):
        evaluator.cancel()
    assert evaluator.snapshot.grads["n1"].tolist() == [4.0, 6.0]


def test_an_edit_overtakes_the_long_call_it_makes_useless(qtbot, document, aside, evaluator, slow):
    slow.hold("y")
    snapshots = []
    evaluator.evaluated.connect(snapshots.append)
    with qtbot.waitSignal(evaluator.working):
        set_x(document, [5.0, 0.0])
    gate = slow.gates.pop("y")  # the next one is quick; the first still waits

    with qtbot.waitSignal(evaluator.evaluated):
        set_x(document, [7.0, 0.0])
    assert evaluator.snapshot.values["n2"][0].tolist() == [49.0, 0.0]
    assert evaluator.is_idle

    gate.set()  # what it finds is of no use to anybody
    assert wait_for_threads(2.0)
    assert len(snapshots) == 1
    assert "z" not in slow.computed[slow.computed.index("y") :]


def test_an_edit_elsewhere_waits_for_the_long_call(qtbot, document, aside, evaluator, slow):
    slow.hold("y")
    with qtbot.waitSignal(evaluator.working):
        set_x(document, [5.0, 0.0])
    document.edit("Set t", document.graph.with_params(aside[0], value=np.array(1.0)))
    with qtbot.waitSignal(evaluator.working):
        pass  # it was looked at again, and left at work
    with qtbot.waitSignal(evaluator.evaluated):
        slow.release("y")
    assert slow.computed.count("y") == 1
    assert evaluator.snapshot.values["n2"][0].tolist() == [25.0, 0.0]
    assert evaluator.snapshot.values[aside[1]][0] == np.exp(1.0)


def test_a_backward_asked_for_meanwhile_is_not_lost(qtbot, document, evaluator, slow):
    slow.hold("y")
    with qtbot.waitSignal(evaluator.working):
        set_x(document, [5.0, 0.0])
    gate = slow.gates.pop("y")
    set_x(document, [7.0, 1.0])
    with qtbot.waitSignal(evaluator.performed):
        evaluator.perform(root())
    assert evaluator.snapshot.grads["n1"].tolist() == [14.0, 2.0]
    gate.set()


def test_a_newer_edit_stops_the_older_one_before_its_next_node(qtbot, document, evaluator, slow):
    slow.hold("x")
    set_x(document, [5.0, 0.0])
    assert slow.entered["x"].wait(10)
    set_x(document, [7.0, 0.0])
    with qtbot.waitSignal(evaluator.evaluated):
        slow.release("x")
    assert slow.computed == ["x", "x", "y"]
    assert evaluator.snapshot.values["n2"][0].tolist() == [49.0, 0.0]


def test_cancelling_an_action_begins_forward_anew(qtbot, document, evaluator, monkeypatch):
    gate, entered = threading.Event(), threading.Event()

    def stuck(session, action):
        entered.set()
        assert gate.wait(10)
        return {}

    monkeypatch.setattr(Session, "_do", stuck)
    evaluator.perform(root())
    assert entered.wait(10)
    with qtbot.waitSignal(evaluator.evaluated):
        evaluator.cancel()
    assert evaluator.snapshot.values["n2"][0].tolist() == [4.0, 9.0]
    assert evaluator.snapshot.grads["n1"] is None
    gate.set()


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
    def broken(session, *args):
        raise ZeroDivisionError("a bug")

    with monkeypatch.context() as patch, qtbot.waitSignal(evaluator.failed) as failed:
        patch.setattr(Session, "update", broken)
        evaluator.evaluate()
    assert "a bug" in failed.args[0].what
    assert evaluator.is_idle

    with qtbot.waitSignal(evaluator.evaluated):
        document.edit("Set x", document.graph.with_params("n1", value=[5.0, 0.0]))
    assert evaluator.snapshot.values["n2"][0].tolist() == [25.0, 0.0]
