"""Arrays that note what is done to them, so that it can be done again to other values.

A ``Symbol`` is an array with an example value. Whatever NumPy or an operation computes from it is
computed from the example and noted as a ``Step``; what only its shape or dtype decides is decided
once. What its values would decide (``if x > 0``) cannot be noted and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from core.errors import PlanError

Array = np.ndarray[Any, Any]
_VALUE = (np.ndarray, np.generic)


@dataclass(frozen=True, slots=True)
class Place:
    """Which noted value stands here."""

    index: int


@dataclass(frozen=True, slots=True)
class Step:
    """One call.

    Attributes:
        args, kwargs: what it takes; a ``Place`` stands for a noted value.
        out: where its result goes; a tuple of places for several results.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    out: Place | tuple[Place, ...]


class Tracer:
    """Notes the calls made on its Symbols.

    Attributes:
        steps: the calls, in order.
        examples: the example value of every place.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.examples: list[Any] = []

    def symbol(self, example: Any) -> Symbol:
        """A Symbol at a new place."""
        symbol = np.array(example).view(Symbol)
        symbol.tracer, symbol.place = self, Place(len(self.examples))
        self.examples.append(symbol.example)
        return symbol

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)``; noted if a Symbol is among the arguments."""
        if not _holds_symbol((args, kwargs)):
            return function(*args, **kwargs)
        given, named = _swapped((args, kwargs), lambda symbol: symbol.noted)
        values, settings = _swapped((args, kwargs), lambda symbol: symbol.example)
        result = function(*values, **settings)
        if isinstance(result, tuple | list) and any(isinstance(y, _VALUE) for y in result):
            symbols = tuple(self.symbol(y) for y in result)
            self.steps.append(Step(function, given, named, tuple(y.noted for y in symbols)))
            return symbols
        if not isinstance(result, _VALUE):
            return result  # a shape, a dtype: the same for all values
        symbol = self.symbol(result)
        self.steps.append(Step(function, given, named, symbol.noted))
        return symbol


def _holds_symbol(value: Any) -> bool:
    if type(value) is dict:
        value = tuple(value.values())
    if type(value) in (tuple, list):
        return any(_holds_symbol(part) for part in value)
    return isinstance(value, Symbol)


def _swapped(value: Any, swap: Callable[[Symbol], Any]) -> Any:
    """``value`` with the Symbols in it, in tuples, lists and dicts, too, swapped for others."""
    if isinstance(value, Symbol):
        return swap(value)
    if type(value) is tuple:
        return tuple([_swapped(part, swap) for part in value])
    if type(value) is list:
        return [_swapped(part, swap) for part in value]
    if type(value) is dict:
        return {key: _swapped(part, swap) for key, part in value.items()}
    return value


class Symbol(np.ndarray):
    """An array whose uses are noted.

    One without a place was made by NumPy behind the tracer's back, and cannot be used.
    """

    tracer: Tracer
    place: Place | None = None

    @property
    def noted(self) -> Place:
        """Its place.

        Raises:
            PlanError: it has none.
        """
        if self.place is None:
            raise PlanError(
                "A value was made in a way that cannot be noted.",
                next_step="Use NumPy's functions instead of views and writing in place.",
            )
        return self.place

    @property
    def example(self) -> Any:
        """Its example value: an ndarray, or a NumPy scalar."""
        return np.ndarray.view(self, np.ndarray)[() if not self.ndim else ...]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        if method == "at":
            _refuse("ufunc.at")
        tracer = next(x for x in (*inputs, *(out or ())) if isinstance(x, Symbol)).tracer
        result = tracer.call(function, *inputs, **kwargs)
        return result if out is None else _written(out[0], result)

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Any, kwargs: Mapping[str, Any]
    ) -> Any:
        if function in _IN_PLACE:
            _refuse(function.__name__)
        settings = {name: value for name, value in kwargs.items() if name != "out"}
        result = self.tracer.call(function, *args, **settings)
        out = kwargs.get("out")
        return result if out is None else _written(out, result)

    @classmethod
    def __pullback_apply__(cls, spec: Any, inputs: Any, params: dict[str, Any]) -> Any:
        tracer = next(x for x in inputs if isinstance(x, Symbol)).tracer
        return tracer.call(spec.forward, *inputs, **{**spec.defaults, **params})

    def __getitem__(self, index: Any) -> Any:
        return self.tracer.call(_item, self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        _refuse("Writing into an array")

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    @property
    def T(self) -> Any:  # noqa: N802  (NumPy's name)
        return self.transpose()


def _item(x: Any, index: Any) -> Any:
    return x[index]


def _written(target: Any, result: Any) -> Symbol:
    """``target``, which ``result`` was written into, stands for it from now on."""
    if not isinstance(target, Symbol) or not isinstance(result, Symbol):
        _refuse("Writing into an array that is not part of the plan")
    if result.dtype != target.dtype:
        result = result.astype(target.dtype)
    np.ndarray.__setitem__(target.view(np.ndarray), ..., result.example)
    target.place = result.place
    return target


def _refuse(what: str) -> NoReturn:
    raise PlanError(
        f"{what} cannot be noted for a plan.",
        next_step="Let only shapes decide what is computed, and write over nothing.",
    )


_IN_PLACE = (np.copyto, np.put, np.put_along_axis, np.place, np.putmask, np.fill_diagonal)
_METHODS = (
    "reshape", "transpose", "swapaxes", "astype", "copy", "sum", "mean", "prod", "max", "min",
    "any", "all", "ravel", "flatten", "squeeze", "conj", "conjugate", "cumsum", "argsort", "repeat",
    "take", "diagonal", "trace", "argmax", "argmin", "round", "clip", "std", "var", "dot",
)  # fmt: skip
#: What is noted for a call of a method.
METHODS: dict[str, Callable[..., Any]] = {}
_VALUES = (
    "__bool__", "__float__", "__int__", "__index__", "__complex__", "__contains__", "item",
    "tolist", "tobytes", "sort", "fill", "put", "nonzero", "partition", "resize",
)  # fmt: skip


def _define_methods() -> None:
    def noted(name: str) -> Callable[..., Any]:
        def function(x: Any, *args: Any, **kwargs: Any) -> Any:
            return getattr(x, name)(*args, **kwargs)

        METHODS[name] = function
        return lambda self, *args, **kwargs: self.tracer.call(function, self, *args, **kwargs)

    def refused(name: str) -> Callable[..., Any]:
        return lambda self, *_args, **_kwargs: _refuse(f"{name.strip('_')} of an array's values")

    for name in _METHODS:
        setattr(Symbol, name, noted(name))
    for name in _VALUES:
        setattr(Symbol, name, refused(name))
    Symbol.real = property(lambda self: self.tracer.call(np.real, self))  # type: ignore[assignment]
    Symbol.imag = property(lambda self: self.tracer.call(np.imag, self))  # type: ignore[assignment]


_define_methods()
