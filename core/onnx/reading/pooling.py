"""Pooling, resizing, and normalising over windows of channels."""

from __future__ import annotations

import numpy as np

from core.importers.building.refs import Ref, Untranslatable
from core.onnx.reading.call import Call, Result, Translator
from core.onnx.reading.shapes import padded
from core.onnx.reading.sliding import average, slid
from core.onnx.reading.windows import Window, plain, window


def _max_pool(call: Call) -> Result:
    if call.uses(1):
        raise Untranslatable("where the largest stand is asked for, too")
    x, w = call.x, window(call)
    lowest = -np.inf if x.known_dtype.kind == "f" else float(np.iinfo(x.known_dtype).min)
    if len(w.kernel) == 3:
        return slid(call, x, w, "maximum", lowest)
    padding, w = (w.begins, w) if _fits(w) else ((0,) * len(w.kernel), w)
    if not _fits(w):
        x = padded(call, x, w.pads, value=lowest)
    return call.op(
        f"max_pool{len(w.kernel)}d",
        x,
        kernel_size=plain(w.kernel),
        stride=plain(w.strides),
        padding=plain(padding),
        dilation=plain(w.dilations),
        ceil_mode=bool(call.attribute("ceil_mode", 0)),
    )


def _fits(w: Window) -> bool:
    """Whether our pooling takes these pads: the same at both ends, at most half a window."""
    return w.even and all(2 * p <= k for p, k in zip(w.begins, w.kernel, strict=True))


def _average(call: Call, x: Ref, w: Window, *, count_pads: bool) -> Ref:
    padding = w.begins
    if not _fits(w):
        x, padding = padded(call, x, w.pads), (0,) * len(w.begins)
    return call.op(
        f"avg_pool{len(w.kernel)}d",
        x,
        kernel_size=plain(w.kernel),
        stride=plain(w.strides),
        padding=plain(padding),
        ceil_mode=bool(call.attribute("ceil_mode", 0)),
        count_include_pad=count_pads,
    )


def _average_pool(call: Call) -> Result:
    w = window(call)
    count_pads = bool(call.attribute("count_include_pad", 0))
    if len(w.kernel) == 3 or set(w.dilations) != {1}:
        return average(call, w)
    y = _average(call, call.x, w, count_pads=count_pads)
    if count_pads or _fits(w):
        return y
    # The pads were counted as zeros: put right by how much of each window is no pad.
    part = _average(call, call.constant(np.ones(call.x.known_shape), y), w, count_pads=True)
    return call.op("divide", y, part)


def _lp_pool(call: Call) -> Result:
    w, p = window(call), call.attribute("p", 2)
    size = call.attribute("kernel_shape")
    if size is None:
        raise Untranslatable("it has no windows")
    absolute = call.op("absolute", call.x) if p % 2 else call.x
    powers = call.op("power", absolute, call.constant(p, call.x))
    return call.op("power", slid(call, powers, w, "add"), call.constant(1 / p, call.x))


def _global(name: str) -> Translator:
    return lambda call: call.op(name, call.x, axis=tuple(range(2, call.x.ndim)), keepdims=True)


def _global_lp_pool(call: Call) -> Result:
    p = call.attribute("p", 2)
    powers = call.op("power", call.op("absolute", call.x), call.constant(p, call.x))
    total = call.op("sum", powers, axis=tuple(range(2, call.x.ndim)), keepdims=True)
    return call.op("power", total, call.constant(1 / p, call.x))


def _local_response(call: Call) -> Result:
    """Each value by a power of the sum of squares over the channels around its own."""
    x, size = call.x, call.attribute("size", 1)
    channels = x.known_shape[1]
    k = np.arange(channels)
    near = (k[:, None] - (size - 1) // 2 <= k) & (k <= k[:, None] + size // 2)
    band = call.constant(near * (call.attribute("alpha", 1e-4) / size), x)
    squares = call.op("square", x)
    rest = "hwxyz"[: x.ndim - 2]
    around = call.op("einsum", band, squares, subscripts=f"dc,nc{rest}->nd{rest}")
    base = call.op("add", around, call.constant(call.attribute("bias", 1.0), x))
    scale = call.op("power", base, call.constant(call.attribute("beta", 0.75), x))
    return call.op("divide", x, scale)


TRANSLATORS: dict[str, Translator] = {
    "AveragePool": _average_pool,
    "GlobalAveragePool": _global("mean"),
    "GlobalLpPool": _global_lp_pool,
    "GlobalMaxPool": _global("amax"),
    "LRN": _local_response,
    "LpPool": _lp_pool,
    "MaxPool": _max_pool,
}
