"""NumPy's own functions on Tensors: which operation a call means, and with what parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from core.errors import UnsupportedError, did_you_mean
from core.library import OPS
from core.library.casting import CAST
from core.library.spec import OpSpec

#: What NumPy's function is called with beside ports and parameters, and the only value allowed.
_NEUTRAL: dict[str, Any] = {
    "out": None, "dtype": None, "where": True, "casting": "same_kind", "order": "K", "subok": True,
    "initial": np._NoValue, "optimize": False, "kind": None, "stable": None, "mode": "raise",
    "copy": None, "overwrite_input": False, "method": "linear", "prepend": np._NoValue,
    "append": np._NoValue, "weights": None, "interpolation": None, "mean": np._NoValue,
    "correction": np._NoValue, "like": None, "hermitian": False, "rtol": np._NoValue,
    "rcond": None, "UPLO": "L", "upper": False, "full_matrices": False, "compute_uv": True,
}  # fmt: skip

#: NumPy functions that mean an operation.
SPECS: dict[Callable[..., Any], OpSpec] = {f: spec for spec in OPS for f in spec.numpy}
#: Operations by name, and by name or alias.
NAMED: dict[str, OpSpec] = {spec.name: spec for spec in (*OPS, CAST)}
ALIASES: dict[str, OpSpec] = {
    **{alias: spec for spec in OPS for alias in spec.aliases},
    **NAMED,
}
GETITEM, TRANSPOSE, RESHAPE = NAMED["getitem"], NAMED["transpose"], NAMED["reshape"]
#: What ``ufunc.reduce`` means.
REDUCTIONS: dict[np.ufunc, OpSpec] = {
    ufunc: NAMED[name]
    for ufunc, name in {
        np.add: "sum",
        np.multiply: "prod",
        np.maximum: "amax",
        np.minimum: "amin",
        np.logaddexp: "logsumexp",
    }.items()
    if name in NAMED
}
#: Functions without a gradient: results are Tensors that need no grad.
PLAIN: frozenset[Callable[..., Any]] = frozenset({
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal,
    np.logical_and, np.logical_or, np.logical_not, np.logical_xor,
    np.isnan, np.isinf, np.isfinite, np.isneginf, np.isposinf, np.signbit, np.floor_divide,
    np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.isclose, np.array_equal,
    np.allclose, np.argmax, np.argmin, np.argsort, np.nanargmax, np.nanargmin, np.argwhere,
    np.nonzero, np.flatnonzero, np.count_nonzero, np.searchsorted, np.all, np.any, np.isin,
    np.unique, np.zeros_like, np.ones_like, np.full_like, np.empty_like, np.digitize, np.bincount,
    np.argpartition, np.lexsort, np.isreal, np.iscomplex, np.unravel_index, np.around,
})  # fmt: skip
#: Questions about shape and type, answered with plain Python values.
ABOUT: frozenset[Callable[..., Any]] = frozenset({
    np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.result_type, np.can_cast,
    np.may_share_memory, np.shares_memory, np.min_scalar_type, np.common_type,
    np.array_repr, np.array_str, np.array2string,
})  # fmt: skip

#: torch's spelling of NumPy's parameter names.
_SPELLINGS = {"dim": "axis", "keepdim": "keepdims", "dims": "axes"}


class Method:
    """An operation as a method of a Tensor: ``x.softmax(dim=-1)``."""

    __slots__ = ("_spec", "_tensor")

    def __init__(self, spec: OpSpec, tensor: Any) -> None:
        self._spec = spec
        self._tensor = tensor

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        spec = self._spec
        params = {p.name for p in spec.params}
        named = {_SPELLINGS.get(k, k) if k not in params else k: v for k, v in kwargs.items()}
        ports = [] if spec.variadic else list(spec.ports[1:])
        inputs = [self._tensor, *args[: len(ports)]]
        inputs.extend(named.pop(port, None) for port in ports[len(inputs) - 1 :])
        settings = dict(zip((p.name for p in spec.params), args[len(ports) :], strict=False))
        return type(self._tensor).__pullback_apply__(spec, inputs, {**settings, **named})


def by_name(name: str) -> OpSpec | None:
    """The operation of that name or alias, hidden ones excepted."""
    spec = ALIASES.get(name)
    return None if spec is None or spec.hidden else spec


def name_of(function: Callable[..., Any]) -> str:
    """NumPy's name of a function, for messages: ``np.linalg.inv``."""
    module = getattr(function, "__module__", "") or "numpy"
    name = getattr(function, "__name__", str(function))
    return f"{module.replace('numpy', 'np', 1)}.{name}"


def understand(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[OpSpec, list[Any], dict[str, Any]]:
    """The operation, its inputs and its parameters that a NumPy call means.

    Raises:
        UnsupportedError: if no operation stands for the function, or an argument of NumPy's has
            no meaning here.
    """
    spec = SPECS.get(function)
    if spec is None:
        raise unsupported(function)
    params = {p.name for p in spec.params}
    inputs: list[Any] = []
    settings: dict[str, Any] = {}
    for place, (name, value) in enumerate(_bound(function, args, kwargs)):
        if spec.variadic and place == 0:
            inputs.extend(value if isinstance(value, list | tuple) else [value])
        elif name in params and (place >= len(spec.ports) or name not in spec.ports):
            settings[name] = value
        elif not spec.variadic and place < len(spec.ports):
            inputs.append(value)
        elif name in _NEUTRAL:
            if value is not None and value is not _NEUTRAL[name] and value != _NEUTRAL[name]:
                raise UnsupportedError(
                    f"{name_of(function)}({name}={value!r}) is not supported on Tensors.",
                    next_step=f"Leave {name} out; {spec.name} takes {_takes(spec)}.",
                )
        else:
            raise UnsupportedError(
                f"{name_of(function)} was given '{name}', which {spec.name} does not take.",
                next_step=did_you_mean(name, params, f"{spec.name} takes {_takes(spec)}."),
            )
    return spec, inputs, settings


def unsupported(function: Callable[..., Any]) -> UnsupportedError:
    """The error for a NumPy function that has no operation."""
    known = {f.__name__: name_of(f) for f in SPECS}
    near = did_you_mean(function.__name__, known, "")
    return UnsupportedError(
        f"{name_of(function)} is not supported on Tensors.",
        next_step=near or "Use x.detach().data for a plain array without gradients.",
    )


def _takes(spec: OpSpec) -> str:
    return ", ".join([*spec.ports, *(p.name for p in spec.params)])


def _bound(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[tuple[str, Any]]:
    """The call's arguments by NumPy's names for them, in order of NumPy's signature."""
    if isinstance(function, np.ufunc):
        return [*((f"x{i + 1}", a) for i, a in enumerate(args)), *kwargs.items()]
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (ValueError, TypeError):
        return [*((f"x{i + 1}", a) for i, a in enumerate(args)), *kwargs.items()]
    found: list[tuple[str, Any]] = []
    for name, value in bound.arguments.items():
        kind = inspect.signature(function).parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            found.extend((f"{name}{i}", v) for i, v in enumerate(value))
        elif kind is inspect.Parameter.VAR_KEYWORD:
            found.extend(value.items())
        else:
            found.append((name, value))
    return found
