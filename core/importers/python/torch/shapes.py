"""torch's functions on shapes; most give views, which share memory and history."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, need
from core.importers.python.torch.reductions import _axis
from core.importers.python.values import DType, Size
from core.tensor import Tensor


def _flat(numbers: Sequence[Any]) -> tuple[int, ...]:
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
    return reshaped(m, need(input, "reshape"), _flat(shape))


def view(m: Machine, input: Any, *shape: Any) -> Tensor:
    """the same elements in another shape, sharing memory"""
    x = need(input, "view")
    if len(shape) == 1 and isinstance(shape[0], DType):
        return m.cast(x, shape[0].numpy)
    y = reshaped(m, x, _flat(shape))
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
    first, last = _axis(x, start_dim) % max(x.ndim, 1), _axis(x, end_dim) % max(x.ndim, 1)
    merged = math.prod(x.shape[first : last + 1])
    return reshaped(m, x, (*x.shape[:first], merged, *x.shape[last + 1 :]))


def unflatten(m: Machine, input: Any, dim: int, sizes: Any) -> Tensor:
    """an axis taken apart"""
    x = need(input, "unflatten")
    at = _axis(x, dim) % x.ndim
    return reshaped(m, x, (*x.shape[:at], *_flat([sizes]), *x.shape[at + 1 :]))


def squeeze(m: Machine, input: Any, dim: Any = None) -> Tensor:
    """without axes of length 1"""
    x = need(input, "squeeze")
    if dim is None:
        gone = set(range(x.ndim))
    else:
        dims = dim if isinstance(dim, list | tuple) else (dim,)
        gone = {_axis(x, d) % max(x.ndim, 1) for d in dims}
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
    axes = _flat(dims)
    if len(axes) != x.ndim:
        raise program_error(
            "RuntimeError",
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {x.ndim} is not "
            f"equal to len(dims) = {len(axes)}",
        )
    return permuted(m, x, tuple(_axis(x, a) for a in axes))


def transpose(m: Machine, input: Any, dim0: int, dim1: int) -> Tensor:
    """two axes swapped"""
    x = need(input, "transpose")
    order = list(range(x.ndim))
    i, j = _axis(x, dim0), _axis(x, dim1)
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
    moved, places = _flat([source]), _flat([destination])
    order = [k for k in range(x.ndim) if k not in {_axis(x, s) % x.ndim for s in moved}]
    for s, d in sorted(zip(moved, places, strict=True), key=lambda pair: pair[1] % x.ndim):
        order.insert(d % x.ndim, s % x.ndim)
    return permuted(m, x, tuple(order))


def expand(m: Machine, input: Any, *sizes: Any) -> Tensor:
    """axes of length 1 repeated without copying"""
    x = need(input, "expand")
    shape = list(_flat(sizes))
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
    return expand(m, input, *_flat([size]))


def broadcast_tensors(m: Machine, *tensors: Any) -> tuple[Tensor, ...]:
    """all expanded to their common shape"""
    shape = np.broadcast_shapes(*[need(x, "broadcast_tensors").shape for x in tensors])
    return tuple(expand(m, x, *shape) for x in tensors)


def repeat(m: Machine, input: Any, *sizes: Any) -> Tensor:
    """copies side by side"""
    made: Tensor = m.op("tile", need(input, "repeat"), reps=_flat(sizes))
    return made


def tile(m: Machine, input: Any, *dims: Any) -> Tensor:
    """copies side by side"""
    return repeat(m, input, *dims)


def repeat_interleave(m: Machine, input: Any, repeats: Any, dim: Any = None) -> Tensor:
    """each element several times"""
    x = need(input, "repeat_interleave")
    times = repeats.data.tolist() if isinstance(repeats, Tensor) else repeats
    times = times[0] if isinstance(times, list) and len(times) == 1 else times
    made: Tensor = m.op("repeat", x, repeats=times, axis=dim)
    return made


def cat(m: Machine, tensors: Any, dim: int = 0) -> Tensor:
    """one behind the other along an axis"""
    parts = [need(x, "cat") for x in tensors]
    if not parts:
        raise program_error("RuntimeError", "torch.cat(): expected a non-empty list of Tensors")
    if any(x.ndim != 1 for x in parts):  # beside others, torch passes over empty vectors
        parts = [x for x in parts if x.shape != (0,)] or parts[:1]
    if any(x.ndim == 0 for x in parts):
        raise program_error(
            "RuntimeError", "zero-dimensional tensor (at position 0) cannot be concatenated"
        )
    made: Tensor = m.op("concatenate", *m.promoted(parts), axis=_axis(parts[0], dim))
    return made


def stack(m: Machine, tensors: Any, dim: int = 0) -> Tensor:
    """one behind the other along a new axis"""
    parts = [need(x, "stack") for x in tensors]
    if len({x.shape for x in parts}) > 1:
        shapes = [list(x.shape) for x in parts]
        raise program_error(
            "RuntimeError",
            f"stack expects each tensor to be equal size, but got {shapes[0]} at entry 0 and "
            f"{next(s for s in shapes if s != shapes[0])} at entry "
            f"{next(k for k, s in enumerate(shapes) if s != shapes[0])}",
        )
    made: Tensor = m.op("stack", *m.promoted(parts), axis=int(dim))
    return made


def hstack(m: Machine, tensors: Any) -> Tensor:
    """side by side"""
    parts = [atleast(1)(m, x) for x in tensors]
    return cat(m, parts, 0 if parts[0].ndim == 1 else 1)


def vstack(m: Machine, tensors: Any) -> Tensor:
    """on top of each other"""
    return cat(m, [atleast(2)(m, x) for x in tensors], 0)


def column_stack(m: Machine, tensors: Any) -> Tensor:
    """vectors as columns"""
    parts = [need(x, "column_stack") for x in tensors]
    return cat(m, [reshaped(m, x, (x._data.size, 1)) if x.ndim < 2 else x for x in parts], 1)


def atleast(n: int) -> Callable[..., Tensor]:
    """atleast_1d, atleast_2d."""

    def function(m: Machine, input: Any) -> Tensor:
        x = need(input, "atleast")
        return reshaped(m, x, (1,) * (n - x.ndim) + x.shape) if x.ndim < n else x

    return function


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
    return picked(m, x, _slice(x, _axis(x, dim), slice(start, start + length)))


def select(m: Machine, input: Any, dim: int, index: int) -> Tensor:
    """one place along an axis"""
    x = need(input, "select")
    return picked(m, x, _slice(x, _axis(x, dim), int(index)))


def split(m: Machine, input: Any, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """parts of a length along an axis"""
    x = need(input, "split")
    axis = _axis(x, dim)
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
    total = x.shape[_axis(x, dim)]
    return split(m, x, max(-(-total // chunks), 1), dim)


def tensor_split(m: Machine, input: Any, indices_or_sections: Any, dim: int = 0) -> Any:
    """parts, as np.array_split cuts them"""
    x = need(input, "tensor_split")
    axis = _axis(x, dim)
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
    axis = _axis(x, dim)
    m.budget.length(x.shape[axis], "tuple")
    return tuple(picked(m, x, _slice(x, axis, k)) for k in range(x.shape[axis]))


def flip(m: Machine, input: Any, *dims: Any) -> Tensor:
    """turned round along axes"""
    made: Tensor = m.op("flip", need(input, "flip"), axis=_flat(dims))
    return made


def roll(m: Machine, input: Any, shifts: Any, dims: Any = None) -> Tensor:
    """moved round along axes"""
    made: Tensor = m.op("roll", need(input, "roll"), shift=shifts, axis=dims)
    return made


def rot90(m: Machine, input: Any, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """turned by right angles"""
    made: Tensor = m.op("rot90", need(input, "rot90"), k=int(k), axes=tuple(dims))
    return made


def _triangle(op: str) -> Callable[..., Tensor]:
    def function(m: Machine, input: Any, diagonal: int = 0) -> Tensor:
        made: Tensor = m.op(op, need(input, op), k=int(diagonal))
        return made

    return function


def diagonal_(m: Machine, input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """a diagonal"""
    made: Tensor = m.op(
        "diagonal", need(input, "diagonal"), offset=int(offset), axis1=int(dim1), axis2=int(dim2)
    )
    return made


def diag_embed(m: Machine, input: Any, offset: int = 0) -> Tensor:
    """vectors on the diagonals of matrices"""
    x = need(input, "diag_embed")
    if x.ndim == 1:
        return _triangle("diag")(m, x, offset)
    n = x.shape[-1]
    m.budget.shape((*x.shape, n))
    mask = m.constant(np.eye(n, dtype=x.dtype))
    wide = m.op("expand_dims", x, axis=-1)
    made: Tensor = m.op("multiply", wide, mask)
    return made


def clone(m: Machine, input: Any, **_: Any) -> Tensor:
    """a copy with history"""
    made: Tensor = m.op("copy", need(input, "clone"))
    return made


def contiguous(m: Machine, input: Any, **_: Any) -> Tensor:
    """in order in memory; itself if it is"""
    x = need(input, "contiguous")
    return x if x.data.flags.c_contiguous else clone(m, x)


def meshgrid(m: Machine, *tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """coordinates of a grid"""
    if len(tensors) == 1 and isinstance(tensors[0], list | tuple):
        tensors = tuple(tensors[0])
    xs = [need(x, "meshgrid") for x in tensors]
    shape = tuple(x._data.size for x in xs)
    grids = []
    for k, x in enumerate(xs):
        own = reshaped(m, x, tuple(n if i == k else 1 for i, n in enumerate(shape)))
        grids.append(expand(m, own, *shape))
    if indexing == "xy" and len(grids) > 1:
        grids = [transpose(m, grid, 0, 1) for grid in grids]
    return tuple(grids)


def shape_of(m: Machine, input: Any, dim: int | None = None) -> Any:
    """.size()"""
    shape = Size(need(input, "size").shape)
    return shape if dim is None else shape[_axis(input, dim)]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "reshape": reshape, "flatten": flatten, "ravel": lambda m, input: flatten(m, input),
    "unflatten": unflatten, "squeeze": squeeze, "unsqueeze": unsqueeze, "permute": permute,
    "transpose": transpose, "swapaxes": transpose, "swapdims": transpose, "t": t,
    "movedim": movedim, "moveaxis": movedim, "broadcast_to": broadcast_to, "tile": tile,
    "repeat_interleave": repeat_interleave, "narrow": narrow, "select": select, "split": split,
    "chunk": chunk, "tensor_split": tensor_split, "unbind": unbind, "flip": flip,
    "fliplr": lambda m, input: flip(m, input, 1), "flipud": lambda m, input: flip(m, input, 0),
    "roll": roll, "rot90": rot90, "tril": _triangle("tril"), "triu": _triangle("triu"),
    "diag": _triangle("diag"), "diagonal": diagonal_, "diag_embed": diag_embed, "clone": clone,
}  # fmt: skip
#: Methods only.
METHODS: dict[str, Callable[..., Any]] = {
    "view": view, "view_as": view_as, "reshape_as": view_as, "expand": expand,
    "expand_as": expand_as, "repeat": repeat, "contiguous": contiguous, "size": shape_of,
}  # fmt: skip
#: Functions only: their first argument is no tensor.
ONLY: dict[str, Callable[..., Any]] = {
    "cat": cat, "concat": cat, "concatenate": cat, "stack": stack, "hstack": hstack,
    "vstack": vstack, "row_stack": vstack, "column_stack": column_stack, "meshgrid": meshgrid,
    "broadcast_tensors": broadcast_tensors, "atleast_1d": atleast(1), "atleast_2d": atleast(2),
}  # fmt: skip
