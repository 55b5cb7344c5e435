"""torch's functions that take a tensor apart along an axis; the pieces are views."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, need
from core.importers.python.torch.axes import axis_of
from core.tensor import Tensor


def picked(m: Machine, x: Tensor, index: tuple[Any, ...]) -> Tensor:
    """Elements at a basic index, as a view; the memory is shared even for one element."""
    ints = sum(1 for part in index if part is not None and part is not Ellipsis)
    whole = Ellipsis in index or ints < x.ndim
    exact = index if whole else (*index, Ellipsis)

    def make(x: Tensor) -> Tensor:
        made: Tensor = m.op("getitem", x, index=exact)
        return made

    return m.views.view(x, make, lambda x, y: m.op("setitem", x, y, index=index))


def _slice(x: Tensor, axis: int, part: Any) -> tuple[Any, ...]:
    return (*[slice(None)] * (axis % x.ndim), part)


def narrow(m: Machine, input: Any, dim: int, start: Any, length: int) -> Tensor:
    """a stretch along an axis"""
    x = need(input, "narrow")
    start = int(start.item()) if isinstance(start, Tensor) else start
    return picked(m, x, _slice(x, axis_of(x, dim), slice(start, start + length)))


def select(m: Machine, input: Any, dim: int, index: int) -> Tensor:
    """one place along an axis"""
    x = need(input, "select")
    return picked(m, x, _slice(x, axis_of(x, dim), int(index)))


def split(m: Machine, input: Any, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """parts of a length along an axis"""
    x = need(input, "split")
    axis = axis_of(x, dim)
    total, size = x.shape[axis], split_size_or_sections
    if isinstance(size, int):
        if size <= 0:
            raise program_error(
                "RuntimeError", f"split expects split_size be non-negative, but got {size}"
            )
        m.budget.length(total // size, "tuple")
        lengths = [min(size, total - k) for k in range(0, total, size)] or [0]
    else:
        lengths = [int(n) for n in size]
        if sum(lengths) != total:
            raise program_error(
                "RuntimeError",
                f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's "
                f"size at dimension {dim}), but got split_sizes={lengths}",
            )
    starts = np.cumsum([0, *lengths[:-1]]).tolist()
    return tuple(
        picked(m, x, _slice(x, axis, slice(a, a + n))) for a, n in zip(starts, lengths, strict=True)
    )


def chunk(m: Machine, input: Any, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """at most so many parts of equal length"""
    x = need(input, "chunk")
    total = x.shape[axis_of(x, dim)]
    return split(m, x, max(-(-total // chunks), 1), dim)


def tensor_split(m: Machine, input: Any, indices_or_sections: Any, dim: int = 0) -> Any:
    """parts, as np.array_split cuts them"""
    x = need(input, "tensor_split")
    axis = axis_of(x, dim)
    total, cut = x.shape[axis], indices_or_sections
    if isinstance(cut, int):
        each, more = divmod(total, cut)
        lengths = [each + 1] * more + [each] * (cut - more)
        return split(m, x, lengths, dim)
    edges = [0, *[int(c) for c in cut], total]
    return tuple(picked(m, x, _slice(x, axis, slice(a, b))) for a, b in itertools.pairwise(edges))


def unbind(m: Machine, input: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """each place along an axis"""
    x = need(input, "unbind")
    axis = axis_of(x, dim)
    m.budget.length(x.shape[axis], "tuple")
    return tuple(picked(m, x, _slice(x, axis, k)) for k in range(x.shape[axis]))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "narrow": narrow, "select": select, "split": split, "chunk": chunk,
    "tensor_split": tensor_split, "unbind": unbind,
}  # fmt: skip
