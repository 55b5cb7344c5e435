"""What slides windows over places: convolutions, pooling; and resampling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core import ops
from core.onnx.writing.emit import Emit, Result, Rule


def _numbers(value: Any, n: int) -> list[int]:
    return [int(k) for k in np.broadcast_to(value, (n,))]


def _batched(e: Emit, n: int, name: str) -> str:
    """An operand with an axis for the batch, which ONNX wants."""
    return e("Unsqueeze", name, e.ints(0)) if e.operand().ndim == n + 1 else name


def _unbatched(e: Emit, n: int, name: str) -> str:
    return e("Squeeze", name, e.ints(0)) if e.operand().ndim == n + 1 else name


def _convolution(n: int, op: str) -> Rule:
    def rule(e: Emit) -> Result:
        p = e.params
        attributes: dict[str, Any] = {
            "strides": _numbers(p["stride"], n),
            "pads": _pads(e, n),
            "dilations": _numbers(p["dilation"], n),
            "group": p["groups"],
        }
        if "output_padding" in p:
            attributes["output_padding"] = _numbers(p["output_padding"], n)
        x = _batched(e, n, e.x(0))
        if op == "ConvTranspose" and p["groups"] > 1:
            return _unbatched(e, n, _in_groups(e, op, x, **attributes))
        return _unbatched(e, n, e(op, x, e.x(1), e.maybe(2), **attributes))

    return rule


def _pads(e: Emit, n: int) -> list[int]:
    """Zeros before every axis, then those after: what is odd of "same" goes to the end."""
    padding = e.params["padding"]
    if padding != "same":
        return _numbers(0 if padding == "valid" else padding, n) * 2
    kernel, dilations = e.operand(1).shape[2:], _numbers(e.params["dilation"], n)
    totals = [d * (k - 1) for k, d in zip(kernel, dilations, strict=True)]
    return [total // 2 for total in totals] + [total - total // 2 for total in totals]


def _in_groups(e: Emit, op: str, x: str, group: int, **attributes: Any) -> str:
    """Group by group: ONNX's own evaluator mixes the channels of transposed convolutions up."""
    parts = e.many("Split", (x,), group, axis=1, num_outputs=group)
    weights = e.many("Split", (e.x(1),), group, axis=0, num_outputs=group)
    pairs = zip(parts, weights, strict=True)
    y = e("Concat", *(e(op, part, w, **attributes) for part, w in pairs), axis=1)
    if not e.has(2):
        return y
    places = e.operand(1).ndim - 2
    return e("Add", y, e.reshaped(e.x(2), (-1, *(1,) * places)))


def _convolve(e: Emit) -> Result:
    """NumPy's convolve turns one of the two around; Conv does not."""
    long, short = (0, 1) if e.operand(0).value.size >= e.operand(1).value.size else (1, 0)
    size = e.operand(short).value.size
    x = e.reshaped(e.x(long), (1, 1, -1))
    kernel = e("Slice", e.x(short), e.ints(-1), e.ints(-(2**62)), e.ints(0), e.ints(-1))
    kernel = e.reshaped(kernel, (1, 1, -1))
    before = {"full": size - 1, "same": size // 2, "valid": 0}[e.params["mode"]]
    after = {"full": size - 1, "same": (size - 1) // 2, "valid": 0}[e.params["mode"]]
    return e.reshaped(e("Conv", x, kernel, pads=[before, after]), (-1,))


def _pooling(n: int, op: str) -> Rule:
    def rule(e: Emit) -> Result:
        p, x = e.params, _batched(e, n, e.x())
        kernel, pads = _numbers(p["kernel_size"], n), _numbers(p["padding"], n) * 2
        attributes: dict[str, Any] = {
            "kernel_shape": kernel,
            "strides": kernel if p["stride"] is None else _numbers(p["stride"], n),
        }
        if op == "AveragePool":
            if p["ceil_mode"]:
                return _unbatched(e, n, _average_beyond(e, x, attributes, pads))
            include = int(p["count_include_pad"])
            y = e(op, x, **attributes, pads=pads, count_include_pad=include)
            return _unbatched(e, n, y)
        if any(pads) and e.dtype.kind == "f":
            # Said by a node of its own: ONNX's evaluator pads rows of one axis wrongly.
            x = e("Pad", x, e.ints(0, 0, *pads[:n], 0, 0, *pads[n:]), e.constant(-np.inf))
            pads = [0] * (2 * n)
        attributes |= {"dilations": _numbers(p["dilation"], n), "pads": pads}
        return _unbatched(e, n, e(op, x, **attributes, ceil_mode=int(p["ceil_mode"])))

    return rule


def _average_beyond(e: Emit, x: str, attributes: dict[str, Any], pads: list[int]) -> str:
    """With a last window that reaches beyond the end.

    Readers of ONNX do not agree on how many elements such a window has: the value is padded as far
    as it reaches, and the averages are put right by what they are of a value of ones.
    """
    n = len(attributes["kernel_shape"])
    ends = [
        max((out - 1) * stride + size - length - before, 0)
        for out, stride, size, length, before in zip(
            e.shape[-n:],
            attributes["strides"],
            attributes["kernel_shape"],
            e.operand().shape[-n:],
            pads,
            strict=False,
        )
    ]
    wide = e("Pad", x, e.ints(0, 0, *pads[:n], 0, 0, *ends), e.constant(0))
    plain = e("AveragePool", wide, **attributes)
    spec = ops.find(f"avg_pool{n}d")
    ones = np.ones((1, 1, *e.operand().shape[-n:]))
    width = [(0, 0), (0, 0), *zip(pads[:n], ends, strict=True)]
    whole = {**spec.defaults, "kernel_size": attributes["kernel_shape"]}
    whole["stride"] = attributes["strides"]
    part = spec.forward(np.pad(ones, width), **whole)
    return e("Mul", plain, e.constant(spec.forward(ones, **e.params) / part))


# -- resampling -----------------------------------------------------------------------------------


def _adaptive(e: Emit) -> Result:
    """Shares of the rows and of the columns, as matrices; the mean of all for one element."""
    if e.shape[-2:] == (1, 1):
        return e.reduced("ReduceMean", e.x(), (-2, -1), True)
    y = e.x()
    for axis in (-2, -1):
        size, n = e.operand().shape[axis], e.shape[axis]
        k, i = np.arange(size), np.arange(n)[:, None]
        inside = (k >= i * size // n) & (k < -(-(i + 1) * size // n))
        shares = inside / inside.sum(axis=1, keepdims=True)
        if axis == -2:
            y = e("MatMul", e.constant(shares), y)
        else:
            y = e("MatMul", y, e.constant(shares.T))
    return y


def _pixel_shuffle(e: Emit) -> Result:
    x, shape, block = e.x(), e.operand().shape, e.params["upscale_factor"]
    if len(shape) == 4:
        return e("DepthToSpace", x, blocksize=block, mode="CRD")
    x = e.reshaped(x, (math.prod(shape[:-3]), *shape[-3:]))
    return e.reshaped(e("DepthToSpace", x, blocksize=block, mode="CRD"), e.shape)


def _interpolate(e: Emit) -> Result:
    lead = e.operand().shape[:-2]
    x = e.x()
    if len(lead) != 2:
        x = e.reshaped(x, (1, math.prod(lead), *e.operand().shape[-2:]))
    batch = lead if len(lead) == 2 else (1, math.prod(lead))
    how: dict[str, Any] = {"mode": "nearest", "nearest_mode": "floor"}
    how["coordinate_transformation_mode"] = "asymmetric"
    if e.params["mode"] == "bilinear":
        aligned = "align_corners" if e.params["align_corners"] else "half_pixel"
        how = {"mode": "linear", "coordinate_transformation_mode": aligned}
    y = e("Resize", x, "", "", e.ints(*batch, *e.shape[-2:]), **how)
    return y if len(lead) == 2 else e.reshaped(y, e.shape)


RULES: dict[str, Rule] = {
    "adaptive_avg_pool2d": _adaptive,
    "avg_pool1d": _pooling(1, "AveragePool"),
    "avg_pool2d": _pooling(2, "AveragePool"),
    "conv1d": _convolution(1, "Conv"),
    "conv2d": _convolution(2, "Conv"),
    "conv_transpose1d": _convolution(1, "ConvTranspose"),
    "conv_transpose2d": _convolution(2, "ConvTranspose"),
    "convolve": _convolve,
    "interpolate": _interpolate,
    "max_pool1d": _pooling(1, "MaxPool"),
    "max_pool2d": _pooling(2, "MaxPool"),
    "pixel_shuffle": _pixel_shuffle,
}
