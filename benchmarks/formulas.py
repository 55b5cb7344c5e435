"""Operations forward and backward as one would write them by hand in NumPy.

``FORMULAS`` maps an operation to ``(shapes, parameters, function)``: shapes of its inputs (about
10^6 elements), and ``function(g, *inputs)`` computing the output and the VJP of every input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Formula = tuple[tuple[tuple[int, ...], ...], dict[str, Any], Callable[..., Any]]

FLAT = ((1_000_000,),)
PAIR = ((1_000_000,), (1_000_000,))
ROWS = ((1000, 1000),)


def _exp(g: Array, x: Array) -> Any:
    y = np.exp(x)
    return y, g * y


def _sqrt(g: Array, x: Array) -> Any:
    y = np.sqrt(x)
    return y, g / (2 * y)


def _tanh(g: Array, x: Array) -> Any:
    y = np.tanh(x)
    return y, g * (1 - y * y)


def _sigmoid(g: Array, x: Array) -> Any:
    y = 1 / (1 + np.exp(-x))
    return y, g * (y * (1 - y))


def _divide(g: Array, a: Array, b: Array) -> Any:
    y = a / b
    return y, g / b, -g * y / b


def _maximum(g: Array, a: Array, b: Array) -> Any:
    y = np.maximum(a, b)
    share = np.where(a == b, 0.5, a > b)
    return y, g * share, g * (1 - share)


def _softmax(g: Array, x: Array) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    y = e / e.sum(-1, keepdims=True)
    return y, y * (g - (g * y).sum(-1, keepdims=True))


def _log_softmax(g: Array, x: Array) -> Any:
    z = x - x.max(-1, keepdims=True)
    y = z - np.log(np.exp(z).sum(-1, keepdims=True))
    return y, g - np.exp(y) * g.sum(-1, keepdims=True)


def _logsumexp(g: Array, x: Array) -> Any:
    m = x.max(-1, keepdims=True)
    y = np.log(np.exp(x - m).sum(-1)) + m[:, 0]
    return y, g[:, None] * np.exp(x - y[:, None])


def _var(g: Array, x: Array) -> Any:
    d = x - x.mean(-1, keepdims=True)
    n = x.shape[-1]
    return (d * d).sum(-1) / n, (2 / n * g)[:, None] * d


def _amax(g: Array, x: Array) -> Any:
    y = x.max(-1, keepdims=True)
    mask = x == y
    return y[:, 0], (g[:, None] / mask.sum(-1, keepdims=True)) * mask


def _sort(g: Array, x: Array) -> Any:
    order = np.argsort(x, -1, kind="stable")
    h = np.empty_like(g)
    np.put_along_axis(h, order, g, -1)
    return np.take_along_axis(x, order, -1), h


def _getitem(g: Array, x: Array) -> Any:
    h = np.zeros_like(x)
    h[1:] = g
    return x[1:], h


AXIS = {"axis": -1}

FORMULAS: dict[str, Formula] = {
    "add": (PAIR, {}, lambda g, a, b: (a + b, g, g)),
    "subtract": (PAIR, {}, lambda g, a, b: (a - b, g, -g)),
    "multiply": (PAIR, {}, lambda g, a, b: (a * b, g * b, g * a)),
    "divide": (PAIR, {}, _divide),
    "maximum": (PAIR, {}, _maximum),
    "negative": (FLAT, {}, lambda g, x: (-x, -g)),
    "square": (FLAT, {}, lambda g, x: (x * x, g * (2 * x))),
    "sqrt": (FLAT, {}, _sqrt),
    "absolute": (FLAT, {}, lambda g, x: (np.abs(x), g * np.sign(x))),
    "exp": (FLAT, {}, _exp),
    "log": (FLAT, {}, lambda g, x: (np.log(x), g / x)),
    "sin": (FLAT, {}, lambda g, x: (np.sin(x), g * np.cos(x))),
    "tanh": (FLAT, {}, _tanh),
    "sigmoid": (FLAT, {}, _sigmoid),
    "relu": (FLAT, {}, lambda g, x: (np.maximum(x, 0), g * (x > 0))),
    "clip": (FLAT, {"min": 0.6, "max": 0.9},
             lambda g, x: (np.clip(x, 0.6, 0.9), g * ((x >= 0.6) & (x <= 0.9)))),
    "sum": (FLAT, {}, lambda g, x: (np.sum(x), np.broadcast_to(g, x.shape).copy())),
    "mean": (ROWS, AXIS,
             lambda g, x: (x.mean(-1), np.broadcast_to((g / 1000)[:, None], x.shape).copy())),
    "var": (ROWS, AXIS, _var),
    "amax": (ROWS, AXIS, _amax),
    "logsumexp": (ROWS, AXIS, _logsumexp),
    "softmax": (ROWS, AXIS, _softmax),
    "log_softmax": (ROWS, AXIS, _log_softmax),
    "cumsum": (ROWS, AXIS,
               lambda g, x: (np.cumsum(x, -1), np.cumsum(g[:, ::-1], -1)[:, ::-1].copy())),
    "sort": (ROWS, AXIS, _sort),
    "transpose": (ROWS, {}, lambda g, x: (x.T, g.T.copy())),
    "reshape": (ROWS, {"shape": (-1,)}, lambda g, x: (x.reshape(-1), g.reshape(x.shape).copy())),
    "getitem": (ROWS, {"index": (slice(1, None),)}, _getitem),
    "matmul": (((1000, 1000), (1000, 100)), {}, lambda g, a, b: (a @ b, g @ b.T, a.T @ g)),
}  # fmt: skip
