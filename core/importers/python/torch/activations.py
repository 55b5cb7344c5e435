"""The activations of torch.nn.functional."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, need
from core.importers.python.torch import pointwise
from core.importers.python.torch.axes import axis_of
from core.importers.python.values import DType
from core.tensor import Tensor

_PLAIN = ("relu6", "selu", "hardsigmoid", "hardswish", "silu", "mish", "softsign", "logsigmoid")


#: Functions with numbers: torch's parameters, in order, with their defaults.
_WITH_NUMBERS: dict[str, dict[str, Any]] = {
    "leaky_relu": {"negative_slope": 0.01},
    "elu": {"alpha": 1.0},
    "celu": {"alpha": 1.0},
    "hardtanh": {"min_val": -1.0, "max_val": 1.0},
    "softplus": {"beta": 1.0, "threshold": 20.0},
    "softshrink": {"lambd": 0.5},
    "hardshrink": {"lambd": 0.5},
    "threshold": {"threshold": 0.0, "value": 0.0},
}


def _activation(op: str) -> Callable[..., Tensor]:
    names = tuple(_WITH_NUMBERS.get(op, {}))

    def function(m: Machine, input: Any, *args: Any, inplace: bool = False, **kwargs: Any) -> Any:
        x = need(input, op)
        if len(args) > len(names):
            args = args[: len(names)]  # the rest can only be inplace
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        for name in given:
            if name not in names:
                raise program_error(
                    "TypeError", f"{op}() got an unexpected keyword argument '{name}'"
                )
        params: dict[str, Any] = {name: float(value) for name, value in given.items()}
        if inplace:
            return m.views.change(x, lambda x: m.pointwise(op, x, **params))
        return m.pointwise(op, x, floating=op not in ("relu6", "hardtanh", "threshold"), **params)

    return function


def relu(m: Machine, input: Any, inplace: bool = False) -> Tensor:
    """max(x, 0)"""
    x = need(input, "relu")
    if inplace:
        return m.views.change(x, lambda x: m.op("relu", x))
    made: Tensor = m.op("relu", x)
    return made


def gelu(m: Machine, input: Any, *, approximate: str = "none") -> Tensor:
    """x · Φ(x)"""
    made: Tensor = m.op("gelu", need(input, "gelu"), approximate=approximate)
    return made


def prelu(m: Machine, input: Any, weight: Any) -> Tensor:
    """relu with a learned slope"""
    made: Tensor = m.op("prelu", need(input, "prelu"), need(weight, "prelu", 2))
    return made


def glu(m: Machine, input: Any, dim: int = -1) -> Tensor:
    """one half gated by the other"""
    made: Tensor = m.op("glu", need(input, "glu"), axis=int(dim))
    return made


def tanhshrink(m: Machine, input: Any) -> Tensor:
    """x - tanh x"""
    return pointwise.sub(m, input, m.op("tanh", need(input, "tanhshrink")))


def _along(op: str) -> Callable[..., Tensor]:
    def function(
        m: Machine, input: Any, dim: Any = None, _stacklevel: int = 3, dtype: DType | None = None
    ) -> Tensor:
        x = need(input, op)
        if dtype is not None:
            x = m.cast(x, dtype.numpy)
        if x.dtype.kind not in "fc":
            raise program_error("RuntimeError", f'"{op}" not implemented for integers')
        axis = (0 if x.ndim in (0, 1, 3) else 1) if dim is None else axis_of(x, dim)
        if not x.ndim:
            y = m.op(op, m.op("reshape", x, shape=(1,)), axis=0)
            return m.op("reshape", y, shape=())  # type: ignore[no-any-return]
        made: Tensor = m.op(op, x, axis=axis)
        return made

    return function


softmax, log_softmax = _along("softmax"), _along("log_softmax")


def softmin(m: Machine, input: Any, dim: Any = None, **_: Any) -> Tensor:
    """softmax of -x"""
    return softmax(m, m.op("negative", need(input, "softmin")), dim)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _activation(name) for name in (*_PLAIN, *_WITH_NUMBERS)},
    "relu": relu, "gelu": gelu, "prelu": prelu, "glu": glu, "tanhshrink": tanhshrink,
    "sigmoid": pointwise.FUNCTIONS["sigmoid"], "tanh": pointwise.FUNCTIONS["tanh"],
    "softmax": softmax, "log_softmax": log_softmax, "softmin": softmin,
}  # fmt: skip
