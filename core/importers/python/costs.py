"""What an operation will cost, by the shapes of its inputs: elements made, and work done."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.importers.python.limits import Budget, broadcast
from core.library.spec import OpSpec

Shapes = Sequence[tuple[int, ...]]
Cost = tuple[float, float]  # elements of the result, multiplications
#: Multiplications that take as long as putting one element in order.
SORTING = 150


def charge(budget: Budget, spec: OpSpec, shapes: Shapes, params: Mapping[str, Any]) -> None:
    """Refuse an operation that would make too large an array, or take too long.

    Raises:
        LimitError: it would.
    """
    most = max((math.prod(shape) for shape in shapes), default=1)
    estimate = _COSTS.get(spec.name)
    if estimate is None:
        made: float = math.prod(broadcast(shapes)) if len(shapes) > 1 else most
        if spec.variadic:
            made = sum(math.prod(shape) for shape in shapes)
        made, work = max(made, most), float(max(made, most))
    else:
        made, work = estimate(shapes, {**spec.defaults, **params})
    budget.shape((math.ceil(made),))
    budget.work(max(work, made))


def _size(shape: Sequence[int]) -> int:
    return math.prod(shape)


def _matmul(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    a, b = shapes[0] or (1,), shapes[1] or (1,)
    inner = a[-1]
    rows = a[:-1]
    columns = b[-1:] if len(b) > 1 else ()
    batch = broadcast([a[:-2], b[:-2]])
    made = _size(batch) * _size(rows[-1:]) * _size(columns)
    return made, made * inner


def _product(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    """Every element with every other one."""
    made = math.prod(map(_size, shapes))
    return made, made


def _tensordot(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    a, b = shapes
    axes = params["axes"]
    if isinstance(axes, int):
        summed = _size(a[len(a) - axes :]) if axes else 1
    else:
        first = axes[0] if isinstance(axes[0], list | tuple) else (axes[0],)
        summed = math.prod(a[k] for k in first if -len(a) <= k < len(a))
    made = _size(a) * _size(b) / max(summed, 1) ** 2
    return made, made * max(summed, 1)


def _einsum(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    left, _, right = str(params["subscripts"]).replace(" ", "").partition("->")
    lengths: dict[str, int] = {}
    extra = 1
    for letters, shape in zip(left.split(","), shapes, strict=False):
        if "." in letters:
            extra = max(extra, _size(shape))
        lengths.update(zip(letters, shape, strict=False))
    made = math.prod(lengths.get(letter, 1) for letter in right) * extra
    return made, math.prod(lengths.values()) * extra


def _cube(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    """A decomposition or a solution: the cube of the matrix's length, some times over."""
    shape = shapes[0]
    n = max(shape[-2:], default=1)
    times = abs(params.get("n") or 1) if "n" in params else 1
    rest = _size(shapes[1][-1:]) if len(shapes) > 1 else 1
    return max(map(_size, shapes)), 20 * _size(shape[:-2]) * n**2 * (n + rest) * (
        1 + math.log2(max(times, 1))
    )


def _norm(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    """A norm of a matrix by its singular values takes a decomposition."""
    if params["ord"] in (2, -2, "nuc") and len(shapes[0]) > 1:
        return _cube(shapes, {})
    return _size(shapes[0]), 4 * _size(shapes[0])


def _multi_dot(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    n = max((n for shape in shapes for n in shape), default=1)
    return n * n, len(shapes) * n**3


def _target(name: str) -> Callable[[Shapes, Mapping[str, Any]], Cost]:
    def cost(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
        shape = params[name]
        made = abs(_size(shape if isinstance(shape, list | tuple) else (shape,)))
        return max(made, 1), made

    return cost


def _tile(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    reps = params.get("reps", params.get("repeats"))
    made = _size(shapes[0]) * max(_size(reps if isinstance(reps, list | tuple) else (reps,)), 1)
    return made, made


def _repeat(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    reps = params["repeats"]
    made = _size(shapes[0]) * (max(reps, default=1) if isinstance(reps, list | tuple) else reps)
    return made, made


def _pad(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    width = params["pad_width"]
    flat = [width] if isinstance(width, int) else [n for pair in width for n in _flat(pair)]
    most = sum(map(abs, flat)) if len(shapes[0]) == len(width or ()) else max(map(abs, flat)) * 2
    made = math.prod(n + most for n in shapes[0])
    return made, made


def _flat(x: Any) -> Sequence[int]:
    return x if isinstance(x, list | tuple) else (x,)


def _square(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    shape = shapes[0]
    made = (shape[0] + abs(params["k"])) ** 2 if len(shape) == 1 else _size(shape)
    return made, made


def _take(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    x, indices = shapes[0], shapes[1]
    axis = params.get("axis")
    if axis is None or not -len(x) <= axis < len(x):
        made = _size(indices)
    else:
        made = _size(x) // max(x[axis], 1) * _size(indices)
    return max(made, _size(x)), made * 30


def _embedding(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    made = _size(shapes[0][1:]) * _size(shapes[1])
    return made, made * 30


def _conv(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    x, weight = shapes[0], shapes[1]
    padding = params.get("padding", 0)
    room = 0 if isinstance(padding, str) else max(_flat(padding), default=0)  # "same" adds none
    places = math.prod((n + 2 * abs(room)) * _stretch(params, weight) for n in x[2:])
    made = _size(x[:1]) * max(weight[:2], default=1) * places
    unrolled = _size(x[:1]) * places * _size(weight[1:])  # each window's elements side by side
    return max(made, unrolled / 4), 3 * made * _size(weight[1:])


def _stretch(params: Mapping[str, Any], weight: tuple[int, ...]) -> int:
    if "output_padding" not in params:
        return 1
    return max(_flat(params.get("stride", 1))) + max(weight[2:], default=0)


def _pool(axes: int) -> Callable[[Shapes, Mapping[str, Any]], Cost]:
    """Windows over so many axes, as many as the stride leaves."""

    def each(value: Any) -> list[int]:
        numbers = [abs(n) for n in _flat(value)]
        return numbers * axes if len(numbers) == 1 else numbers

    def cost(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
        x, kernel = shapes[0], each(params["kernel_size"])
        strides = each(params["stride"]) if params.get("stride") else kernel
        room = [n + 2 * p for n, p in zip(x[-axes:], each(params["padding"]), strict=False)]
        lead = _size(x[:-axes])
        windows = lead * math.prod(n // max(s, 1) + 1 for n, s in zip(room, strides, strict=False))
        return max(lead * math.prod(room), windows), 8 * windows * max(math.prod(kernel), 1)

    return cost


def _hard(times: int) -> Callable[[Shapes, Mapping[str, Any]], Cost]:
    """An elementwise operation, or a sort, that takes as long as so many multiplications."""

    def cost(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
        made = max((_size(shape) for shape in shapes), default=1)
        return made, float(made) * times

    return cost


def _convolve(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    return sum(map(_size, shapes)), math.prod(map(_size, shapes))


def _cdist(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    a, b = shapes
    made = _size(a[:-1]) * _size(b[-2:-1]) * _size(a[-1:])
    return made, made


def _attention(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    q, k = shapes[0], shapes[1]
    made = _size(q[:-1]) * _size(k[-2:-1])
    return max(made, *map(_size, shapes)), made * _size(q[-1:]) * 2


def _linear(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    made = _size(shapes[0][:-1]) * _size(shapes[1][:-1])
    return made, made * _size(shapes[0][-1:])


def _bilinear(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    made = _size(shapes[0][:-1]) * _size(shapes[2][:1])
    return made, made * _size(shapes[2][1:])


def _cell(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    work = _size(shapes[0]) * max(_size(shape[:1]) for shape in shapes) * 4
    return max(map(_size, shapes)), work


def _setitem(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    return _size(shapes[0]), _size(shapes[0])


def _scattered(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    """Elements that go, or whose gradients go, to places told one by one."""
    made = max(map(_size, shapes))
    return made, made * SORTING


def _resized(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    size = params["size"] if "size" in params else params["output_size"]
    made = _size(shapes[0][:-2]) * _size(_flat(size))
    return made, made * 8


def _fft(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    """Complex, and some copies of it on the way."""
    shape = list(shapes[0]) or [1]
    if params.get("n") is not None:
        shape[-1] = abs(params["n"])
    made = 4 * max(_size(shape), _size(shapes[0]))
    return made, made * 25


def _getitem(shapes: Shapes, params: Mapping[str, Any]) -> Cost:
    index = params["index"]
    parts = index if isinstance(index, tuple) else (index,)
    picked = math.prod(max(part.size, 1) for part in parts if hasattr(part, "size"))
    arrays = any(hasattr(part, "size") for part in parts)
    made = _size(shapes[0]) * picked if arrays and len(shapes[0]) > 1 else _size(shapes[0])
    if not arrays:
        return max(made, 1), made
    return max(min(made, picked * _size(shapes[0][1:])), 1), 30 * picked


_COSTS: dict[str, Callable[[Shapes, Mapping[str, Any]], Cost]] = {
    **dict.fromkeys(("matmul", "dot", "inner"), _matmul),
    **dict.fromkeys(("outer", "kron"), _product),
    "tensordot": _tensordot,
    "einsum": _einsum,
    "linalg.multi_dot": _multi_dot,
    "linalg.norm": _norm,
    **dict.fromkeys(
        (
            "linalg.inv", "linalg.pinv", "linalg.solve", "solve_triangular", "expm", "linalg.det",
            "linalg.matrix_power", "linalg.slogdet", "linalg.cholesky", "linalg.qr", "linalg.svd",
            "linalg.svdvals", "linalg.eigh", "linalg.eigvalsh",
        ),
        _cube,
    ),
    "broadcast_to": _target("shape"),
    "reshape": _setitem,
    "tile": _tile,
    "repeat": _repeat,
    "pad": _pad,
    "diag": _square,
    "take": _take,
    **dict.fromkeys(("take_along_axis", "put_along_axis", "scatter_add"), _scattered),
    **dict.fromkeys(("fft.fft", "fft.ifft", "fft.rfft", "fft.irfft", "fft.fft2"), _fft),
    **dict.fromkeys(("sort", "topk", "median", "quantile", "gammaln", "digamma", "erfinv"),
                    _hard(SORTING)),
    **dict.fromkeys(("cummax", "cummin", "logcumsumexp", "cumprod", "prod"), _hard(50)),
    "embedding": _embedding,
    **dict.fromkeys(("conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d"), _conv),
    **dict.fromkeys(("max_pool1d", "avg_pool1d"), _pool(1)),
    **dict.fromkeys(("max_pool2d", "avg_pool2d"), _pool(2)),
    "convolve": _convolve,
    "cdist": _cdist,
    "scaled_dot_product_attention": _attention,
    "linear": _linear,
    "bilinear": _bilinear,
    **dict.fromkeys(("rnn_tanh_cell", "lstm_cell", "gru_cell"), _cell),
    "setitem": _setitem,
    "getitem": _getitem,
    **dict.fromkeys(("interpolate", "adaptive_avg_pool2d"), _resized),
}  # fmt: skip
