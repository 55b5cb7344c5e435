"""The graph of a program, run by a Session, gives the values and gradients of the program itself.

What a graph cannot say of a program is told in the program's notes.
"""

import numpy as np
import pytest

from core.importers.python import load_program, program
from core.session import Session
from tests.core.importers.programs import PATIENT, rows

PROGRAMS = {row["id"]: row["code"] for row in rows("pasted.jsonl")} | {
    row["id"]: row["torch_code"] for row in rows("user_questions.jsonl")
}


@pytest.fixture
def places(monkeypatch):
    """What a program's tensors hold at its end: (place, value, its gradient if it is a leaf)."""
    found = []
    assembled = program.assembled

    def watched(recorder, **options):
        recorder.finish()
        for reference, place in recorder._places._marks.values():
            x = reference()
            if recorder.drafts[place.node].generation == recorder.generation:
                leaf = x.requires_grad and x.is_leaf
                grad = np.array(x.grad.data) if leaf and x.grad is not None else None
                found.append((place, np.array(x.data), leaf, grad))
        return assembled(recorder, **options)

    monkeypatch.setattr(program, "assembled", watched)
    return found


def close(a, b):
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=1e-7, equal_nan=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_session_gives_what_the_program_gave(name, places):
    made = load_program(PROGRAMS[name], PATIENT, layout=False)
    if made.notes:
        return  # see the test below
    session = Session(made.graph)
    runs = [session.run(run) for run in made.graph.runs]
    errors = [result.error for run in runs for result in run.results if result.error is not None]
    assert [e.kind for e in errors] == ([made.error.kind] if errors else [])
    snapshot = session.snapshot()
    assert not snapshot.errors
    for place, value, leaf, grad in places:
        if place.node not in made.graph.nodes:
            continue
        assert close(np.asarray(snapshot.values[place.node][place.output]), value)
        if leaf:
            again = runs[0].grads[place.node] if runs else None
            assert (again is None) is (grad is None)
            assert grad is None or close(np.asarray(again), grad)


NOTED = {
    "hooks": "hooks are not in the graph",
    "clip": "gradients are clipped, which is not in the graph",
    "pinn": "a backward through what was computed from gradients",
    "ste": "Round has a backward of its own: the graph has its operations' rules",
    "data-write-silently-wrong": "a value changed through .data or detach()",
    "inplace-err": "a backward that failed (modified saved)",
    "anomaly": "anomaly detection",
}


@pytest.mark.parametrize("name", NOTED)
def test_what_the_graph_does_not_show_is_noted(name):
    assert NOTED[name] in load_program(PROGRAMS[name], PATIENT, layout=False).notes


def test_few_programs_have_more_than_their_graphs_show():
    noted = [
        name for name, text in PROGRAMS.items() if load_program(text, PATIENT, layout=False).notes
    ]
    assert len(noted) < 0.2 * len(PROGRAMS)


def test_gradients_flow_through_the_operations_of_a_class_with_its_own_backward():
    made = load_program(PROGRAMS["custom"], layout=False)
    run = Session(made.graph).run(made.graph.runs[0])
    (leaf,) = run.grads
    assert run.grads[leaf].tolist() == [0.0, 1.0, 0.0]
