"""A dictionary as it fills over time, seen at any time.

What has happened up to a time is a prefix of a list of entries, so looking at a time takes copying
dictionaries and no loop; and what two times differ in are the entries between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np

K = TypeVar("K")
V = TypeVar("V")

#: Times closer than this are the same: they are sums of the same lengths in another order.
EPSILON = 1e-9


class Story(Generic[K, V]):
    """Entries set one after the other; a later one of the same key replaces the earlier."""

    def __init__(self, start: Mapping[K, V], entries: Iterable[tuple[float, K, V]]) -> None:
        """``entries``: (seconds, key, value), in time."""
        self._start = dict(start)
        told = list(entries)
        self._times = np.array([time for time, _, _ in told], dtype=float)
        self._keys = [key for _, key, _ in told]
        self._values = [value for _, _, value in told]
        self._now, self._count = dict(start), 0
        self._seen: Mapping[K, V] = self._now.copy()

    def count(self, time: float) -> int:
        """How many entries there are up to a time."""
        return up_to(self._times, time)

    def after(self, count: int) -> Mapping[K, V]:
        """The dictionary after so many entries, not to be changed."""
        if count == self._count:
            return self._seen
        if count < self._count:
            self._now, self._count = dict(self._start), 0
        here = slice(self._count, count)
        self._now.update(zip(self._keys[here], self._values[here], strict=True))
        self._count = count
        self._seen = self._now.copy()
        return self._seen

    def keys_between(self, one: int, other: int) -> list[K]:
        """Keys whose values may differ after so many entries and after so many others."""
        return self._keys[min(one, other) : max(one, other)]


def up_to(times: np.ndarray[Any, Any], time: float) -> int:
    """How many of the increasing ``times`` are not after ``time``."""
    return int(np.searchsorted(times, time + EPSILON, side="right"))
