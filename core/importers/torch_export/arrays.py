"""Torch's reductions, shapes, picking and new tensors in our operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.building.refs import Ref, Untranslatable
from core.importers.torch_export.call import Call, Result, Translator, dtype_of

#: Elements of a tensor that a program fills.
_MOST_ELEMENTS = 10_000_000

# -- reductions -----------------------------------------------------------------------------------


def _reduction(name: str) -> Translator:
    def translate(call: Call) -> Result:
        x = call.x
        if call.get("dtype") is not None:
            x = call.cast(x, dtype_of(call["dtype"]))
        return call.op(name, x, axis=call.axis(), keepdims=bool(call.get("keepdim", False)))

    return translate


def _spread(name: str) -> Translator:
    """var and std: torch counts one less by default."""

    def translate(call: Call) -> Result:
        correction = call.get("correction", 1 if call.get("unbiased", True) else 0)
        return call.op(
            name,
            call.x,
            axis=call.axis(),
            keepdims=bool(call.get("keepdim", False)),
            ddof=1 if correction is None else int(correction),
        )

    return translate


def _vector_norm(call: Call) -> Result:
    return call.op(
        "linalg.norm",
        call.x,
        ord=float(call.get("ord", call.get("p", 2)) or 2),
        axis=call.axis(),
        keepdims=bool(call.get("keepdim", False)),
    )


def _along(name: str) -> Translator:
    return lambda call: call.op(name, call.x, axis=call["dim"])


# -- shapes ---------------------------------------------------------------------------------------


def _reshape(call: Call) -> Result:
    shape = call.get("size", call.get("shape"))
    return call.op("reshape", call.x, shape=tuple(_number(n) for n in shape))


def _number(n: Any) -> int:
    """A length, which must be a plain number."""
    if isinstance(n, Ref) and n.value is not None and n.value.size == 1:
        return int(n.value.item())
    if not isinstance(n, int):
        raise Untranslatable("a length is computed by the program")
    return n


def _flatten(call: Call) -> Result:
    shape = call.x.known_shape or (1,)
    start, end = call["start_dim"] % len(shape), call["end_dim"] % len(shape)
    wanted = (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :])
    return call.x if wanted == call.x.shape else call.op("reshape", call.x, shape=wanted)


def _unflatten(call: Call) -> Result:
    shape = call.x.known_shape
    k = call["dim"] % len(shape)
    sizes = tuple(_number(n) for n in call["sizes"])
    return call.op("reshape", call.x, shape=(*shape[:k], *sizes, *shape[k + 1 :]))


def _transposed(call: Call) -> Result:
    return call.op("swapaxes", call.x, axis1=call["dim0"], axis2=call["dim1"])


def _squeeze(call: Call) -> Result:
    axis, shape = call.axis(), call.x.known_shape
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    single = tuple(k for k in axes if shape[k] == 1)  # torch passes over longer ones
    return call.op("squeeze", call.x, axis=single) if single else call.x


def _expand(call: Call) -> Result:
    wanted, shape = [_number(n) for n in call["size"]], call.x.known_shape
    old = (1,) * (len(wanted) - len(shape)) + shape
    target = tuple(o if n == -1 else n for n, o in zip(wanted, old, strict=True))
    return call.x if target == shape else call.op("broadcast_to", call.x, shape=target)


def _expand_as(call: Call) -> Result:
    shape = call.tensor("other").known_shape
    return call.x if shape == call.x.shape else call.op("broadcast_to", call.x, shape=shape)


def _split(call: Call) -> Result:
    x, axis = call.x, call.get("dim", 0)
    size = call.get("split_size", call.get("split_sizes"))
    length = x.known_shape[axis]
    if isinstance(size, int):
        cuts = tuple(range(size, length, size))
    else:
        cuts = tuple(int(n) for n in np.cumsum([_number(n) for n in size])[:-1])
    return call.outputs("split", x, indices_or_sections=cuts, axis=axis) if cuts else (x,)


def _chunk(call: Call) -> Result:
    x, axis = call.x, call.get("dim", 0)
    length = x.known_shape[axis]
    size = max(-(-length // call["chunks"]), 1)
    cuts = tuple(range(size, length, size))
    return call.outputs("split", x, indices_or_sections=cuts, axis=axis) if cuts else (x,)


def _pad(call: Call) -> Result:
    x, pads = call.x, [_number(n) for n in call["pad"]]
    width = [(0, 0)] * x.ndim
    for k in range(len(pads) // 2):  # from the last axis on
        width[x.ndim - 1 - k] = (pads[2 * k], pads[2 * k + 1])
    if min(pads, default=0) < 0:
        raise Untranslatable("it cuts off")
    mode = {"replicate": "edge", "circular": "wrap"}.get(m := call.get("mode", "constant"), m)
    value = {"constant_values": float(call.get("value") or 0)} if mode == "constant" else {}
    return call.op("pad", x, pad_width=tuple(width), mode=mode, **value)


# -- picking --------------------------------------------------------------------------------------


def _at(call: Call, axis: int, part: Any) -> Ref:
    k = axis % max(call.x.ndim, 1)
    return call.op("getitem", call.x, index=(*(slice(None),) * k, part))


def _slice(call: Call) -> Result:
    start, end, step = call.get("start"), call.get("end"), call.get("step", 1)
    end = None if end is not None and end >= 2**31 else end
    if not start and end is None and step == 1:
        return call.x
    return _at(call, call.get("dim", 0), slice(start, end, None if step == 1 else step))


def _narrow(call: Call) -> Result:
    start = _number(call["start"])
    return _at(call, call["dim"], slice(start, start + _number(call["length"])))


def _index(call: Call) -> Result:
    parts: list[Any] = []
    for ref in call["indices"]:
        if ref is not None and ref.value is None:
            raise Untranslatable("its indices are not known")
        parts.append(slice(None) if ref is None else ref.value)
    return call.op("getitem", call.x, index=tuple(parts))


def _take(call: Call) -> Result:
    return call.op("take", call.x, call.tensor("index"), axis=call["dim"])


def _gather(call: Call) -> Result:
    return call.op("take_along_axis", call.x, call.tensor("index"), axis=call["dim"])


def _triangle(name: str) -> Translator:
    return lambda call: call.op(name, call.x, k=call["diagonal"])


# -- new tensors ----------------------------------------------------------------------------------


def _full(value: float | None) -> Translator:
    def translate(call: Call) -> Result:
        shape = tuple(_number(n) for n in call["size"])
        if math.prod(shape) > _MOST_ELEMENTS:
            raise Untranslatable("it would be too large")
        fill = call["fill_value"] if value is None else value
        dtype = call.get("dtype")
        usual = np.float32 if isinstance(fill, float) else np.int64
        return call.constant(np.full(shape, fill, usual if dtype is None else dtype_of(dtype)))

    return translate


def _full_like(value: float | None) -> Translator:
    def translate(call: Call) -> Result:
        dtype, x = call.get("dtype"), call.x
        fill = call["fill_value"] if value is None else value
        kind = x.known_dtype if dtype is None else dtype_of(dtype)
        return call.constant(np.full(x.known_shape, fill, kind))

    return translate


def _arange(call: Call) -> Result:
    start, end, step = call.get("start", 0), call["end"], call.get("step", 1)
    if abs(end - start) > _MOST_ELEMENTS * abs(step):
        raise Untranslatable("it would be too long")
    dtype = call.get("dtype")
    whole = all(isinstance(n, int) for n in (start, end, step))
    usual = np.int64 if whole else np.float32
    values = np.arange(start, end, step)
    return call.constant(values.astype(usual if dtype is None else dtype_of(dtype)))


def _scalar(call: Call) -> Result:
    dtype = call.get("dtype")
    value = next(iter(call.arguments.values()))
    return call.constant(value, np.float32 if dtype is None else dtype_of(dtype))


def _folded(function: Callable[..., Any]) -> Translator:
    """A comparison: there is none here, but masks are mostly made of constants."""

    def translate(call: Call) -> Result:
        values = []
        for argument in call.arguments.values():
            if isinstance(argument, Ref) and (argument.value is None or not argument.constant):
                raise Untranslatable("there is no such operation here, and its inputs are data")
            values.append(argument.value if isinstance(argument, Ref) else argument)
        return call.constant(function(*values))

    return translate


TRANSLATORS: dict[str, Translator] = {
    **{
        theirs: _reduction(ours)
        for theirs, ours in {
            "amax": "amax", "amin": "amin", "logsumexp": "logsumexp", "max": "max", "mean": "mean",
            "min": "min", "nansum": "nansum", "prod": "prod", "sum": "sum",
        }.items()
    },
    **{
        theirs: _folded(function)
        for theirs, function in {
            "eq": np.equal, "ge": np.greater_equal, "gt": np.greater, "le": np.less_equal,
            "lt": np.less, "ne": np.not_equal, "logical_and": np.logical_and,
            "logical_not": np.logical_not, "logical_or": np.logical_or, "bitwise_not": np.invert,
        }.items()
    },
    **{name: _along(name) for name in ("cumsum", "cumprod", "logcumsumexp")},
    **dict.fromkeys(("_log_softmax", "log_softmax"), _along("log_softmax")),
    **dict.fromkeys(("_softmax", "softmax"), _along("softmax")),
    **dict.fromkeys(("_unsafe_view", "reshape", "view"), _reshape),
    **dict.fromkeys(("split", "split_with_sizes"), _split),
    **dict.fromkeys(("constant_pad_nd", "pad"), _pad),
    "arange": _arange,
    "cat": lambda call: call.op("concatenate", *call.tensors("tensors"), axis=call.get("dim", 0)),
    "chunk": _chunk,
    "expand": _expand,
    "expand_as": _expand_as,
    "flatten": _flatten,
    "flip": lambda call: call.op("flip", call.x, axis=tuple(call["dims"])),
    "full": _full(None),
    "full_like": _full_like(None),
    "gather": _gather,
    "index": _index,
    "index_select": _take,
    "linalg_vector_norm": _vector_norm,
    "movedim": lambda call: call.op(
        "moveaxis", call.x, source=call["source"], destination=call["destination"]
    ),
    "narrow": _narrow,
    "norm": _vector_norm,
    "ones": _full(1.0),
    "ones_like": _full_like(1.0),
    "permute": lambda call: call.op("transpose", call.x, axes=tuple(call["dims"])),
    "pixel_shuffle": lambda call: call.op(
        "pixel_shuffle", call.x, upscale_factor=call["upscale_factor"]
    ),
    "repeat": lambda call: call.op("tile", call.x, reps=tuple(call["repeats"])),
    "roll": lambda call: call.op(
        "roll", call.x, shift=tuple(call["shifts"]), axis=tuple(call["dims"]) or None
    ),
    "scalar_tensor": _scalar,
    "select": lambda call: _at(call, call["dim"], _number(call["index"])),
    "slice": _slice,
    "squeeze": _squeeze,
    "stack": lambda call: call.op("stack", *call.tensors("tensors"), axis=call.get("dim", 0)),
    "std": _spread("std"),
    "t": lambda call: call.op("transpose", call.x),
    "transpose": _transposed,
    "tril": _triangle("tril"),
    "triu": _triangle("triu"),
    "unbind": lambda call: call.outputs("unstack", call.x, axis=call.get("dim", 0)),
    "unflatten": _unflatten,
    "unsqueeze": lambda call: call.op("expand_dims", call.x, axis=call["dim"]),
    "var": _spread("var"),
    "zeros": _full(0.0),
    "zeros_like": _full_like(0.0),
}  # fmt: skip
