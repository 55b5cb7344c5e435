"""torch's norms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.python.machine import Machine, need
from core.importers.python.torch.axes import checked_axes
from core.importers.python.torch.pointwise import FUNCTIONS as _POINTWISE
from core.importers.python.torch.reductions import cast_first, needs_float
from core.importers.python.values import DType
from core.tensor import Tensor


def norm(
    m: Machine, input: Any, p: Any = None, dim: Any = None, keepdim: bool = False,
    dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    """the norm; of a matrix without axes its elements' norm"""
    x = cast_first(m, need(input, "norm"), dtype)
    axis = checked_axes(x, dim)
    if p == "nuc":
        made: Tensor = m.op("linalg.norm", x, ord="nuc", axis=axis, keepdims=bool(keepdim))
        return made
    order = 2.0 if p in (None, "fro") else p
    return vector_norm(m, x, order, axis, keepdim)


def vector_norm(
    m: Machine, input: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False,
    *, dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    """the norm of all elements in a row, or along axes"""
    x = needs_float(m, cast_first(m, need(input, "norm"), dtype), "linalg.vector_norm")
    axis = checked_axes(x, dim)
    order = float(ord)
    if axis is None or isinstance(axis, tuple):
        kept = sorted(range(x.ndim) if axis is None else (a % x.ndim for a in axis))
        rest = [k for k in range(x.ndim) if k not in kept]
        shape = [x.shape[k] for k in rest]
        if len(kept) != 1 or axis is None:
            y = x
            if rest and kept:
                y = m.op("transpose", x, axes=(*rest, *kept))
            y = m.op("reshape", y, shape=(*shape, int(np.prod([x.shape[k] for k in kept]))))
            y = m.op("linalg.norm", y, ord=_order(order), axis=-1)
            if keepdim:
                full = tuple(1 if k in kept else x.shape[k] for k in range(x.ndim))
                y = m.op("reshape", y, shape=full)
            return y  # type: ignore[no-any-return]
        axis = kept[0]
    made: Tensor = m.op("linalg.norm", x, ord=_order(order), axis=axis, keepdims=bool(keepdim))
    return made


def _order(order: float) -> Any:
    if order == 2:
        return None
    return int(order) if order.is_integer() else order


def dist(m: Machine, input: Any, other: Any, p: float = 2) -> Tensor:
    """the norm of the difference"""
    return norm(m, _POINTWISE["sub"](m, input, other), p)


FUNCTIONS: dict[str, Callable[..., Any]] = {"norm": norm, "dist": dist}
