"""What an edit leaves as it was: rows of nodes and wires before and after it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

import numpy as np

from app.canvas.curves import Bools, Ints
from core.graph import GraphDiff


def rows_before(ids: Iterable[str], rows: Mapping[str, int]) -> Ints:
    """The rows that ids had; -1: they had none."""
    return np.array([rows.get(one, -1) for one in ids], dtype=np.intp)


def among(ids: Iterable[str], chosen: Container[str]) -> Bools:
    """Which of the ids are among the chosen."""
    return np.array([one in chosen for one in ids], dtype=bool)


def touched_nodes(diff: GraphDiff) -> set[str]:
    """Nodes whose ports may differ: those edited, and those a wire came to or went from."""
    ends = {
        end
        for graph, wires in ((diff.before, diff.wires_removed), (diff.after, diff.wires_added))
        for wire in wires
        for end in (graph.wires[wire].source, graph.wires[wire].target)
    }
    return ends | diff.nodes_added | diff.nodes_changed | diff.nodes_moved
