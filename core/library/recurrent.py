"""Cells of recurrent networks: one step in time each.

Gates lie side by side in the weights, as PyTorch has them. A rule first finds the cotangents of
the sums that go into the gates; from there everything is that of a linear map.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.library.activation import SIGMOID
from core.library.checks import misfit
from core.library.layers import outer_sum
from core.library.spec import Array, OpSpec, Sample, Vjp

_BIASES = frozenset({"b_ih", "b_hh"})


def _check(
    op: str, gates: int, x: Array, h: Array, w_ih: Array, w_hh: Array, *biases: Array | None
) -> None:
    if x.ndim in (1, 2) and h.ndim == x.ndim and x.shape[:-1] == h.shape[:-1]:
        hidden = h.shape[-1]
        rows = gates * hidden
        fits = w_ih.shape == (rows, x.shape[-1]) and w_hh.shape == (rows, hidden)
        if fits and all(b is None or b.shape == (rows,) for b in biases):
            return
    times = f"{gates} times " if gates > 1 else ""
    raise misfit(
        op,
        f"w_ih is ({times}hidden, last of x) and w_hh is ({times}hidden, hidden), where hidden is "
        "the last axis of h; x and h have the same batch, biases as many values as weights rows",
        "Compare the sizes, port by port.",
        port="w_ih",
        x=x,
        h=h,
        w_ih=w_ih,
        w_hh=w_hh,
    )


def _sums(x: Array, weight: Array, bias: Array | None) -> Array:
    y = x @ weight.T
    return y if bias is None else y + bias


# -- tanh ------------------------------------------------------------------------------------------


def _rnn(
    x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None
) -> Array:
    _check("rnn_tanh_cell", 1, x, h, w_ih, w_hh, b_ih, b_hh)
    return np.tanh(_sums(x, w_ih, b_ih) + _sums(h, w_hh, b_hh))


def _through_tanh(g: Array, y: Array) -> Array:
    return g * (1.0 - y * y)


RNN_TANH_CELL = OpSpec(
    name="rnn_tanh_cell",
    label="RNN cell",
    glyph="RNN",
    category="nn",
    ports=("x", "h", "w_ih", "w_hh", "b_ih", "b_hh"),
    optional_ports=_BIASES,
    forward=_rnn,
    vjps={
        "x": Vjp(
            lambda g, y, w_ih: _through_tanh(g, y) @ w_ih,
            r"\bar{x}=\bar{z}\,W_{ih},\quad\bar{z}=g\,(1-y^{2})",
        ),
        "h": Vjp(lambda g, y, w_hh: _through_tanh(g, y) @ w_hh, r"\bar{h}=\bar{z}\,W_{hh}"),
        "w_ih": Vjp(
            lambda g, y, x: outer_sum(_through_tanh(g, y), x),
            r"\bar{W}_{ih}=\bar{z}^{\top}x",
        ),
        "w_hh": Vjp(
            lambda g, y, h: outer_sum(_through_tanh(g, y), h),
            r"\bar{W}_{hh}=\bar{z}^{\top}h",
        ),
        "b_ih": Vjp(_through_tanh, r"\bar{b}_{ih}=\sum\bar{z}"),
        "b_hh": Vjp(_through_tanh, r"\bar{b}_{hh}=\sum\bar{z}"),
    },
    formula=r"y=\tanh(x\,W_{ih}^{\top}+b_{ih}+h\,W_{hh}^{\top}+b_{hh})",
    summary="One step of a simple recurrent network.",
    aliases=("nn.RNNCell", "rnn_cell"),
    keywords=("recurrent", "sequence", "time", "elman"),
    samples=(
        Sample((2, 3), (2, 2), (2, 3), (2, 2), (2,), (2,)),
        Sample((1, 2), (1, 2), (2, 2), (2, 2), None, None),
        Sample((3,), (2,), (2, 3), (2, 2), (2,), None),
    ),
)

# -- LSTM ------------------------------------------------------------------------------------------


def _lstm_gates(
    x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None
) -> tuple[Array, Array, Array, Array]:
    """Input gate, forget gate, candidate and output gate."""
    i, f, n, o = np.split(_sums(x, w_ih, b_ih) + _sums(h, w_hh, b_hh), 4, axis=-1)
    return SIGMOID(i), SIGMOID(f), np.tanh(n), SIGMOID(o)


def _lstm(
    x: Array,
    h: Array,
    c: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None,
    b_hh: Array | None,
) -> tuple[Array, Array]:
    _check("lstm_cell", 4, x, h, w_ih, w_hh, b_ih, b_hh)
    if c.shape != h.shape:
        raise misfit("lstm_cell", "both must have the same shape", "Reshape c.", "c", h=h, c=c)
    i, f, n, o = _lstm_gates(x, h, w_ih, w_hh, b_ih, b_hh)
    c_next = f * c + i * n
    return o * np.tanh(c_next), c_next


def _at_c_next(g: tuple[Array, Array], c_next: Array, o: Array) -> Array:
    """What arrives at c': its own cotangent, and what comes back through h'."""
    t = np.tanh(c_next)
    return g[1] + g[0] * o * (1.0 - t * t)


def _lstm_rule(finish: Callable[..., Array]) -> Callable[..., Array]:
    """A rule that ends with ``finish`` of z, the cotangent of the sums that go into the gates."""

    def rule(
        g: tuple[Array, Array],
        x: Array,
        h: Array,
        c: Array,
        w_ih: Array,
        w_hh: Array,
        b_ih: Array | None,
        b_hh: Array | None,
        c_next: Array,
    ) -> Array:
        i, f, n, o = _lstm_gates(x, h, w_ih, w_hh, b_ih, b_hh)
        at_c = _at_c_next(g, c_next, o)
        gates = [
            at_c * n * i * (1.0 - i),
            at_c * c * f * (1.0 - f),
            at_c * i * (1.0 - n * n),
            g[0] * np.tanh(c_next) * o * (1.0 - o),
        ]
        return finish(np.concatenate(gates, axis=-1), x, h, w_ih, w_hh)

    return rule


def _lstm_c(
    g: tuple[Array, Array],
    x: Array,
    h: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None,
    b_hh: Array | None,
    c_next: Array,
) -> Array:
    _, f, _, o = _lstm_gates(x, h, w_ih, w_hh, b_ih, b_hh)
    return f * _at_c_next(g, c_next, o)


LSTM_CELL = OpSpec(
    name="lstm_cell",
    label="LSTM cell",
    glyph="LSTM",
    category="nn",
    ports=("x", "h", "c", "w_ih", "w_hh", "b_ih", "b_hh"),
    optional_ports=_BIASES,
    outputs=("h_next", "c_next"),
    forward=_lstm,
    vjps={
        "x": Vjp(
            _lstm_rule(lambda z, x, h, w_ih, w_hh: z @ w_ih),
            r"\bar{x}=\bar{z}\,W_{ih},\quad z=[i\;f\;n\;o]",
        ),
        "h": Vjp(_lstm_rule(lambda z, x, h, w_ih, w_hh: z @ w_hh), r"\bar{h}=\bar{z}\,W_{hh}"),
        "c": Vjp(
            _lstm_c, r"\bar{c}=\sigma(f)\left(\bar{c}'+\bar{h}'\,\sigma(o)(1-\tanh^{2}c')\right)"
        ),
        "w_ih": Vjp(
            _lstm_rule(lambda z, x, h, w_ih, w_hh: outer_sum(z, x)), r"\bar{W}_{ih}=\bar{z}^{\top}x"
        ),
        "w_hh": Vjp(
            _lstm_rule(lambda z, x, h, w_ih, w_hh: outer_sum(z, h)), r"\bar{W}_{hh}=\bar{z}^{\top}h"
        ),
        "b_ih": Vjp(_lstm_rule(lambda z, x, h, w_ih, w_hh: z), r"\bar{b}_{ih}=\sum\bar{z}"),
        "b_hh": Vjp(_lstm_rule(lambda z, x, h, w_ih, w_hh: z), r"\bar{b}_{hh}=\sum\bar{z}"),
    },
    formula=r"[i\;f\;n\;o]=x\,W_{ih}^{\top}+b_{ih}+h\,W_{hh}^{\top}+b_{hh},\quad"
    r"c'=\sigma(f)\,c+\sigma(i)\tanh n,\quad h'=\sigma(o)\tanh c'",
    summary="One step of a long short-term memory.",
    aliases=("nn.LSTMCell", "lstm"),
    keywords=("recurrent", "sequence", "memory", "gate"),
    notes=("Rows of the weights: input gate, forget gate, candidate, output gate.",),
    samples=(
        Sample((2, 3), (2, 2), (2, 2), (8, 3), (8, 2), (8,), (8,)),
        Sample((1, 2), (1, 2), (1, 2), (8, 2), (8, 2), None, None),
        Sample((2,), (1,), (1,), (4, 2), (4, 1), None, (4,)),
    ),
)

# -- GRU -------------------------------------------------------------------------------------------


def _gru_gates(
    x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None
) -> tuple[Array, Array, Array, Array]:
    """Reset gate, update gate, candidate, and the part of the candidate that the reset scales."""
    x_r, x_z, x_n = np.split(_sums(x, w_ih, b_ih), 3, axis=-1)
    h_r, h_z, h_n = np.split(_sums(h, w_hh, b_hh), 3, axis=-1)
    r = SIGMOID(x_r + h_r)
    return r, SIGMOID(x_z + h_z), np.tanh(x_n + r * h_n), h_n


def _gru(
    x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None
) -> Array:
    _check("gru_cell", 3, x, h, w_ih, w_hh, b_ih, b_hh)
    _, z, n, _ = _gru_gates(x, h, w_ih, w_hh, b_ih, b_hh)
    return n + z * (h - n)


def _gru_rule(finish: Callable[..., Array]) -> Callable[..., Array]:
    """A rule that ends with ``finish`` of the cotangents of x W_ihᵀ + b_ih and of h W_hhᵀ + b_hh.

    ``finish`` also gets g times the update gate, which is what reaches h directly.
    """

    def rule(
        g: Array,
        x: Array,
        h: Array,
        w_ih: Array,
        w_hh: Array,
        b_ih: Array | None,
        b_hh: Array | None,
    ) -> Array:
        r, z, n, h_n = _gru_gates(x, h, w_ih, w_hh, b_ih, b_hh)
        at_n = g * (1.0 - z) * (1.0 - n * n)
        at_r = at_n * h_n * r * (1.0 - r)
        at_z = g * (h - n) * z * (1.0 - z)
        of_x = np.concatenate([at_r, at_z, at_n], axis=-1)
        of_h = np.concatenate([at_r, at_z, at_n * r], axis=-1)
        return finish(of_x, of_h, g * z, x, h, w_ih, w_hh)

    return rule


GRU_CELL = OpSpec(
    name="gru_cell",
    label="GRU cell",
    glyph="GRU",
    category="nn",
    ports=("x", "h", "w_ih", "w_hh", "b_ih", "b_hh"),
    optional_ports=_BIASES,
    forward=_gru,
    vjps={
        "x": Vjp(
            _gru_rule(lambda of_x, of_h, gz, x, h, w_ih, w_hh: of_x @ w_ih),
            r"\bar{x}=\bar{u}\,W_{ih},\quad u=x\,W_{ih}^{\top}+b_{ih}",
        ),
        "h": Vjp(
            _gru_rule(lambda of_x, of_h, gz, x, h, w_ih, w_hh: of_h @ w_hh + gz),
            r"\bar{h}=\bar{v}\,W_{hh}+g\,z,\quad v=h\,W_{hh}^{\top}+b_{hh}",
        ),
        "w_ih": Vjp(
            _gru_rule(lambda of_x, of_h, gz, x, h, w_ih, w_hh: outer_sum(of_x, x)),
            r"\bar{W}_{ih}=\bar{u}^{\top}x",
        ),
        "w_hh": Vjp(
            _gru_rule(lambda of_x, of_h, gz, x, h, w_ih, w_hh: outer_sum(of_h, h)),
            r"\bar{W}_{hh}=\bar{v}^{\top}h",
        ),
        "b_ih": Vjp(
            _gru_rule(lambda of_x, of_h, gz, x, h, w_ih, w_hh: of_x), r"\bar{b}_{ih}=\sum\bar{u}"
        ),
        "b_hh": Vjp(
            _gru_rule(lambda of_x, of_h, gz, x, h, w_ih, w_hh: of_h), r"\bar{b}_{hh}=\sum\bar{v}"
        ),
    },
    formula=r"r=\sigma(u_r+v_r),\quad z=\sigma(u_z+v_z),\quad n=\tanh(u_n+r\,v_n),\quad"
    r"y=(1-z)\,n+z\,h",
    summary="One step of a gated recurrent unit.",
    aliases=("nn.GRUCell", "gru"),
    keywords=("recurrent", "sequence", "gate"),
    notes=("Rows of the weights: reset gate, update gate, candidate.",),
    samples=(
        Sample((2, 3), (2, 2), (6, 3), (6, 2), (6,), (6,)),
        Sample((1, 2), (1, 2), (6, 2), (6, 2), None, None),
        Sample((2,), (1,), (3, 2), (3, 1), None, (3,)),
    ),
)

OPS = (RNN_TANH_CELL, LSTM_CELL, GRU_CELL)
