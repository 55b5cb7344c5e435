"""Torch's products, layers and losses in our operations; recurrent layers are unrolled."""

from __future__ import annotations

from typing import Any

from core.importers.building.refs import Ref, Untranslatable
from core.importers.torch_export.call import Call, Result, Translator, pair

#: A sequence longer than this makes more nodes than can be looked at.
MOST_STEPS = 256
_REDUCTIONS = ("none", "mean", "sum")

# -- products -------------------------------------------------------------------------------------


def _product(first: str, second: str) -> Translator:
    return lambda call: call.op("matmul", call.tensor(first), call.tensor(second))


def _added_product(first: str, second: str) -> Translator:
    """beta · self + alpha · (first @ second)."""

    def translate(call: Call) -> Result:
        product = call.op("matmul", call.tensor(first), call.tensor(second))
        product = call.scaled(product, call.get("alpha", 1))
        return call.op("add", product, call.scaled(call.tensor("self"), call.get("beta", 1)))

    return translate


def _linear(call: Call) -> Result:
    return call.op("linear", call.tensor("input"), call.tensor("weight"), call.maybe("bias"))


def _einsum(call: Call) -> Result:
    return call.op("einsum", *call.tensors("tensors"), subscripts=call["equation"])


# -- windows --------------------------------------------------------------------------------------


def _conv(n: int, transposed: bool = False) -> Translator:
    def translate(call: Call) -> Result:
        params: dict[str, Any] = {"groups": call.get("groups", 1)}
        for name in ("stride", "padding", "dilation", *(("output_padding",) if transposed else ())):
            value = call[name]
            if isinstance(value, str):
                raise Untranslatable(f"its {name} is {value!r}")
            params[name] = pair(value, n)
        name = f"conv_transpose{n}d" if transposed else f"conv{n}d"
        return call.op(
            name, call.tensor("input"), call.tensor("weight"), call.maybe("bias"), **params
        )

    return translate


def _convolution(call: Call) -> Result:
    n = call.tensor("weight").ndim - 2
    if n not in (1, 2):
        raise Untranslatable(f"it slides over {n} axes; here it may be one or two")
    return _conv(n, bool(call["transposed"]))(call)


def _max_pool(n: int) -> Translator:
    def translate(call: Call) -> Result:
        stride = call["stride"]
        return call.op(
            f"max_pool{n}d",
            call.x,
            kernel_size=pair(call["kernel_size"], n),
            stride=pair(stride, n) if stride else None,
            padding=pair(call["padding"], n),
            dilation=pair(call["dilation"], n),
            ceil_mode=call["ceil_mode"],
        )

    return translate


def _avg_pool(n: int) -> Translator:
    def translate(call: Call) -> Result:
        stride = call["stride"]
        if call.get("divisor_override") is not None:
            raise Untranslatable("it has a divisor of its own")
        return call.op(
            f"avg_pool{n}d",
            call.x,
            kernel_size=pair(call["kernel_size"], n),
            stride=pair(stride, n) if stride else None,
            padding=pair(call["padding"], n),
            ceil_mode=call["ceil_mode"],
            count_include_pad=call["count_include_pad"],
        )

    return translate


def _adaptive(call: Call) -> Result:
    return call.op("adaptive_avg_pool2d", call.x, output_size=pair(call["output_size"], 2))


def _resized(mode: str) -> Translator:
    def translate(call: Call) -> Result:
        size = call.get("output_size")
        if size is None:
            scales = call["scale_factors"]
            size = [int(n * s) for n, s in zip(call.x.known_shape[2:], scales, strict=True)]
        aligned = {"align_corners": call["align_corners"]} if mode == "bilinear" else {}
        return call.op("interpolate", call.x, size=list(size), mode=mode, **aligned)

    return translate


# -- normalisation, attention ---------------------------------------------------------------------


def _batch_norm(call: Call) -> Result:
    statistics = [call.maybe("running_mean"), call.maybe("running_var")]
    training = bool(call.get("training", False))
    return call.op(
        "batch_norm",
        call.x,
        call.maybe("weight"),
        call.maybe("bias"),
        *statistics,
        training=training,
        eps=call["eps"],
    )


def _over_last(name: str, *ports: str) -> Translator:
    def translate(call: Call) -> Result:
        return call.op(
            name,
            call.x,
            *(call.maybe(port) for port in ports),
            normalized_shape=list(call["normalized_shape"]),
            eps=call["eps"],
        )

    return translate


def _group_norm(call: Call) -> Result:
    parts = (call.maybe("weight"), call.maybe("bias"))
    return call.op("group_norm", call.x, *parts, num_groups=call["num_groups"], eps=call["eps"])


def _instance_norm(call: Call) -> Result:
    parts = (call.maybe("weight"), call.maybe("bias"))
    return call.op("instance_norm", call.x, *parts, eps=call["eps"])


def _attention(call: Call) -> Result:
    if call.get("dropout_p") or call.get("enable_gqa"):
        raise Untranslatable("it drops out, or shares its keys")
    inputs = (call.tensor("query"), call.tensor("key"), call.tensor("value"))
    return call.op(
        "scaled_dot_product_attention",
        *inputs,
        call.maybe("attn_mask"),
        is_causal=call["is_causal"],
        scale=call.get("scale"),
    )


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
    "adaptive_avg_pool2d": _adaptive,
    "addmm": _added_product("mat1", "mat2"),
    "avg_pool1d": _avg_pool(1),
    "avg_pool2d": _avg_pool(2),
    "baddbmm": _added_product("batch1", "batch2"),
    "batch_norm": _batch_norm,
    "binary_cross_entropy_with_logits": _bce_with_logits,
    "bmm": _product("self", "mat2"),
    "conv1d": _conv(1),
    "conv2d": _conv(2),
    "conv_transpose1d": _conv(1, transposed=True),
    "conv_transpose2d": _conv(2, transposed=True),
    "convolution": _convolution,
    "cross_entropy_loss": _of_classes("cross_entropy", "ignore_index", "label_smoothing"),
    "dot": _product("self", "tensor"),
    "einsum": _einsum,
    "embedding": lambda call: call.op("embedding", call.tensor("weight"), call.tensor("indices")),
    "group_norm": _group_norm,
    "gru": _recurrent("gru_cell", 1),
    "huber_loss": _loss("huber_loss", delta="delta"),
    "instance_norm": _instance_norm,
    "l1_loss": _loss("l1_loss"),
    "layer_norm": _over_last("layer_norm", "weight", "bias"),
    "linear": _linear,
    "lstm": _recurrent("lstm_cell", 2),
    "matmul": _product("self", "other"),
    "max_pool1d": _max_pool(1),
    "max_pool2d": _max_pool(2),
    "mm": _product("self", "mat2"),
    "mse_loss": _loss("mse_loss"),
    "mv": _product("self", "vec"),
    "nll_loss": _of_classes("nll_loss", "ignore_index"),
    "outer": lambda call: call.op("outer", call.tensor("self"), call.tensor("vec2")),
    "rms_norm": _over_last("rms_norm", "weight"),
    "rnn_tanh": _recurrent("rnn_tanh_cell", 1),
    "scaled_dot_product_attention": _attention,
    "smooth_l1_loss": _loss("smooth_l1_loss", beta="beta"),
    "upsample_bilinear2d": _resized("bilinear"),
    "upsample_nearest2d": _resized("nearest"),
}
