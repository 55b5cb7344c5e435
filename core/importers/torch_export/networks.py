"""Torch's products and layers in our operations."""

from __future__ import annotations

from typing import Any

from core.importers.building.refs import Untranslatable
from core.importers.torch_export.call import Call, Result, Translator, pair

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


TRANSLATORS: dict[str, Translator] = {
    "adaptive_avg_pool2d": _adaptive,
    "addmm": _added_product("mat1", "mat2"),
    "avg_pool1d": _avg_pool(1),
    "avg_pool2d": _avg_pool(2),
    "baddbmm": _added_product("batch1", "batch2"),
    "batch_norm": _batch_norm,
    "bmm": _product("self", "mat2"),
    "conv1d": _conv(1),
    "conv2d": _conv(2),
    "conv_transpose1d": _conv(1, transposed=True),
    "conv_transpose2d": _conv(2, transposed=True),
    "convolution": _convolution,
    "dot": _product("self", "tensor"),
    "einsum": _einsum,
    "embedding": lambda call: call.op("embedding", call.tensor("weight"), call.tensor("indices")),
    "group_norm": _group_norm,
    "instance_norm": _instance_norm,
    "layer_norm": _over_last("layer_norm", "weight", "bias"),
    "linear": _linear,
    "matmul": _product("self", "other"),
    "max_pool1d": _max_pool(1),
    "max_pool2d": _max_pool(2),
    "mm": _product("self", "mat2"),
    "mv": _product("self", "vec"),
    "outer": lambda call: call.op("outer", call.tensor("self"), call.tensor("vec2")),
    "rms_norm": _over_last("rms_norm", "weight"),
    "scaled_dot_product_attention": _attention,
    "upsample_bilinear2d": _resized("bilinear"),
    "upsample_nearest2d": _resized("nearest"),
}
