"""Python's own library: what programs use of it beside torch and NumPy."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from core.importers.python import collections_library, dataclass_library, operators
from core.importers.python.failures import CLASSES, failure, outside, program_error, raised
from core.importers.python.iteration import items, iterate
from core.importers.python.limits import Budget
from core.importers.python.machine import Machine
from core.importers.python.pybuiltins import NAMES
from core.importers.python.values import (
    Builtin,
    Context,
    Failure,
    Function,
    Instance,
    Items,
    Namespace,
    NdArray,
    UserClass,
)
from core.importers.python.words import TypeName
from core.tensor import Tensor

_MATH = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "pow", "fabs", "floor",
    "ceil", "trunc", "isnan", "isinf", "isfinite", "hypot", "erf", "erfc", "gamma", "lgamma",
    "degrees", "radians", "copysign", "fmod", "isclose", "gcd",
)  # fmt: skip


def _number(x: Any) -> Any:
    """A plain number; one-element tensors stand for theirs."""
    if isinstance(x, NdArray):
        x = x.tensor
    return x._data.item() if isinstance(x, Tensor) and x._data.size == 1 else x


def _math(name: str) -> Callable[..., Any]:
    function = getattr(math, name)
    return lambda m, *args, **kwargs: function(*[_number(a) for a in args], **kwargs)


def _small(name: str) -> Callable[..., Any]:
    """Functions whose results grow fast."""
    function = getattr(math, name)

    def call(m: Machine, *args: int) -> Any:
        m.budget.bits(max(args) * 10)
        return function(*args)

    return call


def product(m: Machine, values: Any, *, start: Any = 1) -> Any:
    """math.prod"""
    for value in iterate(m, values):
        start = operators.binary(m, "*", start, value)
    return start


_MESSAGE = UserClass("WarningMessage", (), {}, ours=True)


def catch_warnings(m: Machine, *, record: bool = False, **_: Any) -> Context:
    """warnings.catch_warnings"""
    seen: list[Any] = []

    def enter() -> Any:
        m.caught.append(_Seen(seen))
        return seen if record else None

    def leave() -> None:
        m.caught.pop()

    return Context("catch_warnings", enter, leave)


class _Seen(list[Any]):
    """Warnings on their way into the list that the program looks at."""

    def __init__(self, seen: list[Any]) -> None:
        super().__init__()
        self._seen = seen

    def append(self, said: Any) -> None:
        message, category = said
        self._seen.append(
            Instance(
                _MESSAGE,
                {"message": failure(category, message), "category": CLASSES[category]},
            )
        )


def warn(m: Machine, message: Any, category: Any = None, *_: Any, **__: Any) -> None:
    """warnings.warn"""
    if isinstance(message, Failure):
        m.warn(message.message, message.cls.name)
    else:
        m.warn(str(message), "UserWarning" if category is None else category.name)


def simplefilter(m: Machine, action: str, *_: Any, **__: Any) -> None:
    """warnings.simplefilter"""
    if action == "error":
        raise outside(
            "Warnings as errors are not read.", "Collect them: catch_warnings(record=True)."
        )


def partial(m: Machine, function: Any, *args: Any, **kwargs: Any) -> Builtin:
    """functools.partial"""
    return Builtin(
        "partial", lambda m, *more, **named: m.call(function, [*args, *more], {**kwargs, **named})
    )


def reduce(m: Machine, function: Any, values: Any, *initial: Any) -> Any:
    """functools.reduce"""
    rows = iterate(m, values)
    made = initial[0] if initial else next(rows, None)
    for value in rows:
        made = m.call(function, [made, value], {})
    return made


def wraps(m: Machine, function: Any, *_: Any) -> Builtin:
    """functools.wraps"""
    return Builtin("wraps", lambda m, inner: inner)


def _itertools(name: str) -> Callable[..., Items]:
    function = getattr(itertools, name)

    def call(m: Machine, *many: Any, **options: Any) -> Items:
        given = [items(m, v) if not isinstance(v, int) else v for v in many]
        return Items(_counted(m.budget, function(*given, **options)))

    return call


def _counted(budget: Budget, rows: Any) -> Any:
    for row in rows:
        budget.step()
        budget.take(len(row) if isinstance(row, tuple) else 1)
        yield row


def count(m: Machine, start: Any = 0, step: Any = 1) -> Items:
    """itertools.count"""
    return Items(_counted(m.budget, itertools.count(start, step)))


def copied(m: Machine, value: Any, *_: Any) -> Any:
    """copy.copy and copy.deepcopy"""
    return _copied(m, value, {})


def _copied(m: Machine, value: Any, made: dict[int, Any]) -> Any:
    m.budget.step()
    if id(value) in made:
        return made[id(value)]
    if isinstance(value, Tensor):
        if not value.is_leaf:
            raise program_error(
                "RuntimeError",
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                "protocol at the moment.",
            )
        fresh = m.constant(value.data.copy(), value.requires_grad)
        if value.requires_grad:
            m.recorder.leaf(fresh)
        made[id(value)] = fresh
        parameters = m.extras.get("parameters", {})
        if id(value) in parameters:
            parameters[id(fresh)] = fresh
        return fresh
    if isinstance(value, NdArray):
        return NdArray(m.constant(value.tensor.data.copy()))
    if isinstance(value, list | tuple | set):
        return type(value)(_copied(m, v, made) for v in value)
    if isinstance(value, dict):
        return {k: _copied(m, v, made) for k, v in value.items()}
    if isinstance(value, Instance) and not isinstance(value, Failure):
        twin = made[id(value)] = Instance(value.cls)
        twin.attributes = {k: _copied(m, v, made) for k, v in value.attributes.items()}
        return twin
    return value


def _random(m: Machine) -> random.Random:
    made: random.Random = m.extras.setdefault("random", random.Random(0))
    return made


def _drawn(name: str) -> Callable[..., Any]:
    return lambda m, *args: getattr(_random(m), name)(*args)


def seed(m: Machine, value: Any = 0, *_: Any) -> None:
    """random.seed"""
    m.extras["random"] = random.Random(value)


def null_context(m: Machine, value: Any = None) -> Context:
    """contextlib.nullcontext"""
    return Context("nullcontext", lambda: value, lambda: None)


def suppressed(m: Machine, *_: Any) -> Context:
    """contextlib.suppress"""
    raise outside("contextlib.suppress is not read.", "Write try and except.")


def _nothing(m: Machine, *_: Any, **__: Any) -> int:
    """Calls without meaning here: gc.collect() and the like."""
    return 0


def reference(m: Machine, value: Any, *_: Any) -> Builtin:
    """weakref.ref: of a value that lives as long as the program"""
    return Builtin("weakref", lambda m: value)


def leave(m: Machine, *_: Any) -> None:
    """sys.exit"""
    raise raised(failure("KeyboardInterrupt", "the program ended itself"))


class Anything(dict[str, Any]):
    """A module of names for annotations: each stands for nothing in particular."""

    def __contains__(self, name: object) -> bool:
        return True

    def __getitem__(self, name: str) -> Any:
        return TypeName(name, _nothing, (object,))


def _named(functions: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    return {name: Builtin(name, function) for name, function in functions.items()}


#: Every module by its full name.
MODULES: dict[str, dict[str, Any]] = {
    "math": {
        **_named({name: _math(name) for name in _MATH}), "pi": math.pi, "e": math.e,
        "tau": math.tau, "inf": math.inf, "nan": math.nan,
        **_named({"factorial": _small("factorial"), "comb": _small("comb"), "prod": product,
                  "fsum": lambda m, values: math.fsum(map(_number, iterate(m, values)))}),
    },
    "warnings": _named({"catch_warnings": catch_warnings, "simplefilter": simplefilter,
                        "filterwarnings": simplefilter, "warn": warn,
                        "resetwarnings": _nothing}),
    "functools": _named({"partial": partial, "reduce": reduce, "wraps": wraps,
                         "lru_cache": lambda m, *f, **_: f[0] if f and isinstance(f[0], Function)
                         else Builtin("lru_cache", lambda m, f: f),
                         "cache": lambda m, f: f}),
    "itertools": _named({**{name: _itertools(name) for name in ("product", "chain",
                        "combinations", "permutations", "repeat", "zip_longest", "pairwise")},
                        "count": count,
                        "accumulate": lambda m, values, *f: Items(iter(itertools.accumulate(
                            items(m, values), lambda a, b: m.call(f[0], [a, b], {}) if f
                            else operators.binary(m, "+", a, b))))}),
    "operator": _named({name: (lambda m, a, b, sign=sign: operators.binary(m, sign, a, b))
                        for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*"),
                                           ("truediv", "/"), ("matmul", "@"), ("pow", "**"))}),
    "copy": _named({"copy": copied, "deepcopy": copied}),
    "collections": {**_named(collections_library.FUNCTIONS), "OrderedDict": NAMES["dict"]},
    "dataclasses": _named(dataclass_library.FUNCTIONS),
    "random": _named({**{name: _drawn(name) for name in ("random", "uniform", "gauss",
                                                         "normalvariate", "randint", "choice")},
                      "seed": seed}),
    "contextlib": _named({"nullcontext": null_context, "suppress": suppressed}),
    "time": _named({"time": lambda m: time.time(), "perf_counter": lambda m: time.perf_counter(),
                    "sleep": _nothing}),
    "gc": _named({"collect": _nothing, "disable": _nothing, "enable": _nothing}),
    "sys": {**_named({"exit": leave, "getrefcount": _nothing, "setrecursionlimit": _nothing}),
            "float_info": Namespace("float_info", {"epsilon": float(np.finfo(float).eps),
                                                   "max": float(np.finfo(float).max)})},
    "weakref": _named({"ref": reference}),
    "typing": Anything(), "collections.abc": Anything(), "os": {},
}  # fmt: skip
