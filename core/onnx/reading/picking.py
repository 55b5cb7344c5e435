"""Elements picked by indices, and put back by them."""

from __future__ import annotations

import math

import numpy as np

from core.importers.building.refs import Ref, Untranslatable
from core.onnx.reading.call import Call, Result, Translator
from core.onnx.records import Array


def _gather(call: Call) -> Result:
    return call.op("take", call.input(0), call.input(1), axis=call.attribute("axis", 0))


def _gather_elements(call: Call) -> Result:
    x, indices, axis = call.input(0), call.input(1), call.attribute("axis", 0)
    k = axis % max(x.ndim, 1)
    rows = tuple(
        slice(None) if n == k else slice(0, length) for n, length in enumerate(indices.known_shape)
    )
    if any(s.stop is not None and s.stop < n for s, n in zip(rows, x.known_shape, strict=True)):
        x = call.op("getitem", x, index=rows)  # ONNX leaves the rest of the other axes out
    return call.op("take_along_axis", x, indices, axis=axis)


def _gather_nd(call: Call) -> Result:
    x, batch = call.x, call.attribute("batch_dims", 0)
    indices = call.needed(1)
    lead = np.indices(indices.shape[:batch], sparse=True) if batch else ()
    places = np.moveaxis(indices, -1, 0)
    parts = [np.expand_dims(g, tuple(range(batch, places.ndim - 1))) for g in lead] + list(places)
    index = tuple(np.broadcast_to(part, places.shape[1:]).astype(np.int64) for part in parts)
    return call.op("getitem", x, index=index)


def _scatter_elements(call: Call) -> Result:
    x, indices, updates = call.input(0), call.input(1), call.input(2)
    axis, how = call.attribute("axis", 0), call.attribute("reduction", "none")
    if how == "none":
        return call.op("put_along_axis", x, indices, updates, axis=axis)
    if how == "add":
        return call.op("scatter_add", x, indices, updates, axis=axis)
    raise Untranslatable(f"it takes the {how} of what comes to one place")


def _scatter_nd(call: Call) -> Result:
    x, updates, how = call.x, call.input(2), call.attribute("reduction", "none")
    indices = call.needed(1)
    flat = indices.reshape(-1, indices.shape[-1])
    places = tuple(np.moveaxis(indices, -1, 0).astype(np.int64))
    if how == "none":
        return call.op("setitem", x, updates, index=places)
    if how == "add":
        return _added(call, x, updates, indices)
    operation = {"mul": "multiply", "max": "maximum", "min": "minimum"}.get(how)
    if operation is None or len(np.unique(flat, axis=0)) < len(flat):
        raise Untranslatable(f"it takes the {how} of what comes to one place")
    there = call.op("getitem", x, index=places)
    return call.op("setitem", x, call.op(operation, there, updates), index=places)


def _added(call: Call, x: Ref, updates: Ref, indices: Array) -> Ref:
    """What comes to one place several times is added several times: rows of a flat array."""
    shape, depth = x.known_shape, indices.shape[-1]
    rows, row = shape[:depth], math.prod(shape[depth:])
    places = np.moveaxis(indices, -1, 0) % np.reshape(rows, (-1, *(1,) * (indices.ndim - 1)))
    flat = np.ravel_multi_index(tuple(places.astype(np.int64)), rows).reshape(-1, 1)
    y = call.op(
        "scatter_add",
        call.op("reshape", x, shape=(math.prod(rows), row)),
        call.constant(np.broadcast_to(flat, (len(flat), row))),
        call.op("reshape", updates, shape=(len(flat), row)),
        axis=0,
    )
    return call.op("reshape", y, shape=shape)


def _compress(call: Call) -> Result:
    condition, axis = call.needed(1), call.attribute("axis")
    x = call.x if axis is not None else call.op("ravel", call.x)
    return call.op("take", x, call.constant(np.flatnonzero(condition)), axis=axis or 0)


def _reverse_sequence(call: Call) -> Result:
    x, lengths = call.x, call.needed(1)
    batch, time = call.attribute("batch_axis", 1), call.attribute("time_axis", 0)
    steps = np.arange(x.known_shape[time])
    order = np.stack([np.where(steps < n, n - 1 - steps, steps) for n in lengths])
    # As indices: one row an element of the batch, beside each other in whatever order the axes are.
    if batch > time:
        order = order.T
    shape = [1] * x.ndim
    shape[batch], shape[time] = len(lengths), len(steps)
    indices = np.broadcast_to(order.reshape(shape), x.known_shape)
    return call.op("take_along_axis", x, call.constant(indices), axis=time)


TRANSLATORS: dict[str, Translator] = {
    "Compress": _compress,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "ReverseSequence": _reverse_sequence,
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
}
