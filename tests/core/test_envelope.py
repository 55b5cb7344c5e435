import json

import numpy as np

from core.errors import MissingInputError
from core.files.envelope import envelope, error_record
from core.graph import INPUT, Backward, Grad, Graph, Run
from core.observe import summary
from core.session import ActionResult, RunResult, Session
from core.trace import Flow, Step, Trace


def run_all(graph):
    session = Session(graph)
    values = session.snapshot().values
    data = envelope(graph, values, [session.run(run) for run in graph.runs])
    return json.loads(json.dumps(data, allow_nan=False))


def test_the_square_step_by_step(square):
    y = square.named("y").id
    graph = square.with_run(Run("first", (Backward(((y, "y"),), ([1.0, 0.0],)),)))
    data = run_all(graph)

    assert data["values"] == {"x": {"y": [2, 3]}, "y": {"y": [4, 9]}}
    assert data["error"] is None
    (run,) = data["runs"]
    (action,) = run["actions"]
    assert (run["name"], action["do"], action["error"]) == ("first", "backward", None)
    first, last = action["steps"]
    assert first["node"] == "y"
    assert first["cotangent"] == {"y": [1, 0]}
    assert first["vjps"] == {"a": [2, 0], "b": [2, 0]}
    assert set(first["freed"]) == {"a", "b"}
    assert first["accumulated"] is None
    assert (last["node"], last["accumulated"]) == ("x", [4, 0])
    assert action["added"] == run["grads"] == {"x": [4, 0]}


def test_gradients_that_grad_returns(square):
    x, y = square.named("x").id, square.named("y").id
    graph = square.with_run(Run("g", (Grad(((y, "y"),), (x,), ([1.0, 1.0],)),)))
    (action,) = run_all(graph)["runs"][0]["actions"]

    assert action["do"] == "grad"
    assert action["returned"] == {"x": [4, 6]}
    assert action["added"] == {}


def test_numbers_json_does_not_have_are_words():
    graph, _ = Graph().with_node(INPUT, params={"value": [[np.nan, np.inf], [-np.inf, 1.0]]})

    assert run_all(graph)["values"] == {"x": {"y": [["nan", "inf"], ["-inf", 1.0]]}}


def test_several_outputs_have_their_names():
    graph, x = Graph().with_node(INPUT, params={"value": np.arange(6.0)})
    graph, split = graph.with_node("split", params={"indices_or_sections": [1, 3]})
    graph, _ = graph.with_wire(x, "y", split, "x")

    assert run_all(graph)["values"]["split"] == {"y[0]": [0], "y[1]": [1, 2], "y[2]": [3, 4, 5]}


def test_an_error_names_the_node_and_what_to_do(square):
    y = square.named("y").id
    error = MissingInputError("No a.", next_step="Wire it.", node=y, port="a")

    assert error_record(error, square) == {
        "kind": "missing_input",
        "message": "No a.",
        "next_step": "Wire it.",
        "node": "y",
        "port": "a",
        "line": None,
    }
    assert envelope(square, {}, [], error)["error"]["node"] == "y"


def test_an_error_of_the_system_is_told_as_well():
    assert error_record(OSError("disk full"))["kind"] == "OSError"


def test_a_run_that_fails_says_where(square):
    y = square.named("y").id
    twice = Backward(((y, "y"),), ([1.0, 1.0],))
    first, second = run_all(square.with_run(Run("twice", (twice, twice))))["runs"][0]["actions"]

    assert first["error"] is None
    assert second["error"]["kind"] == "graph_freed"
    assert second["error"]["node"] == "y"


def test_arrays_of_large_traces_are_told_by_their_summary(square):
    y = square.named("y").id
    whole = summary(np.array([3.0, np.nan]))
    flow = Flow("a", "n1", 0, whole, whole)
    result = ActionResult(
        Backward(((y, "y"),)), Trace(1, (), (Step(y, "multiply", (None,), (flow,)),))
    )
    data = envelope(square, {}, [RunResult("r", (result,), {})])
    (step,) = data["runs"][0]["actions"][0]["steps"]

    assert step["cotangent"] == {"y": None}
    assert step["vjps"]["a"]["shape"] == [2]
    assert step["vjps"]["a"]["rms"] == "nan"
