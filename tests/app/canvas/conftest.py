"""A small regression whose backward has everything: two paths that meet, leaves, constants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.canvas import Canvas
from app.theme import dark, load_fonts
from core.graph import INPUT, Backward, Graph, Run
from core.moments import Moment
from core.schedule import Schedule
from core.session import Session, Snapshot
from core.trace import Trace


@dataclass(frozen=True)
class Story:
    """A graph before and after one backward, and its moments."""

    graph: Graph
    ids: dict[str, str]
    before: Snapshot
    after: Snapshot
    trace: Trace

    def moment(self, part: float) -> Moment:
        """What can be seen after a part (0 to 1) of the playback."""
        schedule = Schedule(self.trace, "wave")
        return schedule.at(part * schedule.duration)


class _Builder:
    def __init__(self) -> None:
        self.graph = Graph()
        self.ids: dict[str, str] = {}

    def input(self, name: str, value: object, pos: tuple[float, float], leaf: bool) -> None:
        params = {"value": np.asarray(value, float), "requires_grad": leaf, "source": None}
        self.graph, self.ids[name] = self.graph.with_node(INPUT, pos, name=name, params=params)

    def op(self, op: str, name: str, pos: tuple[float, float], **inputs: str) -> None:
        self.graph, self.ids[name] = self.graph.with_node(op, pos, name=name)
        for port, source in inputs.items():
            self.graph, _ = self.graph.with_wire(self.ids[source], "y", self.ids[name], port)


@pytest.fixture(scope="session")
def story() -> Story:
    make = _Builder()
    make.input("x", [0.9, -1.2, 0.4], (40, 190), leaf=False)
    make.input("W", [[0.8, -0.5, 0.3], [-0.6, 0.2, 1.1]], (40, 432), leaf=True)
    make.op("log", "log", (314, 40), x="x")
    make.op("matmul", "z", (314, 256), a="W", b="x")
    make.input("target", [2.1, 0.35], (314, 448), leaf=False)
    make.op("square", "W²", (314, 622), x="W")
    make.op("subtract", "e", (588, 330), a="z", b="target")
    make.op("sum", "norm", (588, 560), x="W²")
    make.input("λ", 0.05, (588, 762), leaf=True)
    make.op("square", "e²", (862, 280), x="e")
    make.op("multiply", "penalty", (862, 620), a="norm", b="λ")
    make.op("sum", "s", (1136, 330), x="e²")
    make.op("add", "L", (1398, 468), a="s", b="penalty")
    backward = Backward(((make.ids["L"], "y"),))
    graph = make.graph.with_run(Run("fit", (backward,)))
    session = Session(graph)
    before = session.snapshot()
    trace = session.perform(backward).trace
    assert trace is not None
    return Story(graph, make.ids, before, session.snapshot(), trace)


@pytest.fixture
def canvas(qtbot, qapp: QApplication, story: Story) -> Canvas:
    load_fonts()
    made = Canvas(dark())
    qtbot.addWidget(made)
    made.resize(1200, 800)
    made.show()
    made.show_graph(story.graph)
    made.show_snapshot(story.before)
    return made


@pytest.fixture
def shot(qapp: QApplication) -> Callable[[Canvas], object]:
    """The canvas as an image, painted as it would be on screen once nothing fades any more."""

    def grab(canvas: Canvas) -> object:
        canvas.finish_animation()
        return canvas.grab().toImage()

    return grab
