"""Graphs as code: PyTorch, NumPy, JAX, and as a derivation in LaTeX.

``export_code`` gives the text and, for each of its lines, the nodes it is about. Reading order:
``exported`` (what comes out), ``outline`` (a graph ready to be written), ``spelling`` (how one
operation is written), then the targets.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.errors import PullbackError
from core.export.exported import Array, Exported, Line
from core.export.pytorch import pytorch_program
from core.graph import Graph, Run

#: Targets by key: what a user reads.
TARGETS: dict[str, str] = {"pytorch": "PyTorch"}
_WRITERS = {"pytorch": pytorch_program}


def export_code(
    graph: Graph,
    target: str,
    run: Run | None = None,
    *,
    values: Mapping[str, tuple[Array, ...]] | None = None,
    errors: Mapping[str, PullbackError] | None = None,
) -> Exported:
    """A graph as text.

    Args:
        target: a key of ``TARGETS``.
        run: what to do after the forward; None for its first run, if it has any.
        values, errors: of a session that has computed the graph; without them it is computed.
    """
    chosen = run if run is not None else next(iter(graph.runs), None)
    return _WRITERS[target](graph, chosen, values, errors)


__all__ = ["TARGETS", "Exported", "Line", "export_code"]
