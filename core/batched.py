"""Many cotangents in one backward: VJP rules read on arrays with a hidden axis.

``Batched`` behaves in a rule like an array of shape S, and holds an array of shape (n, *S).
Functions whose axes can be moved along by one are computed once for all n; every other function
is computed row by row, which is slower and as right. What Python decides by a value (``if g > 0``)
cannot be read so: ``NotBatchableError``, and the caller takes one backward a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from core.arrivals import Arrivals
from core.engine import Backward
from core.library.casting import CAST
from core.library.indexing import SCATTER
from core.library.spec import OpSpec
from core.modes import state
from core.records import Extras, Record
from core.tensor import Tensor, make_tensor

Array = np.ndarray[Any, Any]

#: Elements of the largest batch of cotangents; more rows go in several backwards.
_ELEMENTS = 2**22


class NotBatchableError(Exception):
    """A rule cannot be read on arrays with a hidden axis; not meant for users."""


def batched_rows(y: Tensor, xs: Sequence[Tensor]) -> list[Tensor | None]:
    """The Jacobian of ``y`` by every x: (y.size, *x.shape), None if y does not depend on x.

    The graph is kept. Nothing is recorded.

    Raises:
        NotBatchableError: a rule, or a hook on the way, cannot be read so; or somebody observes.
    """
    if state.observer is not None or state.anomaly is not None or y.record is None:
        raise NotBatchableError
    n, widest = y.size, max(x.size for x in xs)
    step = max(1, min(n, _ELEMENTS // max(widest, 1)))
    parts = [_some_rows(y, xs, range(k, min(k + step, n))) for k in range(0, n, step)]
    if len(parts) == 1:
        found = parts[0]
    else:
        found = [None if c[0] is None else np.concatenate(c) for c in zip(*parts, strict=True)]
    return [None if rows is None else make_tensor(rows) for rows in found]


def _some_rows(y: Tensor, xs: Sequence[Tensor], rows: range) -> list[Array | None]:
    one_hots = np.eye(len(rows), y.size, rows.start, y.dtype).reshape((len(rows), *y.shape))
    assert y.record is not None  # checked by the caller
    roots = [(y.record, Batched(one_hots))]
    run = _BatchedBackward(roots, retain_graph=True, create_graph=False, inputs=xs, keep=False)
    run.run()
    return [
        None if g is None else _with_axis(g, len(rows))
        for g in (run.arrivals.captured.get(x.record) for x in xs)
    ]


def _with_axis(g: Any, n: int) -> Array:
    if isinstance(g, Batched):
        return g.array
    return np.broadcast_to(g, (n, *g.shape))  # a rule that ignores its cotangent


class _BatchedArrivals(Arrivals):
    def capture(self, record: Record, g: Any) -> None:
        self.captured[record] = g

    def through(self, record: Record, extras: Extras, g: Any) -> Any:
        if extras.hooks:
            raise NotBatchableError  # hooks see gradients as Tensors, one by one
        return g


class _BatchedBackward(Backward):
    """A backward whose cotangents are ``Batched``."""

    arrivals_type = _BatchedArrivals


class Batched:
    """An array of shape S in n versions.

    Args:
        array: (n, *S).

    Attributes:
        shape, ndim, size, dtype: as of one version.
    """

    __slots__ = ("array",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array: Array) -> None:
        self.array = array

    shape = property(lambda self: self.array.shape[1:])
    ndim = property(lambda self: self.array.ndim - 1)
    size = property(lambda self: math.prod(self.array.shape[1:]))
    dtype = property(lambda self: self.array.dtype)
    T = property(lambda self: _transpose(self))
    real = property(lambda self: Batched(self.array.real))
    imag = property(lambda self: Batched(self.array.imag))

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of an array with no axes.")
        return int(self.array.shape[1])

    def __iter__(self) -> Iterator[Batched]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        index = index if isinstance(index, tuple) else (index,)
        if _goes_first(index):
            return by_rows(lambda x, i: x[i], (self, index), {})
        return Batched(self.array[(slice(None), *index)])

    def reshape(self, *shape: Any) -> Batched:
        return _reshape(self, shape[0] if len(shape) == 1 else shape)

    def astype(self, dtype: Any) -> Batched:
        return Batched(self.array.astype(dtype))

    def copy(self) -> Batched:
        return Batched(self.array.copy())

    def sum(self, axis: Any = None, keepdims: bool = False) -> Batched:
        return _reduced(np.add.reduce, self, axis, keepdims=keepdims)

    def transpose(self, *axes: Any) -> Batched:
        return _transpose(self, axes[0] if len(axes) == 1 else axes or None)

    # -- NumPy's protocols, and the library's own ------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if kwargs.get("out") is not None or method == "at":
            raise NotBatchableError  # writes into an array that has no hidden axis
        if method == "__call__":
            if ufunc.signature is None:
                return _elementwise(ufunc, *inputs, **kwargs)
            if ufunc is np.matmul:
                return _matmul(*inputs)
        if method in ("reduce", "accumulate"):
            return _reduced(getattr(ufunc, method), *inputs, **{"axis": 0, **kwargs})
        return by_rows(getattr(ufunc, method), inputs, kwargs)

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Any, kwargs: dict[str, Any]
    ) -> Any:
        shifted = _SHIFTED.get(function)
        return shifted(*args, **kwargs) if shifted else by_rows(function, args, kwargs)

    @classmethod
    def __pullback_apply__(cls, spec: OpSpec, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
        params = {**spec.defaults, **params}
        shifted = _SHIFTED_OPS.get(spec.name)
        if shifted is not None:
            return shifted(*inputs, **params)
        try:
            return spec.forward(*inputs, **params)
        except NotBatchableError:
            return by_rows(spec.forward, inputs, params)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NotBatchableError

    def __neg__(self) -> Batched:
        return Batched(-self.array)

    def __abs__(self) -> Batched:
        return Batched(np.abs(self.array))

    def __invert__(self) -> Batched:
        return Batched(~self.array)

    def __matmul__(self, other: Any) -> Any:
        return _matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _matmul(other, self)

    def __bool__(self) -> bool:
        raise NotBatchableError

    def __float__(self) -> float:
        raise NotBatchableError


def _operator(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    return lambda a, b: _elementwise(ufunc, a, b)


def _reflected(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    return lambda b, a: _elementwise(ufunc, a, b)


for _name, _ufunc in {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide, "pow": np.power,
    "mod": np.remainder, "floordiv": np.floor_divide,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal, "and": np.bitwise_and, "or": np.bitwise_or,
}.items():  # fmt: skip
    setattr(Batched, f"__{_name}__", _operator(_ufunc))
    setattr(Batched, f"__r{_name}__", _reflected(_ufunc))


# -- row by row ------------------------------------------------------------------------------------


def by_rows(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """``function`` for each version of its Batched arguments, and the results stacked.

    Raises:
        NotBatchableError: the results differ in shape.
    """
    n = next(_sizes((args, kwargs)))
    made = [function(*_version(args, k), **_version(kwargs, k)) for k in range(n)]
    try:
        if isinstance(made[0], tuple | list):
            return tuple(Batched(np.stack(column)) for column in zip(*made, strict=True))
        return Batched(np.stack(made))
    except ValueError as error:
        raise NotBatchableError from error


def _sizes(x: Any) -> Iterator[int]:
    """The number of versions of every Batched in ``x``."""
    if isinstance(x, Batched):
        yield len(x.array)
    elif isinstance(x, tuple | list | dict):
        for part in x.values() if isinstance(x, dict) else x:
            yield from _sizes(part)


def _version(x: Any, k: int) -> Any:
    """``x`` with the k-th version of every Batched in it."""
    if isinstance(x, Batched):
        return x.array[k]
    if isinstance(x, tuple | list):
        return type(x)(_version(part, k) for part in x)
    if isinstance(x, dict):
        return {name: _version(part, k) for name, part in x.items()}
    return x


# -- all at once: the same functions, one axis further ---------------------------------------------


def _elementwise(function: Callable[..., Any], *inputs: Any, **kwargs: Any) -> Batched:
    """Any function of elements that broadcasts."""
    ndim = max(x.array.ndim - 1 if type(x) is Batched else np.ndim(x) for x in inputs)
    return Batched(
        function(*[_padded(x, ndim) if type(x) is Batched else x for x in inputs], **kwargs)
    )


def _padded(x: Batched, ndim: int) -> Array:
    """The array of ``x`` with axes of size 1 after the hidden one, to ``ndim`` visible axes."""
    array = x.array
    missing = ndim + 1 - array.ndim
    if missing <= 0:
        return array
    return array.reshape((len(array), *(1,) * missing, *array.shape[1:]))


def _versions(x: Any, n: int) -> Array:
    """``x`` as an array with a hidden axis of size n."""
    return x.array if isinstance(x, Batched) else np.broadcast_to(x, (n, *np.shape(x)))


def _moved(axis: int, ndim: int) -> int:
    """A visible axis as an axis of the array."""
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return axis % ndim + 1


def _moved_all(axes: Any, ndim: int) -> Any:
    if axes is None:
        return tuple(range(1, ndim + 1))
    if isinstance(axes, Sequence):
        return tuple(_moved(a, ndim) for a in axes)
    return _moved(axes, ndim)


def _reduced(function: Callable[..., Any], x: Batched, axis: Any = None, **kwargs: Any) -> Batched:
    """Sums, means, extremes: over visible axes."""
    return Batched(function(x.array, axis=_moved_all(axis, x.ndim), **kwargs))


def _along(function: Callable[..., Any]) -> Callable[..., Batched]:
    """Functions along one axis; without axis they take all elements in a row."""

    def shifted(x: Batched, axis: int | None = None, **kwargs: Any) -> Batched:
        array, ndim = (x.array, x.ndim) if axis is not None else (_reshape(x, -1).array, 1)
        return Batched(function(array, axis=_moved(axis or 0, ndim), **kwargs))

    return shifted


def _transform(function: Callable[..., Any]) -> Callable[..., Batched]:
    """Fourier transforms along one axis, the last if not said."""

    def shifted(x: Batched, n: int | None = None, axis: int = -1, norm: Any = None) -> Batched:
        return Batched(function(x.array, n, _moved(axis, x.ndim), norm))

    return shifted


def _reshape(x: Batched, shape: Any, **kwargs: Any) -> Batched:
    shape = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    return Batched(x.array.reshape((len(x.array), *shape), **kwargs))


def _transpose(x: Batched, axes: Sequence[int] | None = None) -> Batched:
    order = range(x.ndim, 0, -1) if axes is None else (_moved(a, x.ndim) for a in axes)
    return Batched(x.array.transpose((0, *order)))


def _expand_dims(x: Batched, axis: Any) -> Batched:
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    return Batched(np.expand_dims(x.array, tuple(_moved(a, x.ndim + len(axes)) for a in axes)))


def _squeeze(x: Batched, axis: Any = None) -> Batched:
    if axis is None:
        axis = tuple(k for k, n in enumerate(x.shape) if n == 1)
    return Batched(np.squeeze(x.array, _moved_all(axis, x.ndim)))


def _swapaxes(x: Batched, axis1: int, axis2: int) -> Batched:
    return Batched(np.swapaxes(x.array, _moved(axis1, x.ndim), _moved(axis2, x.ndim)))


def _moveaxis(x: Batched, source: Any, destination: Any) -> Batched:
    places = (_moved_all(a, x.ndim) for a in (source, destination))
    return Batched(np.moveaxis(x.array, *places))


def _broadcast_to(x: Batched, shape: Any) -> Batched:
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return Batched(np.broadcast_to(_padded(x, len(shape)), (len(x.array), *shape)))


def _concatenate(xs: Sequence[Any], axis: int | None = 0) -> Batched:
    n = next(_sizes(list(xs)))
    if axis is None:
        return Batched(np.concatenate([_versions(x, n).reshape((n, -1)) for x in xs], axis=1))
    ndim = np.ndim(xs[0])
    return Batched(np.concatenate([_versions(x, n) for x in xs], axis=_moved(axis, ndim)))


def _stack(xs: Sequence[Any], axis: int = 0) -> Batched:
    n = next(_sizes(list(xs)))
    ndim = np.ndim(xs[0]) + 1
    return Batched(np.stack([_versions(x, n) for x in xs], axis=_moved(axis, ndim)))


def _flip(x: Batched, axis: Any = None) -> Batched:
    return Batched(np.flip(x.array, _moved_all(axis, x.ndim)))


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
        return Batched(np.matmul(_padded(a, np.ndim(b)), b))
    if not isinstance(a, Batched):
        if b.ndim == 1:
            return _matmul(b, a.T) if np.ndim(a) <= 2 else by_rows(np.matmul, (a, b), {})
        if b.ndim == 2 and b.array.shape[-1] == 1 and np.ndim(a) == 2:
            return Batched((b.array[:, :, 0] @ a.T)[:, :, None])  # one product for all columns
        if np.ndim(a) == 1:
            return Batched(np.matmul(a, b.array))
        return Batched(np.matmul(a, _padded(b, np.ndim(a))))
    if a.ndim < 2 or b.ndim < 2:
        return by_rows(np.matmul, (a, b), {})
    ndim = max(a.ndim, b.ndim)
    return Batched(np.matmul(_padded(a, ndim), _padded(b, ndim)))


def _goes_first(index: tuple[Any, ...]) -> bool:
    """Whether NumPy would put the picked axes first, before the hidden one.

    So it does when arrays (and integers beside arrays) are apart from each other. An index that
    has versions itself counts too: it picks other elements in each.
    """
    if any(isinstance(part, Batched) for part in index):
        return True
    arrays = [isinstance(part, np.ndarray | list) for part in index]
    if not any(arrays):
        return False
    places = [k for k, part in enumerate(index) if arrays[k] or isinstance(part, int | np.integer)]
    return places[-1] - places[0] >= len(places)


def _scatter(x: Batched, index: Any, shape: tuple[int, ...]) -> Any:
    index = tuple(index) if isinstance(index, list | tuple) else (index,)
    if _goes_first(index):
        return by_rows(SCATTER.forward, (x,), {"index": index, "shape": shape})
    shape = (len(x.array), *shape)
    return Batched(SCATTER.forward(x.array, index=(slice(None), *index), shape=shape))


_SHIFTED: dict[Callable[..., Any], Callable[..., Any]] = {
    **{f: lambda *a, f=f, **k: _reduced(f, *a, **k)
       for f in (np.sum, np.mean, np.prod, np.amax, np.amin, np.max, np.min, np.any, np.all)},
    **{f: _along(f) for f in (np.cumsum, np.cumprod)},
    **{f: _transform(f) for f in (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft)},
    **{f: lambda *a, f=f, **k: _elementwise(f, *a, **k)
       for f in (np.where, np.nan_to_num, np.real, np.imag, np.copy)},
    np.reshape: _reshape, np.ravel: lambda x: _reshape(x, -1), np.transpose: _transpose,
    np.expand_dims: _expand_dims, np.squeeze: _squeeze, np.swapaxes: _swapaxes,
    np.moveaxis: _moveaxis, np.broadcast_to: _broadcast_to, np.concatenate: _concatenate,
    np.stack: _stack, np.flip: _flip, np.tril: _triangle(np.tril), np.triu: _triangle(np.triu),
    np.zeros_like: _like(np.zeros), np.ones_like: _like(np.ones),
    np.shape: lambda x: x.shape, np.ndim: lambda x: x.ndim, np.size: lambda x: x.size,
    np.iscomplexobj: lambda x: x.dtype.kind == "c",
    np.result_type: lambda *xs: np.result_type(*[getattr(x, "dtype", x) for x in xs]),
}  # fmt: skip
#: Operations that rules apply, and whose forward would not see the hidden axis.
_SHIFTED_OPS: dict[str, Callable[..., Any]] = {
    SCATTER.name: _scatter,
    CAST.name: lambda x, dtype: Batched(CAST.forward(x.array, dtype=dtype)),
}
