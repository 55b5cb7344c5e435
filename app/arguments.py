"""What can be written after ``pullback``, and the words of its help."""

from __future__ import annotations

import argparse
from pathlib import Path

from app import __version__

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


def window_parser() -> argparse.ArgumentParser:
    """Of ``pullback [FILE ...]``."""
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


def run_parser() -> argparse.ArgumentParser:
    """Of ``pullback run``."""
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


def render_parser() -> argparse.ArgumentParser:
    """Of ``pullback render``."""
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


def convert_parser() -> argparse.ArgumentParser:
    """Of ``pullback convert``."""
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


def export_parser() -> argparse.ArgumentParser:
    """Of ``pullback export``."""
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
