"""Arrays with a hidden axis, on which VJP rules are read for many cotangents at once.

``Batched`` behaves in a rule like an array of shape S, and holds an array of shape (n, *S).
Functions whose axes can be moved along by one are computed once for all n (``SHIFTED``, filled by
``core.batched_numpy``); every other function is computed row by row, which is slower and as right.
What Python decides by a value (``if g > 0``) cannot be read so: ``NotBatchableError``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from core.library.spec import OpSpec

Array = np.ndarray[Any, Any]

#: What stands for a function of NumPy, and for an operation whose forward would not see the axis.
SHIFTED: dict[Callable[..., Any], Callable[..., Any]] = {}
SHIFTED_OPS: dict[str, Callable[..., Any]] = {}


class NotBatchableError(Exception):
    """A rule cannot be read on arrays with a hidden axis; not meant for users."""


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
    T = property(lambda self: _shifted(np.transpose, self))
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
        if goes_first(index):
            return by_rows(lambda x, i: x[i], (self, index), {})
        return Batched(self.array[(slice(None), *index)])

    def reshape(self, *shape: Any) -> Batched:
        return _shifted(np.reshape, self, shape[0] if len(shape) == 1 else shape)

    def astype(self, dtype: Any) -> Batched:
        return Batched(self.array.astype(dtype))

    def copy(self) -> Batched:
        return Batched(self.array.copy())

    def sum(self, axis: Any = None, keepdims: bool = False) -> Batched:
        return reduced(np.add.reduce, self, axis, keepdims=keepdims)

    def transpose(self, *axes: Any) -> Batched:
        return _shifted(np.transpose, self, axes[0] if len(axes) == 1 else axes or None)

    # -- NumPy's protocols, and the library's own ------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if kwargs.get("out") is not None or method == "at":
            raise NotBatchableError  # writes into an array that has no hidden axis
        if method == "__call__":
            if ufunc.signature is None:
                return elementwise(ufunc, *inputs, **kwargs)
            if ufunc is np.matmul:
                return SHIFTED[np.matmul](*inputs)
        if method in ("reduce", "accumulate"):
            return reduced(getattr(ufunc, method), *inputs, **{"axis": 0, **kwargs})
        return by_rows(getattr(ufunc, method), inputs, kwargs)

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Any, kwargs: dict[str, Any]
    ) -> Any:
        shifted = SHIFTED.get(function)
        return shifted(*args, **kwargs) if shifted else by_rows(function, args, kwargs)

    @classmethod
    def __pullback_apply__(cls, spec: OpSpec, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
        params = {**spec.defaults, **params}
        shifted = SHIFTED_OPS.get(spec.name)
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
        return SHIFTED[np.matmul](self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return SHIFTED[np.matmul](other, self)

    def __bool__(self) -> bool:
        raise NotBatchableError

    def __float__(self) -> float:
        raise NotBatchableError


def _operator(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    return lambda a, b: elementwise(ufunc, a, b)


def _reflected(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    return lambda b, a: elementwise(ufunc, a, b)


for _name, _ufunc in {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide, "pow": np.power,
    "mod": np.remainder, "floordiv": np.floor_divide,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal, "and": np.bitwise_and, "or": np.bitwise_or,
}.items():  # fmt: skip
    setattr(Batched, f"__{_name}__", _operator(_ufunc))
    setattr(Batched, f"__r{_name}__", _reflected(_ufunc))


def _shifted(function: Callable[..., Any], *args: Any) -> Batched:
    made: Batched = SHIFTED[function](*args)
    return made


# -- row by row ------------------------------------------------------------------------------------


def by_rows(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """``function`` for each version of its Batched arguments, and the results stacked.

    Raises:
        NotBatchableError: the results differ in shape.
    """
    n = next(sizes((args, kwargs)))
    made = [function(*_version(args, k), **_version(kwargs, k)) for k in range(n)]
    try:
        if isinstance(made[0], tuple | list):
            return tuple(Batched(np.stack(column)) for column in zip(*made, strict=True))
        return Batched(np.stack(made))
    except ValueError as error:
        raise NotBatchableError from error


def sizes(x: Any) -> Iterator[int]:
    """The number of versions of every Batched in ``x``."""
    if isinstance(x, Batched):
        yield len(x.array)
    elif isinstance(x, tuple | list | dict):
        for part in x.values() if isinstance(x, dict) else x:
            yield from sizes(part)


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


def elementwise(function: Callable[..., Any], *inputs: Any, **kwargs: Any) -> Batched:
    """Any function of elements that broadcasts."""
    ndim = max(x.array.ndim - 1 if type(x) is Batched else np.ndim(x) for x in inputs)
    return Batched(
        function(*[padded(x, ndim) if type(x) is Batched else x for x in inputs], **kwargs)
    )


def padded(x: Batched, ndim: int) -> Array:
    """The array of ``x`` with axes of size 1 after the hidden one, to ``ndim`` visible axes."""
    array = x.array
    missing = ndim + 1 - array.ndim
    if missing <= 0:
        return array
    return array.reshape((len(array), *(1,) * missing, *array.shape[1:]))


def versions(x: Any, n: int) -> Array:
    """``x`` as an array with a hidden axis of size n."""
    return x.array if isinstance(x, Batched) else np.broadcast_to(x, (n, *np.shape(x)))


def moved(axis: int, ndim: int) -> int:
    """A visible axis as an axis of the array."""
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return axis % ndim + 1


def moved_all(axes: Any, ndim: int) -> Any:
    if axes is None:
        return tuple(range(1, ndim + 1))
    if isinstance(axes, Sequence):
        return tuple(moved(a, ndim) for a in axes)
    return moved(axes, ndim)


def reduced(function: Callable[..., Any], x: Batched, axis: Any = None, **kwargs: Any) -> Batched:
    """Sums, means, extremes: over visible axes."""
    return Batched(function(x.array, axis=moved_all(axis, x.ndim), **kwargs))


def goes_first(index: tuple[Any, ...]) -> bool:
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
