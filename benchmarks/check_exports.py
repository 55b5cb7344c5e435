"""Exported programs run by the libraries they are written for, compared with our engine.

``python -m benchmarks.check_exports [pytorch|numpy|jax]`` takes every sample of every operation and
every run of every example, runs the exported text for what it is, and compares outputs and
gradients. It needs torch or JAX installed; ``make exports`` installs torch. It prints what differs,
and ends with exit code 1 if anything does, but for what ``KNOWN`` explains.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from core.export import export_code
from core.files import load
from core.graph import Graph, Run
from tests.core.export.graphs import VISIBLE, op_graph, storable
from tests.core.export.running import differences

EXAMPLES = Path(__file__).parents[1] / "resources" / "examples"
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


def main(target: str = "pytorch") -> int:
    """Compare everything; the exit code."""
    checked = wrong = left_out = 0
    for name, graph, run, symmetric in graphs():
        checked += 1
        exported = export_code(graph, target, run)
        if exported.left_out:  # JAX has no short way to say it, and the text says so
            left_out += 1
            continue
        found = differences(exported, graph, run, symmetric)
        why = KNOWN.get((target, name))
        if found:
            wrong += why is None
            print(f"{name}: {why or '; '.join(found)}")
    print(f"{checked} programs, {wrong} differ, {left_out} say that they leave something out")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
