"""The command line: opens the window, or runs and draws a graph without one.

Nothing heavy is imported before it is known what is wanted: ``--version`` and ``--help`` must not
wait for NumPy or Qt.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app import __version__

if TYPE_CHECKING:
    from core.graph import Graph, Run

OK, GRAPH_ERROR, USAGE = 0, 1, 2

_EXAMPLES = """\
examples:
  pullback                                  open the window (an example opens by itself)
  pullback lecture.pullback                 open a graph; several open in tabs
  pullback run lecture.pullback             print values, every step's VJPs and the gradients
  pullback run lecture.pullback --run "first (1, 0)" --json
  pullback run program.py                   read a PyTorch or NumPy program, without running Python
  pullback render lecture.pullback -o step3.png --step 3 --theme light
  pullback render lecture.pullback -o lecture.gif --run "ones (1, 1)"
  pullback convert model.onnx model.pullback    and the other way round, or from a program.py
  pullback export lecture.pullback --to pytorch -o lecture.py

exit codes: 0 fine, 1 the graph has an error, 2 wrong usage or an unreadable file
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of ``pullback`` and ``python -m app``."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["run"]:
        return _run(_run_parser().parse_args(arguments[1:]))
    if arguments[:1] == ["render"]:
        return _render(_render_parser().parse_args(arguments[1:]))
    if arguments[:1] == ["convert"]:
        return _convert(_convert_parser().parse_args(arguments[1:]))
    if arguments[:1] == ["export"]:
        return _export(_export_parser().parse_args(arguments[1:]))
    return _open_window(_window_parser().parse_args(arguments))


# -- the commands ---------------------------------------------------------------------------------


def _open_window(options: argparse.Namespace) -> int:
    for path in options.files:
        if not path.exists():
            return _fail(f"There is no file {path}.")
    from app.display import HEADLESS, why_no_window

    reason = why_no_window()
    if reason is not None:
        return _fail(f"{reason} {HEADLESS}")
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


# -- arguments ------------------------------------------------------------------------------------


def _window_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pullback",
        description="See gradients flow: build a computation graph, run backward, watch every VJP.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="pullback [FILE ...]\n       pullback run FILE [--run NAME] [--json]\n"
        "       pullback render FILE -o OUT.png|OUT.gif [--run NAME] [--step N] "
        "[--theme dark|light] [--scale N]\n       pullback convert IN OUT\n"
        "       pullback export FILE --to pytorch|numpy|jax|latex [-o OUT] [--run NAME]",
    )
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help="graphs to open, each in a tab"
    )
    parser.add_argument("--version", action="version", version=f"pullback {__version__}")
    return parser


def _run_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pullback run",
        description="Run a graph without a window: values, every step's cotangent and VJPs, "
        "and the gradients of the leaves. A .py file is read as a PyTorch or NumPy program, "
        "a .onnx file as a model.",
        epilog="exit codes: 0 fine, 1 the graph or a run has an error, 2 usage or unreadable file",
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--run", metavar="NAME", help="the run to do (default: all in the file)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    return parser


def _render_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pullback render",
        description="Draw a graph without a window: a PNG of one step, or the playback as a GIF.",
        epilog="exit codes: 0 fine, 1 the graph or a run has an error, 2 usage or unreadable file",
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT.png|OUT.gif")
    parser.add_argument("--run", metavar="NAME", help="the run to play (default: the first)")
    parser.add_argument(
        "--step", type=_not_negative, metavar="N", help="after N steps (default: the last; PNG)"
    )
    parser.add_argument("--theme", choices=("dark", "light"), default="dark")
    parser.add_argument(
        "--scale", type=_scale, default=1.0, metavar="N", help="pixels per unit, 0.5 to 4"
    )
    return parser


def _convert_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pullback convert",
        description="Turn a file into one of another format, by their endings: .pullback (or "
        ".json) and .onnx can be read and written, .py (a PyTorch or NumPy program) read. What is "
        "not carried over is told as notes. ONNX needs: pip install 'pullback[onnx]'.",
        epilog="exit codes: 0 fine, 1 the graph or the program has an error (such as a node that "
        "the format cannot tell), 2 usage or unreadable file",
    )
    parser.add_argument("source", type=Path, metavar="IN")
    parser.add_argument("target", type=Path, metavar="OUT")
    return parser


def _export_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pullback export",
        description="Write a graph and one of its runs as code: a PyTorch program, NumPy with "
        "every rule written out, a JAX function, or a derivation in LaTeX.",
        epilog="exit codes: 0 fine, 1 something was left out, 2 usage or unreadable file",
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--to", required=True, choices=("pytorch", "numpy", "jax", "latex"))
    parser.add_argument(
        "-o", "--output", type=Path, metavar="OUT", help="file to write (default: print it)"
    )
    parser.add_argument("--run", metavar="NAME", help="the run to write (default: the first)")
    return parser


def _not_negative(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("must be 0 or more")
    return value


def _scale(text: str) -> float:
    value = float(text)
    if not 0.5 <= value <= 4:
        raise argparse.ArgumentTypeError("must be from 0.5 to 4")
    return value
