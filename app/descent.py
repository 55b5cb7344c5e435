"""From one level of functions to another while a trace plays: the same moment, seen elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Passage:
    """Into an instance, or out of it.

    Attributes:
        place: where it leads.
        node: id of the instance at the outer level.
    """

    place: str
    node: str
    is_inward: bool

    def time(self, time: float, here: Schedule, there: Schedule) -> float:
        """The time ``there`` that is ``time`` here: an instance's step is its whole inside."""
        outer, inner = (here, there) if self.is_inward else (there, here)
        nodes = [step.node for step in outer.trace.steps]
        if self.node not in nodes:
            return 0.0
        step = nodes.index(self.node)
        start, end = float(outer.step_starts[step]), float(outer.step_ends[step])
        if self.is_inward:
            return min(max((time - start) / (end - start), 0.0), 1.0) * inner.duration
        return start + (end - start) * (time / inner.duration if inner.duration else 0.0)


def way(here: str, there: str) -> Iterator[Passage]:
    """From place to place (``"n7/n12"``, "" for the top), one level at a time."""
    now, goal = [*filter(None, here.split("/"))], [*filter(None, there.split("/"))]
    while now != goal[: len(now)]:
        node = now.pop()
        yield Passage("/".join(now), node, is_inward=False)
    for node in goal[len(now) :]:
        now.append(node)
        yield Passage("/".join(now), node, is_inward=True)
