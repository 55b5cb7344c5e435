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
from core.observe import summary
from core.results import ActionResult, RunResult
from core.trace import Step, Summary, Trace

Array = np.ndarray[Any, Any]
Json = dict[str, Any]
#: Arrays of so many numbers are never summaries: those would be longer.
_SMALL = 24


def envelope(
    graph: Graph,
    values: Mapping[str, Sequence[Array]],
    runs: Sequence[RunResult],
    error: Exception | None = None,
    most: int | None = None,
) -> Json:
    """What ``--json`` prints, ready for ``json.dumps``.

    Args:
        values: by node id, one array an output.
        runs: what came of each run.
        error: why it all stopped, if it did.
        most: so many numbers are written out; arrays for which there is no room any more are
            summaries. Default: all are.

    Returns:
        Plain lists, numbers and text: arrays as nested lists with "nan", "inf" and "-inf"; a
        summary is an object with shape, rms and extremes (large traces keep nothing else, too).
    """
    writer = _Writer(graph, most)
    return {
        "values": {
            _name(graph, node_id): {
                _output(graph, node_id, i): writer.array(value) for i, value in enumerate(outputs)
            }
            for node_id, outputs in values.items()
        },
        "runs": [writer.run(run) for run in runs],
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


class _Writer:
    """Arrays and what holds them as JSON; ``room`` is how many numbers more are written out."""

    def __init__(self, graph: Graph, room: int | None) -> None:
        self._graph = graph
        self._room = room

    def run(self, run: RunResult) -> Json:
        """What came of one run."""
        return {
            "name": run.name,
            "actions": [self._action(result) for result in run.results],
            "grads": self._by_name(run.grads),
        }

    def _action(self, result: ActionResult) -> Json:
        record: Json = {
            "do": DO[type(result.action)],
            "steps": self._steps(result.trace) if result.trace else [],
            "added": self._by_name(result.added),
            "error": None if result.error is None else error_record(result.error, self._graph),
        }
        if isinstance(result.action, Grad):
            record["returned"] = self._by_name(result.results)
        return record

    def _steps(self, trace: Trace) -> list[Json]:
        return [self._step(step) for step in trace.steps]

    def _step(self, step: Step) -> Json:
        return {
            "node": _name(self._graph, step.node),
            "cotangent": {
                _output(self._graph, step.node, i): self.array(value)
                for i, value in enumerate(step.cotangents)
            },
            "vjps": {flow.port: self.array(flow.contribution) for flow in step.flows},
            "freed": list(step.freed),
            "accumulated": self.array(step.after) if step.accumulates else None,
        }

    def _by_name(self, arrays: Mapping[str, Array | None]) -> Json:
        return {_name(self._graph, node_id): self.array(v) for node_id, v in arrays.items()}

    def array(self, value: Array | Summary | None) -> Any:
        """An array in nested lists, or its summary."""
        if value is None:
            return None
        if self._room is not None and not isinstance(value, Summary):
            self._room -= value.size
            if self._room < 0 and value.size > _SMALL:
                value = summary(np.asarray(value))
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
        return nested(np.asarray(value))


def _name(graph: Graph, node_id: str) -> str:
    """A node's name, ``layer/matmul`` inside a function; its id when it is no longer there."""
    return path_name(graph, node_id)


def _output(graph: Graph, node_id: str, position: int) -> str:
    node = inner_node(graph, node_id)
    return f"y[{position}]" if node is None else output_name(node, position)
