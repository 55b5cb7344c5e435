"""torch's random numbers, the same bits: a Mersenne twister read as torch reads it.

So a program with ``torch.manual_seed(0)`` gives here what it gives there. Normal numbers come in
pairs by the Box-Muller transform; 16 or more at a time are made in blocks of 16.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.importers.python.machine import Machine

Array = np.ndarray[Any, Any]
_BLOCK = 16


class Generator:
    """One stream of random numbers."""

    def __init__(self, seed: int = 0) -> None:
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start again from a seed."""
        self._bits = np.random.RandomState(int(seed) & 0xFFFFFFFF)
        self._kept: float | None = None

    def _words(self, count: int) -> Array:
        """32-bit words."""
        return self._bits.randint(0, 2**32, size=count, dtype=np.uint32)

    def _pairs(self, count: int) -> Array:
        """64-bit words, the first draw on top."""
        words = self._words(2 * count).astype(np.uint64).reshape(count, 2)
        return (words[:, 0] << np.uint64(32)) | words[:, 1]

    def uniform(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """Uniform numbers in [0, 1)."""
        count = math.prod(shape)
        if dtype == np.float64:
            values = (self._pairs(count) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53
        else:
            kept = 24 if dtype == np.float32 else 11
            words = self._words(count) & np.uint32(2**kept - 1)
            values = words.astype(np.float64) * 2.0**-kept
        return values.reshape(shape).astype(dtype)

    def normal(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """Standard normal numbers."""
        count = math.prod(shape)
        if count < _BLOCK:
            values = np.array([self._one_normal() for _ in range(count)])
        else:
            values = self.uniform((count,), dtype).astype(np.float64)
            for start in range(0, count - _BLOCK + 1, _BLOCK):
                values[start : start + _BLOCK] = _box_muller(values[start : start + _BLOCK])
            if count % _BLOCK:
                again = self.uniform((_BLOCK,), dtype).astype(np.float64)
                values[count - _BLOCK :] = _box_muller(again)
        return values.reshape(shape).astype(dtype)

    def _one_normal(self) -> float:
        if self._kept is not None:
            value, self._kept = self._kept, None
            return value
        angle, far = self.uniform((2,), np.dtype(np.float64)).tolist()
        radius = math.sqrt(-2.0 * math.log1p(-far))
        self._kept = radius * math.sin(2 * math.pi * angle)
        return radius * math.cos(2 * math.pi * angle)

    def integers(self, low: int, high: int, shape: tuple[int, ...]) -> Array:
        """Whole numbers from ``low`` to below ``high``."""
        span = high - low
        count = math.prod(shape)
        words = self._pairs(count) if span >= 2**32 else self._words(count).astype(np.uint64)
        return (words % np.uint64(span)).astype(np.int64).reshape(shape) + low

    def permutation(self, n: int) -> Array:
        """The numbers below n in random order."""
        order = np.arange(n)
        for i, word in enumerate(self._words(max(n - 1, 0)).tolist()):
            j = word % (n - i) + i
            order[i], order[j] = order[j], order[i]
        return order


def _box_muller(block: Array) -> Array:
    half = _BLOCK // 2
    radius = np.sqrt(-2.0 * np.log(1.0 - block[:half]))
    angle = 2.0 * np.pi * block[half:]
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])


def generator(m: Machine) -> Generator:
    """The program's own stream."""
    found: Generator = m.extras.setdefault("generator", Generator())
    return found
