"""Applying an operation to Tensors, and recording it when a gradient may be wanted.

``apply`` takes any operation. ``unary_lane`` and ``binary_lane`` make the short paths for
elementwise operations on float64, which most of a graph consists of: the same result, record for
record, without the general bookkeeping.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.errors import OperandError, PullbackError, did_you_mean
from core.library.spec import OpSpec
from core.modes import state
from core.records import BINARY, GENERAL, SELECT, UNARY, Op, Record, make_record, op_of
from core.tensor_base import TensorBase
from core.versions import tick

_new = object.__new__
_float64 = np.float64
_ndarray = np.ndarray
_F64 = np.dtype(np.float64)


def apply(spec: OpSpec, inputs: Sequence[Any], params: dict[str, Any], cls: type[Any]) -> Any:
    """Apply ``spec`` and record it if an input requires grad.

    Args:
        inputs: Tensors, arrays, numbers, or None for an empty optional port.
        params: parameters by name; the others take their defaults.
        cls: the Tensor class of the outputs.

    Returns:
        A Tensor; a tuple of Tensors for an operation with several outputs.

    Raises:
        OperandError: wrong number of inputs, unknown parameter, or values the operation
            cannot take.
    """
    op = op_of(spec)
    params = _with_defaults(spec, params)
    values = _values(spec, inputs)
    try:
        with np.errstate(all="ignore"):
            out = op.forward(*values, **params)
    except PullbackError:
        raise
    except (ValueError, TypeError, IndexError, np.linalg.LinAlgError, ZeroDivisionError) as error:
        raise OperandError(
            f"{spec.name} cannot take these values: {_said(error)} ({describe(spec, values)}).",
            next_step="Compare the shapes and types with what the operation needs.",
        ) from error
    outputs = out if spec.multi_output else (out,)
    record = _record(op, inputs, values, outputs, params)
    tensors = tuple(_wrap(cls, y, record, k, len(outputs), spec) for k, y in enumerate(outputs))
    return tensors if spec.multi_output else tensors[0]


def _wrap(cls: type[Any], y: Any, record: Record | None, k: int, n: int, spec: OpSpec) -> Any:
    t = _new(cls)
    t._data = y if type(y) in (_ndarray, _float64) else _as_data(y)
    if record is None or t._data.dtype.kind not in "fc":
        t._record = None
    elif spec.multi_output:
        t._record = make_record(record.op, (record,), k, SELECT)
    else:
        t._record = record
    return t


def _as_data(y: Any) -> Any:
    return y if isinstance(y, np.ndarray | np.generic) else np.asarray(y)[()]


def _record(
    op: Op,
    inputs: Sequence[Any],
    values: Sequence[Any],
    outputs: Sequence[Any],
    params: dict[str, Any],
) -> Record | None:
    """The record of one application; None if no gradient can be wanted."""
    if not state.grad:
        return None
    edges = tuple(
        x._record if isinstance(x, TensorBase) and op.rule(k) is not None else None
        for k, x in enumerate(inputs)
    )
    if not any(edges) or all(np.asarray(y).dtype.kind not in "fc" for y in outputs):
        return None
    args = tuple(
        None if edge is None else op.args(k, values, outputs, params)
        for k, edge in enumerate(edges)
    )
    likes = tuple(
        None if edge is None else (np.shape(v), v.dtype)
        for edge, v in zip(edges, values, strict=True)
    )
    record = make_record(op, edges, args, GENERAL, likes)
    if op.spec.multi_output:
        record.made = tuple((np.shape(y), y.dtype) for y in outputs)
    return record


def _values(spec: OpSpec, inputs: Sequence[Any]) -> list[Any]:
    """The inputs as arrays. Python numbers take the dtype NumPy would give them beside the rest."""
    if not spec.variadic and len(inputs) != len(spec.ports):
        least = len(spec.ports) - len(spec.optional_ports)
        if not least <= len(inputs) <= len(spec.ports):
            needs = f"{least}" if least == len(spec.ports) else f"{least} to {len(spec.ports)}"
            raise OperandError(
                f"{spec.name} takes {needs} inputs ({', '.join(spec.ports)}), not {len(inputs)}.",
                next_step="Pass one value a port, None for an optional port left empty.",
            )
        inputs = [*inputs, *[None] * (len(spec.ports) - len(inputs))]
    if spec.variadic and not inputs:
        raise OperandError(
            f"{spec.name} needs at least one input.", next_step="Pass one or more values."
        )
    values: list[Any] = []
    numbers: list[int] = []
    for k, x in enumerate(inputs):
        if isinstance(x, TensorBase):
            values.append(x._data)
        elif isinstance(x, np.ndarray | np.generic):
            values.append(x)
        elif x is None:
            if spec.variadic or spec.ports[k] not in spec.optional_ports:
                port = spec.ports[0 if spec.variadic else k]
                raise OperandError(
                    f"{spec.name} needs a value at its port {port}.",
                    next_step="Give it a Tensor, an array or a number.",
                    port=port,
                )
            values.append(None)
        elif isinstance(x, int | float | complex):
            numbers.append(k)
            values.append(x)
        else:
            values.append(as_array(x))
    if numbers:
        dtypes = [v.dtype for v in values if isinstance(v, np.ndarray | np.generic)]
        for k in numbers:
            x = values[k]
            weak: list[Any] = [*dtypes, x] if dtypes else [np.asarray(x).dtype]
            values[k] = np.result_type(*weak).type(x)
    return values


def as_array(x: Any) -> np.ndarray[Any, Any]:
    """``x`` (a list or the like) as an array of numbers."""
    try:
        array = np.asarray(x)
    except (ValueError, TypeError) as error:
        raise OperandError(
            f"A value of type {type(x).__name__} is no array of numbers: {error}.",
            next_step="Pass a Tensor, an array, a number, or lists of equal lengths.",
        ) from error
    if array.dtype.kind not in "fcbiu":
        raise OperandError(
            f"A value of type {type(x).__name__} gives an array of dtype {array.dtype}, "
            "not of numbers.",
            next_step="Pass a Tensor, an array, a number, or lists of numbers of equal lengths.",
        )
    return array


def _with_defaults(spec: OpSpec, params: dict[str, Any]) -> dict[str, Any]:
    merged = spec.defaults
    for name in params:
        if name not in merged:
            known = ", ".join(merged) or "none"
            raise OperandError(
                f"{spec.name} has no parameter '{name}' (it has: {known}).",
                next_step=did_you_mean(name, merged, "Leave it out."),
            )
    merged.update(params)
    for p in spec.params:
        if p.choices and merged[p.name] not in p.choices:
            choices = ", ".join(map(repr, p.choices))
            raise OperandError(
                f"{spec.name}: {p.name} is {merged[p.name]!r}; it must be one of {choices}.",
                next_step=did_you_mean(
                    str(merged[p.name]), map(str, p.choices), "Choose one of them."
                ),
            )
    return merged


def describe(spec: OpSpec, values: Sequence[Any]) -> str:
    """The inputs in words: "a is float64 (3, 2), b is float64 (3,)"."""
    names = [f"{spec.ports[0]}[{k}]" for k in range(len(values))] if spec.variadic else spec.ports
    return ", ".join(
        f"{name} is empty" if v is None else f"{name} is {np.asarray(v).dtype} {np.shape(v)}"
        for name, v in zip(names, values, strict=False)
    )


def _said(error: BaseException) -> str:
    return str(error).rstrip(".").replace("\n", " ")


# -- short paths ----------------------------------------------------------------------------------

_PICKS: dict[tuple[int, ...], Callable[[Any, Any, Any], tuple[Any, ...]]] = {
    (): lambda a, b, y: (),
    (0,): lambda a, b, y: (a,),
    (1,): lambda a, b, y: (b,),
    (2,): lambda a, b, y: (y,),
    (0, 1): lambda a, b, y: (a, b),
    (1, 0): lambda a, b, y: (b, a),
    (0, 2): lambda a, b, y: (a, y),
    (2, 0): lambda a, b, y: (y, a),
    (1, 2): lambda a, b, y: (b, y),
    (2, 1): lambda a, b, y: (y, b),
    (0, 1, 2): lambda a, b, y: (a, b, y),
    (2, 0, 1): lambda a, b, y: (y, a, b),
}


def _pick(op: Op, k: int) -> Callable[[Any, Any, Any], tuple[Any, ...]] | None:
    """Gathers the arguments of the k-th rule from (a, b, y); None if it wants more than those."""
    spec = op.spec
    place = {**{port: i for i, port in enumerate(spec.ports)}, spec.outputs[0]: 2}
    if op.rules[k] is None or not all(name in place for name in op.names[k]):
        return None
    return _PICKS.get(tuple(place[name] for name in op.names[k]))


def unary_lane(spec: OpSpec, cls: type[Any]) -> Callable[[Any], Any]:
    """``spec`` as a function of one Tensor."""
    op = op_of(spec)
    pick = _pick(op, 0) if op.lane == UNARY else None
    if pick is None:
        return lambda x: apply(spec, (x,), {}, cls)
    gather = pick
    forward = op.forward
    nothing = ((),) if not op.names[0] else None

    def call(x: Any) -> Any:
        a = x._data
        y = forward(a)
        t = _new(cls)
        t._data = y
        edge = x._record
        if edge is None or not state.grad:
            t._record = None
            return t
        r = _new(Record)
        r.op = op
        r.edges = (edge,)
        r.args = nothing or (gather(a, None, y),)
        r.seq = tick()
        if type(y) is _float64 or (y.dtype is _F64 and a.dtype is _F64):
            r.lane = UNARY
        else:
            r.lane = GENERAL
            r.likes = ((a.shape, a.dtype),)
        t._record = r
        return t

    return call


def binary_lane(
    spec: OpSpec, cls: type[Any]
) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """``spec`` as ``f(a, b)`` of a Tensor and anything, and as ``r(b, a)`` with a no Tensor."""
    op = op_of(spec)

    def slow(a: Any, b: Any) -> Any:
        return apply(spec, (a, b), {}, cls) if isinstance(b, _OPERANDS) else NotImplemented

    def reflected(b: Any, a: Any) -> Any:
        return apply(spec, (a, b), {}, cls) if isinstance(a, _OPERANDS) else NotImplemented

    picks = (_pick(op, 0), _pick(op, 1)) if op.lane == BINARY else (None, None)
    gather_a, gather_b = picks
    if gather_a is None or gather_b is None:
        return slow, reflected
    forward = op.forward
    nothing = None if op.names[0] or op.names[1] else ((), ())
    numbers = {float, int, _float64}

    def call(a: Any, b: Any) -> Any:
        if type(b) is cls:
            y, edge_b = b._data, b._record
        elif type(b) in numbers:
            y, edge_b = b, None
        else:
            return slow(a, b)
        x, edge_a = a._data, a._record
        try:
            out = forward(x, y)
        except (ValueError, TypeError):
            return slow(a, b)  # which words the error
        t = _new(cls)
        t._data = out
        if (edge_a is None and edge_b is None) or not state.grad:
            t._record = None
            return t
        r = _new(Record)
        r.op = op
        r.edges = (edge_a, edge_b)
        r.args = nothing or (
            None if edge_a is None else gather_a(x, y, out),
            None if edge_b is None else gather_b(x, y, out),
        )
        r.seq = tick()
        if type(out) is _float64:
            plain = type(x) is _float64 and type(y) in numbers
        else:
            plain = (
                out.dtype is _F64
                and x.dtype is _F64
                and x.shape == out.shape
                and (
                    (edge_b is None and type(y) in numbers)
                    or (y.dtype is _F64 and y.shape == out.shape)
                )
            )
        if plain:
            r.lane = BINARY
        else:
            r.lane = GENERAL
            r.likes = (
                None if edge_a is None else (x.shape, x.dtype),
                None if edge_b is None else (y.shape, y.dtype),
            )
        t._record = r
        return t

    return call, reflected


_OPERANDS = (TensorBase, int, float, complex, np.ndarray, np.generic, list)
