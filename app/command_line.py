"""The command line: opens the window, or runs and draws a graph without one.

Nothing heavy is imported before it is known what is wanted: ``--help`` must not wait for NumPy or
Qt.
"""

from __future__ import annotations

import argparse
import gc
import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.arguments import (
    convert_parser,
    export_parser,
    render_parser,
    run_parser,
    window_parser,
)

if TYPE_CHECKING:
    from core.graph import Graph, Run

OK, GRAPH_ERROR, USAGE = 0, 1, 2


def run(arguments: list[str]) -> int:
    """Do what ``pullback`` was asked for; the exit code."""
    command = arguments[0] if arguments else ""
    if command == "run":
        return _run(run_parser().parse_args(arguments[1:]))
    if command == "render":
        return _render(render_parser().parse_args(arguments[1:]))
    if command == "convert":
        return _convert(convert_parser().parse_args(arguments[1:]))
    if command == "export":
        return _export(export_parser().parse_args(arguments[1:]))
    return _open_window(window_parser().parse_args(arguments))


# -- the commands ---------------------------------------------------------------------------------


def _open_window(options: argparse.Namespace) -> int:
    for path in options.files:
        if not path.exists():
            return _fail(f"There is no file {path}.")
    from app.display import HEADLESS, why_no_window

    reason = why_no_window()
    if reason is not None:
        return _fail(f"{reason} {HEADLESS}")
    # Collecting garbage while modules make their classes finds none, and takes a tenth of the
    # time until the window is there; ``run_window`` goes on with it then.
    gc.disable()
    from app.launch import run_window

    return run_window(options.files)


def _run(options: argparse.Namespace) -> int:
    from app.headless import report, run_graph
    from core.errors import PullbackError
    from core.files.envelope import envelope

    if options.file.suffix == ".py":
        return _run_program(options)
    try:
        graph = _load(options.file)
        runs = _chosen(graph, options.run)
    except (PullbackError, OSError) as error:
        return _refuse(error, as_json=options.json)
    outcome = run_graph(graph, runs)
    if options.json:
        data = envelope(graph, outcome.values, outcome.runs, outcome.error)
        print(json.dumps(data, ensure_ascii=False, allow_nan=False))
    else:
        print(report(graph, outcome))
    if outcome.error is not None:
        print(f"pullback: {outcome.error}", file=sys.stderr)
        return GRAPH_ERROR
    return OK


def _run_program(options: argparse.Namespace) -> int:
    from app.headless import program_envelope, program_report
    from core.errors import PullbackError
    from core.importers.python import load_program, read_text

    if options.run is not None:
        return _fail("--run is for graphs: a program has one run, and does it.")
    try:
        program = load_program(read_text(options.file), layout=False)
    except (PullbackError, OSError) as error:
        return _refuse(error, as_json=options.json)
    _say_any_text()
    if options.json:
        print(json.dumps(program_envelope(program), ensure_ascii=False, allow_nan=False))
    else:
        print(program_report(program), end="")
    if program.error is not None:
        at = f" (line {program.error.line})" if program.error.line else ""
        print(f"pullback: {program.error}{at}", file=sys.stderr)
        return GRAPH_ERROR
    return OK


def _say_any_text() -> None:
    """Write what UTF-8 has no bytes for, such as half a surrogate pair, as an escape."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _render(options: argparse.Namespace) -> int:
    from core.errors import PullbackError

    if options.output.suffix.lower() not in (".png", ".gif"):
        return _fail(f"'{options.output.name}' must end in .png (one step) or .gif (the playback).")
    try:
        graph = _load(options.file)
        runs = _chosen(graph, options.run)
    except (PullbackError, OSError) as error:
        return _refuse(error)
    from app.render import render

    try:
        stopped = render(graph, runs[0] if runs else None, options)
    except (PullbackError, OSError) as error:
        return _refuse(error)
    print(f"Wrote {options.output}.", file=sys.stderr)
    if stopped is not None:
        print(f"pullback: {stopped}", file=sys.stderr)
        return GRAPH_ERROR
    return OK


def _convert(options: argparse.Namespace) -> int:
    from app.formats import graph_bytes, read_graph
    from core.errors import PullbackError
    from core.files.storage import replace_file

    if not options.target.parent.is_dir():
        return _fail(f"There is no folder {options.target.parent}.")
    try:
        reading = read_graph(options.source)
        data = graph_bytes(reading.graph, options.target)
        replace_file(options.target, data)
    except (PullbackError, OSError) as error:
        code = _refuse(error)
        return GRAPH_ERROR if isinstance(error, PullbackError) and error.node else code
    for note in reading.notes:
        print(f"note: {note}", file=sys.stderr)
    count = len(reading.graph.nodes)
    print(f"Wrote {options.target}: {count} node{'s' * (count != 1)}.", file=sys.stderr)
    if reading.error is not None:
        at = f" (line {reading.error.line})" if reading.error.line else ""
        print(f"pullback: {reading.error}{at}", file=sys.stderr)
        return GRAPH_ERROR
    return OK


def _export(options: argparse.Namespace) -> int:
    from core.errors import PullbackError
    from core.export import export_code
    from core.export.writing import write_code

    try:
        graph = _load(options.file)
        runs = _chosen(graph, options.run)
        exported = export_code(graph, options.to, runs[0] if runs else None)
        if options.output is None:
            print(exported.text, end="")
        else:
            write_code(exported, options.output)
    except (PullbackError, OSError) as error:
        return _refuse(error)
    if options.output is not None:
        print(f"Wrote {options.output}.", file=sys.stderr)
    elif exported.arrays:
        files = ", ".join(exported.arrays)
        print(f"pullback: the text loads {files}; -o writes them, too.", file=sys.stderr)
    if exported.left_out:
        names = ", ".join(graph.nodes[n].name for n in exported.left_out)
        print(f"pullback: left out, for want of a value or a spelling: {names}", file=sys.stderr)
        return GRAPH_ERROR
    return OK


def _load(path: Path) -> Graph:
    """The graph in a file; what has no ending that says otherwise is a Pullback file."""
    if path.suffix.lower() == ".onnx":
        from app.formats import read_graph

        return read_graph(path).graph
    from core.files import load

    return load(path)


def _chosen(graph: Graph, name: str | None) -> tuple[Run, ...]:
    """The run of that name, or all of them."""
    from core.errors import UnknownNodeError, did_you_mean

    if name is None:
        return graph.runs
    found = tuple(run for run in graph.runs if run.name == name)
    if not found:
        names = [run.name for run in graph.runs]
        known = ", ".join(f"'{n}'" for n in names) or "none"
        raise UnknownNodeError(
            f"There is no run '{name}' in this file (it has: {known}).",
            next_step=did_you_mean(name, names, "Leave --run out for all of them."),
        )
    return found


# -- failing --------------------------------------------------------------------------------------


def _fail(message: str) -> int:
    print(f"pullback: {message}", file=sys.stderr)
    return USAGE


def _refuse(error: Exception, *, as_json: bool = False) -> int:
    """Say why a file or a name is no use; as JSON too, so that standard output is JSON only."""
    message = str(error)
    if isinstance(error, OSError):
        message = f"{error.filename}: {error.strerror}." if error.filename else str(error)
    if as_json:
        from core.files.envelope import error_record

        print(json.dumps({"values": {}, "runs": [], "error": error_record(error)}))
    return _fail(message)
