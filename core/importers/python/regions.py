"""Where in a program things happen: in which calls, and in parts that the graph does not show."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from core.modes import state


class Regions:
    """The regions that are open now.

    Attributes:
        frames: titles of the calls that nodes were made in, by number.
        notes: what the program does that the graph does not show.
    """

    def __init__(self) -> None:
        self.frames: list[str] = []
        self.notes: dict[str, None] = {}
        self._open: tuple[int, ...] = ()
        self._pauses = 0
        self._weakly = 0
        self._custom = 0

    def note(self, text: str) -> None:
        """Something that the graph does not show."""
        self.notes[text] = None

    @property
    def _flows(self) -> bool:
        """Whether gradients flow through what is made now. A class of the program with a backward
        of its own computes without them; in the graph they flow through its operations."""
        return state.grad or self._custom > 0

    @contextmanager
    def frame(self, title: str, custom: bool = False) -> Iterator[None]:
        """Within, nodes belong to a call of that function."""
        if custom:
            self.note(f"{title} has a backward of its own: the graph has its operations' rules")
        before = self._open
        self._custom += custom
        if not self._pauses:
            self.frames.append(title)
            self._open = (*before, len(self.frames) - 1)
        try:
            yield
        finally:
            self._open = before
            self._custom -= custom

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Within, nothing becomes a node."""
        self._pauses += 1
        try:
            yield
        finally:
            self._pauses -= 1

    @contextmanager
    def weakly(self) -> Iterator[None]:
        """Within, nodes are kept only if something needs them."""
        self._weakly += 1
        try:
            yield
        finally:
            self._weakly -= 1
