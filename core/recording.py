"""Applying an operation to Tensors, and recording it when a gradient may be wanted.

``apply`` takes any operation; ``core.lanes`` has the short paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.errors import OperandError, PullbackError, did_you_mean
from core.library.spec import OpSpec
from core.modes import state
from core.records import GENERAL, REAL, SELECT, Op, Record, make_record, op_of
from core.tensor_base import TensorBase

_new = object.__new__


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
    settings = _settings(op, params) if params else op.defaults
    values = _values(op, inputs)
    try:
        out = state.mode.quietly(op.forward, *values, **settings)
    except PullbackError:
        raise
    except (ValueError, TypeError, IndexError, np.linalg.LinAlgError, ZeroDivisionError) as error:
        raise OperandError(
            f"{spec.name} cannot take these values: {_said(error)} ({describe(spec, values)}).",
            next_step="Compare the shapes and types with what the operation needs.",
        ) from error
    if not op.multi_output:
        y = out if isinstance(out, np.ndarray | np.generic) else np.asarray(out)[()]
        return _wrap(cls, y, _record(op, inputs, values, (y,), settings))
    outputs = tuple(y if isinstance(y, np.ndarray) else np.asarray(y) for y in out)
    record = _record(op, inputs, values, outputs, settings)
    return tuple(
        _wrap(cls, y, record and make_record(op, (record,), k, SELECT))
        for k, y in enumerate(outputs)
    )


def _wrap(cls: type[Any], y: Any, record: Record | None) -> Any:
    t = _new(cls)
    t._data = y
    t._record = record if record is not None and y.dtype.kind in "fc" else None
    return t


def _record(
    op: Op,
    inputs: Sequence[Any],
    values: Sequence[Any],
    outputs: tuple[Any, ...],
    settings: dict[str, Any],
) -> Record | None:
    """The record of one application; None if no gradient can be wanted."""
    if not state.grad:
        return None
    edges: list[Record | None] = []
    args: list[tuple[Any, ...] | None] = []
    likes: list[tuple[tuple[int, ...], np.dtype[Any]] | None] = []
    lane, wanted = op.lane and REAL, False  # GENERAL is 0
    for k, v in enumerate(values):
        x = inputs[k] if k < len(inputs) else None
        edge = x._record if isinstance(x, TensorBase) else None
        if edge is None or op.rule(k) is None:
            edges.append(None)
            args.append(None)
            likes.append(None)
            continue
        wanted = True
        edges.append(edge)
        args.append(op.args(k, values, outputs, settings))
        likes.append((v.shape, v.dtype))
        if v.dtype.kind == "c":
            lane = GENERAL
    floating = False
    for y in outputs:
        if y.dtype.kind == "c":
            floating, lane = True, GENERAL
        elif y.dtype.kind == "f":
            floating = True
    if not wanted or not floating:
        return None
    record = make_record(op, tuple(edges), tuple(args), lane, tuple(likes))
    if op.multi_output:
        record.made = tuple((y.shape, y.dtype) for y in outputs)
    return record


def _values(op: Op, inputs: Sequence[Any]) -> list[Any]:
    """The inputs as arrays."""
    values = [x._data if isinstance(x, TensorBase) else x for x in inputs]
    if len(values) == len(op.spec.ports) or (op.variadic and values):
        for v in values:
            if not isinstance(v, np.ndarray | np.generic):
                break
        else:
            return values
    return _other_values(op.spec, inputs)


def _other_values(spec: OpSpec, inputs: Sequence[Any]) -> list[Any]:
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


def _settings(op: Op, params: dict[str, Any]) -> dict[str, Any]:
    """Every parameter's value, checked."""
    spec = op.spec
    merged = dict(op.defaults)
    for name in params:
        if name not in merged:
            known = ", ".join(merged) or "none"
            raise OperandError(
                f"{spec.name} has no parameter '{name}' (it has: {known}).",
                next_step=did_you_mean(name, merged, "Leave it out."),
            )
    merged.update(params)
    for p in spec.params:
        if p.optional and merged[p.name] is None:
            continue
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
