"""Graphs as code: PyTorch, NumPy, JAX, and as a derivation in LaTeX.

``export_code`` gives the text and, for each of its lines, the nodes it is about. Reading order:
``exported`` (what comes out), ``outline`` (a graph ready to be written), ``spelling`` (how one
operation is written), then the targets: ``pytorch``, ``handwritten`` (NumPy), ``jax``, ``latex``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.export.exported import Exported, Line
from core.export.handwritten.program import numpy_program
from core.export.jax.program import jax_program
from core.export.latex.derivation import latex_derivation
from core.export.pytorch import pytorch_program
from core.graph import CALL, Graph, Run, flatten
from core.session import Snapshot

#: Targets by key: what a user reads.
TARGETS: dict[str, str] = {
    "pytorch": "PyTorch", "numpy": "NumPy", "jax": "JAX", "latex": "LaTeX",
}  # fmt: skip
#: How the file of each target ends.
SUFFIXES: dict[str, str] = {"pytorch": ".py", "numpy": ".py", "jax": ".py", "latex": ".tex"}
_WRITERS: dict[str, Callable[[Graph, Run | None, Snapshot | None], Exported]] = {
    "pytorch": pytorch_program, "numpy": numpy_program, "jax": jax_program,
    "latex": latex_derivation,
}  # fmt: skip


def export_code(
    graph: Graph,
    target: str,
    run: Run | None = None,
    *,
    snapshot: Snapshot | None = None,
) -> Exported:
    """A graph as text.

    Args:
        target: a key of ``TARGETS``.
        run: what to do after the forward; None for its first run, if it has any.
        snapshot: of a session that has computed the graph; without one it is computed here.
    """
    chosen = run if run is not None else next(iter(graph.runs), None)
    if all(node.op != CALL for node in graph.nodes.values()):
        return _WRITERS[target](graph, chosen, snapshot)
    flat, chosen, origins = _written_out(graph, chosen)
    exported = _WRITERS[target](flat, chosen, None)
    lines = tuple(
        Line(line.text, tuple(dict.fromkeys(origins.get(n, n) for n in line.nodes)))
        for line in exported.lines
    )
    return replace(exported, lines=lines, written_out=True)


def _written_out(graph: Graph, run: Run | None) -> tuple[Graph, Run | None, dict[str, str]]:
    """The graph without functions, the run in it, and the instance each new node came from."""
    origins: dict[str, str] = {}
    graph = graph.with_runs([] if run is None else [run])
    while calls := [i for i, node in graph.nodes.items() if node.op == CALL]:
        for call in calls:
            graph, inner = flatten(graph, call)
            origins.update((node, origins.get(call, call)) for node in inner)
    return graph, next(iter(graph.runs), None), origins


__all__ = ["SUFFIXES", "TARGETS", "Exported", "Line", "export_code"]
