"""Tensors made of numbers: torch.tensor, zeros, arange, randn and their like."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from core.errors import IntRequiresGradError
from core.importers.python import dtypes
from core.importers.python.failures import program_error
from core.importers.python.limits import NUMBER
from core.importers.python.machine import Machine, need
from core.importers.python.torch.generator import generator
from core.importers.python.torch.shapes import numbers_of
from core.importers.python.values import Device, DType, NdArray
from core.tensor import Tensor


def leaf(m: Machine, array: Any, requires_grad: bool) -> Tensor:
    """A new tensor; a leaf if it requires grad."""
    array = np.asarray(array)
    if requires_grad and array.dtype.kind not in "fc":
        raise IntRequiresGradError(
            f"A tensor of dtype {array.dtype} cannot require grad: only floating and complex ones "
            "can.",
            next_step="Write its numbers with a point, or pass dtype=torch.float32.",
        )
    made = m.constant(array, bool(requires_grad))
    if requires_grad:
        m.recorder.leaf(made)
    return made


def array_of(m: Machine, data: Any, dtype: DType | None = None) -> np.ndarray[Any, Any]:
    """Numbers in nested lists as an array, of torch's type for them."""
    if isinstance(data, Tensor | NdArray):
        found = np.array(data.data if isinstance(data, Tensor) else data.tensor.data)
    else:
        flat = _numbers(m, data)
        try:
            found = np.array(flat)
        except (ValueError, OverflowError) as error:
            raise program_error(
                "ValueError", f"expected sequence of equal length: {error}"
            ) from None
        if found.dtype.kind not in "biufc":
            raise program_error("TypeError", "not a sequence of numbers")
        if found.dtype == np.float64:
            found = found.astype(m.default)
        elif found.dtype == np.complex128:
            found = found.astype(dtypes._COMPLEX_OF[m.default.name])
    if dtype is not None and found.dtype != dtype.numpy:
        # From the numbers as they are written, not from what the default type left of them.
        source = found if isinstance(data, Tensor | NdArray) else np.array(_numbers(m, data))
        with np.errstate(all="ignore"):
            found = source.astype(dtype.numpy)
    return found


def _numbers(m: Machine, data: Any) -> Any:
    m.budget.step()
    if isinstance(data, list | tuple | range):
        m.budget.take(len(data))
        return [_numbers(m, item) for item in data]
    if isinstance(data, Tensor):
        m.budget.take(data._data.size, "list", NUMBER)
        return data.data.tolist()
    if isinstance(data, NdArray):
        return _numbers(m, data.tensor)
    if isinstance(data, bool | int | float | complex):
        return data
    raise program_error(
        "TypeError" if isinstance(data, str) else "RuntimeError",
        f"Could not infer dtype of {type(data).__name__}",
    )


def tensor(
    m: Machine, data: Any, *, dtype: DType | None = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.tensor"""
    if isinstance(data, Tensor):
        m.warn(
            "To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), "
            "rather than torch.tensor(sourceTensor)."
        )
    return leaf(m, array_of(m, data, dtype), requires_grad)


def float_tensor(m: Machine, *data: Any) -> Tensor:
    """torch.FloatTensor, torch.Tensor: of numbers, or of a shape"""
    if data and all(isinstance(n, int) for n in data):
        return leaf(m, np.zeros(_shape(m, data), m.default), False)
    return leaf(m, array_of(m, data[0] if data else []).astype(np.float32), False)


def as_tensor(m: Machine, data: Any, dtype: DType | None = None, device: Any = None) -> Tensor:
    """a tensor of it, itself if it is one"""
    if isinstance(data, Tensor):
        return data if dtype is None else m.cast(data, dtype.numpy)
    if isinstance(data, NdArray) and dtype is None:
        return data.tensor
    return leaf(m, array_of(m, data, dtype), False)


def from_numpy(m: Machine, ndarray: Any) -> Tensor:
    """a tensor that shares an array's memory"""
    array = need(ndarray, "from_numpy")
    return m.constant(array.data)


def _shape(m: Machine, size: Any) -> tuple[int, ...]:
    shape = numbers_of(size)
    if any(n < 0 for n in shape):
        raise program_error(
            "RuntimeError", f"Trying to create tensor with negative dimension: {list(shape)}"
        )
    m.budget.shape(shape)
    return shape


def _dtype(m: Machine, dtype: DType | None) -> np.dtype[Any]:
    return m.default if dtype is None else dtype.numpy


def _filled(value: float) -> Callable[..., Tensor]:
    def function(
        m: Machine, *size: Any, dtype: DType | None = None, requires_grad: bool = False,
        device: Any = None, **named: Any,
    ) -> Tensor:  # fmt: skip
        shape = _shape(m, [named["size"]] if "size" in named else size)
        return leaf(m, np.full(shape, value, _dtype(m, dtype)), requires_grad)

    return function


def full(
    m: Machine, size: Any, fill_value: Any, *, dtype: DType | None = None,
    requires_grad: bool = False, device: Any = None,
) -> Tensor:  # fmt: skip
    """all elements the same"""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    kind = dtypes.of_number(value, m.default) if dtype is None else dtype.numpy
    return leaf(m, np.full(_shape(m, [size]), value, kind), requires_grad)


def _like(make: Callable[..., Any]) -> Callable[..., Tensor]:
    """zeros_like and its like: the shape and type of another tensor."""

    def function(
        m: Machine, input: Any, *args: Any, dtype: DType | None = None,
        requires_grad: bool = False, **_: Any,
    ) -> Tensor:  # fmt: skip
        x = need(input, "zeros_like")
        kind = x.dtype if dtype is None else dtype.numpy
        return leaf(m, make(m, x.shape, kind, *args), requires_grad)

    return function


def arange(
    m: Machine, *bounds: Any, dtype: DType | None = None, requires_grad: bool = False,
    device: Any = None, **named: Any,
) -> Tensor:  # fmt: skip
    """numbers in equal steps"""
    given = [_scalar(b) for b in bounds]
    start, end, step = (0, *given, 1) if len(given) == 1 else (*given, 1)[:3]
    start, end, step = named.get("start", start), named.get("end", end), named.get("step", step)
    count = math.ceil((end - start) / step) if step else 0
    m.budget.shape((max(count, 0),))
    ints = all(isinstance(b, int) for b in (start, end, step))
    kind = (np.dtype(np.int64) if ints else m.default) if dtype is None else dtype.numpy
    return leaf(m, (start + step * np.arange(max(count, 0))).astype(kind), requires_grad)


def _scalar(x: Any) -> Any:
    return x.item() if isinstance(x, Tensor) else x


def linspace(
    m: Machine, start: Any, end: Any, steps: int, *, dtype: DType | None = None,
    requires_grad: bool = False, device: Any = None,
) -> Tensor:  # fmt: skip
    """so many numbers from start to end"""
    m.budget.shape((steps,))
    kind = _dtype(m, dtype)
    return leaf(m, np.linspace(_scalar(start), _scalar(end), steps).astype(kind), requires_grad)


def logspace(
    m: Machine, start: Any, end: Any, steps: int, base: float = 10.0, *,
    dtype: DType | None = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """so many powers"""
    m.budget.shape((steps,))
    made = float(base) ** np.linspace(_scalar(start), _scalar(end), steps)
    return leaf(m, made.astype(_dtype(m, dtype)), requires_grad)


def eye(
    m: Machine, n: int, cols: int | None = None, *, dtype: DType | None = None,
    requires_grad: bool = False, device: Any = None,
) -> Tensor:  # fmt: skip
    """1 on the diagonal"""
    m.budget.shape((n, n if cols is None else cols))
    return leaf(m, np.eye(n, cols, dtype=_dtype(m, dtype)), requires_grad)


# -- random ---------------------------------------------------------------------------------------


def manual_seed(m: Machine, seed: int) -> None:
    """random numbers from a seed"""
    generator(m).seed(seed)


def _uniform(m: Machine, shape: tuple[int, ...], kind: np.dtype[Any]) -> Any:
    m.budget.shape(shape)
    return generator(m).uniform(shape, kind)


def _normal(m: Machine, shape: tuple[int, ...], kind: np.dtype[Any]) -> Any:
    m.budget.shape(shape)
    return generator(m).normal(shape, kind)


def _drawn(draw: Callable[..., Any]) -> Callable[..., Tensor]:
    def function(
        m: Machine, *size: Any, dtype: DType | None = None, requires_grad: bool = False,
        device: Any = None, generator: Any = None, **named: Any,
    ) -> Tensor:  # fmt: skip
        shape = _shape(m, [named["size"]] if "size" in named else size)
        return leaf(m, draw(m, shape, _dtype(m, dtype)), requires_grad)

    return function


def randint(
    m: Machine, *args: Any, dtype: DType | None = None, size: Any = None, low: Any = None,
    high: Any = None, generator: Any = None, device: Any = None,
) -> Tensor:  # fmt: skip
    """random whole numbers"""
    given = list(args)
    if size is None and given:
        size = given.pop()
    if high is None and given:
        high = given.pop()
    if low is None:
        low = given.pop() if given else 0
    made = _generator(m).integers(int(low), int(high), _shape(m, [size]))
    return leaf(m, made if dtype is None else made.astype(dtype.numpy), False)


_generator = generator


def randperm(m: Machine, n: int, **_: Any) -> Tensor:
    """the numbers below n in random order"""
    m.budget.shape((n,))
    return leaf(m, generator(m).permutation(n), False)


def normal(m: Machine, mean: Any, std: Any, size: Any = None) -> Tensor:
    """normal numbers with a mean and a deviation"""
    if size is None:
        shape = np.broadcast_shapes(
            np.shape(getattr(mean, "data", mean)), np.shape(getattr(std, "data", std))
        )
    else:
        shape = _shape(m, [size])
    z = _normal(m, shape, m.default)
    scale, centre = (np.asarray(getattr(v, "data", v)) for v in (std, mean))
    return leaf(m, (z * scale + centre).astype(m.default), False)


def bernoulli(m: Machine, input: Any, **_: Any) -> Tensor:
    """1 with the given probabilities"""
    p = need(input, "bernoulli")
    drawn = _uniform(m, p.shape, p.dtype)
    return leaf(m, (drawn < p.data).astype(p.dtype), False)


def device(m: Machine, name: Any = "cpu", *_: Any) -> Device:
    """torch.device"""
    return Device(str(name))


_ZEROS, _ONES = (_like(lambda m, shape, kind, v=v: np.full(shape, v, kind)) for v in (0, 1))
_FULL = _like(lambda m, shape, kind, v: np.full(shape, _scalar(v), kind))

ONLY: dict[str, Callable[..., Any]] = {
    "tensor": tensor, "Tensor": float_tensor, "FloatTensor": float_tensor,
    "DoubleTensor": lambda m, *data: m.cast(float_tensor(m, *data), np.float64),
    "LongTensor": lambda m, *data: m.cast(float_tensor(m, *data), np.int64),
    "as_tensor": as_tensor, "asarray": as_tensor, "from_numpy": from_numpy,
    "zeros": _filled(0), "ones": _filled(1), "empty": _filled(0), "full": full, "arange": arange,
    "range": arange, "linspace": linspace, "logspace": logspace, "eye": eye,
    "zeros_like": _ZEROS, "ones_like": _ONES, "empty_like": _ZEROS, "full_like": _FULL,
    "rand": _drawn(_uniform), "randn": _drawn(_normal), "rand_like": _like(_uniform),
    "randn_like": _like(_normal), "randint": randint, "randperm": randperm, "normal": normal,
    "bernoulli": bernoulli, "manual_seed": manual_seed, "seed": lambda m: 0, "device": device,
}  # fmt: skip
