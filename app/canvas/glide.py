"""Nodes seen going to where an edit put them. The edit is made already: this only shows it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEasingCurve, QEvent, QObject, QVariantAnimation

from app.canvas.canvas import Canvas
from app.edits import Point

#: Milliseconds of the way.
_TIME = 240
#: More nodes than this jump: they would not be drawn fast enough to be seen moving.
_MOST = 600


class Glide(QObject):
    """Moves nodes of a canvas from where they were to where they are."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._ways: dict[str, tuple[Point, Point]] = {}
        self._animation = QVariantAnimation(self)
        self._animation.setDuration(_TIME)
        self._animation.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.valueChanged.connect(self._show)
        self._animation.finished.connect(self.finish)
        canvas.installEventFilter(self)

    @property
    def is_running(self) -> bool:
        """Whether nodes are on their way."""
        return bool(self._ways)

    def start(self, before: Mapping[str, Point]) -> None:
        """Show nodes coming from elsewhere; those that are there already do not move."""
        canvas = self._canvas
        self.finish()
        nodes = canvas.picture.graph.nodes
        ways = {i: (pos, nodes[i].pos) for i, pos in before.items() if nodes[i].pos != pos}
        if not ways or len(ways) > _MOST or canvas.pulses.reduced_motion or not canvas.isVisible():
            return
        self._ways = ways
        self._show(0.0)
        self._animation.start()

    def finish(self) -> None:
        """Let them be where they are."""
        if self._ways:
            self._ways = {}
            self._animation.stop()
            self._canvas.preview_moves({})

    def _show(self, part: float) -> None:
        if self._ways:
            self._canvas.preview_moves(
                {
                    i: (x0 + (x1 - x0) * part, y0 + (y1 - y0) * part)
                    for i, ((x0, y0), (x1, y1)) in self._ways.items()
                }
            )

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """A hand that reaches for something must find it where it is."""
        if event.type() == QEvent.Type.MouseButtonPress:
            self.finish()
        return False
