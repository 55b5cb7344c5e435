"""Running a graph without a window, and telling in text what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.errors import PullbackError
from core.files.envelope import envelope, error_record
from core.folding import seen
from core.graph import Assign, Backward, Grad, Graph, Run, ZeroGrad, path_name
from core.graph.actions import DO
from core.graph.ports import output_ports
from core.importers.python import Program
from core.session import ActionResult, RunResult, Session, Snapshot
from core.trace import Step, Summary

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Outcome:
    """What came of running a graph.

    Attributes:
        snapshot: the values before any run.
        runs: one result a run done.
        error: the first error of a node or an action, in the order of the graph and its runs.
    """

    snapshot: Snapshot
    runs: tuple[RunResult, ...]
    error: PullbackError | None

    @property
    def values(self) -> Mapping[str, tuple[Array, ...]]:
        """The values by node id, one array an output."""
        return self.snapshot.values


def run_graph(graph: Graph, runs: Iterable[Run]) -> Outcome:
    """Compute a graph and do the runs, each from a fresh start."""
    session = Session(graph)
    snapshot = session.snapshot()
    results = tuple(session.run(run) for run in runs)
    of_nodes = (snapshot.errors[node_id] for node_id in graph.order() if node_id in snapshot.errors)
    of_actions = (a.error for r in results for a in r.results if a.error is not None)
    return Outcome(snapshot, results, next(of_nodes, None) or next(of_actions, None))


#: Steps of all actions together that a program's report shows, and bytes that go through them;
#: of longer runs it shows the values only.
MOST_STEPS = 20_000
MOST_BYTES = 64 * 2**20
#: Numbers that a program's envelope writes out before it summarises.
MOST_NUMBERS = 100_000


def run_program(program: Program) -> Outcome:
    """The values of a program's graph and, unless they are too long, its run."""
    graph = program.graph
    alone = run_graph(graph, ())
    actions = sum(len(run.actions) for run in graph.runs)
    size = sum(array.nbytes for arrays in alone.values.values() for array in arrays)
    short = actions * len(graph.nodes) <= MOST_STEPS and actions * size <= MOST_BYTES
    return run_graph(graph, graph.runs) if short and graph.runs else alone


def program_envelope(program: Program) -> dict[str, Any]:
    """What ``pullback run program.py --json`` prints."""
    outcome = run_program(program)
    data = envelope(program.graph, outcome.values, outcome.runs, most=MOST_NUMBERS)
    data["result"] = program.plain
    data["printed"] = program.printed
    data["error"] = None if program.error is None else error_record(program.error, program.graph)
    return data


def program_report(program: Program) -> str:
    """What a program printed and its result, for people; then its graph and its run."""
    lines = [program.printed.rstrip("\n")] if program.printed else []
    if program.has_result:
        lines.append(f"result = {program.plain}")
    if program.graph.nodes:
        lines += ["", report(program.graph, run_program(program))]
    lines += [f"not in the graph: {note}" for note in program.notes]
    return "\n".join(lines) + "\n"


def report(graph: Graph, outcome: Outcome) -> str:
    """Values, every step with its VJPs, and gradients, as tables for people."""
    lines = ["values", *_table(_value_rows(graph, outcome.snapshot))]
    for run in outcome.runs:
        lines += ["", f"run '{run.name}'"]
        for number, result in enumerate(run.results, 1):
            lines += _action_lines(graph, number, result)
        grads = [
            (_name(graph, node_id), ".grad", "None" if g is None else text(g))
            for node_id, g in run.grads.items()
        ]
        lines += ["  gradients", *_table(grads, indent=4)]
    if not graph.runs:
        lines += ["", "No run is kept in this file: open it, press Backward, and keep the run."]
    return "\n".join(lines)


def _value_rows(graph: Graph, snapshot: Snapshot) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for node_id in graph.order():
        node = graph.nodes[node_id]
        arrays = snapshot.values.get(node_id)
        if arrays is None:
            error = snapshot.errors.get(node_id)
            why = f"error: {error}" if error else "waits for a value"
            rows.append((node.name, node.label, "", why))
            continue
        ports = output_ports(node, graph)
        for k, array in enumerate(arrays):
            name = node.name if len(arrays) == 1 else f"{node.name}.{ports[k]}"
            note = snapshot.notes.get(node_id)
            shown = text(array) + (f"   ({note})" if note else "")
            rows.append((name, node.label, _kind(array), shown))
    return rows


def _action_lines(graph: Graph, number: int, result: ActionResult) -> list[str]:
    action = result.action
    lines = [f"  {number}. {DO[type(action)]}{_arguments(graph, result)}"]
    if result.trace is not None:
        rows: list[tuple[str, ...]] = []
        for step in seen(result.trace).steps:  # a function is one step
            rows.extend(_step_rows(graph, step))
        lines += _table(rows, indent=4)
    for node_id, g in result.results.items():
        lines.append(
            f"     gradient of {_name(graph, node_id)}: {'None' if g is None else text(g)}"
        )
    if result.error is not None:
        lines.append(f"     stopped: {result.error}")
    return lines


def _arguments(graph: Graph, result: ActionResult) -> str:
    action = result.action
    if isinstance(action, Assign):
        return f" {text(action.value)} to {_name(graph, action.node)}"
    if isinstance(action, ZeroGrad) and action.nodes is not None:
        return f" of {', '.join(_name(graph, i) for i in action.nodes)}"
    if not isinstance(action, Backward | Grad):
        return ""
    given = {} if result.trace is None else {(n, k): v for n, k, v in seen(result.trace).roots}
    roots = ", ".join(
        f"{_name(graph, node_id)} with cotangent {text(v)}" for (node_id, _), v in given.items()
    )
    options = [
        f"{name}={value}"
        for name in ("retain_graph", "create_graph")
        if (value := getattr(action, name)) not in (None, False)
    ]
    return f" from {roots}" * bool(roots) + "".join(f", {o}" for o in options)


def _step_rows(graph: Graph, step: Step) -> list[tuple[str, ...]]:
    name = _name(graph, step.node)
    if step.accumulates:
        before = "None" if step.before is None else text(step.before)
        after = "None" if step.after is None else text(step.after)
        return [(name, "grad", f"{before} → {after}", "")]
    arrived = " | ".join("null" if c is None else text(c) for c in step.cotangents)
    rows: list[tuple[str, ...]] = [(name, step.op, f"g = {arrived}", "")]
    for flow in step.flows:
        to = f"→ {_name(graph, flow.node)}"
        total = f"   (sum {text(flow.total)})" if flow.count > 1 else ""
        rows.append(("", f"  {flow.port}", to, f"vᵀJ = {text(flow.contribution)}{total}"))
    return rows


def _name(graph: Graph, node_id: str) -> str:
    """A node's name; what a rule recorded for a gradient of a gradient has its own."""
    return path_name(graph, node_id)


def _kind(array: Array) -> str:
    shape = ", ".join(map(str, array.shape))
    return f"{array.dtype} ({shape})" if array.shape else f"{array.dtype}"


def text(value: Array | Summary) -> str:
    """An array in one line: four significant digits, long ones shortened."""
    if isinstance(value, Summary):
        return f"({value.shape}, rms {value.rms:.4g})"
    if value.ndim == 0:
        return _number(value[()])
    shown = np.array2string(
        value,
        separator=", ",
        threshold=24,
        edgeitems=3,
        max_line_width=10**9,
        formatter={"all": _number},
    )
    return " ".join(shown.replace("[", "(").replace("]", ")").split())


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float | complex | np.inexact) else str(value)


def _table(rows: Iterable[tuple[str, ...]], indent: int = 2) -> list[str]:
    """Rows with their columns lined up."""
    rows = list(rows)
    if not rows:
        return []
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]) - 1)]
    lines: list[str] = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append((" " * indent + "  ".join([*cells, row[-1]])).rstrip())
    return lines
