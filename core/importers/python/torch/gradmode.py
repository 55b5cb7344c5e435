"""Whether operations are recorded: torch.no_grad and its like, as contexts, decorators, calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.importers.python.failures import refuse_others
from core.importers.python.machine import Machine
from core.importers.python.values import Context
from core.modes import no_grad, state

__all__ = ["FUNCTIONS", "is_grad_enabled", "no_grad"]


def _mode(name: str, on: bool) -> Callable[..., Context]:
    def function(m: Machine, *args: Any) -> Context:
        return grad_context(name, on)

    return function


def grad_context(name: str, on: bool) -> Context:
    """``with no_grad():`` and the like; may be entered again and again."""
    before: list[bool] = []

    def enter() -> None:
        before.append(state.grad)
        state.grad = on

    def leave() -> None:
        state.grad = before.pop()

    return Context(name, enter, leave)


def set_grad_enabled(m: Machine, mode: Any) -> Context:
    """takes effect at once; as a context it is undone at the end"""
    was, state.grad = state.grad, bool(mode)

    def leave() -> None:
        state.grad = was

    def enter() -> None:
        state.grad = bool(mode)

    return Context("set_grad_enabled", enter, leave)


def detect_anomaly(m: Machine, check_nan: bool = True) -> Context:
    """backward stops at the first NaN it makes itself"""
    refuse_others("detect_anomaly", check_nan=(check_nan, True))
    before: list[bool | None] = []

    def enter() -> None:
        before.append(state.anomaly)
        state.anomaly = False

    def leave() -> None:
        state.anomaly = before.pop()

    return Context("detect_anomaly", enter, leave)


def set_detect_anomaly(m: Machine, mode: Any, check_nan: bool = True) -> Context:
    """takes effect at once; as a context it is undone at the end"""
    refuse_others("set_detect_anomaly", check_nan=(check_nan, True))
    was, state.anomaly = state.anomaly, (False if mode else None)

    def leave() -> None:
        state.anomaly = was

    return Context("set_detect_anomaly", lambda: None, leave)


def is_grad_enabled(m: Machine) -> bool:
    """whether operations are recorded"""
    return state.grad


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "no_grad": _mode("no_grad", False), "inference_mode": _mode("inference_mode", False),
    "enable_grad": _mode("enable_grad", True), "set_grad_enabled": set_grad_enabled,
    "is_grad_enabled": is_grad_enabled,
}  # fmt: skip
