"""Pictures of the canvas in all its states, written to ``screenshots/`` so that they are looked at.

The tests hold what can be measured: nothing blank, nothing cut off.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app.canvas import Canvas, render_image
from app.canvas.labels import label_of
from app.canvas.metrics import NODE_WIDTH
from app.canvas.painting import font, width
from app.canvas.picture import Picture
from app.theme import dark, light, load_fonts
from core.graph import INPUT, Backward, Graph
from core.moments import Moment
from core.schedule import Schedule
from core.session import Session, Snapshot
from core.trace import Trace

SCREENSHOTS = Path(__file__).parents[2] / "screenshots"
SIZE = QSize(1600, 1000)


class Shown:
    """A graph with one node in error, before and after one backward that frees."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.ids: dict[str, str] = {}
        self._input("x", [0.9, -1.2, 0.4], (40, 190), leaf=False)
        self._input("W", [[0.8, -0.5, 0.3], [-0.6, 0.2, 1.1]], (40, 432), leaf=True)
        self._op("log", "log", (314, 30), x="x")
        self._op("matmul", "z", (314, 256), a="W", b="x")
        self._input("target", [2.1, 0.35], (314, 448), leaf=False)
        self._op("square", "W²", (314, 622), x="W")
        self._op("subtract", "e", (588, 330), a="z", b="target")
        self._op("sum", "norm", (588, 560), x="W²")
        self._input("λ", 0.05, (588, 762), leaf=True)
        self._op("square", "e²", (862, 280), x="e")
        self._op("multiply", "penalty", (862, 620), a="norm", b="λ")
        self._op("sum", "s", (1136, 330), x="e²")
        self._op("add", "L", (1398, 468), a="s", b="penalty")
        self._op("matmul", "mismatch", (862, 40), a="x", b="target")
        self.session = Session(self.graph)
        self.before = self.session.snapshot()
        trace = self.session.perform(Backward(((self.ids["L"], "y"),))).trace
        assert trace is not None
        self.trace: Trace = trace
        self.after: Snapshot = self.session.snapshot()
        schedule = Schedule(trace, "wave")
        self.middle: Moment = schedule.at(0.47 * schedule.duration)
        self.end: Moment = schedule.at(schedule.duration)

    def _input(self, name: str, value: object, pos: tuple[float, float], leaf: bool) -> None:
        params = {"value": np.asarray(value, float), "requires_grad": leaf, "source": None}
        self.graph, self.ids[name] = self.graph.with_node(INPUT, pos, name=name, params=params)

    def _op(self, op: str, name: str, pos: tuple[float, float], **inputs: str) -> None:
        self.graph, self.ids[name] = self.graph.with_node(op, pos, name=name)
        for port, source in inputs.items():
            self.graph, _ = self.graph.with_wire(self.ids[source], "y", self.ids[name], port)


@pytest.fixture(scope="module")
def shown(qapp: QApplication) -> Shown:
    load_fonts()
    SCREENSHOTS.mkdir(exist_ok=True)
    return Shown()


def assert_drawn(image: QImage) -> None:
    small = image.convertToFormat(QImage.Format.Format_Grayscale8).scaled(400, 250)
    data = np.frombuffer(small.constBits(), np.uint8)
    assert data.std() > 5
    assert len(np.unique(data)) > 40


@pytest.mark.parametrize("theme", [dark(), light()], ids=["dark", "light"])
@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("state", ["still", "playing", "freed"])
def test_picture(shown: Shown, theme, scale: int, state: str) -> None:
    snapshot, moment = {
        "still": (shown.before, None),
        "playing": (shown.after, shown.middle),
        "freed": (shown.after, shown.end),
    }[state]
    trace = shown.trace if moment is not None else None
    image = render_image(shown.graph, snapshot, moment, theme, SIZE, scale, trace=trace)
    image.save(str(SCREENSHOTS / f"{state}_{theme.name}_{scale}x.png"))

    assert image.width() == 1600 * scale
    assert_drawn(image)


@pytest.mark.parametrize("theme", [dark(), light()], ids=["dark", "light"])
def test_window(shown: Shown, qtbot, theme) -> None:
    canvas = Canvas(theme)
    qtbot.addWidget(canvas)
    canvas.resize(SIZE)
    canvas.show()
    canvas.show_graph(shown.graph)
    canvas.show_snapshot(shown.after)
    canvas.show_trace(shown.trace)
    canvas.show_moment(shown.middle)
    canvas.select([shown.ids["z"], shown.ids["W"]])
    image = canvas.grab().toImage()
    image.save(str(SCREENSHOTS / f"window_{theme.name}.png"))

    assert_drawn(image)


def test_no_title_or_type_is_cut_off(shown: Shown) -> None:
    picture = Picture(shown.graph)
    picture.show_snapshot(shown.after)
    for row in range(len(picture.geometry.nodes)):
        content = picture.content(row)
        shape = width(content.shape, font(10, "medium", mono=True))
        title = width(content.title, font(13, "semibold"))
        assert 36 + title + 6 + shape + 10 <= NODE_WIDTH, content.title
        for label, cell in content.rows:
            used = width(label, font(11)) + width(cell.text, font(12, "medium", mono=True))
            assert used + 26 <= NODE_WIDTH, (label, cell.text)


def test_no_travelling_label_is_cut_off(shown: Shown) -> None:
    picture = Picture(shown.graph)
    picture.show_snapshot(shown.after)
    picture.show_trace(shown.trace)
    picture.show_moment(shown.middle)
    assert shown.middle.in_flight
    for flight in shown.middle.in_flight:
        label = label_of(flight, picture.facts)
        room = label.size[0] - 20
        numbers = width(label.text, font(12, "medium", mono=True))
        assert numbers + (56 if label.has_strip else 0) <= room + 0.5
