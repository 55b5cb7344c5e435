"""A program or a formula pasted into a graph: its nodes, in frames, and what it does, as a run."""

from __future__ import annotations

from app.edits import Edit, Point, corner
from app.formats import read_program
from core.errors import FileFormatError, PullbackError
from core.graph import Graph, Run, naming, paste
from core.graph.actions import with_nodes
from core.graph.fragment import Fragment
from core.graph.nodes import INPUT


def pasted_program(graph: Graph, text: str, at: Point) -> tuple[Edit, PullbackError | None]:
    """Put the graph of a program into another graph.

    Args:
        at: where its top left corner goes.

    Returns:
        The edit, and what ended the program early; the graph is what came before it.

    Raises:
        FileFormatError: the text is no program, or one that computes nothing.
    """
    program = read_program(text)
    piece = program.graph
    if all(node.op == INPUT for node in piece.nodes.values()):
        why = f" {program.error.what}" if program.error else ""
        raise FileFormatError(
            f"The text on the clipboard is no graph, and no program that computes something.{why}",
            next_step="Copy nodes here, or a formula such as L = sum((W @ x - t)**2).",
        )
    left, top = corner(piece.nodes.values())
    after, new = paste(graph, Fragment(piece), (at[0] - left, at[1] - top))
    if not graph.inside:  # a function has no runs of its own
        ids = dict(zip(piece.nodes, new, strict=True))
        taken = {run.name for run in graph.runs}
        runs = [
            Run(naming.free_name(run.name, taken), with_nodes(run, ids).actions)
            for run in piece.runs
        ]
        after = after.with_runs([*after.runs, *runs])
    return Edit("Paste a program", after, new), program.error
