"""Recurrent layers, unrolled: one cell a step in time.

ONNX keeps the gates of a layer below each other in another order than torch's cells have them, so
the rows of the weights are taken in the cells' order; gradients find their way back to the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.importers.building.refs import Ref, Untranslatable
from core.onnx.reading.call import Call, Result, Translator

#: A sequence longer than this makes more nodes than can be looked at.
MOST_STEPS = 256

#: From the state (h, or h and c) and the step's x to the next state.
Step = Callable[[Ref, tuple[Ref, ...]], tuple[Ref, ...]]


@dataclass(frozen=True, slots=True)
class _Direction:
    """The weights of a layer in one direction."""

    call: Call
    number: int
    hidden: int
    gates: int

    def rows(self, *order: int) -> np.ndarray:
        """Where the rows of these gates stand."""
        return np.concatenate([np.arange(self.hidden) + k * self.hidden for k in order])

    def weights(self, *order: int) -> tuple[Ref, Ref, Ref | None, Ref | None]:
        """Of some gates: the weights of x and of h, and their biases."""
        index = (self.number, self.rows(*order))
        if order == tuple(range(self.gates)):
            index = (self.number, slice(None))  # type: ignore[assignment]
        of_x, of_h = (self.call.op("getitem", self.call.input(k), index=index) for k in (1, 2))
        biases = self.call.optional(3)
        if biases is None:
            return of_x, of_h, None, None
        every = self.gates * self.hidden
        first, second = (
            self.call.op("getitem", biases, index=(self.number, self.rows(*order) + off))
            for off in (0, every)
        )
        return of_x, of_h, first, second

    def gate(self, k: int) -> Callable[[Ref, Ref], Ref]:
        """One gate before its function: a linear map of x and one of h, added."""
        of_x, of_h, first, second = self.weights(k)

        def total(x: Ref, h: Ref) -> Ref:
            op = self.call.op
            return op("add", op("linear", x, of_x, first), op("linear", h, of_h, second))

        return total


def _unrolled(call: Call, gates: int, states: int, steps: Callable[[_Direction], Step]) -> Result:
    """A layer: the h of every step, and the last states."""
    layout, way = call.attribute("layout", 0), call.attribute("direction", "forward")
    hidden = call.attribute("hidden_size") or call.input(2).known_shape[-1]
    x = call.op("swapaxes", call.x, axis1=0, axis2=1) if layout else call.x
    length, batch, _ = x.known_shape
    if length > MOST_STEPS:
        raise Untranslatable(f"its sequence has {length} steps; here there may be {MOST_STEPS}")
    lengths = call.whole(4)
    if lengths is not None and set(lengths) != {length}:
        raise Untranslatable("its sequences have different lengths")
    if call.attribute("clip") is not None or call.attribute("input_forget", 0):
        raise Untranslatable("it clips, or couples its gates")
    inputs = [call.op("getitem", x, index=k) for k in range(length)]
    ways = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}.get(way)
    if ways is None:
        raise Untranslatable(f"its direction is {way!r}")
    tops, ends = [], []
    for number, backwards in enumerate(ways):
        step = steps(_Direction(call, number, hidden, gates))
        state = tuple(_begin(call, k, number, (batch, hidden), layout) for k in range(states))
        shown = []
        for part in reversed(inputs) if backwards else inputs:
            state = step(part, state)
            shown.append(state[0])
        tops.append(shown[::-1] if backwards else shown)
        ends.append(state)
    stacked = [call.op("stack", *row, axis=0) for row in zip(*tops, strict=True)]
    every = call.op("stack", *stacked, axis=0) if call.uses(0) else x
    last = [call.op("stack", *parts, axis=0) for parts in zip(*ends, strict=True)]
    if layout:
        every = call.op("transpose", every, axes=(2, 0, 1, 3)) if call.uses(0) else every
        last = [call.op("swapaxes", r, axis1=0, axis2=1) for r in last]
    return (every, *last)


def _begin(call: Call, k: int, number: int, shape: tuple[int, int], layout: int) -> Ref:
    """The state before the first step."""
    given = call.optional(5 + k)
    if given is None:
        return call.constant(np.zeros(shape), call.x)
    return call.op("getitem", given, index=(slice(None), number) if layout else number)


def _functions(call: Call, usual: tuple[str, ...]) -> tuple[str, ...]:
    """The functions of the gates, which must be the same in both directions."""
    given = tuple(name.lower() for name in call.attribute("activations") or usual)
    first = given[: len(usual)]
    if any(given[k : k + len(usual)] != first for k in range(0, len(given), len(usual))):
        raise Untranslatable("its two directions have different functions")
    return first


def _rnn(call: Call) -> Result:
    (function,) = _functions(call, ("tanh",))
    if function not in ("tanh", "relu", "sigmoid"):
        raise Untranslatable(f"its function is {function}")

    def steps(layer: _Direction) -> Step:
        if function == "tanh":
            weights = layer.weights(0)
            return lambda x, state: (call.op("rnn_tanh_cell", x, state[0], *weights),)
        gate = layer.gate(0)
        return lambda x, state: (call.op(function, gate(x, state[0])),)

    return _unrolled(call, 1, 1, steps)


def _gru(call: Call) -> Result:
    if _functions(call, ("sigmoid", "tanh")) != ("sigmoid", "tanh"):
        raise Untranslatable("its functions are not the usual ones")
    torchs = bool(call.attribute("linear_before_reset", 0))

    def steps(layer: _Direction) -> Step:
        if torchs:
            weights = layer.weights(1, 0, 2)
            return lambda x, state: (call.op("gru_cell", x, state[0], *weights),)
        update, reset, new = layer.gate(0), layer.gate(1), layer.gate(2)

        def step(x: Ref, state: tuple[Ref, ...]) -> tuple[Ref, ...]:
            (h,) = state
            z, r = call.op("sigmoid", update(x, h)), call.op("sigmoid", reset(x, h))
            n = call.op("tanh", new(x, call.op("multiply", r, h)))
            return (call.op("lerp", n, h, z),)

        return step

    return _unrolled(call, 3, 1, steps)


def _lstm(call: Call) -> Result:
    if _functions(call, ("sigmoid", "tanh", "tanh")) != ("sigmoid", "tanh", "tanh"):
        raise Untranslatable("its functions are not the usual ones")
    peepholes = call.optional(7)

    def steps(layer: _Direction) -> Step:
        if peepholes is None:
            weights = layer.weights(0, 2, 3, 1)
            return lambda x, state: call.outputs("lstm_cell", x, *state, *weights)
        return _peeping(call, layer, peepholes)

    return _unrolled(call, 4, 2, steps)


def _peeping(call: Call, layer: _Direction, peepholes: Ref) -> Step:
    """A cell whose gates see c."""
    gate_i, gate_o, gate_f, gate_c = map(layer.gate, range(4))
    see_i, see_o, see_f = (
        call.op("getitem", peepholes, index=(layer.number, layer.rows(k))) for k in range(3)
    )

    def opened(gate: Ref, see: Ref, c: Ref) -> Ref:
        return call.op("sigmoid", call.op("add", gate, call.op("multiply", see, c)))

    def step(x: Ref, state: tuple[Ref, ...]) -> tuple[Ref, ...]:
        h, c = state
        kept = call.op("multiply", opened(gate_f(x, h), see_f, c), c)
        new = call.op("multiply", opened(gate_i(x, h), see_i, c), call.op("tanh", gate_c(x, h)))
        c = call.op("add", kept, new)
        return call.op("multiply", opened(gate_o(x, h), see_o, c), call.op("tanh", c)), c

    return step


TRANSLATORS: dict[str, Translator] = {"GRU": _gru, "LSTM": _lstm, "RNN": _rnn}
