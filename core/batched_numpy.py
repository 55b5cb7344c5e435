"""NumPy's functions on arrays with a hidden axis: the same functions, one axis further."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.hidden_axis import (
    SHIFTED,
    SHIFTED_OPS,
    Array,
    Batched,
    by_rows,
    elementwise,
    goes_first,
    moved,
    moved_all,
    padded,
    reduced,
    sizes,
    versions,
)
from core.library.casting import CAST
from core.library.indexing import SCATTER


def _along(function: Callable[..., Any]) -> Callable[..., Batched]:
    """Functions along one axis; without axis they take all elements in a row."""

    def shifted(x: Batched, axis: int | None = None, **kwargs: Any) -> Batched:
        array, ndim = (x.array, x.ndim) if axis is not None else (_reshape(x, -1).array, 1)
        return Batched(function(array, axis=moved(axis or 0, ndim), **kwargs))

    return shifted


def _transform(function: Callable[..., Any]) -> Callable[..., Batched]:
    """Fourier transforms along one axis, the last if not said."""

    def shifted(x: Batched, n: int | None = None, axis: int = -1, norm: Any = None) -> Batched:
        return Batched(function(x.array, n, moved(axis, x.ndim), norm))

    return shifted


def _reshape(x: Batched, shape: Any, **kwargs: Any) -> Batched:
    shape = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    return Batched(x.array.reshape((len(x.array), *shape), **kwargs))


def _transpose(x: Batched, axes: Sequence[int] | None = None) -> Batched:
    order = range(x.ndim, 0, -1) if axes is None else (moved(a, x.ndim) for a in axes)
    return Batched(x.array.transpose((0, *order)))


def _expand_dims(x: Batched, axis: Any) -> Batched:
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    return Batched(np.expand_dims(x.array, tuple(moved(a, x.ndim + len(axes)) for a in axes)))


def _squeeze(x: Batched, axis: Any = None) -> Batched:
    if axis is None:
        axis = tuple(k for k, n in enumerate(x.shape) if n == 1)
    return Batched(np.squeeze(x.array, moved_all(axis, x.ndim)))


def _swapaxes(x: Batched, axis1: int, axis2: int) -> Batched:
    return Batched(np.swapaxes(x.array, moved(axis1, x.ndim), moved(axis2, x.ndim)))


def _moveaxis(x: Batched, source: Any, destination: Any) -> Batched:
    places = (moved_all(a, x.ndim) for a in (source, destination))
    return Batched(np.moveaxis(x.array, *places))


def _broadcast_to(x: Batched, shape: Any) -> Batched:
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return Batched(np.broadcast_to(padded(x, len(shape)), (len(x.array), *shape)))


def _concatenate(xs: Sequence[Any], axis: int | None = 0) -> Batched:
    n = next(sizes(list(xs)))
    if axis is None:
        return Batched(np.concatenate([versions(x, n).reshape((n, -1)) for x in xs], axis=1))
    ndim = np.ndim(xs[0])
    return Batched(np.concatenate([versions(x, n) for x in xs], axis=moved(axis, ndim)))


def _stack(xs: Sequence[Any], axis: int = 0) -> Batched:
    n = next(sizes(list(xs)))
    ndim = np.ndim(xs[0]) + 1
    return Batched(np.stack([versions(x, n) for x in xs], axis=moved(axis, ndim)))


def _flip(x: Batched, axis: Any = None) -> Batched:
    return Batched(np.flip(x.array, moved_all(axis, x.ndim)))


def _like(function: Callable[..., Array]) -> Callable[..., Any]:
    """Zeros and ones: the same for every version, so without a hidden axis."""
    return lambda x, dtype=None: function(x.shape, dtype or x.dtype)


def _triangle(function: Callable[..., Array]) -> Callable[..., Any]:
    return lambda m, k=0: (
        Batched(function(m.array, k)) if m.ndim > 1 else by_rows(function, (m, k), {})
    )


def _matmul(a: Any, b: Any) -> Any:
    """The matrix product; one large product where only one side has versions."""
    if not isinstance(b, Batched):
        if np.ndim(b) == 1 or np.ndim(b) == 2:
            flat = a.array.reshape((-1, a.array.shape[-1])) @ b
            return Batched(flat.reshape((*a.array.shape[:-1], *b.shape[1:])))
        if a.ndim == 1:
            return by_rows(np.matmul, (a, b), {})
        return Batched(np.matmul(padded(a, np.ndim(b)), b))
    if not isinstance(a, Batched):
        if b.ndim == 1:
            return _matmul(b, a.T) if np.ndim(a) <= 2 else by_rows(np.matmul, (a, b), {})
        if b.ndim == 2 and b.array.shape[-1] == 1 and np.ndim(a) == 2:
            return Batched((b.array[:, :, 0] @ a.T)[:, :, None])  # one product for all columns
        if np.ndim(a) == 1:
            return Batched(np.matmul(a, b.array))
        return Batched(np.matmul(a, padded(b, np.ndim(a))))
    if a.ndim < 2 or b.ndim < 2:
        return by_rows(np.matmul, (a, b), {})
    ndim = max(a.ndim, b.ndim)
    return Batched(np.matmul(padded(a, ndim), padded(b, ndim)))


def _scatter(x: Batched, index: Any, shape: tuple[int, ...]) -> Any:
    index = tuple(index) if isinstance(index, list | tuple) else (index,)
    if goes_first(index):
        return by_rows(SCATTER.forward, (x,), {"index": index, "shape": shape})
    shape = (len(x.array), *shape)
    return Batched(SCATTER.forward(x.array, index=(slice(None), *index), shape=shape))


_FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    **{f: lambda *a, f=f, **k: reduced(f, *a, **k)
       for f in (np.sum, np.mean, np.prod, np.amax, np.amin, np.max, np.min, np.any, np.all)},
    **{f: _along(f) for f in (np.cumsum, np.cumprod)},
    **{f: _transform(f) for f in (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft)},
    **{f: lambda *a, f=f, **k: elementwise(f, *a, **k)
       for f in (np.where, np.nan_to_num, np.real, np.imag, np.copy)},
    np.matmul: _matmul,
    np.reshape: _reshape, np.ravel: lambda x: _reshape(x, -1), np.transpose: _transpose,
    np.expand_dims: _expand_dims, np.squeeze: _squeeze, np.swapaxes: _swapaxes,
    np.moveaxis: _moveaxis, np.broadcast_to: _broadcast_to, np.concatenate: _concatenate,
    np.stack: _stack, np.flip: _flip, np.tril: _triangle(np.tril), np.triu: _triangle(np.triu),
    np.zeros_like: _like(np.zeros), np.ones_like: _like(np.ones),
    np.shape: lambda x: x.shape, np.ndim: lambda x: x.ndim, np.size: lambda x: x.size,
    np.iscomplexobj: lambda x: x.dtype.kind == "c",
    np.result_type: lambda *xs: np.result_type(*[getattr(x, "dtype", x) for x in xs]),
}  # fmt: skip
SHIFTED.update(_FUNCTIONS)
SHIFTED_OPS.update(
    {
        SCATTER.name: _scatter,
        CAST.name: lambda x, dtype: Batched(CAST.forward(x.array, dtype=dtype)),
    }
)
