"""How fast the canvas paints, as multiples of copying the window once in the same run.

``python -m benchmarks.canvas [--json] [--nodes 10000]``. Offscreen, 1600 x 1000, at one and at two
device pixels per logical pixel. ``reach`` is what the canvas should stay below on a machine that
copies the window in 0.12 ms (0.95 ms at scale 2). Times are of the processor, so that others on the
machine count little.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from app.canvas import Canvas
from app.canvas.area import Area
from app.canvas.picture import Picture
from app.canvas.wire_painter import visible_curves
from app.theme import dark, load_fonts
from benchmarks.graphs import computed, halfway, layered
from benchmarks.report import Row, publish
from benchmarks.timing import machine
from core.moments import InFlight, Moment

WIDTH, HEIGHT = 1600, 1000
#: Milliseconds to stay below, at scale 1 and 2, and what copying the window took for them.
REACH: dict[str, tuple[float, float]] = {
    "open: arrays and first paint": (120, 180),
    "still picture anew, all in sight": (15, 40),
    "still picture anew, 100 %": (5, 11),
    "pan step, 100 %": (2.5, 6),
    "zoom step": (7, 14),
    "drag a node with its wires": (2, 3),
    "animation frame, 50 pulses, 100 %": (1.2, 2.5),
    "animation frame, all wires, all in sight": (7, 16),
    "hit test": (0.1, 0.1),
    "select all": (30, 30),
    "frame selection": (30, 30),
}
BLIT = (0.12, 0.95)
LIMITS = {
    "still picture anew, 100 %": "Half of it is smooth lines: a lit wire is 64 to 88 of them, in "
    "halo, glow, wire and core, at 0.6 us and more each; Qt draws no smooth line faster. To leave "
    "out those beside the window costs as much as it saves.",
    "animation frame, 50 pulses, 100 %": "A quarter each is the lit part of each wire behind its "
    "pulse (up to 800 smooth lines), 850 sprites of light, copying what stands still, and finding "
    "out what moved. To copy only around the pulses saves less than clipping lines and sprites to "
    "so many pieces costs. The prototype that set the reach drew no lit parts and no labels.",
    "open: arrays and first paint": "Every node and wire is looked at once, in Python.",
}
_BYTES_A_NODE, _BYTES_OF_SPRITES = 2_000, 64 * 2**20


def main() -> None:
    """Measure in one process per scale, as the scale is fixed when Qt starts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--scale", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.scale:
        print(json.dumps(measure(options.nodes)))
        return
    rows: list[Row] = []
    for scale in (1, 2):
        rows += _rows(scale, _in_process(scale, options.nodes))
    publish(rows, machine(), options.json)


def _in_process(scale: int, nodes: int) -> dict[str, float]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": str(scale)}
    command = [
        sys.executable,
        "-m",
        "benchmarks.canvas",
        "--scale",
        str(scale),
        "--nodes",
        str(nodes),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def _rows(scale: int, measured: dict[str, float]) -> list[Row]:
    blit = measured["copy the window"]
    rows = [
        Row(
            f"{work} (scale {scale})",
            measured[work] / blit,
            "x blit",
            reach[scale - 1] / BLIT[scale - 1],
            {"ms": measured[work], "full-window pixmap blit ms": blit},
            LIMITS.get(work, ""),
        )
        for work, reach in REACH.items()
    ]
    for name, most in (("node", _BYTES_A_NODE), ("sprites", _BYTES_OF_SPRITES)):
        kept = measured[f"bytes: {name}"]
        rows.append(Row(f"memory: {name} (scale {scale})", kept / most, f"x {most:,} bytes", 1.0))
    return rows


def median(work: Callable[[], object], repeat: int = 15) -> float:
    """Milliseconds of processor that ``work`` takes: painting waits for nothing and nobody."""
    times = []
    for _ in range(repeat):
        started = time.thread_time()
        work()
        times.append(time.thread_time() - started)
    return statistics.median(times) * 1e3


def measure(count: int) -> dict[str, float]:
    """Milliseconds of every row, at the scale Qt was started with."""
    app = QApplication([])
    load_fonts()
    graph = layered(count)
    snapshot = computed(graph)
    result: dict[str, float] = {}

    canvas = Canvas(dark())
    canvas.resize(WIDTH, HEIGHT)
    canvas.show()
    app.processEvents()
    size = canvas.size() * canvas.devicePixelRatioF()
    window, picture = QPixmap(size), QPixmap(size)
    picture.fill(dark().background)

    def paint() -> None:
        canvas.repaint()

    def blit() -> None:
        painter = QPainter(window)
        painter.drawPixmap(0, 0, picture)
        painter.end()

    result["copy the window"] = median(blit, 51)

    def open_graph() -> None:
        canvas.show_graph(graph)
        canvas.show_snapshot(snapshot)
        paint()

    result["open: arrays and first paint"] = median(open_graph, 5)

    def anew() -> None:
        canvas.still.forget()
        canvas.update()
        paint()

    moment = halfway(graph, flying=50)
    canvas.show_moment(moment)
    canvas.frame_all(animated=False)
    canvas.settle()
    paint()
    result["still picture anew, all in sight"] = median(anew)

    def zoom_step() -> None:
        canvas.zoom(1.1)
        paint()

    canvas.zoom_to(0.5, animated=False)
    canvas.settle()
    paint()
    result["zoom step"] = median(zoom_step, 9)
    canvas.zoom_to(1.0, animated=False)
    canvas.settle()
    paint()
    result["still picture anew, 100 %"] = median(anew)

    def pan_step() -> None:
        canvas.pan(-9, 6)
        paint()

    for _ in range(3):
        pan_step()
    result["pan step, 100 %"] = median(pan_step, 21)

    node = _middle_node(canvas)
    x, y = graph.nodes[node].pos
    places = iter(range(1, 1000))

    def drag() -> None:
        step = next(places)
        canvas.preview_moves({node: (x + step, y + step)})
        app.processEvents()  # paints what changed, where repaint() would copy the whole window

    drag()
    result["drag a node with its wires"] = median(drag, 21)
    canvas.preview_moves({})
    at = QPointF(WIDTH / 2, HEIGHT / 2)
    result["hit test"] = median(lambda: canvas.hit(at), 51)

    visible = halfway(graph, flying=0)
    canvas.show_moment(visible)
    paint()
    frames = iter(list(_frames(canvas, visible, 50)))

    def frame() -> None:
        canvas.show_moment(next(frames))
        app.processEvents()

    for _ in range(3):
        frame()
    result["animation frame, 50 pulses, 100 %"] = median(frame, 31)
    assert canvas.still.sprites is not None
    result["bytes: sprites"] = canvas.still.sprites.bytes

    canvas.frame_all(animated=False)
    canvas.settle()
    everything = halfway(graph, flying=len(graph.wires), lit=0.0)
    canvas.show_moment(everything)
    paint()
    wires = np.arange(len(graph.wires))
    rng = np.random.default_rng(0)
    signed, progress = rng.uniform(-1, 1, len(wires)), rng.random(len(wires))

    def frame_of_all() -> None:
        canvas.pulses.show(wires, (progress + rng.random()) % 1.0, signed, np.abs(signed))
        canvas.update()
        app.processEvents()

    result["animation frame, all wires, all in sight"] = median(frame_of_all, 15)
    canvas.show_moment(None)
    paint()

    def select_all() -> None:
        canvas.select(())
        canvas.select_all()
        paint()

    result["select all"] = median(select_all, 9)

    def frame_selection() -> None:
        canvas.zoom_to(1.0, animated=False)
        canvas.frame_selection(animated=False)
        canvas.settle()
        paint()

    result["frame selection"] = median(frame_selection, 9)
    canvas.close()

    tracemalloc.start()
    kept = Picture(graph)
    kept.show_snapshot(snapshot)
    result["bytes: node"] = tracemalloc.get_traced_memory()[0] / count
    return result


def _middle_node(canvas: Canvas) -> str:
    """The node nearest to the middle of the window."""
    geometry = canvas.picture.geometry
    middle = canvas.view.to_scene(WIDTH / 2, HEIGHT / 2)
    return geometry.nodes[int(np.argmin(np.hypot(*(geometry.pos - middle).T)))]


def _frames(canvas: Canvas, moment: Moment, pulses: int) -> Iterator[Moment]:
    """Moments with pulses moving along wires in sight."""
    graph, geometry = canvas.picture.graph, canvas.picture.geometry
    box = (*canvas.view.to_scene(0, 0), *canvas.view.to_scene(WIDTH, HEIGHT))
    wires = [graph.wires[geometry.wires[i]] for i in visible_curves(geometry, Area(box))[:pulses]]
    flow = next(iter(moment.arrived.values()))
    moving = [InFlight(w.target, replace(flow, port=w.port, node=w.source), 0.0) for w in wires]
    for step in range(1, 60):
        progress = (step * 0.016 / 0.45) % 1.0
        yield replace(
            moment,
            time=step * 0.016,
            in_flight=tuple(replace(flight, progress=progress) for flight in moving),
        )


if __name__ == "__main__":
    main()
