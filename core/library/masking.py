"""Letting a cotangent through where a condition holds."""

from __future__ import annotations

import numpy as np

from core.library.spec import Array

_ZERO = np.float64(0.0)


def gate(g: Array, mask: Array) -> Array:
    """``g`` where ``mask`` (of the same shape) holds, else exactly 0, even for infinite ``g``.

    ``g * mask`` would turn an infinite cotangent into NaN there. np.where is right, but on many
    values of random sign it mispredicts every other branch: for those the bits of ``g`` are ANDed
    with all ones or all zeros (-1 or 0, widened as NumPy goes along) instead, five times as fast.
    """
    if type(g) is np.float64 and type(mask) is np.bool_:
        return g if mask else _ZERO
    if type(g) is np.ndarray and g.size > 1000 and g.dtype == np.float64 and g.shape == mask.shape:
        kept: Array = np.empty(g.shape)
        np.bitwise_and(g.view(np.int64), np.negative(mask.view(np.int8)), out=kept.view(np.int64))
        return kept
    return np.where(mask, g, 0.0)
