"""Axes as torch counts and checks them."""

from __future__ import annotations

from typing import Any

from core.importers.python.failures import program_error
from core.tensor import Tensor


def _listed(dim: Any) -> Any:
    """() means all axes in torch."""
    if isinstance(dim, list | tuple):
        return tuple(dim) or None
    return dim


def axis_of(x: Tensor, dim: Any) -> int:
    """One axis, checked as torch checks it."""
    n = max(x.ndim, 1)
    place = int(dim)
    if not -n <= place < n:
        raise program_error(
            "IndexError",
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {place})",
        )
    return place


def checked_axes(x: Tensor, dim: Any) -> Any:
    """An axis, or a tuple of them, checked; None for all."""
    dim = _listed(dim)
    if dim is None or x.ndim == 0:
        return None
    return tuple(axis_of(x, d) for d in dim) if isinstance(dim, tuple) else axis_of(x, dim)
