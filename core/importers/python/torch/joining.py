"""torch's functions of several tensors, one beside the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, need
from core.importers.python.torch.axes import axis_of
from core.importers.python.torch.shapes import expand, reshaped, transpose
from core.tensor import Tensor


def cat(m: Machine, tensors: Any, dim: int = 0) -> Tensor:
    """one behind the other along an axis"""
    parts = [need(x, "cat") for x in tensors]
    if not parts:
        raise program_error("RuntimeError", "torch.cat(): expected a non-empty list of Tensors")
    if any(x.ndim != 1 for x in parts):  # beside others, torch passes over empty vectors
        parts = [x for x in parts if x.shape != (0,)] or parts[:1]
    if any(x.ndim == 0 for x in parts):
        raise program_error(
            "RuntimeError", "zero-dimensional tensor (at position 0) cannot be concatenated"
        )
    made: Tensor = m.op("concatenate", *m.promoted(parts), axis=axis_of(parts[0], dim))
    return made


def stack(m: Machine, tensors: Any, dim: int = 0) -> Tensor:
    """one behind the other along a new axis"""
    parts = [need(x, "stack") for x in tensors]
    if len({x.shape for x in parts}) > 1:
        shapes = [list(x.shape) for x in parts]
        raise program_error(
            "RuntimeError",
            f"stack expects each tensor to be equal size, but got {shapes[0]} at entry 0 and "
            f"{next(s for s in shapes if s != shapes[0])} at entry "
            f"{next(k for k, s in enumerate(shapes) if s != shapes[0])}",
        )
    made: Tensor = m.op("stack", *m.promoted(parts), axis=int(dim))
    return made


def hstack(m: Machine, tensors: Any) -> Tensor:
    """side by side"""
    parts = [atleast(1)(m, x) for x in tensors]
    return cat(m, parts, 0 if parts[0].ndim == 1 else 1)


def vstack(m: Machine, tensors: Any) -> Tensor:
    """on top of each other"""
    return cat(m, [atleast(2)(m, x) for x in tensors], 0)


def column_stack(m: Machine, tensors: Any) -> Tensor:
    """vectors as columns"""
    parts = [need(x, "column_stack") for x in tensors]
    return cat(m, [reshaped(m, x, (x._data.size, 1)) if x.ndim < 2 else x for x in parts], 1)


def atleast(n: int) -> Callable[..., Tensor]:
    """atleast_1d, atleast_2d."""

    def function(m: Machine, input: Any) -> Tensor:
        x = need(input, "atleast")
        return reshaped(m, x, (1,) * (n - x.ndim) + x.shape) if x.ndim < n else x

    return function


def meshgrid(m: Machine, *tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """coordinates of a grid"""
    if len(tensors) == 1 and isinstance(tensors[0], list | tuple):
        tensors = tuple(tensors[0])
    xs = [need(x, "meshgrid") for x in tensors]
    shape = tuple(x._data.size for x in xs)
    grids = []
    for k, x in enumerate(xs):
        own = reshaped(m, x, tuple(n if i == k else 1 for i, n in enumerate(shape)))
        grids.append(expand(m, own, *shape))
    if indexing == "xy" and len(grids) > 1:
        grids = [transpose(m, grid, 0, 1) for grid in grids]
    return tuple(grids)


#: Functions only: their first argument is no tensor.
ONLY: dict[str, Callable[..., Any]] = {
    "cat": cat, "concat": cat, "concatenate": cat, "stack": stack, "hstack": hstack,
    "vstack": vstack, "row_stack": vstack, "column_stack": column_stack, "meshgrid": meshgrid,
    "atleast_1d": atleast(1), "atleast_2d": atleast(2),
}  # fmt: skip
