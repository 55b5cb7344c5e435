"""Which files hold a graph, told apart by their endings: graphs, ONNX models, programs.

What reads a format is imported when a file asks for it: start-up waits for none of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.errors import FileFormatError, PullbackError
from core.files import dumps, load
from core.graph import Graph

GRAPH, MODEL, PROGRAM = ".pullback", ".onnx", ".py"
#: Endings of files that can be read as a graph, and of those that can be written from one.
READ = (GRAPH, ".json", MODEL, PROGRAM)
WRITTEN = (GRAPH, ".json", MODEL)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was in a file.

    Attributes:
        notes: what of it is not in the graph as it was there, a sentence each.
        error: why reading stopped half-way, when the graph is what came before.
    """

    graph: Graph
    notes: tuple[str, ...] = ()
    error: PullbackError | None = None


def read_graph(path: Path) -> Reading:
    """The graph in a file of any of the endings ``READ``.

    Raises:
        FileFormatError: it is not what its ending says, or has another one.
        OSError: it cannot be read.
    """
    ending = path.suffix.lower()
    if ending in (GRAPH, ".json"):
        return Reading(load(path))
    if ending == MODEL:
        from core.onnx import read_onnx

        model = read_onnx(path)
        return Reading(model.graph, model.notes)
    if ending == PROGRAM:
        from core.importers.python import read_text

        return read_program(read_text(path))
    raise _strange(path, READ)


def read_program(text: str) -> Reading:
    """The graph of a PyTorch or NumPy program, or of a formula."""
    from core.importers.python import load_program

    program = load_program(text)
    return Reading(program.graph, program.notes, program.error)


def graph_bytes(graph: Graph, path: Path) -> bytes:
    """What a file of that name holds for a graph: one of the endings ``WRITTEN``.

    Raises:
        UnsupportedError: a node has no form in that format.
        PullbackError: the format needs values, and a node cannot be computed.
        FileFormatError: the name has another ending.
    """
    ending = path.suffix.lower()
    if ending in (GRAPH, ".json"):
        return dumps(graph).encode()
    if ending == MODEL:
        from core.onnx import dump_onnx

        return dump_onnx(graph, path.stem)
    raise _strange(path, WRITTEN)


def _strange(path: Path, endings: tuple[str, ...]) -> FileFormatError:
    return FileFormatError(
        f"'{path.name}' does not end in {', '.join(endings[:-1])} or {endings[-1]}.",
        next_step="The ending says what is in a file: give it one of these.",
    )
