"""Which arrays were changed in place, and when.

Recording an operation and changing an array in place draw numbers from one counter. A value that a
record saved is therefore stale exactly if its storage was changed after the record was made, and
recording pays nothing for the check. Versions belong to *storage*: all views of an array share it.
"""

from __future__ import annotations

import itertools
import weakref
from bisect import bisect_right
from typing import Any

import numpy as np

#: The next number in the order of recordings and in-place changes.
tick = itertools.count(1).__next__

_KEPT_SCALARS = 10_000


class _Changes:
    """When one storage was changed: the ticks, oldest first."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.ticks: list[int] = []


_changes: dict[int, _Changes] = {}
_scalars: list[int] = []  # keys of changed NumPy scalars: they cannot be referenced weakly
last_change = 0


def storage(data: Any) -> Any:
    """The array that owns the memory of ``data`` (NumPy scalars own theirs)."""
    while isinstance(data, np.ndarray) and isinstance(data.base, np.ndarray):
        data = data.base
    return data


def changed(data: Any) -> None:
    """Note that ``data``'s storage is changed now."""
    global last_change
    owner = storage(data)
    key = id(owner)
    entry = _changes.get(key)
    if entry is None:
        if isinstance(owner, np.ndarray):
            entry = _Changes(weakref.ref(owner, lambda _: _changes.pop(key, None)))
        else:
            entry = _Changes(owner)
            _scalars.append(key)
            if len(_scalars) > _KEPT_SCALARS:
                _changes.pop(_scalars.pop(0), None)
        _changes[key] = entry
    last_change = tick()
    entry.ticks.append(last_change)


def version(data: Any) -> int:
    """How often ``data``'s storage has been changed in place."""
    entry = _changes.get(id(storage(data)))
    return len(entry.ticks) if entry else 0


def version_at(data: Any, when: int) -> int:
    """The version ``data``'s storage had at tick ``when``."""
    entry = _changes.get(id(storage(data)))
    return bisect_right(entry.ticks, when) if entry else 0
