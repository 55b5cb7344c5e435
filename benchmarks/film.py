"""How fast a playback is drawn into a GIF, as a part of the time it plays.

``python -m benchmarks.film [--json]``. 200 frames of 1280 x 720 of an example, on one thread.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication

from app import render
from app.canvas.image import ImagePainter
from app.examples import examples
from app.theme import dark, load_fonts
from benchmarks.report import Row, publish
from benchmarks.timing import machine
from core.files import load

FRAMES, SIZE = 200, QSize(1280, 720)


def measure(name: str) -> Row:
    """Draw the playback of an example again and again until there are enough frames."""
    graph = load(next(path for path in examples() if name in path.name))
    film = render.played(graph, graph.runs[0])
    count = sum(1 for _ in render._moments(film))
    scenes = tuple(islice(cycle(film.scenes), len(film.scenes) * -(-FRAMES // count)))
    film = render.Film(scenes, film.final, film.error)
    drawn = sum(1 for _ in render._moments(film))
    painter = ImagePainter(graph, dark(), SIZE, 1.0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.gif"
        wall, processor = time.perf_counter(), time.process_time()
        render._write_gif(painter, film, path)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        size = path.stat().st_size
    plays = drawn / render.FRAMES_PER_SECOND
    return Row(
        f"GIF of {drawn} frames of {SIZE.width()} x {SIZE.height()}: {name}",
        wall / plays,
        "x the time it plays",
        1.0,
        {"seconds": wall, "seconds of processor": processor, "it plays": plays, "MB": size / 1e6},
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    application = QGuiApplication(["film"])
    load_fonts()
    rows = [measure("square"), measure("softmax")]
    del application  # it had to live until here
    publish(rows, machine(), options.json)


if __name__ == "__main__":
    main()
