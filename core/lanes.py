"""Short paths of recording: operators and elementwise functions, which most of a graph consists of.

They do what ``core.recording.apply`` does, record for record, without its general bookkeeping:
one or two inputs, no parameters. What they cannot take they leave to it. Each is written out for
its operation from one of two patterns, because these few lines run at every recording: a call to
gather what the rules save would cost a tenth of the whole.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from core.library.spec import OpSpec
from core.modes import state
from core.recording import apply
from core.records import BINARY, GENERAL, REAL, UNARY, Op, Record, op_of
from core.tensor_base import TensorBase
from core.versions import tick

_OPERANDS = (TensorBase, int, float, complex, np.ndarray, np.generic, list)

#: Python's operator of a ufunc: ten times as fast on NumPy's scalars, and the same on arrays.
_OPERATORS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.negative: operator.neg,
    np.matmul: operator.matmul,
}

_UNARY_PATTERN = """
def call(x):
    a = x._data
    mode = state.mode
    y = mode.quietly(forward, a)
    t = new(cls)
    t._data = y
    edge_a = x._record
    if edge_a is None or not mode.grad:
        t._record = None
        return t
    t._record = r = Record()
    r.op = op
    r.edges = (edge_a,)
    r.args = ARGS
    r.extras = r.pending = None
    r.seq = tick()
    if type(y) is type(a) is float64 or (y.dtype is F64 and a.dtype is F64):
        r.lane = UNARY
    else:
        r.lane = REAL if y.dtype.kind == a.dtype.kind == "f" else GENERAL
        r.likes = ((a.shape, a.dtype),)
    return t
"""

_BINARY_PATTERN = """
def call(x, other):
    kind = type(other)
    if kind is cls:
        b = other._data
        edge_b = other._record
    elif kind in constants:
        b = other
        edge_b = None
    else:
        return slow(x, other)
    a = x._data
    edge_a = x._record
    mode = state.mode
    try:
        y = mode.quietly(forward, a, b)
    except (ValueError, TypeError):
        return slow(x, other)  # which words the error
    t = new(cls)
    t._data = y
    if (edge_a is None and edge_b is None) or not mode.grad:
        t._record = None
        return t
    t._record = r = Record()
    r.op = op
    r.edges = (edge_a, edge_b)
    r.args = ARGS
    r.extras = r.pending = None
    r.seq = tick()
    if (
        type(y) is float64
        and (edge_a is None or type(a) is float64)
        and (edge_b is None or type(b) is float64)
    ):
        r.lane = BINARY
        return t
    dtype = y.dtype
    full = y.shape
    if (
        elementwise
        and dtype is F64
        and (edge_a is None or (a.dtype is F64 and a.shape == full))
        and (edge_b is None or (b.dtype is F64 and b.shape == full))
    ):
        r.lane = BINARY
        return t
    r.lane = REAL if dtype.kind == "f" else GENERAL
    like_a = like_b = None
    if edge_a is not None:
        like_a = (a.shape, a.dtype)
        if a.dtype.kind == "c":
            r.lane = GENERAL
    if edge_b is not None:
        like_b = (b.shape, b.dtype)
        if b.dtype.kind == "c":
            r.lane = GENERAL
    r.likes = (like_a, like_b)
    return t
"""


def _written(pattern: str, op: Op, **names: Any) -> Callable[..., Any]:
    """``pattern`` as a function, with ``ARGS`` replaced by what the operation's rules take."""
    scope = {
        "op": op, "forward": _OPERATORS.get(op.forward, op.forward), "state": state, "tick": tick,
        "Record": Record, "new": object.__new__, "shape": np.shape, "float64": np.float64,
        "F64": np.dtype(np.float64), "UNARY": UNARY, "BINARY": BINARY, "REAL": REAL,
        "GENERAL": GENERAL, **names,
    }  # fmt: skip
    exec(pattern.replace("ARGS", _args(op)), scope)
    call: Callable[..., Any] = scope["call"]
    return call


def _args(op: Op) -> str:
    """A record's ``args`` as an expression of a, b, y and the edges of a and b."""
    spec = op.spec
    values = {**dict(zip(spec.ports, "ab", strict=False)), spec.outputs[0]: "y"}
    shapes = {f"{name}_shape": f"shape({value})" for name, value in values.items()}
    parts = []
    for letter, names in zip("ab", op.names, strict=False):
        part = "".join(f"{({**values, **shapes})[name]}, " for name in names)
        if len(op.names) == 2 and names:  # an empty tuple serves as well as None
            part = f"None if edge_{letter} is None else ({part})"
        else:
            part = f"({part})"
        parts.append(f"{part}, ")
    return f"({''.join(parts)})"


def unary_lane(spec: OpSpec, cls: type[Any]) -> Callable[[Any], Any]:
    """``spec``, elementwise and without parameters, as a function of one Tensor."""
    op = op_of(spec)
    if op.lane != UNARY or op.rules[0] is None:
        return lambda x: apply(spec, (x,), {}, cls)
    return _written(_UNARY_PATTERN, op, cls=cls)


def binary_lane(
    spec: OpSpec, cls: type[Any]
) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """``spec`` as ``f(a, b)`` of a Tensor and anything, and as ``r(b, a)`` with a no Tensor."""
    op = op_of(spec)
    elementwise = op.lane == BINARY
    numbers = frozenset({float, int, np.float64} if elementwise else ())
    constants = numbers | {np.ndarray}

    def slow(a: Any, b: Any) -> Any:
        return apply(spec, (a, b), {}, cls) if isinstance(b, _OPERANDS) else NotImplemented

    call = _written(
        _BINARY_PATTERN, op, cls=cls, elementwise=elementwise, constants=constants, slow=slow
    )

    def reflected(b: Any, a: Any) -> Any:
        if type(a) not in constants:
            return apply(spec, (a, b), {}, cls) if isinstance(a, _OPERANDS) else NotImplemented
        constant = object.__new__(cls)
        constant._data = a
        constant._record = None
        return call(constant, b)

    return call, reflected
