"""NumPy's own functions on Tensors: which operation a call means, and with what parameters."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.errors import UnsupportedError, did_you_mean
from core.library import OPS
from core.library.casting import CAST
from core.library.spec import OpSpec
from core.numpy_names import COMPOSED

#: What NumPy's function is called with beside ports and parameters, and the only value allowed.
_NEUTRAL: dict[str, Any] = {
    "out": None, "dtype": None, "where": True, "casting": "same_kind", "order": "K", "subok": True,
    "initial": np._NoValue, "optimize": False, "kind": None, "stable": None, "mode": "raise",
    "copy": None, "overwrite_input": False, "method": "linear", "prepend": np._NoValue,
    "append": np._NoValue, "weights": None, "interpolation": None, "mean": np._NoValue,
    "correction": np._NoValue, "like": None, "hermitian": False, "rtol": np._NoValue,
    "rcond": None, "upper": False, "compute_uv": True, "decimals": 0,
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
#: What ``ufunc.reduce`` and ``ufunc.accumulate`` mean.
REDUCTIONS: dict[tuple[np.ufunc, str], OpSpec] = {
    (ufunc, method): NAMED[name]
    for ufunc, names in {
        np.add: ("sum", "cumsum"),
        np.multiply: ("prod", "cumprod"),
        np.maximum: ("amax", "cummax"),
        np.minimum: ("amin", "cummin"),
        np.logaddexp: ("logsumexp", "logcumsumexp"),
    }.items()
    for method, name in zip(("reduce", "accumulate"), names, strict=True)
}
#: Functions without a gradient: results are Tensors that need no grad.
PLAIN: frozenset[Callable[..., Any]] = frozenset({
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal,
    np.logical_and, np.logical_or, np.logical_not, np.logical_xor,
    np.isnan, np.isinf, np.isfinite, np.isneginf, np.isposinf, np.signbit, np.floor_divide,
    np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.isclose, np.array_equal,
    np.array_equiv, np.allclose, np.argmax, np.argmin, np.argsort, np.nanargmax, np.nanargmin,
    np.argwhere, np.nonzero, np.flatnonzero, np.count_nonzero, np.searchsorted, np.all, np.any,
    np.isin, np.unique, np.zeros_like, np.ones_like, np.full_like, np.empty_like, np.digitize,
    np.bincount, np.histogram, np.argpartition, np.lexsort, np.isreal, np.iscomplex,
    np.unravel_index, np.around,
})  # fmt: skip
#: Questions about shape and type, answered with plain Python values.
ABOUT: frozenset[Callable[..., Any]] = frozenset({
    np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.result_type, np.can_cast,
    np.may_share_memory, np.shares_memory, np.min_scalar_type, np.common_type,
    np.array_repr, np.array_str, np.array2string,
})  # fmt: skip
#: NumPy's other names of parameters.
_SYNONYMS = {"correction": "ddof"}
#: Unsupported functions whose nearest relative has quite another name.
_RELATIVES: dict[str, Callable[..., Any]] = {
    "eig": np.linalg.eigh, "eigvals": np.linalg.eigvalsh, "partition": np.sort,
    "lstsq": np.linalg.pinv, "convolve": np.linalg.matmul, "correlate": np.linalg.matmul,
    "interp": np.where, "piecewise": np.select, "put": np.where, "place": np.where,
}  # fmt: skip


def by_name(name: str) -> OpSpec | None:
    """The operation of that name or alias, hidden ones excepted."""
    spec = ALIASES.get(name)
    return None if spec is None or spec.hidden else spec


def name_of(function: Callable[..., Any]) -> str:
    """NumPy's name of a function, for messages: ``np.linalg.inv``."""
    module = getattr(function, "__module__", "") or "numpy"
    name = getattr(function, "__name__", str(function))
    return f"{module.replace('numpy', 'np', 1)}.{name}"


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a NumPy function's arguments are read as those of an operation.

    Attributes:
        names: NumPy's positional parameters, in order.
        ports: the input each of NumPy's parameters gives, by its name.
        params: the operation's parameter each gives, by its name.
        defaults: parameters whose default is another in NumPy than in the operation.
        takes_one: whether one argument alone is the operation's first input.
    """

    spec: OpSpec
    names: tuple[str, ...]
    ports: dict[str, int]
    params: dict[str, str]
    defaults: dict[str, Any]
    takes_one: bool


@functools.cache
def _reading(function: Callable[..., Any]) -> _Reading:
    spec = SPECS[function]
    own = {p.name: p.default for p in spec.params}
    known = _signature(function)
    ports: dict[str, int] = {}
    params: dict[str, str] = {}
    for place, name in enumerate(known):
        meant = _SYNONYMS.get(name, name)
        if meant in own and (place >= len(spec.ports) or name not in spec.ports):
            params[name] = meant
        elif place < len(spec.ports):
            ports[name] = place
    defaults = {
        params[name]: default
        for name, default in known.items()
        if name in params and default not in (inspect.Parameter.empty, np._NoValue)
    }
    differing = {name: value for name, value in defaults.items() if value != own[name]}
    # Of arguments behind NumPy's ** (np.pad's constant_values) the signature knows nothing.
    takes_one = not spec.variadic and next(iter(known)) in ports
    known_params = {**{p: p for p in own}, **params}
    return _Reading(spec, tuple(known), ports, known_params, differing, takes_one)


def _signature(function: Callable[..., Any]) -> dict[str, Any]:
    """NumPy's parameters and their defaults; x1, x2, ... of a ufunc."""
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    if not isinstance(function, np.ufunc):
        parameters = inspect.signature(function).parameters.values()
        return {p.name: p.default for p in parameters if p.kind not in kinds}
    return {f"x{i + 1}": inspect.Parameter.empty for i in range(len(SPECS[function].ports))}


def understand(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[OpSpec, Sequence[Any], dict[str, Any]]:
    """The operation, its inputs and its parameters that a NumPy call means.

    Raises:
        UnsupportedError: if no operation stands for the function, or an argument of NumPy's has
            no meaning here.
    """
    if function not in SPECS:
        raise unsupported(function)
    reading = _reading(function)
    spec = reading.spec
    if len(args) == 1 and not kwargs and reading.takes_one:
        return spec, args, reading.defaults
    if len(args) > len(reading.names):
        raise UnsupportedError(
            f"{name_of(function)} was given {len(args)} arguments.",
            next_step=f"{spec.name} takes {_takes(spec)}.",
        )
    inputs: dict[int, Any] = {}
    settings = dict(reading.defaults)
    for name, value in (*zip(reading.names, args, strict=False), *kwargs.items()):
        if name in reading.ports:
            inputs[reading.ports[name]] = value
        elif name in reading.params:
            settings[reading.params[name]] = value
        else:
            _refuse_setting(function, spec, name, value)
    found = [inputs.get(k) for k in range(max(inputs, default=-1) + 1)]
    if spec.variadic:
        found = list(found[0] or ())
    return spec, found, settings


def understand_method(
    ufunc: np.ufunc, method: str, kwargs: dict[str, Any]
) -> tuple[OpSpec, dict[str, Any]]:
    """The operation and parameters that ``ufunc.reduce`` or ``ufunc.accumulate`` means.

    Raises:
        UnsupportedError: there is none, or an argument has no meaning here.
    """
    spec = REDUCTIONS.get((ufunc, method))
    if spec is None:
        raise unsupported(ufunc, method)
    settings = {"axis": 0}
    for name, value in kwargs.items():
        if name in spec.defaults:
            settings[name] = value
        else:
            _refuse_setting(ufunc, spec, name, value)
    return spec, settings


def _refuse_setting(function: Callable[..., Any], spec: OpSpec, name: str, value: Any) -> None:
    """Refuse an argument that the operation does not have, unless it changes nothing."""
    if name not in _NEUTRAL:
        raise UnsupportedError(
            f"{name_of(function)} was given '{name}', which {spec.name} does not take.",
            next_step=did_you_mean(
                name, [p.name for p in spec.params], f"{spec.name} takes {_takes(spec)}."
            ),
        )
    neutral = _NEUTRAL[name]
    same = isinstance(value, bool | int | float | str) and value == neutral
    if value is not None and value is not neutral and not same:
        raise UnsupportedError(
            f"{name_of(function)}({name}={value!r}) is not supported on Tensors.",
            next_step=f"Leave {name} out; {spec.name} takes {_takes(spec)}.",
        )


def unsupported(function: Callable[..., Any], method: str = "") -> UnsupportedError:
    """The error for a NumPy function that has no operation; it names the nearest that has."""
    name = getattr(function, "__name__", str(function))
    if method:
        known: Iterable[str] = (f"{name_of(f)}.{m}" for f, m in REDUCTIONS if m == method)
        near = difflib.get_close_matches(f"{name_of(function)}.{method}", known, 1, 0.0)
    elif name in _RELATIVES:
        near = [name_of(_RELATIVES[name])]
    else:
        names = {name_of(f) for f in (*SPECS, *COMPOSED, *PLAIN)}
        near = difflib.get_close_matches(name_of(function), sorted(names), 1, 0.0)
    said = f"{name_of(function)}.{method}" if method else name_of(function)
    return UnsupportedError(
        f"{said} is not supported on Tensors.",
        next_step=f"The nearest that is: {near[0] if near else 'np.sum'}. For a plain array "
        "without gradients use x.detach().data.",
    )


def _takes(spec: OpSpec) -> str:
    return ", ".join([*spec.ports, *(p.name for p in spec.params)])
