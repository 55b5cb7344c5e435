"""The JSON envelope: values, what every run did step by step, and the error, nodes by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.errors import PullbackError
from core.files.arrays import nested
from core.graph import Grad, Graph, inner_node, path_name
from core.graph.actions import DO
from core.graph.ports import output_name
from core.results import ActionResult, RunResult
from core.trace import Step, Summary, Trace

Array = np.ndarray[Any, Any]
Json = dict[str, Any]


def envelope(
    graph: Graph,
    values: Mapping[str, Sequence[Array]],
    runs: Sequence[RunResult],
    error: Exception | None = None,
) -> Json:
    """What ``--json`` prints, ready for ``json.dumps``.

    Args:
        values: by node id, one array an output.
        runs: what came of each run.
        error: why it all stopped, if it did.

    Returns:
        Plain lists, numbers and text: arrays as nested lists with "nan", "inf" and "-inf"; an
        array that a large trace only kept a summary of is an object with shape, rms and extremes.
    """
    return {
        "values": {
            _name(graph, node_id): {
                _output(graph, node_id, i): nested(value) for i, value in enumerate(outputs)
            }
            for node_id, outputs in values.items()
        },
        "runs": [_run(graph, run) for run in runs],
        "result": None,
        "printed": "",
        "error": None if error is None else error_record(error, graph),
    }


def error_record(error: Exception, graph: Graph | None = None) -> Json:
    """An error as JSON; its node by name where the graph is known."""
    if not isinstance(error, PullbackError):
        what = {"kind": type(error).__name__, "message": str(error), "next_step": ""}
        return {**what, "node": None, "port": None, "line": None}
    node = error.node
    if graph is not None and node is not None:
        node = _name(graph, node)
    return {
        "kind": error.kind,
        "message": error.what,
        "next_step": error.next_step,
        "node": node,
        "port": error.port,
        "line": error.line,
    }


def _run(graph: Graph, run: RunResult) -> Json:
    return {
        "name": run.name,
        "actions": [_action(graph, result) for result in run.results],
        "grads": _by_name(graph, run.grads),
    }


def _action(graph: Graph, result: ActionResult) -> Json:
    record: Json = {
        "do": DO[type(result.action)],
        "steps": _steps(graph, result.trace) if result.trace else [],
        "added": _by_name(graph, result.added),
        "error": None if result.error is None else error_record(result.error, graph),
    }
    if isinstance(result.action, Grad):
        record["returned"] = _by_name(graph, result.results)
    return record


def _steps(graph: Graph, trace: Trace) -> list[Json]:
    return [_step(graph, step) for step in trace.steps]


def _step(graph: Graph, step: Step) -> Json:
    return {
        "node": _name(graph, step.node),
        "cotangent": {
            _output(graph, step.node, i): _array(value) for i, value in enumerate(step.cotangents)
        },
        "vjps": {flow.port: _array(flow.contribution) for flow in step.flows},
        "freed": list(step.freed),
        "accumulated": _array(step.after) if step.accumulates else None,
    }


def _array(value: Array | Summary | None) -> Any:
    if isinstance(value, Summary):
        return {
            "shape": list(value.shape),
            "dtype": value.dtype,
            "rms": nested(np.asarray(value.rms)),
            "mean": nested(np.asarray(value.mean)),
            "low": nested(np.asarray(value.low)),
            "high": nested(np.asarray(value.high)),
            "sample": nested(value.sample),
        }
    return None if value is None else nested(np.asarray(value))


def _by_name(graph: Graph, arrays: Mapping[str, Array | None]) -> Json:
    return {_name(graph, node_id): _array(value) for node_id, value in arrays.items()}


def _name(graph: Graph, node_id: str) -> str:
    """A node's name, ``layer/matmul`` inside a function; its id when it is no longer there."""
    return path_name(graph, node_id)


def _output(graph: Graph, node_id: str, position: int) -> str:
    node = inner_node(graph, node_id)
    return f"y[{position}]" if node is None else output_name(node, position)
