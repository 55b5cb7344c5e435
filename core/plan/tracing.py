"""A function run once over symbols, which note every call it makes of NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.modes import state
from core.symbols import Array, Symbol, Tracer
from core.tensor import Tensor, make_tensor


def leaf(x: Array) -> Tensor:
    """A Tensor that requires grad if its dtype lets it."""
    made = make_tensor(x)
    if x.dtype.kind in "fc":
        made.requires_grad = True
    return made


def traced(function: Callable[..., Any], symbols: list[Symbol], tracer: Tracer) -> Any:
    """What the function returns on Tensors of Symbols: Symbols, or arrays that are constant."""
    mode = state.mode
    before: Any = mode.quietly
    mode.quietly = tracer.call  # type: ignore[assignment]
    try:
        with np.errstate(all="ignore"):
            result = function(*[leaf(symbol) for symbol in symbols])
    finally:
        mode.quietly = before
    if isinstance(result, tuple):
        return tuple(y._data for y in result)
    return result._data
