"""Other shapes of the same values: reshaping, joining, cutting, padding."""

from __future__ import annotations

import math

import numpy as np

from core.importers.building.refs import Ref, Untranslatable
from core.onnx.reading.call import Call, Result, Translator
from core.onnx.records import Shape


def _reshape(call: Call) -> Result:
    wanted = call.whole(1, "shape")
    if wanted is None:
        raise Untranslatable("it has no shape")
    if 0 in wanted and not call.attribute("allowzero", 0):  # 0 stands for the length before
        old = call.x.known_shape
        wanted = tuple(old[k] if n == 0 and k < len(old) else n for k, n in enumerate(wanted))
    return call.op("reshape", call.x, shape=wanted)


def _flatten(call: Call) -> Result:
    shape, axis = call.x.known_shape, call.attribute("axis", 1)
    axis = axis + len(shape) if axis < 0 else axis
    wanted = (math.prod(shape[:axis]), math.prod(shape[axis:]))
    return call.x if shape == wanted else call.op("reshape", call.x, shape=wanted)


def _transpose(call: Call) -> Result:
    return call.op("transpose", call.x, axes=call.attribute("perm"))


def _squeeze(call: Call) -> Result:
    return call.op("squeeze", call.x, axis=call.whole(1, "axes"))


def _unsqueeze(call: Call) -> Result:
    axes = call.whole(1, "axes")
    if axes is None:
        raise Untranslatable("it names no axes")
    if len(axes) == 1:
        return call.op("expand_dims", call.x, axis=axes[0])
    shape = np.expand_dims(np.empty(call.x.known_shape, bool), axes).shape
    return call.op("reshape", call.x, shape=shape)


def _expand(call: Call) -> Result:
    wanted = call.whole(1)
    if wanted is None:
        raise Untranslatable("it has no shape")
    shape = np.broadcast_shapes(call.x.known_shape, wanted)
    return call.op("broadcast_to", call.x, shape=shape)


def _concat(call: Call) -> Result:
    refs = [call.input(k) for k in range(len(call.inputs))]
    if len(refs) == 1:
        return refs[0]
    return call.op("concatenate", *refs, axis=call.attribute("axis", 1))


def _split(call: Call) -> Result:
    axis, x, count = call.attribute("axis", 0), call.x, len(call.node.outputs)
    lengths = call.whole(1, "split")
    if lengths is None:
        whole = x.known_shape[axis]
        part = -(-whole // count)
        lengths = tuple(min(part, max(whole - part * k, 0)) for k in range(count))
    if len(lengths) != count:
        raise Untranslatable(f"it names {len(lengths)} lengths for {count} outputs")
    if count == 1:
        return x
    cuts = tuple(int(n) for n in np.cumsum(lengths[:-1]))
    return call.outputs("split", x, indices_or_sections=cuts, axis=axis)


def _slice(call: Call) -> Result:
    starts, ends = call.whole(1, "starts"), call.whole(2, "ends")
    if starts is None or ends is None or len(starts) != len(ends):
        raise Untranslatable("its starts and ends do not match")
    axes = call.whole(3, "axes") or tuple(range(len(starts)))
    steps = call.whole(4) or (1,) * len(starts)
    parts = [slice(None)] * call.x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        length = call.x.known_shape[axis]
        # Below zero means from the end; what is still below then, going backwards, is the end.
        last: int | None = end + length if -length <= end < 0 else end
        if step < 0 and last is not None and last < 0:
            last = None
        parts[axis] = slice(start if start >= -length else 0, last, step)
    return call.op("getitem", call.x, index=tuple(map(_plain, parts)))


def _plain(part: slice) -> slice:
    """A slice without bounds beyond what an array can have: exporters write the largest int."""
    far = 2**31
    start = None if part.start == 0 and part.step > 0 else part.start
    stop = None if part.stop is not None and part.stop >= far - 1 else part.stop
    if start is not None and start >= far - 1:
        start = None if part.step < 0 else far
    return slice(start, stop, None if part.step == 1 else part.step)


def _tile(call: Call) -> Result:
    reps = call.whole(1)
    if reps is None:
        raise Untranslatable("it does not say how often")
    return call.op("tile", call.x, reps=reps)


def padded(call: Call, x: Ref, pads: Shape, mode: str = "constant", value: float = 0.0) -> Ref:
    """With so many elements more at the begins of the axes, then the ends; fewer, where below 0."""
    n = x.ndim
    if len(pads) != 2 * n:
        raise Untranslatable(f"it pads {len(pads) // 2} axes of {n}")
    width = tuple((max(pads[k], 0), max(pads[n + k], 0)) for k in range(n))
    if any(map(any, width)):
        params = {"constant_values": value} if mode == "constant" else {}
        x = call.op("pad", x, pad_width=width, mode=mode, **params)
    if min(pads, default=0) < 0:
        cut = tuple(slice(max(-pads[k], 0), min(pads[n + k], 0) or None) for k in range(n))
        x = call.op("getitem", x, index=cut)
    return x


def _pad(call: Call) -> Result:
    x = call.x
    pads = call.whole(1, "pads")
    if pads is None:
        raise Untranslatable("it does not say how much")
    axes = call.whole(3)
    if axes is not None:
        every = [0] * (2 * x.ndim)
        for k, axis in enumerate(axes):
            every[axis % x.ndim] = pads[k]
            every[x.ndim + axis % x.ndim] = pads[len(axes) + k]
        pads = tuple(every)
    value = call.setting(2)
    fill = call.attribute("value", 0.0) if value is None else float(value.reshape(-1)[0])
    return call.like(padded(call, x, pads, call.attribute("mode", "constant"), fill), x)


def _depth_to_space(call: Call) -> Result:
    block = call.attribute("blocksize", 1)
    if call.attribute("mode", "DCR") == "CRD":
        return call.op("pixel_shuffle", call.x, upscale_factor=block)
    n, c, h, w = call.x.known_shape
    split = call.op("reshape", call.x, shape=(n, block, block, c // block**2, h, w))
    turned = call.op("transpose", split, axes=(0, 3, 4, 1, 5, 2))
    return call.op("reshape", turned, shape=(n, c // block**2, h * block, w * block))


def _space_to_depth(call: Call) -> Result:
    block = call.attribute("blocksize", 1)
    n, c, h, w = call.x.known_shape
    split = call.op("reshape", call.x, shape=(n, c, h // block, block, w // block, block))
    axes = (0, 1, 3, 5, 2, 4) if call.attribute("mode", "DCR") == "CRD" else (0, 3, 5, 1, 2, 4)
    turned = call.op("transpose", split, axes=axes)
    return call.op("reshape", turned, shape=(n, c * block**2, h // block, w // block))


def _triangle(call: Call) -> Result:
    k = call.whole(1) or (0,)
    return call.op("triu" if call.attribute("upper", 1) else "tril", call.x, k=k[0])


def _center_crop_or_pad(call: Call) -> Result:
    x, wanted = call.x, call.whole(1)
    if wanted is None:
        raise Untranslatable("it has no shape")
    axes = call.attribute("axes") or tuple(range(x.ndim))
    pads = [0] * (2 * x.ndim)
    for axis, length in zip(axes, wanted, strict=True):
        missing = length - x.known_shape[axis]
        before = missing // 2 if missing > 0 else -(-missing // 2)
        pads[axis % x.ndim], pads[x.ndim + axis % x.ndim] = before, missing - before
    return padded(call, x, tuple(pads))


TRANSLATORS: dict[str, Translator] = {
    "CenterCropPad": _center_crop_or_pad,
    "Concat": _concat,
    "DepthToSpace": _depth_to_space,
    "Expand": _expand,
    "Flatten": _flatten,
    "Pad": _pad,
    "Reshape": _reshape,
    "Slice": _slice,
    "SpaceToDepth": _space_to_depth,
    "Split": _split,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "Transpose": _transpose,
    "Trilu": _triangle,
    "Unsqueeze": _unsqueeze,
}
