"""Drawing a graph into files: a PNG of one step, or the whole playback as a GIF."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QImage

from app.canvas.image import ImagePainter
from app.colors import dark, light
from app.fonts import load_fonts
from core.errors import PullbackError, UnknownNodeError
from core.folding import seen
from core.graph import Graph, Run
from core.moments import Moment
from core.results import Snapshot
from core.schedule import Schedule
from core.session import Session
from core.trace import Trace

FRAMES_PER_SECOND = 25
#: Seconds that a playback stands still at its end, before it begins again.
REST = 1.2
#: Bounds of a picture in logical pixels; within them it is as large as the graph.
SMALLEST, LARGEST = QSize(640, 400), QSize(1280, 720)
#: Logical pixels around the graph.
MARGIN = 48


@dataclass(frozen=True)
class Scene:
    """One backward of a run: what the session held before it, and what it did."""

    snapshot: Snapshot
    schedule: Schedule

    @property
    def trace(self) -> Trace:
        """What the backward did."""
        return self.schedule.trace


@dataclass(frozen=True)
class Film:
    """What a run shows.

    Attributes:
        scenes: one a backward; none for a graph without runs.
        final: what the session holds at the end.
        error: why the run stopped early, if it did.
    """

    scenes: tuple[Scene, ...]
    final: Snapshot
    error: PullbackError | None


def render(graph: Graph, run: Run | None, options: argparse.Namespace) -> PullbackError | None:
    """Write the picture or the playback that ``pullback render`` was asked for.

    Returns:
        Why the run stopped early, if it did; what it did before is drawn all the same.
    """
    arguments = ["pullback", "-platform", "offscreen"]
    application = QGuiApplication.instance() or QGuiApplication(arguments)
    load_fonts()
    film = played(graph, run)
    theme = dark() if options.theme == "dark" else light()
    painter = ImagePainter(graph, theme, SMALLEST, options.scale)
    painter.size = fitting_size(painter)
    path: Path = options.output
    if path.suffix.lower() == ".png":
        image = _still(painter, film, options.step)
        if not image.save(str(path)):
            raise OSError(0, "the file cannot be written", str(path))
    else:
        _write_gif(painter, film, path)
    del application  # it had to live until here
    return film.error


def played(graph: Graph, run: Run | None) -> Film:
    """Do a run, keeping what can be shown of each of its backwards."""
    session = Session(graph)
    scenes: list[Scene] = []
    error: PullbackError | None = next(iter(session.snapshot().errors.values()), None)
    for action in run.actions if run else ():
        before = session.snapshot().inside("", graph)
        result = session.perform(action)
        if result.trace is not None:
            scenes.append(Scene(before, Schedule(seen(result.trace))))
        if result.error is not None:
            error = result.error
            break
    return Film(tuple(scenes), session.snapshot().inside("", graph), error)


def fitting_size(painter: ImagePainter) -> QSize:
    """The graph's own size with a margin, within bounds."""
    bounds = painter.bounds()
    wanted = QSize(round(bounds.width()) + 2 * MARGIN, round(bounds.height()) + 2 * MARGIN)
    return wanted.expandedTo(SMALLEST).boundedTo(LARGEST)


def _still(painter: ImagePainter, film: Film, step: int | None) -> QImage:
    """The graph after so many steps of all its backwards; the end by default."""
    total = sum(len(scene.trace.steps) for scene in film.scenes)
    if step is not None and step > total:
        raise UnknownNodeError(
            f"There is no step {step}: this run has {total}.",
            next_step=f"Choose --step from 0 to {total}.",
        )
    left = total if step is None else step
    for scene in film.scenes:
        steps = len(scene.trace.steps)
        if left <= steps and not (left == steps and scene is not film.scenes[-1] and step is None):
            time = 0.0 if left == 0 else float(scene.schedule.step_ends[left - 1])
            return painter.image(scene.snapshot, scene.trace, scene.schedule.at(time))
        left -= steps
    return painter.image(film.final, None, None)


def _frames(painter: ImagePainter, film: Film) -> Iterator[QImage]:
    for snapshot, trace, moment in _moments(film):
        yield painter.image(snapshot, trace, moment)


def _moments(film: Film) -> Iterator[tuple[Snapshot, Trace | None, Moment | None]]:
    rest = round(REST * FRAMES_PER_SECOND)
    if not film.scenes:
        yield film.final, None, None
    for scene in film.scenes:
        count = round(scene.schedule.duration * FRAMES_PER_SECOND) + rest
        for i in range(count + 1):
            yield scene.snapshot, scene.trace, scene.schedule.at(i / FRAMES_PER_SECOND)


def _write_gif(painter: ImagePainter, film: Film, path: Path) -> None:
    total = sum(1 for _ in _moments(film))
    palette = _palette(painter, film)
    frames = (_quantized(image, palette) for image in _frames(painter, film))
    first = next(frames)
    with path.open("wb") as file:
        first.save(
            file,
            format="GIF",
            save_all=True,
            append_images=_with_progress(frames, total),
            duration=1000 // FRAMES_PER_SECOND,
            loop=0,
            optimize=False,
        )


def _palette(painter: ImagePainter, film: Film) -> Image.Image:
    """256 colours for the whole playback, from moments spread over it."""
    moments = list(_moments(film))
    chosen = moments[:: max(1, len(moments) // 6)][:7]
    images = [_as_pillow(painter.image(*moment)) for moment in chosen]
    width, height = images[0].size
    sheet = Image.new("RGB", (width, height * len(images)))
    for i, image in enumerate(images):
        sheet.paste(image, (0, i * height))
    return sheet.quantize(256, method=Image.Quantize.MEDIANCUT)


def _quantized(image: QImage, palette: Image.Image) -> Image.Image:
    return _as_pillow(image).quantize(palette=palette, dither=Image.Dither.NONE)


def _as_pillow(image: QImage) -> Image.Image:
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    # The bytes are copied at once: the buffer does not keep the QImage alive.
    data = bytes(plain.constBits())
    size = (plain.width(), plain.height())
    return Image.frombuffer("RGB", size, data, "raw", "RGB", plain.bytesPerLine(), 1)


def _with_progress(frames: Iterator[Image.Image], total: int) -> Iterator[Image.Image]:
    """The frames, with a bar on standard error while a person is looking at it."""
    shown = sys.stderr.isatty()
    for done, frame in enumerate(frames, 2):
        if shown:
            filled = round(30 * done / total)
            bar = "█" * filled + "·" * (30 - filled)
            end = "\n" if done == total else ""
            sys.stderr.write(f"\r{bar} {done}/{total} frames{end}")
            sys.stderr.flush()
        yield frame
