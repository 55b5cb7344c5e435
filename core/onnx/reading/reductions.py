"""Sums, means, norms and the like over axes; running sums; what is sorted."""

from __future__ import annotations

import numpy as np

from core.importers.building.refs import Ref, Untranslatable
from core.onnx.reading.call import Call, Result, Translator

Axes = tuple[int, ...] | None


def _axes(call: Call) -> tuple[Axes, bool]:
    """Over which axes (None: all), and whether over none at all."""
    axes = call.whole(1, "axes")
    if not axes:
        return None, bool(call.attribute("noop_with_empty_axes", 0))
    return axes, False


def _reduction(
    name: str, before: str = "", after: str = "", empty: float | None = None
) -> Translator:
    """A reduction, with a function of every element before it or of the result after it.

    Args:
        empty: what it makes of no elements, where ours refuses.
    """

    def translate(call: Call) -> Result:
        axes, nothing = _axes(call)
        x = call.x
        keep = bool(call.attribute("keepdims", 1))
        y = call.op(before, x) if before else x
        if not nothing:
            if empty is not None and _empties(x, axes):
                return call.constant(_filled(call, x, axes, keep, empty))
            y = call.op(name, y, axis=axes, keepdims=keep)
        return call.like(call.op(after, y) if after else y, x)

    return translate


def _empties(x: Ref, axes: Axes) -> bool:
    shape = x.known_shape
    return 0 in (shape if axes is None else [shape[k] for k in axes])


def _filled(call: Call, x: Ref, axes: Axes, keep: bool, value: float) -> np.ndarray:
    shape = np.empty(x.known_shape, bool).any(axis=axes, keepdims=keep).shape
    if x.known_dtype.kind in "iu":
        bounds = np.iinfo(x.known_dtype)
        return np.full(shape, bounds.min if value < 0 else bounds.max, x.known_dtype)
    return np.full(shape, value > 0 if x.known_dtype.kind == "b" else value, x.known_dtype)


def _l2(call: Call) -> Result:
    axes, nothing = _axes(call)
    x = call.x
    if nothing:
        return call.op("absolute", x)
    keep = bool(call.attribute("keepdims", 1))
    if x.known_dtype.kind == "f" and (x.ndim if axes is None else len(axes)) <= 2 and x.ndim:
        axis = axes[0] if axes is not None and len(axes) == 1 else axes
        return call.op("linalg.norm", x, axis=axis, keepdims=keep)
    total = call.op("sum", call.op("square", x), axis=axes, keepdims=keep)
    return call.like(call.op("sqrt", total), x)


def _running(name: str, neutral: float) -> Translator:
    """A running sum or product: of what comes before, up to here, or from here on."""

    def translate(call: Call) -> Result:
        x, setting = call.x, call.whole(1)
        axis = setting[0] if setting else call.attribute("axis", 0)
        backwards = bool(call.attribute("reverse", 0))
        y = call.op("flip", x, axis=axis) if backwards else x
        if call.attribute("exclusive", 0):
            k = axis % max(x.ndim, 1)
            width = tuple((1, 0) if n == k else (0, 0) for n in range(x.ndim))
            y = call.op("pad", y, pad_width=width, constant_values=neutral)
            y = call.op("getitem", y, index=(*(slice(None),) * k, slice(None, -1)))
        y = call.like(call.op(name, y, axis=axis), x)
        return call.op("flip", y, axis=axis) if backwards else y

    return translate


def _top(call: Call) -> Result:
    count = call.whole(1, "k")
    if count is None or len(count) != 1:
        raise Untranslatable("how many it takes is not one number")
    if call.uses(1):
        raise Untranslatable("where the largest stand is asked for, too")
    return call.op(
        "topk",
        call.x,
        k=count[0],
        axis=call.attribute("axis", -1),
        largest=bool(call.attribute("largest", 1)),
    )


TRANSLATORS: dict[str, Translator] = {
    "CumProd": _running("cumprod", 1.0),
    "CumSum": _running("cumsum", 0.0),
    "ReduceL1": _reduction("sum", before="absolute"),
    "ReduceL2": _l2,
    "ReduceLogSum": _reduction("sum", after="log"),
    "ReduceLogSumExp": _reduction("logsumexp", empty=-np.inf),
    "ReduceMax": _reduction("amax", empty=-np.inf),
    "ReduceMean": _reduction("mean"),
    "ReduceMin": _reduction("amin", empty=np.inf),
    "ReduceProd": _reduction("prod"),
    "ReduceSum": _reduction("sum"),
    "ReduceSumSquare": _reduction("sum", before="square"),
    "TopK": _top,
}
