"""Whether operations are recorded: no_grad and enable_grad, per thread."""

from __future__ import annotations

import contextvars
import functools
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, ParamSpec, Protocol, TypeVar

import numpy as np

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Observer(Protocol):
    """Told what a backward does, as it does it. See ``core.observe.Recorder``."""

    def began(self, roots: Any) -> None: ...

    def visited(self, record: Any, cotangents: Any, flows: Any, freed: bool) -> None: ...

    def accumulated(self, record: Any, cotangent: Any, before: Any, after: Any) -> None: ...

    def ended(self, number: int, retained: bool, error: Exception | None) -> None: ...


class Mode:
    """What the engine keeps for one thread.

    NumPy's floating-point warnings are off while an operation is computed: NaN and infinities flow
    silently, and what shows them (anomaly detection, the window) says more. ``quietly(f, *args)``
    calls f so; it costs a tenth of ``np.errstate``, which would double the time of small ones.

    Attributes:
        quietly: calls a function in a context of this thread in which the warnings are off. Not
            from within itself: it is for NumPy's own functions and forwards of operations.
        grad: whether operations are recorded.
        observer: who is told about backwards, if anybody.
        anomaly: None, or whether detect_anomaly() also looks for infinities.
        backwards: how many backwards this thread has run.
    """

    __slots__ = ("anomaly", "backwards", "grad", "observer", "quietly")

    def __init__(self) -> None:
        quiet = contextvars.copy_context()
        quiet.run(np.seterr, all="ignore")
        self.quietly = quiet.run
        self.grad = True
        self.observer: Observer | None = None
        self.anomaly: bool | None = None
        self.backwards = 0


def _of_mode(name: str) -> Any:
    return property(
        lambda self: getattr(self.mode, name),
        lambda self, value: setattr(self.mode, name, value),
        doc=f"``mode.{name}``.",
    )


class _State(threading.local):
    """The ``mode`` of the thread that asks, and its fields.

    What runs at every recording reads ``mode`` once: a thread's own attributes are slow to reach.
    """

    def __init__(self) -> None:
        self.mode = Mode()

    grad: bool = _of_mode("grad")
    observer: Observer | None = _of_mode("observer")
    anomaly: bool | None = _of_mode("anomaly")
    backwards: int = _of_mode("backwards")


state = _State()


class _GradMode:
    """Context manager (and decorator) that switches recording on or off."""

    def __init__(self, on: bool) -> None:
        self._on = on
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(state.grad)
        state.grad = self._on

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        state.grad = self._before.pop()

    def __call__(self, function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def wrapped(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            with _GradMode(self._on):
                return function(*args, **kwargs)

        return wrapped


def no_grad() -> _GradMode:
    """``with no_grad():`` operations inside are not recorded; their results need no grad."""
    return _GradMode(False)


def enable_grad() -> _GradMode:
    """``with enable_grad():`` operations inside are recorded, even within no_grad."""
    return _GradMode(True)


def is_grad_enabled() -> bool:
    """Whether operations are recorded now."""
    return state.grad


class detect_anomaly:  # noqa: N801  (named as torch names it)
    """``with detect_anomaly():`` a backward stops at the first node whose VJP makes a NaN.

    Args:
        check_inf: also stop at infinities.

    Raises (from the backward inside):
        AnomalyError: names the operation, the port and the forward values that caused it.
    """

    def __init__(self, check_inf: bool = False) -> None:
        self._check_inf = check_inf
        self._before: bool | None = None

    def __enter__(self) -> None:
        self._before = state.anomaly
        state.anomaly = self._check_inf

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        state.anomaly = self._before
