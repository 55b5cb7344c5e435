"""Torch's recurrent layers, unrolled, and its losses in our operations."""

from __future__ import annotations

from core.importers.building.refs import Ref, Untranslatable
from core.importers.torch_export.call import Call, Result, Translator

#: A sequence longer than this makes more nodes than can be looked at.
MOST_STEPS = 256
_REDUCTIONS = ("none", "mean", "sum")

# -- recurrent ------------------------------------------------------------------------------------


def _recurrent(cell: str, states: int) -> Translator:
    """Layers of cells, one cell a step: all of the last layer, then the last states."""

    def translate(call: Call) -> Result:
        x = call.tensor("input")
        if call["dropout"] and call["train"] and call["num_layers"] > 1:
            raise Untranslatable("it draws at random while it trains")
        starts = call.tensors("hx") if states == 2 else [call.tensor("hx")]
        weights, biases = call.tensors("params"), bool(call["has_biases"])
        if call["batch_first"]:
            x = call.op("swapaxes", x, axis1=0, axis2=1)
        length = x.known_shape[0]
        if length > MOST_STEPS:
            raise Untranslatable(f"its sequence has {length} steps; here there may be {MOST_STEPS}")
        steps = [call.op("getitem", x, index=k) for k in range(length)]
        ways = (False, True) if call["bidirectional"] else (False,)
        each, ends = 4 if biases else 2, []
        for layer in range(call["num_layers"]):
            tops = []
            for way, backwards in enumerate(ways):
                number = layer * len(ways) + way
                state = tuple(call.op("getitem", start, index=number) for start in starts)
                own = weights[number * each : (number + 1) * each]
                shown: list[Ref] = []
                for step in reversed(steps) if backwards else steps:
                    state = call.outputs(cell, step, *state, *own)
                    shown.append(state[0])
                tops.append(shown[::-1] if backwards else shown)
                ends.append(state)
            steps = [
                parts[0] if len(parts) == 1 else call.op("concatenate", *parts, axis=-1)
                for parts in zip(*tops, strict=True)
            ]
        every = call.op("stack", *steps, axis=1 if call["batch_first"] else 0)
        last = [call.op("stack", *parts, axis=0) for parts in zip(*ends, strict=True)]
        return (every, *last)

    return translate


# -- losses ---------------------------------------------------------------------------------------


def _reduction(call: Call) -> str:
    return _REDUCTIONS[call["reduction"]]


def _loss(name: str, **params: str) -> Translator:
    def translate(call: Call) -> Result:
        extra = {ours: call[theirs] for ours, theirs in params.items()}
        target = call.tensor("target")
        return call.op(name, call.x, target, reduction=_reduction(call), **extra)

    return translate


def _of_classes(name: str, *params: str) -> Translator:
    def translate(call: Call) -> Result:
        return call.op(
            name,
            call.x,
            call.tensor("target"),
            call.maybe("weight"),
            reduction=_reduction(call),
            **{param: call[param] for param in params},
        )

    return translate


def _bce_with_logits(call: Call) -> Result:
    if call.maybe("weight") is not None:
        raise Untranslatable("it weighs its elements")
    return call.op(
        "binary_cross_entropy_with_logits",
        call.x,
        call.tensor("target"),
        call.maybe("pos_weight"),
        reduction=_reduction(call),
    )


TRANSLATORS: dict[str, Translator] = {
    "binary_cross_entropy_with_logits": _bce_with_logits,
    "cross_entropy_loss": _of_classes("cross_entropy", "ignore_index", "label_smoothing"),
    "gru": _recurrent("gru_cell", 1),
    "huber_loss": _loss("huber_loss", delta="delta"),
    "l1_loss": _loss("l1_loss"),
    "lstm": _recurrent("lstm_cell", 2),
    "mse_loss": _loss("mse_loss"),
    "nll_loss": _of_classes("nll_loss", "ignore_index"),
    "rnn_tanh": _recurrent("rnn_tanh_cell", 1),
    "smooth_l1_loss": _loss("smooth_l1_loss", beta="beta"),
}
