"""torch's functions that repeat elements, or put them in other places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.python.machine import Machine, need
from core.importers.python.torch.shapes import numbers_of
from core.tensor import Tensor


def repeat(m: Machine, input: Any, *sizes: Any) -> Tensor:
    """copies side by side"""
    made: Tensor = m.op("tile", need(input, "repeat"), reps=numbers_of(sizes))
    return made


def tile(m: Machine, input: Any, *dims: Any) -> Tensor:
    """copies side by side"""
    return repeat(m, input, *dims)


def repeat_interleave(m: Machine, input: Any, repeats: Any, dim: Any = None) -> Tensor:
    """each element several times"""
    x = need(input, "repeat_interleave")
    times = repeats.data.tolist() if isinstance(repeats, Tensor) else repeats
    times = times[0] if isinstance(times, list) and len(times) == 1 else times
    made: Tensor = m.op("repeat", x, repeats=times, axis=dim)
    return made


def flip(m: Machine, input: Any, *dims: Any) -> Tensor:
    """turned round along axes"""
    made: Tensor = m.op("flip", need(input, "flip"), axis=numbers_of(dims))
    return made


def roll(m: Machine, input: Any, shifts: Any, dims: Any = None) -> Tensor:
    """moved round along axes"""
    made: Tensor = m.op("roll", need(input, "roll"), shift=shifts, axis=dims)
    return made


def rot90(m: Machine, input: Any, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """turned by right angles"""
    made: Tensor = m.op("rot90", need(input, "rot90"), k=int(k), axes=tuple(dims))
    return made


def _triangle(op: str) -> Callable[..., Tensor]:
    def function(m: Machine, input: Any, diagonal: int = 0) -> Tensor:
        made: Tensor = m.op(op, need(input, op), k=int(diagonal))
        return made

    return function


def diagonal_(m: Machine, input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """a diagonal"""
    made: Tensor = m.op(
        "diagonal", need(input, "diagonal"), offset=int(offset), axis1=int(dim1), axis2=int(dim2)
    )
    return made


def diag_embed(m: Machine, input: Any, offset: int = 0) -> Tensor:
    """vectors on the diagonals of matrices"""
    x = need(input, "diag_embed")
    if x.ndim == 1:
        return _triangle("diag")(m, x, offset)
    n = x.shape[-1]
    m.budget.shape((*x.shape, n))
    mask = m.constant(np.eye(n, dtype=x.dtype))
    wide = m.op("expand_dims", x, axis=-1)
    made: Tensor = m.op("multiply", wide, mask)
    return made


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "tile": tile, "repeat_interleave": repeat_interleave, "flip": flip,
    "fliplr": lambda m, input: flip(m, input, 1), "flipud": lambda m, input: flip(m, input, 0),
    "roll": roll, "rot90": rot90, "tril": _triangle("tril"), "triu": _triangle("triu"),
    "diag": _triangle("diag"), "diagonal": diagonal_, "diag_embed": diag_embed,
}  # fmt: skip
#: Methods only.
METHODS: dict[str, Callable[..., Any]] = {"repeat": repeat}
