"""Exported PyTorch programs run by PyTorch, where it is installed; ``make exports`` runs more."""

from pathlib import Path

import pytest

from core.export import export_code
from core.files import load
from tests.core.export.graphs import VISIBLE, op_graph, storable
from tests.core.export.running import differences

pytest.importorskip("torch")

EXAMPLES = sorted((Path(__file__).parents[3] / "resources" / "examples").glob("*.pullback"))
RUNS = [(path, i) for path in EXAMPLES for i in range(len(load(path).runs))]


@pytest.mark.parametrize(("path", "i"), RUNS, ids=[f"{path.stem} {i}" for path, i in RUNS])
def test_every_run_of_every_example_gives_the_same_under_torch(path, i):
    graph = load(path)
    assert not differences(export_code(graph, "pytorch", graph.runs[i]), graph, graph.runs[i])


@pytest.mark.parametrize("spec", VISIBLE, ids=lambda spec: spec.name)
def test_every_operation_gives_the_same_under_torch(spec):
    sample = next(one for one in spec.samples if storable(spec, one))
    graph = op_graph(spec, sample)
    run = graph.runs[0] if graph.runs else None
    exported = export_code(graph, "pytorch", run)
    assert not differences(exported, graph, run, bool(spec.symmetric_ports))
