"""Losses of classes."""

from __future__ import annotations

from core.importers.building.refs import Ref
from core.onnx.reading.call import Call, Result, Translator

#: What no class is called, for losses that leave nothing out.
_NO_CLASS = -(2**31)


def _loss(call: Call, name: str) -> Ref:
    weight = call.optional(2)
    return call.op(
        name,
        call.input(0),
        call.input(1),
        *([weight] if weight is not None else []),
        reduction=call.attribute("reduction", "mean"),
        ignore_index=call.attribute("ignore_index", _NO_CLASS),
    )


def _cross_entropy(call: Call) -> Result:
    y = _loss(call, "cross_entropy")
    return (y, call.op("log_softmax", call.x, axis=1)) if call.uses(1) else y


TRANSLATORS: dict[str, Translator] = {
    "NegativeLogLikelihoodLoss": lambda call: _loss(call, "nll_loss"),
    "SoftmaxCrossEntropyLoss": _cross_entropy,
}
