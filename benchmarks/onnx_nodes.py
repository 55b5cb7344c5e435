"""ONNX's own tests of single operators, which ship in its package, on our graphs.

    python -m benchmarks.onnx_nodes [--json] [--all] [NAME ...]

Which tests count, by rule and not by result: those of one node, of an operator of ONNX's own
domain that ``core.onnx.reading.table.OPERATORS`` lists, whose inputs and outputs are arrays of
types that NumPy has. Left out are operators that only shape what others compute (Shape, Range),
comparisons and logic, text, sequences, quantised and 8-bit numbers, and subgraphs.

A test agrees when the graph of its model gives its outputs within the test's own tolerances
(relative and absolute; dtypes and shapes must be the same), and when on a graph of floating inputs
the VJP agrees with finite differences: ⟨g, J v⟩ by central differences in float64, for random g
and v. A test whose value is not smooth at its inputs (ties, kinks) is tried again nearby.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx.numpy_helper
from onnx.backend.test.loader import load_model_tests

from core.errors import PullbackError
from core.graph import INPUT, Backward, Graph
from core.onnx import OnnxImport, load_onnx
from core.onnx.reading.table import OPERATORS
from core.onnx.records import DTYPES
from core.session import Session

Array = np.ndarray[Any, Any]
#: Why the VJP of a test does not agree, where finite differences do not say it.
REASONS: Mapping[str, str] = dict.fromkeys(
    [f"test_mod_float_edge_cases_fmod_0_float{bits}" for bits in (16, 32, 64)],
    "remainders of infinities are NaN, and so is the VJP there, as torch's is: 0 times infinity",
)
_STEP = 1e-6


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one test."""

    name: str
    op: str
    why: str = ""
    vjp: bool = False


def selected() -> list[Any]:
    """The tests that count; see the module's docstring."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = load_model_tests(kind="node")
    return [case for case in cases if _counts(case.model.graph)]


def _counts(graph: Any) -> bool:
    if len(graph.node) != 1 or graph.node[0].domain or graph.node[0].op_type not in OPERATORS:
        return False
    types = [info.type for info in (*graph.input, *graph.output)]
    return all(
        t.HasField("tensor_type") and t.tensor_type.elem_type in DTYPES for t in types
    ) and _known_cast(graph.node[0])


def _known_cast(node: Any) -> bool:
    return all(a.i in DTYPES for a in node.attribute if a.name == "to")


def judge(case: Any) -> Verdict:
    """Whether a test agrees."""
    op = case.model.graph.node[0].op_type
    data = case.model.SerializeToString()
    vjp = False
    for given, wanted in case.data_sets:
        names = [info.name for info in case.model.graph.input]
        inputs = dict(zip(names, map(_array, given), strict=False))
        try:
            read = load_onnx(data, inputs, layout=False)
        except PullbackError as error:
            return Verdict(case.name, op, f"not read: {error}")
        if read.unknown:
            return Verdict(case.name, op, next(iter(read.unknown.values())))
        why = _forward(case, read, wanted)
        if why:
            return Verdict(case.name, op, why)
        checked, why = _backward(read)
        vjp = vjp or checked
        if why:
            return Verdict(case.name, op, REASONS.get(case.name, why))
    return Verdict(case.name, op, vjp=vjp)


def _forward(case: Any, read: OnnxImport, wanted: Sequence[Array]) -> str:
    values = _values(read.graph)
    for info, right in zip(case.model.graph.output, wanted, strict=True):
        ours = _output(read, values, info.name)
        right = _array(right)
        if ours is None:
            return f"output {info.name} has no value"
        if ours.shape != right.shape or ours.dtype != right.dtype:
            return f"output {info.name} is {ours.dtype}{ours.shape}, not {right.dtype}{right.shape}"
        if not np.allclose(ours, right, rtol=case.rtol, atol=case.atol, equal_nan=True):
            return f"output {info.name} is off by {np.nanmax(np.abs(ours - right)):.2g}"
    return ""


def _array(value: Any) -> Array:
    return np.asarray(onnx.numpy_helper.to_array(value) if hasattr(value, "dims") else value)


def _values(graph: Graph) -> Mapping[str, tuple[Array, ...]]:
    return Session(graph).snapshot().values


def _output(read: OnnxImport, values: Mapping[str, tuple[Array, ...]], name: str) -> Array | None:
    node_id, port = read.outputs.get(name, ("", ""))
    if node_id not in values:
        return None
    return values[node_id][_position(read.graph, node_id, port)]


def _position(graph: Graph, node_id: str, port: str) -> int:
    spec = graph.nodes[node_id].spec
    if spec is None or port == "y":
        return 0
    return int(port[2:-1]) if port.endswith("]") else spec.outputs.index(port)


# -- the VJP --------------------------------------------------------------------------------------


def _backward(read: OnnxImport) -> tuple[bool, str]:
    """Whether there is a VJP to check, and what is wrong with it."""
    leaves = [n for n in read.graph.nodes if _is_differentiable(read.graph, n)]
    graph = _in_float64(read.graph, leaves)
    values = _values(graph)
    roots = [
        place
        for place in dict.fromkeys(read.outputs.values())
        if graph.nodes[place[0]].op != INPUT
        and values[place[0]][_position(graph, *place)].dtype.kind == "f"
    ]
    if not leaves or not roots:
        return False, ""
    why = ""
    for seed in range(3):  # at its inputs, then a little beside them
        rng = np.random.default_rng(seed)
        there = graph
        for node_id in leaves if seed else ():
            value = graph.nodes[node_id].params["value"]
            off = value + 1e-3 * rng.standard_normal(value.shape)
            there = there.with_params(node_id, value=off)
        why = _compare(there, leaves, roots, rng)
        if not why:
            return True, ""
    return True, why


def _is_differentiable(graph: Graph, node_id: str) -> bool:
    """Whether a node is a floating input that goes to a port which takes gradients."""
    node = graph.nodes[node_id]
    if node.op != INPUT or node.params["value"].dtype.kind != "f":
        return False
    for wire in graph.wires_from(node_id):
        spec = graph.nodes[wire.target].spec
        if spec is None or wire.port.partition("[")[0] not in spec.nondiff_ports:
            return True
    return False


def _in_float64(graph: Graph, leaves: Sequence[str]) -> Graph:
    for node_id in leaves:
        value = graph.nodes[node_id].params["value"].astype(np.float64)
        graph = graph.with_params(node_id, value=value, requires_grad=True)
    for node in graph.nodes.values():
        if node.inline:
            for port, value in node.inline.items():
                if value.dtype.kind == "f":
                    graph = graph.with_inline(node.id, port, value.astype(np.float64))
        if node.op == "cast" and node.params["dtype"] in ("float32", "float16"):
            graph = graph.with_params(node.id, dtype="float64")
    return graph


def _compare(
    graph: Graph, leaves: Sequence[str], roots: Sequence[tuple[str, str]], rng: Any
) -> str:
    session = Session(graph)
    values = session.snapshot().values
    outputs = [values[n][_position(graph, n, port)] for n, port in roots]
    cotangents = tuple(np.where(np.isfinite(y), rng.standard_normal(y.shape), 0) for y in outputs)
    result = session.perform(Backward(tuple(roots), cotangents))
    if result.error is not None:
        return "" if result.error.kind == "no_grad_path" else f"backward: {result.error}"
    grads = session.snapshot().grads
    left = right = size = 0.0
    steps: dict[str, Array] = {}
    for node_id in leaves:
        value, g = graph.nodes[node_id].params["value"], grads.get(node_id)
        finite = np.isfinite(value)  # nothing can be said beside an infinity
        steps[node_id] = v = np.where(finite, rng.standard_normal(value.shape), 0)
        left += 0.0 if g is None else float(np.sum(np.where(finite, g, 0) * v))
    after, before = (
        [
            moved[n][_position(graph, n, port)]
            for moved in [_values(_stepped(graph, steps, sign * _STEP))]
            for n, port in roots
        ]
        for sign in (1, -1)
    )
    with np.errstate(invalid="ignore"):
        for y1, y0, g in zip(after, before, cotangents, strict=True):
            parts = g * np.where(np.isfinite(y1 - y0), (y1 - y0) / (2 * _STEP), 0)
            right += float(np.sum(parts))
            size += float(np.sum(np.abs(parts)))
    if np.isclose(left, right, rtol=1e-4, atol=1e-5 * max(size, 1)):
        return ""
    return f"VJP gives {left:.6g}, finite differences {right:.6g}"


def _stepped(graph: Graph, steps: Mapping[str, Array], by: float) -> Graph:
    for node_id, v in steps.items():
        graph = graph.with_params(node_id, value=graph.nodes[node_id].params["value"] + by * v)
    return graph


# -- telling --------------------------------------------------------------------------------------


def main() -> int:
    """Print the table; 1 when fewer than nine in ten agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="tests or operators to run only")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    cases = [
        case
        for case in selected()
        if not options.names
        or case.name in options.names
        or case.model.graph.node[0].op_type in options.names
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdicts = [judge(case) for case in cases]
    wrong = [v for v in verdicts if v.why]
    agree = len(verdicts) - len(wrong)
    if options.json:
        print(
            json.dumps(
                {
                    "agree": agree,
                    "of": len(verdicts),
                    "vjps": sum(v.vjp for v in verdicts),
                    "operators": len({v.op for v in verdicts}),
                    "disagree": {v.name: v.why for v in wrong},
                }
            )
        )
    else:
        for verdict in wrong:
            print(f"{verdict.name} ({verdict.op}): {verdict.why}")
        print(
            f"{agree} of {len(verdicts)} agree ({100 * agree / max(len(verdicts), 1):.1f} %), "
            f"{sum(v.vjp for v in verdicts)} of them with a VJP checked"
        )
    return int(agree < 0.9 * len(verdicts))


if __name__ == "__main__":
    sys.exit(main())
