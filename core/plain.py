"""NumPy's functions without gradient, on the arrays behind Tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.tensor_base import TensorBase


def raw(x: Any) -> Any:
    """``x`` with every Tensor in it replaced by its array."""
    if isinstance(x, TensorBase):
        return x._data
    if isinstance(x, tuple):
        return tuple(raw(v) for v in x)
    if isinstance(x, list):
        return [raw(v) for v in x]
    if isinstance(x, dict):
        return {k: raw(v) for k, v in x.items()}
    return x


def plain(
    function: Callable[..., Any], args: Any, kwargs: dict[str, Any], make: Callable[[Any], Any]
) -> Any:
    """A function without gradient (comparison, argmax): its result needs no grad."""
    with np.errstate(all="ignore"):
        out = function(*raw(args), **raw(kwargs))
    if isinstance(out, tuple | list):
        return type(out)(make(np.asarray(y)) for y in out)
    return make(out if isinstance(out, np.ndarray | np.generic) else np.asarray(out))
