"""How much a program may take: steps, time, memory, depth, sizes.

Programs come from anywhere. Everything that costs is asked for here first, so that a program which
wants too much is refused before it is begun, not after the machine has stopped answering.
"""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.errors import LimitError


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may take.

    Attributes:
        text: characters of source.
        steps: statements and expressions evaluated.
        seconds: time of this process's processor, so that a busy machine refuses nothing.
        depth: calls of the program's functions within each other.
        elements: elements of one array.
        alive: bytes of all arrays alive at a time.
        work: multiplications of one operation.
        length: elements of a list, characters of a string.
        bits: bits of a whole number.
        printed: characters printed.
    """

    text: int = 500_000
    steps: int = 3_000_000
    seconds: float = 1.2
    depth: int = 45
    elements: int = 4_000_000
    alive: int = 256 * 2**20
    work: int = 400_000_000
    length: int = 1_000_000
    bits: int = 16_384
    printed: int = 1_000_000


class Budget:
    """What is left of the limits while a program runs."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._steps = limits.steps
        self._end = time.thread_time() + limits.seconds
        self._depth = 0
        self._alive = 0
        self._held: dict[int, weakref.ref[Any]] = {}

    def step(self) -> None:
        """One statement or expression more."""
        self._steps -= 1
        if not self._steps & 127:
            self.check_time()
        if self._steps < 0:
            raise LimitError(
                f"The program took more than {self.limits.steps:,} steps.",
                next_step="Let its loops run fewer times.",
            )

    def check_time(self) -> None:
        """Refuse to go on when the time is over."""
        if time.thread_time() > self._end:
            raise LimitError(
                f"The program took longer than {self.limits.seconds:g} seconds.",
                next_step="Let its loops run fewer times, or make its arrays smaller.",
            )

    def enter(self) -> None:
        """A call within the present one; ``leave`` it again."""
        if self._depth >= self.limits.depth:
            raise LimitError(
                f"Calls are nested more than {self.limits.depth} deep.",
                next_step="Write the recursion as a loop.",
            )
        self._depth += 1

    def leave(self) -> None:
        """Back from a call."""
        self._depth -= 1

    def length(self, count: int, what: str = "list") -> int:
        """Refuse a list or string of more than the allowed length."""
        if count > self.limits.length:
            raise LimitError(
                f"A {what} of {count:,} elements is too long.",
                next_step=f"Keep it under {self.limits.length:,}.",
            )
        return count

    def bits(self, count: float) -> None:
        """Refuse a whole number of more than the allowed bits."""
        if count > self.limits.bits:
            raise LimitError(
                f"A whole number of about {count:.3g} bits is too large.",
                next_step="Use a float: 10.0**400 is inf.",
            )

    def shape(self, shape: Iterable[Any]) -> None:
        """Refuse an array of more than the allowed elements."""
        count = math.prod(abs(int(n)) for n in shape)
        if count > self.limits.elements:
            raise LimitError(
                f"An array of {count:,} elements is too large.",
                next_step=f"Keep arrays under {self.limits.elements:,} elements.",
            )

    def work(self, count: float) -> None:
        """Refuse an operation of more than the allowed multiplications."""
        if count > self.limits.work:
            raise LimitError(
                f"An operation of about {count:.3g} multiplications is too large.",
                next_step="Make its arrays smaller.",
            )

    def hold(self, array: Any) -> None:
        """Count an array's bytes for as long as it lives.

        Views count with the array they look at.
        """
        while isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
            array = array.base
        key = id(array)
        if not isinstance(array, np.ndarray) or key in self._held:
            return
        size = array.nbytes

        def gone(_: Any) -> None:
            self._alive -= size
            self._held.pop(key, None)

        self._alive += size
        self._held[key] = weakref.ref(array, gone)
        if self._alive > self.limits.alive:
            raise LimitError(
                f"The program's arrays take more than {self.limits.alive // 2**20} MB.",
                next_step="Make them smaller, or keep fewer of them.",
            )


def broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to; () where they do not."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return ()
