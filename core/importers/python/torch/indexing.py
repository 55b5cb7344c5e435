"""Indexing of tensors: x[i], x[i] = v, gather, scatter, masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, need
from core.importers.python.torch.axes import axis_of
from core.importers.python.torch.pieces import picked
from core.importers.python.values import NdArray
from core.tensor import Tensor


def as_index(
    m: Machine, index: Any, x: Tensor, *, numpy: bool = False
) -> tuple[tuple[Any, ...], bool]:
    """An index of the program as a NumPy index, and whether it gives a view.

    Raises:
        ProgramError: it is no index.
    """
    parts = index if isinstance(index, tuple) else (index,)
    if sum(part is Ellipsis for part in parts) > 1:
        raise program_error("IndexError", "an index can only have a single ellipsis ('...')")
    made: list[Any] = []
    basic = True
    for part in parts:
        m.budget.parts(part)
        found = _part(part)
        basic = basic and not isinstance(found, np.ndarray | bool)
        made.append(found)
    used = sum(
        part.ndim if isinstance(part, np.ndarray) and part.dtype.kind == "b" else 1
        for part in made
        if part is not None and part is not Ellipsis and not isinstance(part, bool)
    )
    if used > x.ndim:
        words = (
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
            "in C++ to convert a 0-dim tensor to a number"
            if x.ndim == 0
            else f"too many indices for tensor of dimension {x.ndim}"
        )
        raise program_error("IndexError", words)
    _check_bounds(made, x, numpy)
    return tuple(made), basic


def _part(part: Any) -> Any:
    if part is None or part is Ellipsis or isinstance(part, bool):
        return part
    if isinstance(part, int):
        return part
    if isinstance(part, slice):
        return slice(*[_bound(b) for b in (part.start, part.stop, part.step)])
    if isinstance(part, NdArray):
        part = part.tensor
    if isinstance(part, Tensor):
        if part.dtype.kind not in "biu":
            raise program_error(
                "IndexError",
                "tensors used as indices must be long, int, byte or bool tensors",
            )
        return int(part.item()) if part.ndim == 0 and part.dtype.kind != "b" else part.data
    if isinstance(part, list | tuple | range):
        items = [x.item() if isinstance(x, Tensor) else x for x in part]
        array = np.asarray(items if items else np.zeros(0, np.int64))
        if array.dtype.kind in "biu":
            return array
    raise program_error(
        "TypeError", f"only integers, slices, masks and lists can be indices, not {part!r}"
    )


def _bound(bound: Any) -> Any:
    return int(bound.item()) if isinstance(bound, Tensor) else bound


def _check_bounds(parts: list[Any], x: Tensor, numpy: bool) -> None:
    """torch's words for an integer out of range."""
    axis = 0
    for place, part in enumerate(parts):
        if part is None or isinstance(part, bool):
            continue
        if part is Ellipsis:
            later = [p for p in parts[place + 1 :] if p is not None]
            axis = x.ndim - sum(
                p.ndim if isinstance(p, np.ndarray) and p.dtype.kind == "b" else 1 for p in later
            )
            continue
        n = x.shape[axis]
        if isinstance(part, int) and not -n <= part < n:
            raise program_error(
                "IndexError",
                f"index {part} is out of bounds for {'axis' if numpy else 'dimension'} {axis} with "
                f"size {n}",
            )
        if isinstance(part, slice) and not numpy and part.step is not None and part.step < 1:
            raise program_error("ValueError", "step must be greater than zero")
        axis += part.ndim if isinstance(part, np.ndarray) and part.dtype.kind == "b" else 1


def getitem(m: Machine, x: Tensor, index: Any) -> Tensor:
    """x[index]"""
    parts, basic = as_index(m, index, x)
    if basic:
        return picked(m, x, parts)
    made: Tensor = m.op("getitem", x, index=parts)
    return made


def numpy_getitem(m: Machine, x: Tensor, index: Any) -> Tensor:
    """x[index] by NumPy's rules: steps may be negative, and an element is no view."""
    parts, basic = as_index(m, index, x, numpy=True)
    if basic and sum(isinstance(part, int) for part in parts) < x.ndim:
        return picked(m, x, parts)
    made: Tensor = m.op("getitem", x, index=parts)
    return made


def setitem(m: Machine, x: Tensor, index: Any, value: Any, *, numpy: bool = False) -> None:
    """x[index] = value, in place"""
    parts, _ = as_index(m, index, x, numpy=numpy)
    m.views.change(x, lambda x: _set(m, x, parts, value))


def _set(m: Machine, x: Tensor, parts: tuple[Any, ...], value: Any) -> Tensor:
    if isinstance(value, NdArray):
        value = value.tensor
    if isinstance(value, list | tuple):
        value = m.constant(np.asarray(value, x.dtype))
    v = value if isinstance(value, Tensor) else m.constant(np.asarray(value).astype(x.dtype))
    region = x.data[parts].shape
    extra = v.ndim - len(region)
    if extra > 0 and all(n == 1 for n in v.shape[:extra]):
        v = m.op("reshape", v, shape=v.shape[extra:])
    try:
        fits = np.broadcast_shapes(region, v.shape) == region
    except ValueError:
        fits = False
    if not fits:
        raise program_error(
            "RuntimeError",
            f"shape mismatch: value tensor of shape {list(v.shape)} cannot be broadcast to "
            f"indexing result of shape {list(region)}",
        )
    made: Tensor = m.op("setitem", x, m.cast(v, x.dtype), index=parts)
    return made


def gather(m: Machine, input: Any, dim: int, index: Any, **_: Any) -> Tensor:
    """for each place the element at its own index along an axis"""
    x, i = need(input, "gather"), need(index, "gather", 3)
    axis = axis_of(x, dim)
    if i.ndim != x.ndim:
        raise program_error(
            "RuntimeError", "Index tensor must have the same number of dimensions as input tensor"
        )
    if i._data.size and not (i.data.min() >= 0 and i.data.max() < x.shape[axis]):
        raise program_error(
            "RuntimeError",
            f"index {int(i.data.max())} is out of bounds for dimension {dim} with size "
            f"{x.shape[axis]}",
        )
    region = tuple(slice(None) if k == axis % x.ndim else slice(n) for k, n in enumerate(i.shape))
    if any(n < full for n, full in zip(i.shape, x.shape, strict=True)):
        x = m.op("getitem", x, index=region)
    made: Tensor = m.op("take_along_axis", x, i, axis=axis)
    return made


def scatter(
    m: Machine, input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None,
    reduce: str | None = None,
) -> Tensor:  # fmt: skip
    """elements put at indices along an axis"""
    x, i = need(input, "scatter"), need(index, "scatter", 3)
    if value is not None:
        src = value
    if reduce == "add":
        return scatter_add(m, x, dim, i, src)
    v = src if isinstance(src, Tensor) else m.constant(np.full(i.shape, src, x.dtype))
    if v.shape != i.shape:
        v = m.op("getitem", v, index=tuple(slice(n) for n in i.shape))
    made: Tensor = m.op("put_along_axis", x, i, v, axis=axis_of(x, dim))
    return made


def scatter_add(m: Machine, input: Any, dim: int, index: Any, src: Any) -> Tensor:
    """elements added at indices along an axis"""
    x = need(input, "scatter_add")
    made: Tensor = m.op("scatter_add", x, need(index, "scatter_add", 3), src, axis=axis_of(x, dim))
    return made


def index_select(m: Machine, input: Any, dim: int, index: Any) -> Tensor:
    """slices at indices along an axis"""
    x = need(input, "index_select")
    made: Tensor = m.op("take", x, need(index, "index_select", 3), axis=axis_of(x, dim))
    return made


def _along(x: Tensor, dim: int, index: Tensor) -> tuple[Any, ...]:
    return (*[slice(None)] * (axis_of(x, dim) % x.ndim), index.data)


def index_add(m: Machine, input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """slices added at indices along an axis"""
    x, i, v = need(input, "index_add"), need(index, "index_add"), need(source, "index_add")
    if alpha != 1:
        v = m.pointwise("multiply", v, alpha)
    axis = axis_of(x, dim) % x.ndim
    shape = tuple(-1 if k == axis else 1 for k in range(x.ndim))
    wide = m.constant(np.broadcast_to(i.data.reshape(shape), v.shape).copy())
    return m.op("scatter_add", x, wide, v, axis=axis)


def index_fill(m: Machine, input: Any, dim: int, index: Any, value: Any) -> Tensor:
    """slices at indices replaced by a number"""
    x = need(input, "index_fill")
    return _set(m, x, _along(x, dim, need(index, "index_fill")), value)


def index_copy(m: Machine, input: Any, dim: int, index: Any, source: Any) -> Tensor:
    """slices at indices replaced"""
    x = need(input, "index_copy")
    return _set(m, x, _along(x, dim, need(index, "index_copy")), source)


def index_put(
    m: Machine, input: Any, indices: Any, values: Any, accumulate: bool = False
) -> Tensor:
    """elements at indices replaced, or added to"""
    x = need(input, "index_put")
    parts, _ = as_index(m, tuple(indices), x)
    if accumulate:
        spread = m.op("scatter", need(values, "index_put"), index=parts, shape=x.shape)
        made: Tensor = m.op("add", x, spread)
        return made
    return _set(m, x, parts, values)


def masked_fill(m: Machine, input: Any, mask: Any, value: Any) -> Tensor:
    """a number where the mask holds"""
    x, where = need(input, "masked_fill"), need(mask, "masked_fill", 2)
    if where.dtype.kind != "b":
        raise program_error(
            "RuntimeError", "masked_fill only supports boolean masks, but got another dtype"
        )
    if isinstance(value, Tensor):
        made: Tensor = m.op("where", where, m.cast(value, x.dtype), x)
        return made
    made = m.op("masked_fill", x, where, value=float(value))
    return made  # noqa: RET504


def masked_select(m: Machine, input: Any, mask: Any) -> Tensor:
    """the elements where the mask holds"""
    made: Tensor = m.op("extract", need(mask, "masked_select", 2), need(input, "masked_select"))
    return made


def take(m: Machine, input: Any, index: Any) -> Tensor:
    """elements at places counted through"""
    made: Tensor = m.op("take", need(input, "take"), need(index, "take", 2))
    return made


def take_along_dim(m: Machine, input: Any, indices: Any, dim: Any = None) -> Tensor:
    """for each place the element at its own index along an axis"""
    x = need(input, "take_along_dim")
    if dim is None:
        return take(m, x, need(indices, "take_along_dim"))
    made: Tensor = m.op("take_along_axis", x, indices, axis=axis_of(x, dim))
    return made


def nonzero(m: Machine, input: Any, *, as_tuple: bool = False) -> Any:
    """where it is not 0"""
    x = need(input, "nonzero")
    m.budget.shape((x._data.size, x.ndim))
    if as_tuple:
        return tuple(m.constant(part) for part in np.nonzero(x.data))
    return m.constant(np.argwhere(x.data))


def searchsorted(m: Machine, sorted_sequence: Any, input: Any, *, right: bool = False) -> Tensor:
    """where elements would be put in"""
    values = input.data if isinstance(input, Tensor) else input
    order = need(sorted_sequence, "searchsorted").data
    return m.constant(np.asarray(np.searchsorted(order, values, "right" if right else "left")))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "gather": gather, "scatter": scatter, "scatter_add": scatter_add,
    "index_select": index_select, "index_add": index_add, "index_fill": index_fill,
    "index_copy": index_copy, "index_put": index_put, "masked_fill": masked_fill,
    "masked_select": masked_select, "take": take, "take_along_dim": take_along_dim,
    "nonzero": nonzero, "argwhere": nonzero,
}  # fmt: skip
ONLY: dict[str, Callable[..., Any]] = {
    "searchsorted": searchsorted,
    "bucketize": lambda m, input, boundaries, *, right=False: searchsorted(
        m, boundaries, input, right=right
    ),
}
