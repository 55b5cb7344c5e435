"""The graph the user draws, as a value.

An edit makes a new ``Graph`` and leaves the old one whole, or raises and changes nothing. Undo is
then putting the old graph back, and following an edit is comparing two graphs by identity: all
that an edit does not touch is shared.

Reading order: ``nodes`` (what a graph is made of), ``actions`` (what a run does), ``parts`` (what
can be asked of a graph), ``model`` (its edits, by what they change), ``diff``. Functions:
``function``, ``gather`` (a selection becomes one), ``redefine`` (an edit of one), ``flatten``,
``expansion`` (what is computed).
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
from core.graph.expansion import calls_of, expand, inner_node, output_end, path_name
from core.graph.flatten import flatten, flattened
from core.graph.fragment import Fragment, OutsideWire, cut, paste
from core.graph.function import Function
from core.graph.gather import gather
from core.graph.model import Graph
from core.graph.nodes import (
    ARGUMENT,
    CALL,
    CAST,
    DETACH,
    INPUT,
    RESULT,
    UNKNOWN,
    Frame,
    Node,
    Wire,
)
from core.graph.ports import input_ports, output_ports
from core.graph.redefine import closed, opened, renamed, without_function

__all__ = [
    "ARGUMENT",
    "CALL",
    "CAST",
    "DETACH",
    "INPUT",
    "RESULT",
    "UNKNOWN",
    "Action",
    "Assign",
    "Backward",
    "Forward",
    "Fragment",
    "Frame",
    "Function",
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
    "calls_of",
    "closed",
    "cut",
    "diff",
    "expand",
    "flatten",
    "flattened",
    "gather",
    "inner_node",
    "input_ports",
    "opened",
    "output_end",
    "output_ports",
    "paste",
    "path_name",
    "renamed",
    "without_function",
]
