"""The graph the user draws, as a value.

An edit makes a new ``Graph`` and leaves the old one whole, or raises and changes nothing. Undo is
then putting the old graph back, and following an edit is comparing two graphs by identity: all
that an edit does not touch is shared.

Reading order: ``nodes`` (what a graph is made of), ``actions`` (what a run does), ``model`` (the
graph and its edits), ``diff``.
"""

from core.graph.actions import (
    Action,
    Assign,
    Backward,
    Forward,
    Grad,
    GradRef,
    Output,
    Run,
    ZeroGrad,
)
from core.graph.diff import GraphDiff, diff
from core.graph.fragment import Fragment, OutsideWire, cut, paste
from core.graph.model import Graph
from core.graph.nodes import CAST, DETACH, INPUT, UNKNOWN, Frame, Node, Wire
from core.graph.ports import input_ports, output_ports

__all__ = [
    "CAST",
    "DETACH",
    "INPUT",
    "UNKNOWN",
    "Action",
    "Assign",
    "Backward",
    "Forward",
    "Fragment",
    "Frame",
    "Grad",
    "GradRef",
    "Graph",
    "GraphDiff",
    "Node",
    "Output",
    "OutsideWire",
    "Run",
    "Wire",
    "ZeroGrad",
    "cut",
    "diff",
    "input_ports",
    "output_ports",
    "paste",
]
