"""Normalisation over channels, groups and last axes; softmax."""

from __future__ import annotations

import math

from core.importers.building.refs import Ref, Untranslatable
from core.onnx.reading.call import Call, Result, Translator


def _batch_norm(call: Call) -> Result:
    x, mean, var = call.x, call.input(3), call.input(4)
    eps = call.attribute("epsilon", 1e-5)
    if not call.attribute("training_mode", 0):
        if any(call.uses(k) for k in range(1, len(call.node.outputs))):
            raise Untranslatable("its statistics are asked for, but it does not train")
        inputs = (x, call.input(1), call.input(2), mean, var)
        return call.op("batch_norm", *inputs, training=False, eps=eps)
    y = call.op("batch_norm", x, call.input(1), call.input(2), training=True, eps=eps)
    axes = (0, *range(2, x.ndim))
    results = [y]
    for k, (name, old) in enumerate((("mean", mean), ("var", var)), 1):
        if call.uses(k):
            old_part = call.attribute("momentum", 0.9)
            now = call.op(name, x, axis=axes)
            kept = call.op("multiply", old, call.constant(old_part, old))
            new = call.op("multiply", now, call.constant(1 - old_part, now))
            results.append(call.op("add", kept, new))
        else:
            results.append(old)
    return tuple(results)


def _layer_norm(call: Call) -> Result:
    x, weight, bias = call.x, call.input(1), call.optional(2)
    axis, eps = call.attribute("axis", -1), call.attribute("epsilon", 1e-5)
    shape = x.known_shape[axis:]
    results = [_affine(call, "layer_norm", x, shape, eps, weight, bias)]
    axes = tuple(range(axis % x.ndim, x.ndim))
    if call.uses(1):
        results.append(call.op("mean", x, axis=axes, keepdims=True))
    if call.uses(2):
        var = call.op("var", x, axis=axes, keepdims=True)
        inverse = call.op("rsqrt", call.op("add", var, call.constant(eps, x)))
        results += [x] * (2 - len(results)) + [inverse]
    return tuple(results)


def _rms_norm(call: Call) -> Result:
    x, axis = call.x, call.attribute("axis", -1)
    shape, eps = x.known_shape[axis:], call.attribute("epsilon", 1e-5)
    return _affine(call, "rms_norm", x, shape, eps, call.input(1), None)


def _affine(
    call: Call,
    name: str,
    x: Ref,
    shape: tuple[int, ...],
    eps: float,
    weight: Ref,
    bias: Ref | None,
) -> Ref:
    """Normalised over the last axes, times the weight, plus the bias: one node where they fit."""
    params = {"normalized_shape": list(shape), "eps": eps}
    if weight.known_shape == shape and (bias is None or bias.known_shape == shape):
        return call.op(name, x, weight, *([bias] if bias is not None else []), **params)
    y = call.op("multiply", call.op(name, x, **params), weight)
    return y if bias is None else call.op("add", y, bias)


def _instance_norm(call: Call) -> Result:
    eps = call.attribute("epsilon", 1e-5)
    return call.op("instance_norm", call.x, call.input(1), call.input(2), eps=eps)


def _group_norm(call: Call) -> Result:
    x, weight, bias = call.x, call.input(1), call.input(2)
    groups, eps = call.attribute("num_groups", 1), call.attribute("epsilon", 1e-5)
    channels = x.known_shape[1]
    if weight.known_shape == (groups,) and groups != channels:  # up to version 20: one a group
        weight, bias = (
            call.op("repeat", r, repeats=channels // groups, axis=0) for r in (weight, bias)
        )
    return call.op("group_norm", x, weight, bias, num_groups=groups, eps=eps)


def _lp_norm(call: Call) -> Result:
    return call.op(
        "normalize",
        call.x,
        p=float(call.attribute("p", 2)),
        axis=call.attribute("axis", -1),
        eps=1e-12,
    )


def _mean_variance_norm(call: Call) -> Result:
    x, axes = call.x, call.attribute("axes", (0, 2, 3))
    centred = call.op("subtract", x, call.op("mean", x, axis=axes, keepdims=True))
    spread = call.op("std", x, axis=axes, keepdims=True)
    return call.op("divide", centred, call.op("add", spread, call.constant(1e-9, x)))


def _softmax(name: str) -> Translator:
    def translate(call: Call) -> Result:
        x = call.x
        axis = call.attribute("axis", -1 if call.opset >= 13 else 1)
        if call.opset >= 13 or axis % max(x.ndim, 1) == x.ndim - 1:
            return call.op(name, x, axis=axis)
        # Up to version 12 everything from the axis on was one row.
        shape = x.known_shape
        rows = (math.prod(shape[:axis]), math.prod(shape[axis:]))
        y = call.op(name, call.op("reshape", x, shape=rows), axis=1)
        return call.op("reshape", y, shape=shape)

    return translate


TRANSLATORS: dict[str, Translator] = {
    "BatchNormalization": _batch_norm,
    "GroupNormalization": _group_norm,
    "InstanceNormalization": _instance_norm,
    "LayerNormalization": _layer_norm,
    "LogSoftmax": _softmax("log_softmax"),
    "LpNormalization": _lp_norm,
    "MeanVarianceNormalization": _mean_variance_norm,
    "RMSNormalization": _rms_norm,
    "Softmax": _softmax("softmax"),
}
