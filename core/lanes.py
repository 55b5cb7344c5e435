"""Short paths of recording: operators and elementwise functions, which most of a graph consists of.

They do what ``core.recording.apply`` does, record for record, without its general bookkeeping:
one or two inputs, no parameters. What they cannot take they leave to it.
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

_new = object.__new__
_float64 = np.float64
_ndarray = np.ndarray
_F64 = np.dtype(np.float64)
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


def _gather(op: Op) -> Callable[..., Any]:
    """Makes a record's ``args`` from (a, b, y) and the edges of a and b.

    Written out as one expression, because it runs at every recording.
    """
    spec = op.spec
    values = {**dict(zip(spec.ports, "ab", strict=False)), spec.outputs[0]: "y"}
    shapes = {f"{name}_shape": f"shape({value})" for name, value in values.items()}
    parts = []
    for k, names in enumerate(op.names):
        part = "".join(f"{({**values, **shapes})[name]}, " for name in names)
        parts.append(f"None if edge_{'ab'[k]} is None else ({part}), ")
    source = f"lambda a, b, y, edge_a, edge_b: ({''.join(parts)})"
    gather: Callable[..., Any] = eval(source, {"shape": np.shape})
    return gather


def unary_lane(spec: OpSpec, cls: type[Any]) -> Callable[[Any], Any]:
    """``spec``, elementwise and without parameters, as a function of one Tensor."""
    op = op_of(spec)
    if op.lane != UNARY or op.rules[0] is None:
        return lambda x: apply(spec, (x,), {}, cls)
    gather = _gather(op)
    forward = _OPERATORS.get(op.forward, op.forward)

    def call(x: Any) -> Any:
        a = x._data
        here = state
        y = here.quietly(forward, a)
        t = _new(cls)
        t._data = y
        edge = x._record
        if edge is None or not here.grad:
            t._record = None
            return t
        t._record = r = Record()
        r.op = op
        r.edges = (edge,)
        r.args = gather(a, None, y, edge, None)
        r.extras = None
        r.seq = tick()
        if type(y) is type(a) is _float64 or (y.dtype is _F64 and a.dtype is _F64):
            r.lane = UNARY
        else:
            r.lane = REAL if y.dtype.kind == a.dtype.kind == "f" else GENERAL
            r.likes = ((a.shape, a.dtype),)
        return t

    return call


def binary_lane(
    spec: OpSpec, cls: type[Any]
) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """``spec`` as ``f(a, b)`` of a Tensor and anything, and as ``r(b, a)`` with a no Tensor."""
    op = op_of(spec)
    gather = _gather(op)
    nothing = None if any(op.names) else ((), ())
    forward = _OPERATORS.get(op.forward, op.forward)
    elementwise = op.lane == BINARY
    numbers = frozenset({float, int, _float64} if elementwise else ())
    constants = numbers | {_ndarray}

    def slow(a: Any, b: Any) -> Any:
        return apply(spec, (a, b), {}, cls) if isinstance(b, _OPERANDS) else NotImplemented

    def call(a: Any, b: Any) -> Any:
        kind = type(b)
        if kind is cls:
            y, edge_b = b._data, b._record
        elif kind in constants:
            y, edge_b = b, None
        else:
            return slow(a, b)
        x, edge_a = a._data, a._record
        here = state
        try:
            out = here.quietly(forward, x, y)
        except (ValueError, TypeError):
            return slow(a, b)  # which words the error
        t = _new(cls)
        t._data = out
        if (edge_a is None and edge_b is None) or not here.grad:
            t._record = None
            return t
        t._record = r = Record()
        r.op = op
        r.edges = (edge_a, edge_b)
        r.args = nothing or gather(x, y, out, edge_a, edge_b)
        r.extras = None
        r.seq = tick()
        if (
            type(out) is _float64
            and (edge_a is None or type(x) is _float64)
            and (edge_b is None or type(y) is _float64)
        ):
            r.lane = BINARY
            return t
        dtype, shape = out.dtype, out.shape
        if (
            elementwise
            and dtype is _F64
            and (edge_a is None or (x.dtype is _F64 and x.shape == shape))
            and (edge_b is None or (y.dtype is _F64 and y.shape == shape))
        ):
            r.lane = BINARY
            return t
        r.lane = REAL if dtype.kind == "f" else GENERAL
        like_a = like_b = None
        if edge_a is not None:
            like_a = (x.shape, x.dtype)
            if x.dtype.kind == "c":
                r.lane = GENERAL
        if edge_b is not None:
            like_b = (y.shape, y.dtype)
            if y.dtype.kind == "c":
                r.lane = GENERAL
        r.likes = (like_a, like_b)
        return t

    def reflected(b: Any, a: Any) -> Any:
        if type(a) not in constants:
            return apply(spec, (a, b), {}, cls) if isinstance(a, _OPERANDS) else NotImplemented
        constant = _new(cls)
        constant._data = a
        constant._record = None
        return call(constant, b)

    return call, reflected
