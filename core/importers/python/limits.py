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
from typing import Any, NoReturn

import numpy as np

from core.errors import LimitError


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may take.

    Attributes:
        text: characters of source; ``braces``: how many of them may be opening braces (parsing
            the fields of one long f-string takes the square of their number).
        steps: statements and expressions evaluated.
        seconds: time of this process's processor, so that a busy machine refuses nothing.
        depth: calls of the program's functions within each other.
        elements: elements of one array.
        alive: bytes of all arrays alive at a time.
        plain: bytes of all lists, dicts, texts and large whole numbers made so far. Which of them
            are still alive is not known, so those long gone count, too.
        work: multiplications of one operation.
        length: elements of a list, characters of a string.
        bits: bits of a whole number.
        printed: characters printed.
    """

    text: int = 120_000
    braces: int = 10_000
    steps: int = 3_000_000
    seconds: float = 0.9
    depth: int = 45
    elements: int = 4_000_000
    alive: int = 128 * 2**20
    plain: int = 128 * 2**20
    work: int = 400_000_000
    length: int = 1_000_000
    bits: int = 14_000
    printed: int = 1_000_000


#: Bytes that one element more takes: of a list, a dict or set, a list of new numbers, a text.
SLOT, ENTRY, NUMBER, LETTER = 8, 96, 40, 4
#: Whatever is larger takes long enough for a look at the clock.
_LARGE = 4096


class Budget:
    """What is left of the limits while a program runs.

    Once a limit was passed every further step is refused, too: no ``finally`` of the program gets
    around it.
    """

    def __init__(self, limits: Limits) -> None:
        """Begin; ``made`` counts the bytes of all arrays made from now on."""
        self.limits = limits
        self._steps = limits.steps
        self._end = time.thread_time() + limits.seconds
        self._depth = 0
        self._alive = 0
        self._plain = 0
        self.made = 0
        self._held: dict[int, weakref.ref[Any]] = {}
        self._over: tuple[str, str] | None = None

    def refuse(self, what: str, instead: str) -> NoReturn:
        """End the program: a limit is passed."""
        self._over = (what, instead)
        self._steps = -1
        raise LimitError(what, next_step=instead)

    def step(self) -> None:
        """One statement or expression more."""
        self._steps -= 1
        if not self._steps & 127:
            self.check_time()
        if self._steps < 0:
            self.refuse(*self._over or (
                f"The program took more than {self.limits.steps:,} steps.",
                "Let its loops run fewer times.",
            ))  # fmt: skip

    def steps(self, count: int) -> None:
        """As many steps at once."""
        if count > 127:
            self.check_time()
        self._steps -= min(count, self._steps)
        self.step()

    def parts(self, value: Any) -> None:
        """A step for every number in nested lists, before NumPy makes an array of them."""
        self.step()
        if isinstance(value, list | tuple):
            for part in value:
                self.parts(part)

    def check_time(self) -> None:
        """Refuse to go on when the time is over."""
        if time.thread_time() > self._end:
            self.refuse(
                f"The program took longer than {self.limits.seconds:g} seconds.",
                "Let its loops run fewer times, or make its arrays smaller.",
            )

    def enter(self) -> None:
        """A call within the present one; ``leave`` it again."""
        if self._depth >= self.limits.depth:
            self.refuse(
                f"Calls are nested more than {self.limits.depth} deep.",
                "Write the recursion as a loop.",
            )
        self._depth += 1

    def leave(self) -> None:
        """Back from a call."""
        self._depth -= 1

    def length(self, count: int, what: str = "list") -> None:
        """Refuse a list or text of more than the allowed length."""
        if count > self.limits.length:
            self.refuse(
                f"A {what} of {count:,} elements is too long.",
                f"Keep it under {self.limits.length:,}.",
            )

    def take(self, count: int, what: str = "list", size: int = SLOT) -> None:
        """Count a list, dict or text that is about to be made.

        Args:
            count: its elements.
            size: bytes of one.
        """
        self.length(count, what)
        self._take(count * size)
        if count > _LARGE:
            self.check_time()

    def grow(self, count: int, what: str = "list", size: int = SLOT) -> None:
        """Count one element more, the ``count``-th."""
        self.length(count, what)
        self._take(size)

    def _take(self, size: int) -> None:
        self._plain += size
        if self._plain > self.limits.plain:
            self.refuse(
                "The program's lists and texts take more than "
                f"{self.limits.plain // 2**20} MB in all.",
                "Keep numbers in arrays, and make fewer copies.",
            )

    def key(self, value: Any) -> Any:
        """A value to find something by, at one step for every part of it.

        Python goes through all of a tuple each time it wants its hash: one that holds another many
        times, which does the same, would keep it busy for ever.
        """
        self.step()
        if isinstance(value, tuple):
            for part in value:
                self.key(part)
        return value

    def bits(self, count: float) -> None:
        """Refuse a whole number of more than the allowed bits."""
        if count > self.limits.bits:
            self.refuse(
                f"A whole number of about {count:.3g} bits is too large.",
                "Use a float: 10.0**400 is inf.",
            )
        if count > 512:
            self._take(int(count) // 8)

    def shape(self, shape: Iterable[Any]) -> None:
        """Refuse an array of more than the allowed elements."""
        count = math.prod(abs(int(n)) or 1 for n in shape)  # what sums over no rows has columns
        if count > self.limits.elements:
            self.refuse(
                f"An array of {count:,} elements is too large.",
                f"Keep arrays under {self.limits.elements:,} elements.",
            )
        if count > _LARGE:
            self.check_time()

    def batch(self, size: int, rows: int) -> None:
        """Refuse to make arrays of ``size`` bytes for so many rows at once."""
        if size * rows > self.limits.alive:
            self.refuse(
                f"A derivative of {rows:,} numbers at once takes more than "
                f"{self.limits.alive // 2**20} MB.",
                "Take it of fewer numbers.",
            )

    def work(self, count: float) -> None:
        """Refuse an operation of more than the allowed multiplications."""
        if count > self.limits.work:
            self.refuse(
                f"An operation of about {count:.3g} multiplications is too large.",
                "Make its arrays smaller.",
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
        self.made += size
        self._held[key] = weakref.ref(array, gone)
        if self._alive > self.limits.alive:
            self.refuse(
                f"The program's arrays take more than {self.limits.alive // 2**20} MB.",
                "Make them smaller, or keep fewer of them.",
            )


class Watch:
    """The engine's observer while a program's backward runs: looks at the clock at every record."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def began(self, roots: Any) -> None:
        """A backward starts."""
        self._budget.check_time()

    def visited(self, record: Any, cotangents: Any, flows: Any, freed: bool) -> None:
        """A record was visited."""
        self._budget.check_time()

    def accumulated(self, record: Any, cotangent: Any, before: Any, after: Any) -> None:
        """A gradient was added."""
        self._budget.check_time()

    def ended(self, number: int, retained: bool, error: Exception | None) -> None:
        """The backward is over."""


def broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to; () where they do not."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return ()
