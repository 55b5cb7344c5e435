"""How evenly the window plays, and how soon it shows another time of a long trace.

``python -m benchmarks.playback [--json] [--nodes 10000] [--seconds 8]``. In a real window of
1600 x 1000 on an X server in memory (Xvfb, which must be installed): a graph is opened, computed,
run backward and played. An interval is the time from one frame of the canvas to the next.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer, SignalInstance
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from app.main_window import MainWindow
from app.windows import Windows
from app.worker import wait_for_threads
from app.workspace import Workspace
from benchmarks.graphs import layered
from benchmarks.report import Row, publish
from benchmarks.timing import machine
from core.files import save
from core.graph import Backward, Graph
from core.session import Session
from core.trace import Trace

WIDTH, HEIGHT = 1600, 1000
#: Milliseconds: of 99 in 100 intervals at 60 Hz, and of a seek.
_INTERVAL, _SEEK = 18.0, 16.0
_SHARED = (
    "The machine was shared while this was measured: a window that does next to nothing (peer)"
)


class Intervals(QObject):
    """Milliseconds from one frame of a widget to the next: its first painting after each tick."""

    def __init__(self, widget: QWidget, tick: SignalInstance) -> None:
        super().__init__(widget)
        self._times: list[float] = []
        self._is_due = False
        widget.installEventFilter(self)
        tick.connect(self._expect)

    def _expect(self) -> None:
        self._is_due = True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note when it is painted."""
        if event.type() == QEvent.Type.Paint and self._is_due:
            self._times.append(time.perf_counter())
            self._is_due = False
        return super().eventFilter(watched, event)

    def during(self, seconds: float) -> np.ndarray:
        """Those of the next ``seconds``."""
        self._times.clear()
        wait(seconds)
        return np.diff(self._times) * 1e3


def wait(seconds: float, signal: SignalInstance | None = None) -> None:
    """Serve events for so long, or until a signal comes."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    if signal is not None:
        signal.connect(loop.quit)
    loop.exec()


class Plain(QWidget):
    """A window that copies one picture sixty times a second: what the machine can do at best."""

    def __init__(self) -> None:
        super().__init__()
        self.resize(WIDTH, HEIGHT)
        self._picture = QPixmap(WIDTH, HEIGHT)
        self._picture.fill(Qt.GlobalColor.darkBlue)
        self.timer = QTimer(self, interval=16, timerType=Qt.TimerType.PreciseTimer)
        self.timer.timeout.connect(self.update)
        self.timer.start()

    def paintEvent(self, _event: QEvent) -> None:
        """Copy it."""
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        painter.end()


def measure(nodes: int, seconds: float) -> dict[str, list[float]]:
    """Milliseconds of every interval and every seek, by what was done."""
    app = QApplication([])
    found: dict[str, np.ndarray] = {}
    plain = Plain()
    plain.show()
    found["plain window"] = Intervals(plain, plain.timer.timeout).during(seconds / 2)
    plain.close()

    graph = layered(nodes)
    window = MainWindow(Windows())
    window.resize(WIDTH, HEIGHT)
    window.show()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.pullback"
        save(graph, path)
        window.start([path])
    workspace = window.current
    wait(60, workspace.evaluator.evaluated)
    trace = _backward(graph)
    player = workspace.player
    intervals = Intervals(workspace.canvas, player.moved)
    player.set_mode("wave")
    player.set_loop(True)
    player.load(trace)
    workspace.canvas.frame_all(animated=False)
    wait(0.5)
    player.play()
    wait(0.3)
    found["wave"] = intervals.during(seconds)
    player.load(_at_once(trace))
    player.set_speed(0.25)
    player.play()
    wait(0.5)
    found["all at once"] = intervals.during(seconds)
    player.set_mode("steps")
    player.load(trace)
    for name, zoom in (("all in sight", None), ("at 100 %", 1.0)):
        if zoom is not None:
            workspace.canvas.zoom_to(zoom, animated=False)
        found[f"scrub, {name}"] = _seeks(app, workspace, np.linspace(0.50, 0.46, 120))
        found[f"jump, {name}"] = _seeks(app, workspace, np.random.default_rng(0).random(30))
    window.close()
    wait_for_threads(10)
    return {name: times.tolist() for name, times in found.items()}


def _backward(graph: Graph) -> Trace:
    """The trace of a backward from all ends of the graph."""
    session = Session(graph)
    needs_grad = session.snapshot().needs_grad
    ends = [node for node in graph.nodes if not graph.wires_from(node) and node in needs_grad]
    trace = session.perform(Backward(tuple((node, "y") for node in ends), None)).trace
    assert trace is not None
    return trace


def _at_once(trace: Trace) -> Trace:
    """A trace in which no step waits for another, so that a wave has all flows on their way."""
    return replace(trace, steps=tuple(step for step in reversed(trace.steps) if step.flows))


def _seeks(app: QApplication, workspace: Workspace, parts: np.ndarray) -> np.ndarray:
    """Milliseconds from asking for a time to having painted it."""
    player, times = workspace.player, []
    player.seek(float(parts[0]) * player.duration)
    app.processEvents()
    for part in parts[1:].tolist():
        started = time.perf_counter()
        player.seek(part * player.duration)
        app.processEvents()
        times.append(time.perf_counter() - started)
    return np.array(times) * 1e3


@contextmanager
def screen() -> Iterator[dict[str, str]]:
    """An X server in memory; the environment that leads Qt there."""
    ours, theirs = os.pipe()
    command = ["Xvfb", "-displayfd", str(theirs), "-screen", "0", f"{WIDTH}x{HEIGHT}x24"]
    server = subprocess.Popen(command, pass_fds=[theirs], stderr=subprocess.DEVNULL)
    os.close(theirs)
    with open(ours) as pipe:
        number = pipe.readline().strip()
    try:
        yield {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb", "QT_SCALE_FACTOR": "1"}
    finally:
        server.terminate()
        server.wait()


def rows(found: dict[str, list[float]], nodes: int) -> list[Row]:
    """The table."""
    plain = found["plain window"]
    result = []
    for name, what in (
        ("wave", f"play a backward of {nodes:,} nodes as a wave, all in sight"),
        ("all at once", f"play all pulses of {nodes:,} nodes at once, all in sight"),
    ):
        times = found[name]
        peers: dict[str, float | None] = {
            "median": float(np.median(times)),
            "frames a second": 1e3 / float(np.mean(times)),
            "plain window p99": float(np.percentile(plain, 99)),
        }
        result.append(Row(what, float(np.percentile(times, 99)), "ms interval, p99", _INTERVAL,
                          peers, f"{_SHARED} shows what is not ours."))  # fmt: skip
    for way, what in (
        ("scrub", "the next of 3,000 pixels"),
        ("jump", "another place"),
    ):
        for zoom in ("all in sight", "at 100 %"):
            times = found[f"{way}, {zoom}"]
            reach = _SEEK if way == "scrub" else None
            peers = {"p90": float(np.percentile(times, 90)), "least": min(times)}
            work = f"seek {what} of a trace of {nodes:,} nodes, {zoom}"
            result.append(Row(work, float(np.median(times)), "ms a seek, median", reach, peers))
    return result


def main() -> None:
    """Measure in a process of its own, on a screen of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.nodes, options.seconds)))
        return
    if shutil.which("Xvfb") is None:
        parser.exit(2, "Xvfb is not installed: on Debian or Ubuntu, apt install xvfb.\n")
    command = [sys.executable, "-m", "benchmarks.playback", "--measure",
               "--nodes", str(options.nodes), "--seconds", str(options.seconds)]  # fmt: skip
    with screen() as display, tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, **display, "XDG_CONFIG_HOME": home}
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, check=True
        )
    publish(rows(json.loads(done.stdout), options.nodes), machine(), options.json)


if __name__ == "__main__":
    main()
