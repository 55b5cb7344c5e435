"""How soon the program is there, as multiples of what Python, Qt and NumPy take to start.

``python -m benchmarks.startup [--json] [--runs 9]``. Whole processes, taking turns; the least time
of each counts: nothing else disturbed that one. Compiled files are made beforehand.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

from benchmarks.report import Row, publish
from benchmarks.timing import machine

PASS = "pass"
VERSION = "import sys; from app.cli import main; sys.exit(main(['--version']))"
_LEAVE = "import os; os._exit(0)"
IMPORTS = f"import PySide6.QtWidgets, numpy; {_LEAVE}"
#: Until the window is there but for its first painting, and until that, too.
_WINDOW = """
import gc, os
gc.disable()
from PySide6.QtCore import QEvent, QObject
from app.launch import MainWindow, QApplication, Windows
class Painted(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            {after}
        return False
app = QApplication([])
window = MainWindow(Windows())
painted = Painted()
window.current.canvas.installEventFilter(painted)
window.show()
app.exec()
"""
MADE = _WINDOW.format(after="os._exit(0)")
PAINTED = _WINDOW.format(after="watched.repaint(); os._exit(0)")


def seconds(code: str, environment: dict[str, str]) -> tuple[float, float]:
    """Wall time and processor time of a process that runs ``code``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(runs: int) -> dict[str, tuple[float, float]]:
    """Least wall and processor milliseconds of every program."""
    codes = {"pass": PASS, "version": VERSION, "imports": IMPORTS, "made": MADE, "painted": PAINTED}
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": home,
                       "PYTHONPYCACHEPREFIX": f"{home}/compiled"}  # fmt: skip
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for code in codes.values():
            seconds(code, environment)
        turns = [{name: seconds(code, environment) for name, code in codes.items()}
                 for _ in range(runs)]  # fmt: skip
    return {
        name: (
            min(turn[name][0] for turn in turns) * 1e3,
            min(turn[name][1] for turn in turns) * 1e3,
        )
        for name in codes
    }


def rows(found: dict[str, tuple[float, float]]) -> list[Row]:
    """The table."""

    def peers(*names: str) -> dict[str, float | None]:
        result: dict[str, float | None] = {}
        for name in names:
            result[f"{name} ms"], result[f"{name} ms of processor"] = found[name]
        return result

    return [
        Row("pullback --version", found["version"][0] / found["pass"][0], "x python -c pass", 3.0,
            peers("version", "pass")),
        Row("the first window, but for its first painting", found["made"][0] / found["imports"][0],
            "x importing PySide6, numpy", 1.5, peers("made", "imports", "painted"),
            "Importing Qt makes none of its 250 enum classes: whoever uses them waits another "
            "quarter of the imports. The rest is 300 modules from their compiled files, half a "
            "millisecond each, and the widgets of the window."),
    ]  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    publish(rows(measure(options.runs)), machine(), options.json)


if __name__ == "__main__":
    main()
