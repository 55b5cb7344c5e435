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

Gather = Callable[[Any, Any, Any], tuple[Any, ...]]

#: Python's operator of a ufunc: ten times as fast on NumPy's scalars, and the same on arrays.
_OPERATORS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.negative: operator.neg,
    np.matmul: operator.matmul,
}

_GATHERS: dict[tuple[int, ...], Gather] = {
    (): lambda a, b, y: (),
    (0,): lambda a, b, y: (a,),
    (1,): lambda a, b, y: (b,),
    (2,): lambda a, b, y: (y,),
    (2, 0): lambda a, b, y: (y, a),
    (2, 1): lambda a, b, y: (y, b),
}


def _gather(op: Op, k: int) -> Gather:
    """Collects what the k-th rule takes beside ``g``, from (a, b, y)."""
    spec = op.spec
    place = {**{port: i for i, port in enumerate(spec.ports)}, spec.outputs[0]: 2}
    for name, at in list(place.items()):
        place[f"{name}_shape"] = at + 3
    places = tuple(place[name] for name in op.names[k])
    quick = _GATHERS.get(places)
    if quick is not None:
        return quick
    pick = operator.itemgetter(*places, 0)  # two places at least, so that it gives a tuple
    return lambda a, b, y: pick((a, b, y, np.shape(a), np.shape(b), y.shape))[:-1]


def unary_lane(spec: OpSpec, cls: type[Any]) -> Callable[[Any], Any]:
    """``spec``, elementwise and without parameters, as a function of one Tensor."""
    op = op_of(spec)
    if op.lane != UNARY or op.rules[0] is None:
        return lambda x: apply(spec, (x,), {}, cls)
    gather = _gather(op, 0)
    forward = _OPERATORS.get(op.forward, op.forward)
    nothing = ((),) if not op.names[0] else None

    def call(x: Any) -> Any:
        a = x._data
        here = state
        y = here.quiet.run(forward, a)
        t = _new(cls)
        t._data = y
        edge = x._record
        if edge is None or not here.grad:
            t._record = None
            return t
        t._record = r = Record()
        r.op = op
        r.edges = (edge,)
        r.args = nothing or (gather(a, None, y),)
        r.extras = None
        r.seq = tick()
        if type(y) is _float64 or (y.dtype is _F64 and a.dtype is _F64):
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
    gather_a, gather_b = _gather(op, 0), _gather(op, 1)
    forward = _OPERATORS.get(op.forward, op.forward)
    nothing = None if op.names[0] or op.names[1] else ((), ())
    elementwise = op.lane == BINARY
    numbers = frozenset({float, int, _float64} if elementwise else ())
    constants = numbers | {_ndarray}

    def slow(a: Any, b: Any) -> Any:
        return apply(spec, (a, b), {}, cls)

    def join(x: Any, y: Any, edge_a: Any, edge_b: Any) -> Any:
        here = state
        out = here.quiet.run(forward, x, y)
        t = _new(cls)
        t._data = out
        if (edge_a is None and edge_b is None) or not here.grad:
            t._record = None
            return t
        t._record = r = Record()
        r.op = op
        r.edges = (edge_a, edge_b)
        r.args = nothing or (
            None if edge_a is None else gather_a(x, y, out),
            None if edge_b is None else gather_b(x, y, out),
        )
        r.extras = None
        r.seq = tick()
        if type(out) is _float64 and type(x) in numbers and type(y) in numbers:
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
        r.likes = (
            None if edge_a is None else (x.shape, x.dtype),
            None if edge_b is None else (y.shape, y.dtype),
        )
        r.lane = REAL
        if (
            dtype.kind == "c"
            or (edge_a and x.dtype.kind == "c")
            or (edge_b and y.dtype.kind == "c")
        ):
            r.lane = GENERAL
        return t

    def call(a: Any, b: Any) -> Any:
        try:
            if type(b) is cls:
                return join(a._data, b._data, a._record, b._record)
            if type(b) in constants:
                return join(a._data, b, a._record, None)
        except (ValueError, TypeError):
            return slow(a, b)  # which words the error
        return slow(a, b) if isinstance(b, _OPERANDS) else NotImplemented

    def reflected(b: Any, a: Any) -> Any:
        if type(a) in constants:
            try:
                return join(a, b._data, None, b._record)
            except (ValueError, TypeError):
                return slow(a, b)
        return slow(a, b) if isinstance(a, _OPERANDS) else NotImplemented

    return call, reflected
