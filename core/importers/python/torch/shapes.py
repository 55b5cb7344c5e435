"""torch's functions on shapes; most give views, which share memory and history."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, need
from core.importers.python.torch.axes import axis_of
from core.importers.python.values import DType, Size
from core.tensor import Tensor


def numbers_of(numbers: Sequence[Any]) -> tuple[int, ...]:
    """Numbers given one by one, or as one list."""
    if len(numbers) == 1 and isinstance(numbers[0], list | tuple):
        numbers = numbers[0]
    return tuple(int(n.item()) if isinstance(n, Tensor) else int(n) for n in numbers)


def reshaped(m: Machine, x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The same elements in another shape, as a view."""
    if shape.count(-1) == 1:
        rest = -math.prod(shape)
        if rest <= 0 or x._data.size % rest:
            raise _misfit(x, shape)
    elif math.prod(shape) != x._data.size:
        raise _misfit(x, shape)
    before = x.shape
    return m.views.view(
        x,
        lambda x: m.op("reshape", x, shape=shape),
        lambda x, y: m.op("reshape", y, shape=before),
    )


def _misfit(x: Tensor, shape: tuple[int, ...]) -> Exception:
    return program_error(
        "RuntimeError", f"shape '{list(shape)}' is invalid for input of size {x._data.size}"
    )


def reshape(m: Machine, input: Any, *shape: Any) -> Tensor:
    """the same elements in another shape"""
    return reshaped(m, need(input, "reshape"), numbers_of(shape))


def view(m: Machine, input: Any, *shape: Any) -> Tensor:
    """the same elements in another shape, sharing memory"""
    x = need(input, "view")
    if len(shape) == 1 and isinstance(shape[0], DType):
        return m.cast(x, shape[0].numpy)
    y = reshaped(m, x, numbers_of(shape))
    if not np.shares_memory(y.data, x.data) and x._data.size:
        raise program_error(
            "RuntimeError",
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
        )
    return y


def view_as(m: Machine, input: Any, other: Any) -> Tensor:
    """in the shape of another tensor"""
    return reshaped(m, need(input, "view_as"), need(other, "view_as").shape)


def flatten(m: Machine, input: Any, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """some axes merged"""
    x = need(input, "flatten")
    first, last = axis_of(x, start_dim) % max(x.ndim, 1), axis_of(x, end_dim) % max(x.ndim, 1)
    merged = math.prod(x.shape[first : last + 1])
    return reshaped(m, x, (*x.shape[:first], merged, *x.shape[last + 1 :]))


def unflatten(m: Machine, input: Any, dim: int, sizes: Any) -> Tensor:
    """an axis taken apart"""
    x = need(input, "unflatten")
    at = axis_of(x, dim) % x.ndim
    return reshaped(m, x, (*x.shape[:at], *numbers_of([sizes]), *x.shape[at + 1 :]))


def squeeze(m: Machine, input: Any, dim: Any = None) -> Tensor:
    """without axes of length 1"""
    x = need(input, "squeeze")
    if dim is None:
        gone = set(range(x.ndim))
    else:
        dims = dim if isinstance(dim, list | tuple) else (dim,)
        gone = {axis_of(x, d) % max(x.ndim, 1) for d in dims}
    return reshaped(m, x, tuple(n for k, n in enumerate(x.shape) if k not in gone or n != 1))


def unsqueeze(m: Machine, input: Any, dim: int) -> Tensor:
    """with an axis of length 1 more"""
    x = need(input, "unsqueeze")
    n = x.ndim + 1
    if not -n <= dim < n:
        raise program_error(
            "IndexError",
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})",
        )
    at = dim % n
    return m.views.view(
        x,
        lambda x: m.op("expand_dims", x, axis=at),
        lambda x, y: m.op("reshape", y, shape=x.shape),
    )


def permuted(m: Machine, x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """The axes in another order, as a view."""
    back = tuple(int(k) for k in np.argsort([a % max(x.ndim, 1) for a in axes]))
    return m.views.view(
        x,
        lambda x: m.op("transpose", x, axes=axes),
        lambda x, y: m.op("transpose", y, axes=back),
    )


def permute(m: Machine, input: Any, *dims: Any) -> Tensor:
    """the axes in another order"""
    x = need(input, "permute")
    axes = numbers_of(dims)
    if len(axes) != x.ndim:
        raise program_error(
            "RuntimeError",
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {x.ndim} is not "
            f"equal to len(dims) = {len(axes)}",
        )
    return permuted(m, x, tuple(axis_of(x, a) for a in axes))


def transpose(m: Machine, input: Any, dim0: int, dim1: int) -> Tensor:
    """two axes swapped"""
    x = need(input, "transpose")
    order = list(range(x.ndim))
    i, j = axis_of(x, dim0), axis_of(x, dim1)
    if not order:
        return x
    order[i], order[j] = order[j], order[i]
    return permuted(m, x, tuple(order))


def t(m: Machine, input: Any) -> Tensor:
    """rows and columns swapped"""
    x = need(input, "t")
    if x.ndim > 2:
        raise program_error(
            "RuntimeError", f"t() expects a tensor with <= 2 dimensions, but self is {x.ndim}D"
        )
    return permuted(m, x, tuple(reversed(range(x.ndim))))


def reversed_axes(m: Machine, input: Any) -> Tensor:
    """.T"""
    x = need(input, "T")
    return permuted(m, x, tuple(reversed(range(x.ndim))))


def matrix_transposed(m: Machine, input: Any) -> Tensor:
    """.mT"""
    return transpose(m, input, -1, -2)


def movedim(m: Machine, input: Any, source: Any, destination: Any) -> Tensor:
    """axes moved to other places"""
    x = need(input, "movedim")
    moved, places = numbers_of([source]), numbers_of([destination])
    order = [k for k in range(x.ndim) if k not in {axis_of(x, s) % x.ndim for s in moved}]
    for s, d in sorted(zip(moved, places, strict=True), key=lambda pair: pair[1] % x.ndim):
        order.insert(d % x.ndim, s % x.ndim)
    return permuted(m, x, tuple(order))


def expand(m: Machine, input: Any, *sizes: Any) -> Tensor:
    """axes of length 1 repeated without copying"""
    x = need(input, "expand")
    shape = list(numbers_of(sizes))
    lead = len(shape) - x.ndim
    for k, n in enumerate(shape):
        if n == -1 and k >= lead:
            shape[k] = x.shape[k - lead]
    try:
        fits = np.broadcast_shapes(x.shape, tuple(shape)) == tuple(shape)
    except ValueError:
        fits = False
    if not fits:
        raise program_error(
            "RuntimeError",
            f"The expanded size of the tensor ({shape}) must match the existing size "
            f"({list(x.shape)}) at every non-singleton dimension.",
        )
    return m.views.view(x, lambda x: m.op("broadcast_to", x, shape=tuple(shape)))


def expand_as(m: Machine, input: Any, other: Any) -> Tensor:
    """expanded to the shape of another tensor"""
    return expand(m, input, need(other, "expand_as").shape)


def broadcast_to(m: Machine, input: Any, size: Any) -> Tensor:
    """expanded to a shape"""
    return expand(m, input, *numbers_of([size]))


def broadcast_tensors(m: Machine, *tensors: Any) -> tuple[Tensor, ...]:
    """all expanded to their common shape"""
    shape = np.broadcast_shapes(*[need(x, "broadcast_tensors").shape for x in tensors])
    return tuple(expand(m, x, *shape) for x in tensors)


def clone(m: Machine, input: Any, **_: Any) -> Tensor:
    """a copy with history"""
    made: Tensor = m.op("copy", need(input, "clone"))
    return made


def contiguous(m: Machine, input: Any, **_: Any) -> Tensor:
    """in order in memory; itself if it is"""
    x = need(input, "contiguous")
    return x if x.data.flags.c_contiguous else clone(m, x)


def shape_of(m: Machine, input: Any, dim: int | None = None) -> Any:
    """.size()"""
    shape = Size(need(input, "size").shape)
    return shape if dim is None else shape[axis_of(input, dim)]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "reshape": reshape, "flatten": flatten, "ravel": lambda m, input: flatten(m, input),
    "unflatten": unflatten, "squeeze": squeeze, "unsqueeze": unsqueeze, "permute": permute,
    "transpose": transpose, "swapaxes": transpose, "swapdims": transpose, "t": t,
    "movedim": movedim, "moveaxis": movedim, "broadcast_to": broadcast_to, "clone": clone,
}  # fmt: skip
#: Methods only.
METHODS: dict[str, Callable[..., Any]] = {
    "view": view, "view_as": view_as, "reshape_as": view_as, "expand": expand,
    "expand_as": expand_as, "contiguous": contiguous, "size": shape_of,
}  # fmt: skip
#: Functions only: their first argument is no tensor.
ONLY: dict[str, Callable[..., Any]] = {"broadcast_tensors": broadcast_tensors}
