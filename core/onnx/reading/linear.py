"""Products of matrices and convolutions."""

from __future__ import annotations

from core.importers.building.refs import Ref, Untranslatable
from core.onnx.reading.call import Call, Result, Translator
from core.onnx.reading.shapes import padded
from core.onnx.reading.sliding import conv3d
from core.onnx.reading.windows import plain, window


def _gemm(call: Call) -> Result:
    a, b, c = call.input(0), call.input(1), call.optional(2)
    alpha, beta = call.attribute("alpha", 1.0), call.attribute("beta", 1.0)
    turn_a, turn_b = call.attribute("transA", 0), call.attribute("transB", 0)
    flat = c is None or (c.shape is not None and len(c.shape) == 1)
    if turn_b and not turn_a and alpha == 1 and beta == 1 and flat and _is_bias(b, c):
        return call.op("linear", a, b, c)  # what torch's Linear is exported as
    a = call.op("transpose", a) if turn_a else a
    b = call.op("transpose", b) if turn_b else b
    y = _scaled(call, call.op("matmul", a, b), alpha)
    return y if c is None else call.op("add", y, _scaled(call, c, beta))


def _is_bias(weight: Ref, bias: Ref | None) -> bool:
    return bias is None or bias.known_shape == weight.known_shape[:1]


def _scaled(call: Call, x: Ref, factor: float) -> Ref:
    return x if factor == 1 else call.op("multiply", x, call.constant(factor, x))


def _einsum(call: Call) -> Result:
    equation = str(call.attribute("equation")).replace(" ", "")
    return call.op("einsum", *call.inputs, subscripts=equation)


def _conv(call: Call) -> Result:
    x, weight, bias = call.input(0), call.input(1), call.optional(2)
    w = window(call, weight.known_shape[2:])
    if len(w.kernel) == 3:
        return conv3d(call, x, weight, bias, w)
    padding = w.begins if w.even else (0,) * len(w.begins)
    if not w.even:
        x = padded(call, x, w.pads)
    return call.op(
        f"conv{len(w.kernel)}d",
        x,
        weight,
        bias,
        stride=plain(w.strides),
        padding=plain(padding),
        dilation=plain(w.dilations),
        groups=call.attribute("group", 1),
    )


def _conv_transpose(call: Call) -> Result:
    x, weight, bias = call.input(0), call.input(1), call.optional(2)
    kernel = weight.known_shape[2:]
    n = x.ndim - 2
    if n not in (1, 2):
        raise Untranslatable(f"it slides over {n} axes; here it may be one or two")
    strides, dilations = call.ints("strides", n, 1), call.ints("dilations", n, 1)
    extra = call.ints("output_padding", n, 0)
    whole = tuple(
        s * (length - 1) + o + (k - 1) * d + 1
        for s, length, o, k, d in zip(
            strides, x.known_shape[2:], extra, kernel, dilations, strict=True
        )
    )
    pads = call.ints("pads", 2 * n, 0)
    auto, wanted = call.attribute("auto_pad", "NOTSET"), call.attribute("output_shape")
    if wanted is not None or auto in ("SAME_UPPER", "SAME_LOWER"):
        same = tuple(length * s for length, s in zip(x.known_shape[2:], strides, strict=True))
        target = same if wanted is None else tuple(wanted)[-n:]
        over = [full - t for full, t in zip(whole, target, strict=True)]
        less, more = [m // 2 for m in over], [m - m // 2 for m in over]
        pads = (*less, *more) if auto == "SAME_UPPER" else (*more, *less)
    begins, ends = pads[:n], pads[n:]
    even = begins == ends and min(begins, default=0) >= 0
    # What ONNX pads here is cut off the result; torch's padding cuts as much at both ends.
    padding = begins if even else (0,) * n
    y = call.op(
        f"conv_transpose{n}d",
        x,
        weight,
        bias,
        stride=plain(strides),
        padding=plain(padding),
        output_padding=plain(extra),
        dilation=plain(dilations),
        groups=call.attribute("group", 1),
    )
    return y if even else padded(call, y, tuple(-p for p in (0, 0, *begins, 0, 0, *ends)))


TRANSLATORS: dict[str, Translator] = {
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "Det": lambda call: call.op("linalg.det", call.x),
    "Einsum": _einsum,
    "Gemm": _gemm,
    "MatMul": lambda call: call.op("matmul", call.input(0), call.input(1)),
}
