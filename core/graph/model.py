"""The graph and its edits. Every edit returns a new graph, or raises and leaves all as it was.

An edit that would change nothing returns the graph itself, so ``after is before`` tells.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.graph.frame_edits import FrameEdits
from core.graph.node_edits import NodeEdits


@dataclass(frozen=True, eq=False)
class Graph(NodeEdits, FrameEdits):
    """A document, or the body of a function: a value.

    What can be asked of it is in ``Parts``; its edits are in ``NodeEdits``, ``WireEdits``,
    ``RunEdits`` and ``FrameEdits``. An edited graph shares all that the edit did not touch.
    """
