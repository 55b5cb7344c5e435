"""Windows over three axes, or with holes: slid along one axis after another, by slices.

Sums and maxima over a box are sums and maxima along each of its sides, so that it takes as many
slices as the sides have elements together.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from core.importers.building.refs import Ref, Untranslatable
from core.onnx.reading.call import Call
from core.onnx.reading.shapes import padded
from core.onnx.reading.windows import Window
from core.onnx.records import Shape

#: Slices of one axis; more make more nodes than can be looked at.
_LONGEST = 32


def slid(call: Call, x: Ref, w: Window, op: str, fill: float = 0.0) -> Ref:
    """An operation of two ("add", "maximum") over all elements of each window.

    Args:
        fill: what stands around the value.
    """
    counts = _counts(call, x, w)
    ends = [
        (m - 1) * s + (k - 1) * d + 1 - n - b
        for m, s, k, d, n, b in zip(
            counts, w.strides, w.kernel, w.dilations, x.known_shape[2:], w.begins, strict=True
        )
    ]
    x = padded(call, x, (0, 0, *w.begins, 0, 0, *ends), value=fill)
    for axis, (m, s, k, d) in enumerate(
        zip(counts, w.strides, w.kernel, w.dilations, strict=True), 2
    ):
        if k > _LONGEST:
            raise Untranslatable(f"its windows are {k} long")
        lead = (slice(None),) * axis
        parts = [
            call.op("getitem", x, index=(*lead, slice(i * d, i * d + s * (m - 1) + 1, s)))
            for i in range(k)
        ]
        x = reduce(lambda a, b: call.op(op, a, b), parts)
    return x


def _counts(call: Call, x: Ref, w: Window) -> Shape:
    """How many windows there are along each axis."""
    counts = []
    for n, k, s, d, b, e in zip(
        x.known_shape[2:], w.kernel, w.strides, w.dilations, w.begins, w.ends, strict=True
    ):
        room = n + b + e - (k - 1) * d - 1
        if room < 0 or s < 1:
            raise Untranslatable("its windows are larger than what they slide over")
        m = room // s + 1
        if call.attribute("ceil_mode", 0) and room % s and m * s < n + b:
            m += 1  # a last one that reaches beyond the end, unless it begins there
        counts.append(m)
    return tuple(counts)


def average(call: Call, w: Window) -> Ref:
    """The mean of each window, with or without what stands around the value."""
    x = call.x
    ones, around = np.ones(x.known_shape), w
    if call.attribute("count_include_pad", 0):
        if call.attribute("ceil_mode", 0) and any(w.ends):
            raise Untranslatable("it counts pads, and has a window beyond them")
        ones = np.pad(ones, ((0, 0), (0, 0), *zip(w.begins, w.ends, strict=True)), mode="edge")
        nothing = (0,) * len(w.kernel)
        around = Window(w.kernel, w.strides, w.dilations, nothing, nothing)
    count = slid(call, call.constant(ones, x), around, "add")
    return call.op("divide", slid(call, x, w, "add"), count)


def conv3d(call: Call, x: Ref, weight: Ref, bias: Ref | None, w: Window) -> Ref:
    """A convolution over three axes: one over two for every step of its depth, added."""
    x = padded(call, x, w.pads)
    n, channels, _, height, width = x.known_shape
    (m, *_), (s, *strides), (d, *dilations) = _counts_of(x, w), w.strides, w.dilations
    parts = []
    for i in range(w.kernel[0]):
        planes = call.op("getitem", x, index=(slice(None), slice(None), _every(i * d, s, m)))
        planes = call.op("moveaxis", planes, source=2, destination=1)
        planes = call.op("reshape", planes, shape=(n * m, channels, height, width))
        kernel = call.op("getitem", weight, index=(slice(None), slice(None), i))
        parts.append(
            call.op(
                "conv2d",
                planes,
                kernel,
                bias if i == 0 else None,
                stride=strides,
                dilation=dilations,
                groups=call.attribute("group", 1),
            )
        )
    y = reduce(lambda a, b: call.op("add", a, b), parts)
    made = y.known_shape
    y = call.op("reshape", y, shape=(n, m, *made[1:]))
    return call.op("moveaxis", y, source=1, destination=2)


def _every(start: int, step: int, count: int) -> slice:
    return slice(start, start + step * (count - 1) + 1, step)


def _counts_of(x: Ref, w: Window) -> Shape:
    """How many windows fit into a value that is padded already."""
    return tuple(
        (n - (k - 1) * d - 1) // s + 1
        for n, k, s, d in zip(x.known_shape[2:], w.kernel, w.strides, w.dilations, strict=True)
    )
