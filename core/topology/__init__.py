"""Order, loops, ancestors and layout, over plain adjacency. The only user of networkx, graphlay."""

from core.topology.layout import Layout, layout
from core.topology.measures import (
    COLUMN_GAP,
    FRAME_ROOM,
    FRAME_TITLE,
    PORT_LINE,
    ROW_GAP,
    Positions,
    Sizes,
)
from core.topology.walks import LoopError, Neighbours, order, path, reachable

__all__ = [
    "COLUMN_GAP",
    "FRAME_ROOM",
    "FRAME_TITLE",
    "PORT_LINE",
    "ROW_GAP",
    "Layout",
    "LoopError",
    "Neighbours",
    "Positions",
    "Sizes",
    "layout",
    "order",
    "path",
    "reachable",
]
