"""Torch's arithmetic, functions of one number and activations in our operations."""

from __future__ import annotations

from core.importers.building.refs import Ref, Untranslatable
from core.importers.torch_export.call import Call, Result, Translator, dtype_of


def _same(name: str) -> Translator:
    return lambda call: call.op(name, call.x)


def _two(name: str, first: str = "self", second: str = "other") -> Translator:
    """An operation of two operands, either of which may be a number."""

    def translate(call: Call) -> Result:
        a, b = call[first], call[second]
        like = a if isinstance(a, Ref) else b
        if not isinstance(like, Ref):
            raise Untranslatable("neither of its operands is a tensor")
        return call.op(name, call.operand(first, like), call.operand(second, like))

    return translate


def _added(name: str) -> Translator:
    """add and sub, whose second operand torch can scale."""

    def translate(call: Call) -> Result:
        x = call.tensor("self")
        other = call.scaled(call.operand("other", x), call.get("alpha", 1))
        return call.op(name, x, other)

    return translate


def _divided(call: Call) -> Result:
    x = call.tensor("self")
    y = call.op("divide", x, call.operand("other", x))
    how = call.get("rounding_mode")
    return y if how is None else call.op("trunc" if how == "trunc" else "floor", y)


def _reversed_sub(call: Call) -> Result:
    x = call.tensor("self")
    return call.op("subtract", call.operand("other", x), call.scaled(x, call.get("alpha", 1)))


def _clamp(call: Call) -> Result:
    x, low, high = call.tensor("self"), call.get("min"), call.get("max")
    if isinstance(low, Ref) or isinstance(high, Ref):
        x = x if low is None else call.op("maximum", x, call.operand("min", x))
        return x if high is None else call.op("minimum", x, call.operand("max", x))
    return call.op("clip", x, min=low, max=high)


def _with_product(name: str) -> Translator:
    """self + value · (tensor1 · tensor2), or over it."""

    def translate(call: Call) -> Result:
        product = call.op(name, call.tensor("tensor1"), call.tensor("tensor2"))
        return call.op("add", call.tensor("self"), call.scaled(product, call.get("value", 1)))

    return translate


def _lerp(call: Call) -> Result:
    x = call.tensor("self")
    return call.op("lerp", x, call.tensor("end"), call.operand("weight", x))


def _where(call: Call) -> Result:
    a, b = call["self"], call["other"]
    like = a if isinstance(a, Ref) else b
    if not isinstance(like, Ref):
        raise Untranslatable("neither of its values is a tensor")
    return call.op(
        "where", call.tensor("condition"), call.operand("self", like), call.operand("other", like)
    )


def _filled(call: Call) -> Result:
    value = call["value"]
    if isinstance(value, Ref):
        return call.op("where", call.tensor("mask"), value, call.tensor("self"))
    return call.op("masked_fill", call.tensor("self"), call.tensor("mask"), value=value)


def _cast(call: Call) -> Result:
    return call.x if call.get("dtype") is None else call.cast(call.x, dtype_of(call["dtype"]))


def _with(name: str, **params: str) -> Translator:
    """An operation whose parameters torch calls otherwise: ours -> theirs."""

    def translate(call: Call) -> Result:
        return call.op(name, call.x, **{ours: call[theirs] for ours, theirs in params.items()})

    return translate


def _elu(call: Call) -> Result:
    if call["scale"] != 1 or call["input_scale"] != 1:
        raise Untranslatable("it is scaled")
    return call.op("elu", call.x, alpha=call["alpha"])


def _dropout(call: Call) -> Result:
    if call["train"] and call["p"]:
        raise Untranslatable("it draws at random while it trains: export the module in eval mode")
    return call.x


def _nan_to_num(call: Call) -> Result:
    given = {name: call.get(name) for name in ("nan", "posinf", "neginf")}
    return call.op("nan_to_num", call.x, **{**given, "nan": given["nan"] or 0.0})


_UNARY = {
    name: name
    for name in (
        "cos", "cosh", "digamma", "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "floor", "ceil",
        "hardsigmoid", "hardswish", "log", "log10", "log1p", "log2", "mish", "reciprocal", "relu",
        "relu6", "rsqrt", "selu", "sigmoid", "sign", "silu", "sin", "sinc", "sinh", "softsign",
        "sqrt", "square", "tan", "tanh", "trunc", "deg2rad",
    )
} | {
    "abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
    "atan": "arctan", "atanh": "arctanh", "lgamma": "gammaln", "log_sigmoid": "logsigmoid",
    "neg": "negative", "round": "rint",
}  # fmt: skip

TRANSLATORS: dict[str, Translator] = {
    **{theirs: _same(ours) for theirs, ours in _UNARY.items()},
    **{
        theirs: _two(ours)
        for theirs, ours in {
            "atan2": "arctan2", "copysign": "copysign", "fmax": "fmax", "fmin": "fmin",
            "fmod": "fmod", "hypot": "hypot", "logaddexp": "logaddexp", "maximum": "maximum",
            "minimum": "minimum", "mul": "multiply", "remainder": "remainder", "xlogy": "xlogy",
        }.items()
    },
    **dict.fromkeys(("alias", "clone", "contiguous", "lift_fresh_copy"), lambda call: call.x),
    **dict.fromkeys(("_to_copy", "to", "type_as"), _cast),
    "add": _added("add"),
    "addcdiv": _with_product("divide"),
    "addcmul": _with_product("multiply"),
    "celu": _with("celu", alpha="alpha"),
    "clamp": _clamp,
    "clamp_max": _clamp,
    "clamp_min": _clamp,
    "detach": lambda call: call.op("detach", call.x),
    "div": _divided,
    "dropout": _dropout,
    "elu": _elu,
    "gelu": _with("gelu", approximate="approximate"),
    "glu": _with("glu", axis="dim"),
    "hardshrink": _with("hardshrink", lambd="lambd"),
    "hardtanh": _with("hardtanh", min_val="min_val", max_val="max_val"),
    "leaky_relu": _with("leaky_relu", negative_slope="negative_slope"),
    "lerp": _lerp,
    "masked_fill": _filled,
    "nan_to_num": _nan_to_num,
    "pow": _two("power", "self", "exponent"),
    "prelu": lambda call: call.op("prelu", call.tensor("self"), call.tensor("weight")),
    "rsub": _reversed_sub,
    "softplus": _with("softplus", beta="beta", threshold="threshold"),
    "softshrink": _with("softshrink", lambd="lambd"),
    "sub": _added("subtract"),
    "threshold": _with("threshold", threshold="threshold", value="value"),
    "where": _where,
}  # fmt: skip
