"""Resize: along each axis every output is a fixed mixture of inputs, a row of a matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core import ops
from core.importers.building.refs import Ref, Untranslatable
from core.onnx.reading.call import Call, Result, Translator
from core.onnx.records import Array

#: Rows of a matrix for an axis; more make it larger than what is resized.
_LONGEST = 4096
#: How our own operation may be set; one of them often is what a model wants.
_OURS: tuple[dict[str, Any], ...] = (
    {"mode": "nearest"},
    {"mode": "bilinear", "align_corners": False},
    {"mode": "bilinear", "align_corners": True},
)


def _resize(call: Call) -> Result:
    x = call.x
    axes = tuple(k % x.ndim for k in call.attribute("axes") or range(x.ndim))
    if call.attribute("antialias", 0):
        raise Untranslatable("it smooths before it takes samples")
    matrices = {
        axis: _matrix(call, x.known_shape[axis], length, scale)
        for axis, (length, scale) in zip(axes, _lengths(call, axes), strict=True)
    }
    wanted = {
        axis: matrix
        for axis, matrix in matrices.items()
        if matrix.shape[0] != matrix.shape[1] or not np.array_equal(matrix, np.eye(len(matrix)))
    }
    if x.ndim >= 2 and wanted and set(wanted) <= {x.ndim - 2, x.ndim - 1}:
        rows, columns = (
            matrices.get(k, np.eye(x.known_shape[k])) for k in (x.ndim - 2, x.ndim - 1)
        )
        for params in _OURS:
            if _gives(params, rows) and _gives(params, columns):
                return call.op("interpolate", x, size=[len(rows), len(columns)], **params)
    for axis, matrix in wanted.items():
        x = _mixed(call, x, axis, matrix)
    return x


def _gives(params: dict[str, Any], matrix: Array) -> bool:
    """Whether our own operation mixes the elements of an axis like that."""
    n, m = matrix.shape[1], matrix.shape[0]
    own = ops.find("interpolate")
    made = own.forward(np.eye(n)[None, None], **{**own.defaults, **params, "size": [n, m]})
    return bool(np.allclose(made[0, 0].T, matrix, atol=1e-7))


def _mixed(call: Call, x: Ref, axis: int, matrix: Array) -> Ref:
    if np.isin(matrix, (0, 1)).all():  # every output is one of the inputs
        return call.op("take", x, call.constant(matrix.argmax(axis=1)), axis=axis)
    letters = "abcdefgh"[: x.ndim]
    old = letters[axis]
    subscripts = f"z{old},{letters}->{letters.replace(old, 'z')}"
    return call.op("einsum", call.constant(matrix, x), x, subscripts=subscripts)


# -- lengths --------------------------------------------------------------------------------------


def _lengths(call: Call, axes: Sequence[int]) -> list[tuple[int, float]]:
    """The new length of each axis, and by what factor it is scaled."""
    shape = [call.x.known_shape[k] for k in axes]
    old = call.opset < 11  # then there was no region between the value and the scales
    scales, sizes = call.setting(1 if old else 2), None if old else call.setting(3)
    if scales is not None and scales.size:
        factors = [float(s) for s in scales]
        return [(math.floor(n * s), s) for n, s in zip(shape, factors, strict=True)]
    if sizes is None:
        raise Untranslatable("it has neither scales nor sizes")
    lengths = [int(n) for n in sizes]
    policy = call.attribute("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        parts = [m / n for m, n in zip(lengths, shape, strict=True)]
        scale = min(parts) if policy == "not_larger" else max(parts)
        return [(math.floor(n * scale + 0.5), scale) for n in shape]
    return [(m, m / n) for m, n in zip(lengths, shape, strict=True)]


# -- one axis -------------------------------------------------------------------------------------


def _matrix(call: Call, n: int, m: int, scale: float) -> Array:
    """(m, n): how much each of n inputs counts in each of m outputs."""
    if max(n, m) > _LONGEST or min(n, m) < 1 or scale <= 0:
        raise Untranslatable(f"an axis goes from {n} to {m} elements")
    places = _places(call, n, m, scale)
    mode = call.attribute("mode", "nearest")
    matrix = np.zeros((m, n))
    if mode == "nearest":
        matrix[np.arange(m), np.clip(_nearest(call, places), 0, n - 1)] = 1
        return matrix
    if mode not in ("linear", "cubic"):
        raise Untranslatable(f"its mode is {mode!r}")
    before = np.floor(places).astype(int)
    ratio = places - before
    cubic = mode == "cubic"
    parts = _cubic(ratio, call.attribute("cubic_coeff_a", -0.75)) if cubic else _linear(ratio)
    for k, part in enumerate(parts, -1 if cubic else 0):
        where = before + k
        if call.attribute("exclude_outside", 0):
            part = np.where((where < 0) | (where >= n), 0, part)
        np.add.at(matrix, (np.arange(m), np.clip(where, 0, n - 1)), part)
    if call.attribute("exclude_outside", 0):
        matrix /= matrix.sum(axis=1, keepdims=True)
    return matrix


def _places(call: Call, n: int, m: int, scale: float) -> Array:
    """Where each output is among the inputs."""
    usual = "half_pixel" if call.opset >= 11 else "asymmetric"
    mode = call.attribute("coordinate_transformation_mode", usual)
    i = np.arange(m)
    width = scale * n  # before it was rounded
    centred = (i + 0.5) / scale - 0.5
    if mode == "asymmetric":
        return np.asarray(i / scale)
    if mode == "half_pixel" or (mode == "pytorch_half_pixel" and m > 1):
        return centred
    if mode == "half_pixel_symmetric":
        return np.asarray(n / 2 * (1 - m / width) + centred)
    if mode == "align_corners":
        return np.asarray(i * ((n - 1) / (width - 1)) if width != 1 else np.zeros(m))
    if mode == "pytorch_half_pixel":
        return np.full(m, -0.5)
    raise Untranslatable(f"its coordinates are those of {mode!r}")


def _nearest(call: Call, places: Array) -> Array:
    mode = call.attribute("nearest_mode", "round_prefer_floor" if call.opset >= 11 else "floor")
    rounded = {
        "floor": np.floor(places),
        "ceil": np.ceil(places),
        "round_prefer_floor": np.ceil(places - 0.5),
        "round_prefer_ceil": np.floor(places + 0.5),
    }.get(mode)
    if rounded is None:
        raise Untranslatable(f"it rounds by {mode!r}")
    return np.asarray(rounded.astype(int))


def _linear(ratio: Array) -> tuple[Array, ...]:
    return 1 - ratio, ratio


def _cubic(r: Array, a: float) -> tuple[Array, ...]:
    """Keys' convolution, Cubic Convolution Interpolation for Digital Image Processing (1981)."""
    s = 1 - r
    return (
        ((a * (r + 1) - 5 * a) * (r + 1) + 8 * a) * (r + 1) - 4 * a,
        ((a + 2) * r - (a + 3)) * r * r + 1,
        ((a + 2) * s - (a + 3)) * s * s + 1,
        ((a * (s + 1) - 5 * a) * (s + 1) + 8 * a) * (s + 1) - 4 * a,
    )


TRANSLATORS: dict[str, Translator] = {"Resize": _resize, "Upsample": _resize}
