"""Arithmetic, functions of one number, activations."""

from __future__ import annotations

from functools import reduce

import numpy as np

from core.importers.building.refs import Ref, Untranslatable
from core.onnx.reading.call import Call, Result, Translator
from core.onnx.records import DTYPES


def _same(name: str) -> Translator:
    """An operator that is one of our operations, inputs and all."""
    return lambda call: call.op(name, *call.inputs)


def _alpha(name: str, param: str, default: float) -> Translator:
    """An activation with one parameter, which ONNX calls alpha."""
    return lambda call: call.op(name, call.x, **{param: call.attribute("alpha", default)})


# -- arithmetic -----------------------------------------------------------------------------------


def _divide(call: Call) -> Result:
    a, b = call.input(0), call.input(1)
    if a.known_dtype.kind == "f":
        return call.op("divide", a, b)
    # Whole numbers are divided towards zero, exactly: what is over is taken off first.
    whole = call.op("subtract", a, call.op("fmod", a, b))
    return call.like(call.op("divide", whole, b), a)


def _power(call: Call) -> Result:
    a, b = call.input(0), call.input(1)
    if a.known_dtype.kind == "f":
        return call.op("power", a, call.like(b, a))
    return call.like(call.op("power", a, b), a)


def _modulo(call: Call) -> Result:
    return call.op("fmod" if call.attribute("fmod", 0) else "remainder", *call.inputs)


def _folded(name: str) -> Translator:
    """One operation after another over any number of inputs."""

    def translate(call: Call) -> Result:
        refs = [call.input(k) for k in range(max(len(call.inputs), 1))]
        return reduce(lambda a, b: call.op(name, a, b), refs)

    return translate


def _mean(call: Call) -> Result:
    refs = [call.input(k) for k in range(max(len(call.inputs), 1))]
    if len(refs) == 1:
        return refs[0]
    total = reduce(lambda a, b: call.op("add", a, b), refs)
    return call.op("divide", total, call.constant(len(refs), total))


def _clip(call: Call) -> Result:
    if call.opset < 11:
        low, high = call.attribute("min"), call.attribute("max")
        return call.op("clip", call.x, min=low, max=high)
    x, bounds = call.x, (call.optional(1), call.optional(2))
    if x.known_dtype.kind == "f" and all(b is None or b.constant for b in bounds):
        low, high = (None if b is None else float(_single(b)) for b in bounds)
        return x if low is None and high is None else call.op("clip", x, min=low, max=high)
    for name, bound in zip(("maximum", "minimum"), bounds, strict=True):
        x = x if bound is None else call.op(name, x, bound)
    return x


def _single(ref: Ref) -> float:
    if ref.value is None or ref.value.size != 1:
        raise Untranslatable("a bound is not one number")
    value: float = ref.value.item()
    return value


def _cast(call: Call) -> Result:
    dtype = DTYPES.get(call.attribute("to", 1))
    if dtype is None:
        raise Untranslatable("it casts to a type that NumPy does not have")
    return call.cast(call.x, dtype)


# -- activations ----------------------------------------------------------------------------------


def _prelu(call: Call) -> Result:
    x, slope = call.input(0), call.input(1)
    channels = x.known_shape[1] if x.ndim > 1 else 1
    single = slope.known_shape in ((), (1,))
    if single or (slope.known_shape == (channels,) and (x.ndim < 3 or call.opset < 7)):
        return call.op("prelu", x, slope)
    if slope.known_shape == (channels, *(1,) * (x.ndim - 2)):  # as torch writes them
        return call.op("prelu", x, call.op("reshape", slope, shape=(channels,)))
    below = call.op("multiply", slope, call.op("relu", call.op("negative", x)))
    return call.op("subtract", call.op("relu", x), below)


def _selu(call: Call) -> Result:
    alpha = call.attribute("alpha", 1.67326319217681884765625)
    gamma = call.attribute("gamma", 1.05070102214813232421875)
    if np.isclose(alpha, 1.6732632) and np.isclose(gamma, 1.0507010):
        return call.op("selu", call.x)
    y = call.op("elu", call.x, alpha=alpha)
    return call.op("multiply", y, call.constant(gamma, y))


def _hard_sigmoid(call: Call) -> Result:
    alpha, beta = call.attribute("alpha", 0.2), call.attribute("beta", 0.5)
    if np.isclose(alpha, 1 / 6) and beta == 0.5:
        return call.op("hardsigmoid", call.x)
    line = call.op("multiply", call.x, call.constant(alpha, call.x))
    line = call.op("add", line, call.constant(beta, call.x))
    return call.op("clip", line, min=0.0, max=1.0)


def _shrink(call: Call) -> Result:
    lambd, bias = call.attribute("lambd", 0.5), call.attribute("bias", 0.0)
    if lambd == bias:
        return call.op("softshrink", call.x, lambd=lambd)
    hard = call.op("hardshrink", call.x, lambd=lambd)
    if bias == 0:
        return hard
    off = call.op("multiply", call.op("sign", hard), call.constant(bias, hard))
    return call.op("subtract", hard, off)


def _swish_of(call: Call, x: Ref) -> Ref:
    alpha = call.attribute("alpha", 1.0)
    if alpha == 1:
        return call.op("silu", x)
    gate = call.op("sigmoid", call.op("multiply", x, call.constant(alpha, x)))
    return call.op("multiply", x, gate)


def _swiglu(call: Call) -> Result:
    return call.op("multiply", _swish_of(call, call.input(0)), call.input(1))


def _gelu(call: Call) -> Result:
    return call.op("gelu", call.x, approximate=call.attribute("approximate", "none"))


def _dropout(call: Call) -> Result:
    ratio = call.attribute("ratio", 0.5) if call.opset < 12 else call.setting(1)
    training = call.opset >= 12 and bool(np.any(call.setting(2)))
    if training and (ratio is None or np.any(ratio)):
        raise Untranslatable("it draws at random while it trains")
    mask = np.ones(call.x.known_shape, bool) if call.uses(1) else np.array(True)
    return call.x, call.constant(mask)


TRANSLATORS: dict[str, Translator] = {
    **{
        onnx: _same(ours)
        for onnx, ours in {
            "Abs": "absolute", "Acos": "arccos", "Acosh": "arccosh", "Add": "add",
            "Asin": "arcsin", "Asinh": "arcsinh", "Atan": "arctan", "Atanh": "arctanh",
            "Ceil": "ceil", "Cos": "cos", "Cosh": "cosh", "Erf": "erf", "Exp": "exp",
            "Floor": "floor", "HardSwish": "hardswish", "Log": "log", "Mish": "mish",
            "Mul": "multiply", "Neg": "negative", "Reciprocal": "reciprocal", "Relu": "relu",
            "Round": "rint", "Sigmoid": "sigmoid", "Sign": "sign", "Sin": "sin", "Sinh": "sinh",
            "Softplus": "softplus", "Softsign": "softsign", "Sqrt": "sqrt", "Sub": "subtract",
            "Tan": "tan", "Tanh": "tanh", "Where": "where",
        }.items()
    },
    "Cast": _cast,
    "CastLike": lambda call: call.like(call.x, call.input(1)),
    "Celu": _alpha("celu", "alpha", 1.0),
    "Clip": _clip,
    "Div": _divide,
    "Dropout": _dropout,
    "Elu": _alpha("elu", "alpha", 1.0),
    "Gelu": _gelu,
    "HardSigmoid": _hard_sigmoid,
    "Identity": lambda call: call.x,
    "LeakyRelu": _alpha("leaky_relu", "negative_slope", 0.01),
    "Max": _folded("maximum"),
    "Mean": _mean,
    "Min": _folded("minimum"),
    "Mod": _modulo,
    "PRelu": _prelu,
    "Pow": _power,
    "Selu": _selu,
    "Shrink": _shrink,
    "Sum": _folded("add"),
    "SwiGLU": _swiglu,
    "Swish": lambda call: _swish_of(call, call.x),
    "ThresholdedRelu": _alpha("threshold", "threshold", 1.0),
}  # fmt: skip
