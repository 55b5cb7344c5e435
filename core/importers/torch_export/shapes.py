"""Torch's shapes and picking in our operations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.importers.building.refs import Ref, Untranslatable
from core.importers.torch_export.call import Call, Result, Translator, number

# -- shapes ---------------------------------------------------------------------------------------


def _reshape(call: Call) -> Result:
    shape = call.get("size", call.get("shape"))
    return call.op("reshape", call.x, shape=tuple(number(n) for n in shape))


def _flatten(call: Call) -> Result:
    shape = call.x.known_shape or (1,)
    start, end = call["start_dim"] % len(shape), call["end_dim"] % len(shape)
    wanted = (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :])
    return call.x if wanted == call.x.shape else call.op("reshape", call.x, shape=wanted)


def _unflatten(call: Call) -> Result:
    shape = call.x.known_shape
    k = call["dim"] % len(shape)
    sizes = tuple(number(n) for n in call["sizes"])
    return call.op("reshape", call.x, shape=(*shape[:k], *sizes, *shape[k + 1 :]))


def _transposed(call: Call) -> Result:
    return call.op("swapaxes", call.x, axis1=call["dim0"], axis2=call["dim1"])


def _squeeze(call: Call) -> Result:
    axis, shape = call.axis(), call.x.known_shape
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    single = tuple(k for k in axes if shape[k] == 1)  # torch passes over longer ones
    return call.op("squeeze", call.x, axis=single) if single else call.x


def _expand(call: Call) -> Result:
    wanted, shape = [number(n) for n in call["size"]], call.x.known_shape
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
        cuts = tuple(int(n) for n in np.cumsum([number(n) for n in size])[:-1])
    return call.outputs("split", x, indices_or_sections=cuts, axis=axis) if cuts else (x,)


def _chunk(call: Call) -> Result:
    x, axis = call.x, call.get("dim", 0)
    length = x.known_shape[axis]
    size = max(-(-length // call["chunks"]), 1)
    cuts = tuple(range(size, length, size))
    return call.outputs("split", x, indices_or_sections=cuts, axis=axis) if cuts else (x,)


def _pad(call: Call) -> Result:
    x, pads = call.x, [number(n) for n in call["pad"]]
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
    start = number(call["start"])
    return _at(call, call["dim"], slice(start, start + number(call["length"])))


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


TRANSLATORS: dict[str, Translator] = {
    **dict.fromkeys(("_unsafe_view", "reshape", "view"), _reshape),
    **dict.fromkeys(("split", "split_with_sizes"), _split),
    **dict.fromkeys(("constant_pad_nd", "pad"), _pad),
    "cat": lambda call: call.op("concatenate", *call.tensors("tensors"), axis=call.get("dim", 0)),
    "chunk": _chunk,
    "expand": _expand,
    "expand_as": _expand_as,
    "flatten": _flatten,
    "flip": lambda call: call.op("flip", call.x, axis=tuple(call["dims"])),
    "gather": _gather,
    "index": _index,
    "index_select": _take,
    "movedim": lambda call: call.op(
        "moveaxis", call.x, source=call["source"], destination=call["destination"]
    ),
    "narrow": _narrow,
    "permute": lambda call: call.op("transpose", call.x, axes=tuple(call["dims"])),
    "pixel_shuffle": lambda call: call.op(
        "pixel_shuffle", call.x, upscale_factor=call["upscale_factor"]
    ),
    "repeat": lambda call: call.op("tile", call.x, reps=tuple(call["repeats"])),
    "roll": lambda call: call.op(
        "roll", call.x, shift=tuple(call["shifts"]), axis=tuple(call["dims"]) or None
    ),
    "select": lambda call: _at(call, call["dim"], number(call["index"])),
    "slice": _slice,
    "squeeze": _squeeze,
    "stack": lambda call: call.op("stack", *call.tensors("tensors"), axis=call.get("dim", 0)),
    "t": lambda call: call.op("transpose", call.x),
    "transpose": _transposed,
    "tril": _triangle("tril"),
    "triu": _triangle("triu"),
    "unbind": lambda call: call.outputs("unstack", call.x, axis=call.get("dim", 0)),
    "unflatten": _unflatten,
    "unsqueeze": lambda call: call.op("expand_dims", call.x, axis=call["dim"]),
}
