"""Exported programs run by the libraries they are written for, compared with our engine.

``python -m benchmarks.check_exports [pytorch|numpy|jax]`` takes every sample of every operation and
every run of every example, runs the exported text for what it is, and compares outputs and
gradients. It needs torch or JAX installed; ``make exports`` installs torch. It prints what differs,
and ends with exit code 1 if anything does, but for what ``KNOWN`` explains.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from core.export import Exported, export_code
from core.files import load
from core.graph import Graph, Run
from core.session import Session
from tests.core.export.graphs import VISIBLE, op_graph, same, storable

EXAMPLES = Path(__file__).parents[1] / "resources" / "examples"
TOLERANCE = 1e-6
#: Where the other library differs on purpose; (target, sample) -> why.
KNOWN = {
    ("pytorch", "linalg.det 2"): "torch's gradient of a singular matrix's determinant is 0 or NaN",
    ("pytorch", "linalg.svd 1"): "singular vectors are determined up to their sign",
}


def graphs() -> Iterator[tuple[str, Graph, Run | None, bool]]:
    """(name, graph, run, whether only symmetric parts of gradients count)."""
    for spec in VISIBLE:
        for k, sample in enumerate(spec.samples):
            if storable(spec, sample):
                graph = op_graph(spec, sample)
                run = graph.runs[0] if graph.runs else None
                yield f"{spec.name} {k}", graph, run, bool(spec.symmetric_ports)
    for path in sorted(EXAMPLES.glob("*.pullback")):
        graph = load(path)
        for run in graph.runs:
            yield f"{path.stem}: {run.name}", graph, run, False


def differences(exported: Exported, graph: Graph, run: Run | None, symmetric: bool) -> list[str]:
    """What the program's own run finds otherwise than our engine, in words."""
    session = Session(graph)
    outcome = None if run is None else session.run(run)
    error = next((a.error for a in outcome.results if a.error), None) if outcome else None
    names: dict[str, object] = {}
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            exec(compile(exported.text, "exported", "exec"), names)
    except Exception as raised:  # noqa: BLE001  (whatever a library refuses is a finding)
        return [] if error is not None else [f"{type(raised).__name__}: {raised}"[:300]]
    if error is not None:
        return [f"ends well, but here in: {error}"]
    found = []
    values = Session(graph).snapshot().values if run is None else session.snapshot().values
    for node_id, name in exported.identifiers.items():
        got = _array(names.get(name))
        if got is not None and not same(got, values[node_id][0], tolerance=TOLERANCE):
            found.append(f"value of {name}: {got} instead of {values[node_id][0]}")
    for node_id, want in (outcome.grads if outcome else {}).items():
        name = exported.identifiers[node_id]
        leaf = names[name]
        got = _array(leaf.grad if hasattr(leaf, "grad") else names.get(f"{name}_bar"))
        want = want if want is not None or got is None or got.any() else np.zeros(got.shape)
        got = got if got is not None or want is None or want.any() else np.zeros(want.shape)
        if not same(got, want, symmetric, TOLERANCE):
            found.append(f"gradient of {name}: {got} instead of {want}")
    return found


def _array(value: object) -> np.ndarray | None:
    if value is None:
        return None
    if hasattr(value, "detach"):
        value = value.detach().resolve_conj()
    return np.asarray(value)


def main(target: str = "pytorch") -> int:
    """Compare everything; the exit code."""
    checked = wrong = 0
    for name, graph, run, symmetric in graphs():
        checked += 1
        found = differences(export_code(graph, target, run), graph, run, symmetric)
        why = KNOWN.get((target, name))
        if found:
            wrong += why is None
            print(f"{name}: {why or '; '.join(found)}")
    print(f"{checked} programs, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
