"""What a tensor of the program answers to: its attributes and its methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core import versions
from core.importers.python import dtypes
from core.importers.python.failures import outside, program_error
from core.importers.python.limits import NUMBER
from core.importers.python.machine import Machine, need
from core.importers.python.torch import (
    activations,
    grads,
    indexing,
    linalg,
    norms,
    pieces,
    pointwise,
    rearranging,
    reductions,
    shapes,
    sorting,
)
from core.importers.python.torch.creation import _shape, array_of, leaf
from core.importers.python.torch.generator import generator
from core.importers.python.torch.grad_fns import grad_fn_of
from core.importers.python.torch.history import (
    detach,
    detach_,
    get_data,
    get_grad,
    requires_grad_,
    retain_grad,
    set_data,
    set_grad,
)
from core.importers.python.values import Device, DType, NdArray, Size
from core.tensor import Tensor


def item(m: Machine, input: Any) -> Any:
    """the one element as a number"""
    x = need(input, "item")
    if x._data.size != 1:
        raise program_error(
            "RuntimeError",
            f"a Tensor with {x._data.size} elements cannot be converted to Scalar",
        )
    return x._data.item()


def tolist(m: Machine, input: Any) -> Any:
    """the values in nested lists"""
    x = need(input, "tolist")
    m.budget.take(x._data.size, "list", NUMBER)
    return x._data.tolist()


def numpy(m: Machine, input: Any, *, force: bool = False) -> NdArray:
    """the values as an array"""
    x = need(input, "numpy")
    if x.requires_grad and not force:
        raise program_error(
            "RuntimeError",
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        )
    return NdArray(x.detach())


def to(m: Machine, input: Any, *args: Any, **kwargs: Any) -> Tensor:
    """as another type"""
    x = need(input, "to")
    for value in (*args, *kwargs.values()):
        if isinstance(value, DType):
            return m.cast(x, value.numpy)
        if isinstance(value, Tensor):
            return m.cast(x, value.dtype)
    copy = kwargs.get("copy", False)
    return shapes.clone(m, x) if copy else x


def type_(m: Machine, input: Any, dtype: Any = None, **_: Any) -> Any:
    """as another type; without one, the name of the type"""
    x = need(input, "type")
    if dtype is None:
        kinds = {"float32": "Float", "float64": "Double", "int64": "Long", "bool": "Bool"}
        return f"torch.{kinds.get(x.dtype.name, x.dtype.name)}Tensor"
    if isinstance(dtype, DType):
        return m.cast(x, dtype.numpy)
    raise outside("Types given as text are not read.", "Write .to(torch.float64).")


def _as(name: str) -> Callable[..., Tensor]:
    return lambda m, input: m.cast(need(input, name), dtypes.NAMES[name])


def type_as(m: Machine, input: Any, other: Any) -> Tensor:
    """as the type of another tensor"""
    return m.cast(need(input, "type_as"), need(other, "type_as").dtype)


def _new(value: float) -> Callable[..., Tensor]:
    def function(
        m: Machine, input: Any, *size: Any, dtype: DType | None = None,
        requires_grad: bool = False, **_: Any,
    ) -> Tensor:  # fmt: skip
        x = need(input, "new_zeros")
        kind = x.dtype if dtype is None else dtype.numpy
        return leaf(m, np.full(_shape(m, size), value, kind), requires_grad)

    return function


def new_tensor(
    m: Machine, input: Any, data: Any, *, dtype: DType | None = None, requires_grad: bool = False,
    **_: Any,
) -> Tensor:  # fmt: skip
    """a tensor of the same type"""
    kind = DType(need(input, "new_tensor").dtype.name) if dtype is None else dtype
    return leaf(m, array_of(m, data, kind), requires_grad)


def new_full(m: Machine, input: Any, size: Any, fill_value: Any, **_: Any) -> Tensor:
    """a tensor of the same type, all elements the same"""
    return _new(fill_value)(m, input, size)


# -- in place -------------------------------------------------------------------------------------


def copy_(m: Machine, input: Any, src: Any, non_blocking: bool = False) -> Tensor:
    """take over the values of another tensor"""
    x = need(input, "copy_")
    return m.views.change(x, lambda x: indexing._set(m, x, (Ellipsis,), src))


def fill_(m: Machine, input: Any, value: Any) -> Tensor:
    """all elements the same"""
    return copy_(m, input, value)


def zero_(m: Machine, input: Any) -> Tensor:
    """all elements 0"""
    return copy_(m, input, 0)


def _random_(draw: Callable[..., Any]) -> Callable[..., Tensor]:
    def function(m: Machine, input: Any, *args: Any, **kwargs: Any) -> Tensor:
        x = need(input, "random")
        return copy_(m, x, m.constant(draw(m, x, *args, **kwargs).astype(x.dtype)))

    return function


def _uniform(m: Machine, x: Tensor, a: Any = 0.0, b: Any = 1.0, **named: Any) -> Any:
    a, b = named.get("from", a), named.get("to", b)
    return generator(m).uniform(x.shape, x.dtype) * (b - a) + a


def _normal(m: Machine, x: Tensor, mean: float = 0.0, std: float = 1.0) -> Any:
    return generator(m).normal(x.shape, x.dtype) * std + mean


#: Functions f(x, ...) that also come as x.f_(...), which changes x in place.
_IN_PLACE_TOO = (
    *pointwise.FUNCTIONS, "tril", "triu", "cumsum", "cumprod", "scatter", "scatter_add",
    "index_add", "index_fill", "index_copy", "index_put", "masked_fill", "addmm", "addmv",
    "baddbmm",
)  # fmt: skip
#: In place of the shape alone.
_RESHAPING = ("squeeze", "unsqueeze", "transpose", "t", "swapaxes", "swapdims")


def _in_place(function: Callable[..., Any]) -> Callable[..., Tensor]:
    def change(m: Machine, input: Any, *args: Any, **kwargs: Any) -> Tensor:
        x = need(input, "in place")
        return m.views.change(x, lambda x: function(m, x, *args, **kwargs))

    return change


def _reshaping(function: Callable[..., Any]) -> Callable[..., Tensor]:
    def change(m: Machine, input: Any, *args: Any, **kwargs: Any) -> Tensor:
        x = need(input, "in place")
        y: Tensor = function(m, x, *args, **kwargs)
        if x.requires_grad and x.is_leaf:
            raise program_error(
                "RuntimeError",
                "a leaf Variable that requires grad is being used in an in-place operation.",
            )
        x._data, x._record = y._data, y._record
        m.recorder.same(x, y)
        return x

    return change


METHODS: dict[str, Callable[..., Any]] = {
    **pointwise.FUNCTIONS, **reductions.FUNCTIONS, **shapes.FUNCTIONS, **shapes.METHODS,
    **sorting.FUNCTIONS, **norms.FUNCTIONS, **pieces.FUNCTIONS, **rearranging.FUNCTIONS,
    **rearranging.METHODS,
    **indexing.FUNCTIONS, **linalg.FUNCTIONS, **grads.METHODS,
    "softmax": activations.softmax, "log_softmax": activations.log_softmax, "detach": detach,
    "detach_": detach_, "requires_grad_": requires_grad_, "retain_grad": retain_grad,
    "item": item, "tolist": tolist, "numpy": numpy, "to": to, "type": type_, "type_as": type_as,
    **{name: _as(name) for name in ("float", "double", "half", "long", "int", "short", "bool",
                                    "cfloat", "cdouble")},
    "cpu": lambda m, input: input, "new_zeros": _new(0), "new_ones": _new(1),
    "new_empty": _new(0), "new_tensor": new_tensor, "new_full": new_full,
    "dim": lambda m, input: input.ndim, "ndimension": lambda m, input: input.ndim,
    "numel": lambda m, input: int(input._data.size),
    "nelement": lambda m, input: int(input._data.size),
    "element_size": lambda m, input: int(input._data.itemsize),
    "is_floating_point": lambda m, input: input.dtype.kind == "f",
    "is_complex": lambda m, input: input.dtype.kind == "c",
    "is_contiguous": lambda m, input: bool(input.data.flags.c_contiguous),
    "data_ptr": lambda m, input: int(input.data.__array_interface__["data"][0]),
    "stride": lambda m, input: tuple(s // input._data.itemsize for s in input.data.strides),
    "storage_offset": lambda m, input: 0, "copy_": copy_, "fill_": fill_, "zero_": zero_,
    "uniform_": _random_(_uniform), "normal_": _random_(_normal),
    **{f"{name}_": _in_place(f) for name, f in
       {**pointwise.FUNCTIONS, **shapes.FUNCTIONS, **rearranging.FUNCTIONS, **reductions.FUNCTIONS,
        **indexing.FUNCTIONS, **linalg.FUNCTIONS}.items() if name in _IN_PLACE_TOO},
    **{f"{name}_": _reshaping(shapes.FUNCTIONS[name]) for name in _RESHAPING},
    "is_set_to": lambda m, input, other: np.shares_memory(input.data, other.data),
}  # fmt: skip

ATTRIBUTES: dict[str, Callable[[Machine, Tensor], Any]] = {
    "grad": get_grad, "data": get_data, "shape": lambda m, x: Size(x.shape),
    "dtype": lambda m, x: DType(x.dtype.name), "device": lambda m, x: Device(),
    "requires_grad": lambda m, x: x.requires_grad, "is_leaf": lambda m, x: x.is_leaf,
    "grad_fn": lambda m, x: grad_fn_of(x.record), "ndim": lambda m, x: x.ndim,
    "T": shapes.reversed_axes, "mT": shapes.matrix_transposed, "H": shapes.matrix_transposed,
    "_version": lambda m, x: versions.version(x._data), "_base": lambda m, x: m.views.base(x),
    "retains_grad": lambda m, x: not x.is_leaf and x._retains(), "is_cuda": lambda m, x: False,
    "real": pointwise.FUNCTIONS["real"], "imag": pointwise.FUNCTIONS["imag"],
    "itemsize": lambda m, x: int(x._data.itemsize), "nbytes": lambda m, x: int(x._data.nbytes),
    "output_nr": lambda m, x: 0, "name": lambda m, x: None,
}  # fmt: skip
SETTERS: dict[str, Callable[[Machine, Tensor, Any], Any]] = {
    "grad": set_grad,
    "data": set_data,
    "requires_grad": requires_grad_,
}
