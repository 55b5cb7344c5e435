"""NumPy's arrays: their operators, methods and attributes, under NumPy's rules.

An array of the program is one of our Tensors that needs no gradient; which operation a function of
NumPy means is asked of ``core.dispatch``, which knows it for Tensors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from core import dispatch
from core.importers.python import dtypes
from core.importers.python.costs import SORTING
from core.importers.python.failures import outside, program_error
from core.importers.python.limits import NUMBER
from core.importers.python.machine import Machine
from core.importers.python.torch import indexing, shapes
from core.importers.python.values import DType, NdArray
from core.tensor import Tensor

_UFUNCS: dict[str, np.ufunc] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "//": np.floor_divide,
    "%": np.remainder, "**": np.power, "@": np.matmul, "&": np.bitwise_and, "|": np.bitwise_or,
    "^": np.bitwise_xor, "<": np.less, "<=": np.less_equal, ">": np.greater,
    ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
}  # fmt: skip


def raw(x: Any) -> Any:
    """The array, number or list behind a value."""
    if isinstance(x, NdArray):
        return x.tensor
    if isinstance(x, list | tuple):
        return type(x)(raw(item) for item in x)
    if isinstance(x, DType):
        return x.numpy
    return x


def values(x: Any) -> Any:
    """``raw``, with arrays for Tensors."""
    x = raw(x)
    if isinstance(x, Tensor):
        return x.data
    if isinstance(x, list | tuple):
        return type(x)(values(item) for item in x)
    return x


def wrapped(m: Machine, made: Any) -> Any:
    """A result as a value of the program."""
    if isinstance(made, Tensor):
        return NdArray(made)
    if isinstance(made, np.ndarray):
        return NdArray(m.constant(made))
    if isinstance(made, np.generic):
        return made.item()
    if isinstance(made, tuple | list):
        return type(made)(wrapped(m, part) for part in made)
    return made


def call(m: Machine, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A function of NumPy's on values of the program."""
    m.budget.parts(args)
    given, named = [raw(a) for a in args], {k: raw(v) for k, v in kwargs.items()}
    if function in dispatch.SPECS:
        given = [_floats(a) for a in given]
        spec, operands, params = dispatch.understand(function, tuple(given), named)
        made = m.apply(spec, operands, params)
        return wrapped(m, made)
    _charge(m, function, args, named)
    with np.errstate(all="ignore"):
        found = function(*[values(a) for a in args], **{k: values(v) for k, v in kwargs.items()})
    return wrapped(m, found)


def _charge(m: Machine, function: Callable[..., Any], args: tuple[Any, ...], named: Any) -> None:
    """What a function of NumPy's that is no operation would make, at most."""
    m.budget.check_time()
    of = [a.tensor.shape for a in args if isinstance(a, NdArray)]
    sizes = [math.prod(shape) for shape in of]
    m.budget.work(SORTING * sum(sizes))
    m.budget.shape((max(sizes, default=1), max(map(len, of), default=1)))  # np.argwhere, ...
    if isinstance(function, np.ufunc):
        m.budget.shape(np.broadcast_shapes(*of))
    elif function is np.meshgrid:
        m.budget.shape((len(args), *sizes))
    elif function in _SQUARES:
        m.budget.shape([max(sizes, default=1)] * 2)
    elif function in _COUNTERS:
        numbers = [*args[1:], *named.values(), *args[: function is np.bincount]]
        for n in map(values, numbers):
            if isinstance(n, int | np.ndarray | list | tuple) and np.size(n):
                m.budget.shape((int(np.max(n)),))


#: Functions that make the square of what they are given, and those told how much to make.
_SQUARES = (np.cov, np.diagflat)
_COUNTERS = (np.histogram, np.bincount)


def _floats(x: Any) -> Any:
    """Whole numbers stay as they are; lists of numbers become arrays."""
    if isinstance(x, list) and x and not any(isinstance(item, Tensor) for item in x):
        return np.asarray(x)
    return x


def binary(m: Machine, sign: str, a: Any, b: Any) -> Any:
    """``a sign b`` with an array on one side."""
    if sign in ("==", "!=") and (
        a is None or b is None or isinstance(a, str) or isinstance(b, str)
    ):
        return sign == "!="
    ufunc = _UFUNCS.get(sign)
    m.budget.parts((a, b))
    if ufunc is None or not all(_fits(x) for x in (a, b)):
        raise program_error("TypeError", f"unsupported operand for {sign} with an array")
    if sign == "+" and _is_bool(a) and _is_bool(b):
        ufunc = np.logical_or
    if sign == "**" and not _real(a) and not _real(b):
        exponent = values(b)
        if np.any(np.asarray(exponent) < 0):
            raise program_error(
                "ValueError", "Integers to negative integer powers are not allowed."
            )
        return wrapped(m, np.power(values(a), exponent))
    return call(m, ufunc, a, b)


def _fits(x: Any) -> bool:
    return isinstance(x, NdArray | bool | int | float | complex | list | tuple)


def _is_bool(x: Any) -> bool:
    return isinstance(x, NdArray) and x.tensor.dtype.kind == "b"


def _real(x: Any) -> bool:
    kind = x.tensor.dtype.kind if isinstance(x, NdArray) else np.asarray(values(x)).dtype.kind
    return kind in "fc"


def unary(m: Machine, sign: str, x: NdArray) -> Any:
    """``-x``, ``+x``, ``~x``"""
    if sign == "+":
        return x
    return call(m, np.negative if sign == "-" else np.invert, x)


def in_place(m: Machine, sign: str, x: NdArray, other: Any) -> NdArray:
    """``x sign= other``"""

    def compute(t: Tensor) -> Tensor:
        made: Tensor = raw(binary(m, sign, NdArray(t), other))
        return made

    if dtypes.category(x.tensor.dtype) < 2 and sign == "/":
        raise program_error(
            "TypeError", "Cannot cast ufunc 'divide' output from float64 to an integer array"
        )
    m.views.change(x.tensor, compute)
    return x


# -- methods --------------------------------------------------------------------------------------


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda m, x, *args, **kwargs: call(m, function, x, *args, **kwargs)


def reshape(m: Machine, x: NdArray, *shape: Any, **_: Any) -> NdArray:
    """the same elements in another shape"""
    return NdArray(shapes.reshaped(m, x.tensor, shapes.numbers_of(shape)))


def transpose(m: Machine, x: NdArray, *axes: Any) -> NdArray:
    """the axes in another order"""
    order = shapes.numbers_of(axes) if axes and axes[0] is not None else ()
    every = tuple(reversed(range(x.tensor.ndim)))
    return NdArray(shapes.permuted(m, x.tensor, order or every))


def astype(m: Machine, x: NdArray, dtype: Any, **_: Any) -> NdArray:
    """as another type"""
    return NdArray(m.cast(x.tensor, dtype_of(dtype)))


def dtype_of(dtype: Any) -> np.dtype[Any]:
    """What stands for a type of NumPy's: its name, ``float``, ``np.float64``."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", "")
    known = {"float": "float64", "int": "int64", "complex": "complex128"}
    try:
        found = np.dtype(known.get(name, name))
    except TypeError:
        raise program_error("TypeError", f"data type '{name}' not understood") from None
    if found.kind not in "biufc":
        raise outside(f"Arrays of dtype '{name}' are not read.", "Use numbers: float64, int64.")
    return found


def copy(m: Machine, x: NdArray, **_: Any) -> NdArray:
    """a copy"""
    made = m.op("copy", x.tensor)
    return NdArray(made)


def fill(m: Machine, x: NdArray, value: Any) -> None:
    """all elements the same"""
    indexing.setitem(m, x.tensor, Ellipsis, value)


def item(m: Machine, x: NdArray, *index: Any) -> Any:
    """one element as a number"""
    if not index and x.tensor._data.size != 1:
        raise program_error("ValueError", "can only convert an array of size 1 to a Python scalar")
    return x.tensor.data.item(*index)


def _listed(m: Machine, array: np.ndarray[Any, Any]) -> Any:
    """the values in nested lists"""
    m.budget.take(array.size, "list", NUMBER)
    return array.tolist()


METHODS: dict[str, Callable[..., Any]] = {
    **{f.__name__: _method(f) for f in (
        np.sum, np.mean, np.std, np.var, np.prod, np.cumsum, np.cumprod, np.argmax, np.argmin,
        np.argsort, np.any, np.all, np.clip, np.squeeze, np.swapaxes, np.diagonal, np.trace,
        np.repeat, np.take, np.dot, np.ravel, np.nonzero, np.searchsorted,
    )},
    "max": _method(np.max), "min": _method(np.min), "round": _method(np.around),
    "ptp": lambda m, x, axis=None: binary(m, "-", call(m, np.max, x, axis=axis),
                                          call(m, np.min, x, axis=axis)),
    "reshape": reshape, "transpose": transpose, "astype": astype, "copy": copy, "fill": fill,
    "flatten": lambda m, x, *_: reshape(m, copy(m, x), -1), "item": item,
    "tolist": lambda m, x: _listed(m, x.tensor.data), "conj": _method(np.conjugate),
}  # fmt: skip
ATTRIBUTES: dict[str, Callable[[Machine, NdArray], Any]] = {
    "shape": lambda m, x: tuple(x.tensor.shape), "ndim": lambda m, x: x.tensor.ndim,
    "size": lambda m, x: int(x.tensor._data.size), "T": lambda m, x: transpose(m, x),
    "dtype": lambda m, x: DType(x.tensor.dtype.name, "numpy"),
    "nbytes": lambda m, x: int(x.tensor._data.nbytes),
    "real": lambda m, x: call(m, np.real, x), "imag": lambda m, x: call(m, np.imag, x),
    "flat": lambda m, x: _listed(m, x.tensor.data.ravel()),
}  # fmt: skip
