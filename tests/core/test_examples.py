from pathlib import Path

import numpy as np
import pytest

from core.errors import GraphFreedError
from core.files import dumps, load
from core.session import Session

FOLDER = Path(__file__).parents[2] / "resources" / "examples"
EXAMPLES = sorted(FOLDER.glob("*.pullback"))
#: The one run that is there to fail.
FORGETFUL = "forgets to retain the graph"


def example(number):
    return load(next(path for path in EXAMPLES if path.name.startswith(f"{number}_")))


def grads(graph, run):
    result = Session(graph).run(graph.run(run))
    return {graph.nodes[i].name: np.round(g, 4).tolist() for i, g in result.grads.items()}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_saved_as_this_program_saves_it(path):
    assert dumps(load(path)) == path.read_text("utf-8")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_computes_and_runs(path):
    graph = load(path)
    session = Session(graph)

    assert session.snapshot().errors == {}
    assert graph.runs
    for run in graph.runs:
        errors = [result.error for result in session.run(run).results if result.error]
        assert (run.name == FORGETFUL) == bool(errors)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_reads_from_left_to_right(path):
    graph = load(path)

    for wire in graph.wires.values():
        assert graph.nodes[wire.target].pos[0] >= graph.nodes[wire.source].pos[0] + 272


def test_there_are_six_examples():
    assert [path.stem[0] for path in EXAMPLES] == list("123456")


def test_the_square_gives_what_its_three_cotangents_ask_for():
    graph = example(1)

    assert grads(graph, "ones (1, 1)") == {"x": [4, 6]}
    assert grads(graph, "first (1, 0)") == {"x": [4, 0]}
    assert grads(graph, "second (0, 1)") == {"x": [0, 6]}


def test_the_chain_gives_the_numbers_everybody_knows():
    assert grads(example(2), "backward") == {"x": -4, "y": -4, "z": 3}
    assert grads(example(2), "twice: gradients add up") == {"x": -8, "y": -8, "z": 6}


def test_the_fan_out_adds_two_contributions_each():
    assert grads(example(3), "backward") == {"a": 21, "b": 16}


def test_two_losses_need_the_graph_to_be_retained():
    graph = example(6)
    session = Session(graph)
    *_, last = session.run(graph.run(FORGETFUL)).results

    assert isinstance(last.error, GraphFreedError)
    assert not any(result.error for result in session.run(graph.run("both losses")).results)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_replay_is_a_run(path):
    graph = load(path)
    live = Session(graph)
    for run in [*graph.runs, *graph.runs]:
        fresh = Session(graph)
        wanted, got = fresh.run(run), live.replay(run)
        assert got.grads.keys() == wanted.grads.keys()
        for node, gradient in wanted.grads.items():
            np.testing.assert_array_equal(got.grads[node], gradient)
        for mine, theirs in zip(got.results, wanted.results, strict=True):
            assert (mine.error is None) == (theirs.error is None)
            assert (mine.trace and len(mine.trace.steps)) == (
                theirs.trace and len(theirs.trace.steps)
            )
        assert live.snapshot().backwards == fresh.snapshot().backwards
