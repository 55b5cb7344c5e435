"""torch's cells of recurrent networks: one step in time each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.importers.python.machine import Machine, need
from core.tensor import Tensor


def rnn_tanh_cell(
    m: Machine, input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> Tensor:
    """one step of a simple recurrent network"""
    made: Tensor = m.op("rnn_tanh_cell", *_needed(input, hx, w_ih, w_hh), b_ih, b_hh)
    return made


def gru_cell(
    m: Machine, input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> Tensor:
    """one step of a network with gated recurrent units"""
    made: Tensor = m.op("gru_cell", *_needed(input, hx, w_ih, w_hh), b_ih, b_hh)
    return made


def lstm_cell(
    m: Machine, input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> tuple[Tensor, Tensor]:
    """one step of a network with long short-term memory: the next h and c"""
    h, c = hx
    made: tuple[Tensor, Tensor] = m.op("lstm_cell", *_needed(input, h, c, w_ih, w_hh), b_ih, b_hh)
    return made


def _needed(*operands: Any) -> list[Tensor]:
    return [need(x, "cell", k) for k, x in enumerate(operands, 1)]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "rnn_tanh_cell": rnn_tanh_cell, "gru_cell": gru_cell, "lstm_cell": lstm_cell,
}  # fmt: skip
