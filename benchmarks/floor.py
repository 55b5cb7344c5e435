"""The least that recording in Python costs: objects made, a rule called, nothing checked.

An engine of Python objects cannot be faster than ``bare_chain``. What Pullback takes beyond it buys
broadcasting, dtypes, in-place versions, hooks, quiet NumPy and errors that say where.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Rule = Any


class Value:
    __slots__ = ("data", "record")


class Application:
    __slots__ = ("args", "edge", "rule")


def _times(g: Any, factor: Any) -> Any:
    return g * factor


def _passed_on(g: Any) -> Any:
    return g


def _sin(g: Any, x: Any) -> Any:
    return g * np.cos(x)


def _tanh(g: Any, y: Any) -> Any:
    return g * (1.0 - y * y)


def _made(y: Any, x: Value, rule: Rule, args: tuple[Any, ...]) -> Value:
    record = Application()
    record.rule, record.edge, record.args = rule, x.record, args
    value = Value()
    value.data, value.record = y, record
    return value


def bare_chain(operations: int) -> Any:
    """The benchmark's chain of tanh(sin(0.9 x + 0.1)), forward and backward: its gradient."""
    x = Value()
    x.data, x.record = np.float64(0.5), None
    for _ in range(operations // 4):
        x = _made(x.data * 0.9, x, _times, (0.9,))
        x = _made(x.data + 0.1, x, _passed_on, ())
        x = _made(np.sin(x.data), x, _sin, (x.data,))
        y = np.tanh(x.data)
        x = _made(y, x, _tanh, (y,))
    g: Any = np.float64(1.0)
    record = x.record
    while record is not None:
        g = record.rule(g, *record.args)
        record = record.edge
    return g
