"""The modules of NumPy that programs import, as names to look things up in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core import dispatch
from core.importers.python import arrays
from core.importers.python.arrays import call, dtype_of, values
from core.importers.python.failures import CLASSES, outside, program_error
from core.importers.python.machine import Machine
from core.importers.python.torch.library import CONSTANTS
from core.importers.python.torch.shapes import numbers_of
from core.importers.python.values import Builtin, Context, DType, Instance, NdArray, UserClass
from core.importers.python.words import TypeName
from core.tensor import Tensor

Array = np.ndarray[Any, Any]
_LINALG_PREFIX = "np.linalg."


def _array(m: Machine, array: Any) -> NdArray:
    return NdArray(m.constant(array))


def array(m: Machine, object: Any, dtype: Any = None, **_: Any) -> NdArray:
    """np.array"""
    if isinstance(object, Tensor) and object.requires_grad:
        raise program_error(
            "RuntimeError",
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        )
    flat = _lists(m, object)
    try:
        made = np.array(flat)
    except (ValueError, OverflowError) as error:
        raise program_error("ValueError", str(error)) from None
    if made.dtype.kind not in "biufc":
        raise program_error("ValueError", "setting an array element with a sequence.")
    return _array(m, made if dtype is None else made.astype(dtype_of(dtype)))


def _lists(m: Machine, data: Any) -> Any:
    m.budget.step()
    if isinstance(data, list | tuple | range):
        m.budget.take(len(data))
        return [_lists(m, item) for item in data]
    if isinstance(data, Instance) or data is None or isinstance(data, str | dict):
        raise program_error("TypeError", "arrays are made of numbers here")
    return values(data)


def _shape(m: Machine, shape: Any) -> tuple[int, ...]:
    found = numbers_of([shape])
    m.budget.shape(found)
    return found


def _filled(value: float) -> Callable[..., NdArray]:
    def function(m: Machine, shape: Any, dtype: Any = None, **_: Any) -> NdArray:
        kind = np.dtype(np.float64) if dtype is None else dtype_of(dtype)
        return _array(m, np.full(_shape(m, shape), value, kind))

    return function


def _like(value: float) -> Callable[..., NdArray]:
    def function(m: Machine, a: Any, dtype: Any = None, **_: Any) -> NdArray:
        like = np.asarray(values(a))
        kind = like.dtype if dtype is None else dtype_of(dtype)
        return _array(m, np.full(like.shape, value, kind))

    return function


def full(m: Machine, shape: Any, fill_value: Any, dtype: Any = None) -> NdArray:
    """all elements the same"""
    kind = None if dtype is None else dtype_of(dtype)
    return _array(m, np.full(_shape(m, shape), values(fill_value), kind))


def arange(m: Machine, *bounds: Any, dtype: Any = None) -> NdArray:
    """numbers in equal steps"""
    given = [values(b) for b in bounds]
    start, stop, step = (0, *given, 1) if len(given) == 1 else (*given, 1)[:3]
    m.budget.shape((max(0, int((stop - start) / (step or 1)) + 1),))
    made = np.arange(start, stop, step)
    return _array(m, made if dtype is None else made.astype(dtype_of(dtype)))


def linspace(m: Machine, start: Any, stop: Any, num: int = 50, **_: Any) -> NdArray:
    """so many numbers from start to stop"""
    m.budget.shape((num,))
    return _array(m, np.linspace(values(start), values(stop), num))


def eye(m: Machine, N: int, M: int | None = None, **_: Any) -> NdArray:  # noqa: N803
    """1 on the diagonal"""
    m.budget.shape((N, N if M is None else M))
    return _array(m, np.eye(N, M))


def _joined(name: str) -> Callable[..., Any]:
    def function(m: Machine, tup: Any, axis: int = 0, **_: Any) -> Any:
        parts = [_as_array(m, x) for x in tup]
        if name in ("hstack", "vstack", "column_stack"):
            return _stacked(m, name, parts)
        made = m.op(name, *[x.tensor for x in parts], axis=axis)
        return NdArray(made)

    return function


def _as_array(m: Machine, x: Any) -> NdArray:
    return x if isinstance(x, NdArray) else array(m, x)


def _stacked(m: Machine, name: str, parts: list[NdArray]) -> NdArray:
    least = 1 if name == "hstack" else 2
    grown = []
    for x in parts:
        shape = x.tensor.shape
        if len(shape) < least:
            shape = (*shape, 1) if name == "column_stack" else (1,) * (least - len(shape)) + shape
            x = NdArray(m.op("reshape", x.tensor, shape=shape))
        grown.append(x)
    side = name != "vstack" and not (name == "hstack" and grown[0].tensor.ndim == 1)
    return NdArray(m.op("concatenate", *[x.tensor for x in grown], axis=int(side)))


def where(m: Machine, condition: Any, x: Any = None, y: Any = None) -> Any:
    """x where condition holds, else y"""
    if x is None:
        return call(m, np.nonzero, condition)
    return call(m, np.where, condition, x, y)


def einsum(m: Machine, subscripts: str, *operands: Any, **_: Any) -> NdArray:
    """products summed as the letters say"""
    xs = [_as_array(m, x).tensor for x in operands]
    return NdArray(m.op("einsum", *xs, subscripts=subscripts.replace(" ", "")))


def _gradless(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda m, *args, **kwargs: call(m, function, *args, **kwargs)


# -- random ---------------------------------------------------------------------------------------


def _random_state(m: Machine) -> np.random.RandomState:
    made: np.random.RandomState = m.extras.setdefault("numpy_random", np.random.RandomState(0))
    return made


def seed(m: Machine, seed: int = 0) -> None:
    """np.random.seed"""
    m.extras["numpy_random"] = np.random.RandomState(int(seed) & 0xFFFFFFFF)


#: Where each function of random numbers takes the size of what it makes.
_SIZE_AT = {
    "normal": 2, "uniform": 2, "integers": 2, "randint": 2, "choice": 1, "random": 0,
    "random_sample": 0, "standard_normal": 0,
}  # fmt: skip


def _draw(m: Machine, source: Any, name: str, args: Sequence[Any], named: dict[str, Any]) -> Any:
    """Random numbers, so many as there is room for."""
    if name in ("rand", "randn"):
        _shape(m, args)
    at = _SIZE_AT.get(name, len(args))
    size = named.get("size", args[at] if at < len(args) else None)
    if size is not None:
        _shape(m, size)
    if name in ("permutation", "choice") and isinstance(args[0], int):
        _shape(m, args[0])
    given, more = [values(a) for a in args], {k: values(v) for k, v in named.items()}
    m.budget.shape(np.broadcast_shapes(*[a.shape for a in given if isinstance(a, np.ndarray)]))
    return arrays.wrapped(m, getattr(source, name)(*given, **more))


def _legacy(name: str) -> Callable[..., Any]:
    """A function of np.random, of the program's own state."""
    return lambda m, *args, **named: _draw(m, _random_state(m), name, args, named)


_GENERATOR = UserClass("Generator", (), {}, ours=True)
_RANDOM_STATE = UserClass("RandomState", (), {}, ours=True)


def default_rng(m: Machine, seed: Any = 0) -> Instance:
    """np.random.default_rng"""
    return Instance(_GENERATOR, {"__state__": np.random.default_rng(0 if seed is None else seed)})


def random_state(m: Machine, seed: Any = 0) -> Instance:
    """np.random.RandomState"""
    made = np.random.RandomState(int(seed or 0) & 0xFFFFFFFF)
    return Instance(_RANDOM_STATE, {"__state__": made})


def _drawn(name: str) -> Builtin:
    def function(m: Machine, own: Instance, *args: Any, **kwargs: Any) -> Any:
        return _draw(m, own.attributes["__state__"], name, args, kwargs)

    return Builtin(name, function)


_GENERATOR.members.update({
    name: _drawn(name)
    for name in ("normal", "standard_normal", "random", "uniform", "integers", "permutation",
                 "choice")
})  # fmt: skip
_LEGACY = {
    **{name: name for name in ("rand", "randn", "normal", "uniform", "randint", "permutation",
                               "choice", "standard_normal", "random_sample")},
    "random": "random_sample",
}  # fmt: skip
_RANDOM_STATE.members.update({name: _drawn(known) for name, known in _LEGACY.items()})


# -- the modules ----------------------------------------------------------------------------------


def _namespace(functions: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    return {name: Builtin(name, function) for name, function in functions.items()}


def _dispatched(prefix: str) -> dict[str, Callable[..., Any]]:
    """NumPy's functions that are operations, or questions without gradient."""
    found: dict[str, Callable[..., Any]] = {}
    for function in (*dispatch.SPECS, *dispatch.PLAIN, *dispatch.ABOUT):
        full = dispatch.name_of(function)
        module, _, name = full.rpartition(".")
        if f"{module}." == prefix or (prefix == "np." and module == "np"):
            found[name] = _gradless(function)
    return found


def errstate(m: Machine, **_: Any) -> Context:
    """np.errstate: nothing is said here anyway"""
    return Context("errstate", lambda: None, lambda: None)


def _nothing(m: Machine, *_: Any, **__: Any) -> None:
    """Settings without meaning here."""


def load(m: Machine, file: Any, **_: Any) -> NdArray:
    """np.load: no file is opened; only arrays that came with the program have a name"""
    known = m.extras.get("arrays", {})
    if file not in known:
        return _file(m)  # type: ignore[no-any-return]
    return _array(m, np.array(known[file]))


def _file(m: Machine, *_: Any, **__: Any) -> Any:
    raise outside("Programs read and write no files here.", "Type the numbers: np.array([...]).")


_CREATION: dict[str, Callable[..., Any]] = {
    "array": array, "asarray": array, "asanyarray": array, "ascontiguousarray": array,
    "zeros": _filled(0), "ones": _filled(1), "empty": _filled(0), "full": full,
    "zeros_like": _like(0), "ones_like": _like(1), "empty_like": _like(0), "arange": arange,
    "linspace": linspace, "eye": eye, "identity": eye, "where": where, "einsum": einsum,
    "concatenate": _joined("concatenate"), "stack": _joined("stack"), "hstack": _joined("hstack"),
    "vstack": _joined("vstack"), "column_stack": _joined("column_stack"),
    "copy": lambda m, a, **_: arrays.copy(m, _as_array(m, a)),
    "reshape": lambda m, a, *shape, **kw: arrays.reshape(m, _as_array(m, a), *shape,
                                                         *kw.values()),
    "transpose": lambda m, a, axes=None: arrays.transpose(m, _as_array(m, a), axes),
    "clip": lambda m, a, a_min=None, a_max=None, *, min=None, max=None, **_: call(
        m, np.clip, a, min=min if a_min is None else a_min, max=max if a_max is None else a_max),
    "isscalar": lambda m, x: isinstance(x, int | float | complex),
    "errstate": errstate, "seterr": _nothing, "set_printoptions": _nothing, "load": load,
    "save": _file, "loadtxt": _file, "abs": _gradless(np.absolute), "max": _gradless(np.max),
    "min": _gradless(np.min), "round": _gradless(np.around), "cbrt": _gradless(np.cbrt),
    "rad2deg": _gradless(np.rad2deg), "cov": _gradless(np.cov), "meshgrid": _gradless(np.meshgrid),
    "average": _gradless(np.average), "ptp": _gradless(np.ptp), "diagflat": _gradless(np.diagflat),
}  # fmt: skip

MODULES: dict[str, dict[str, Any]] = {
    "numpy": {
        **_namespace({**_dispatched("np."), **_CREATION}), **CONSTANTS,
        **{name: DType(name, "numpy") for name in (
            "float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8",
            "complex64", "complex128")},
        "bool_": DType("bool", "numpy"),
        "ndarray": TypeName("ndarray", array, (NdArray,)),
        "floating": TypeName("floating", array, (float,)),
    },
    "numpy.linalg": {
        **_namespace(_dispatched(_LINALG_PREFIX)), "LinAlgError": CLASSES["LinAlgError"],
    },
    "numpy.fft": _namespace(_dispatched("np.fft.")),
    "numpy.random": _namespace({
        "seed": seed, "default_rng": default_rng, "RandomState": random_state,
        **{name: _legacy(known) for name, known in _LEGACY.items()},
    }),
    "numpy.testing": _namespace({
        "assert_allclose": lambda m, a, b, rtol=1e-7, atol=0, **_: _assert_close(m, a, b, rtol,
                                                                                 atol),
    }),
}  # fmt: skip


def _assert_close(m: Machine, a: Any, b: Any, rtol: float, atol: float) -> None:
    if not np.allclose(values(a), values(b), rtol=rtol, atol=atol, equal_nan=True):
        raise program_error("AssertionError", "Not equal to tolerance")
