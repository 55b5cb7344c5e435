"""Checking what backward and grad are asked: roots, cotangents and inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.errors import (
    CotangentCountError,
    CotangentShapeError,
    CotangentTypeError,
    InputNoGradError,
    NoGradPathError,
    NonscalarRootError,
    PullbackError,
)
from core.library.casting import CAST
from core.records import Record
from core.tensor import Tensor, make_tensor

Cotangents = Sequence[Any] | Tensor | np.ndarray[Any, Any] | None


def checked_roots(
    roots: Sequence[Tensor], cotangents: Cotangents, *, create_graph: bool
) -> list[tuple[Record, Any]]:
    """(record, cotangent) of every root.

    Cotangents are cast to their root's dtype; Tensors with ``create_graph``, else arrays.

    Raises:
        CotangentTypeError, CotangentCountError, NoGradPathError, NonscalarRootError,
        CotangentShapeError: with the position of the root in ``index``.
    """
    if cotangents is None:
        given: list[Any] = [None] * len(roots)
    elif isinstance(cotangents, Tensor | np.ndarray):
        given = [cotangents]
    elif isinstance(cotangents, list | tuple):
        given = list(cotangents)
    else:
        raise CotangentTypeError(
            f"Cotangents must be Tensors or arrays, not {type(cotangents).__name__}.",
            next_step="Wrap the number: Tensor(1.0).",
        )
    if len(given) != len(roots):
        raise CotangentCountError(
            f"There are {len(roots)} roots but {len(given)} cotangents.",
            next_step="Give one cotangent a root (None stands for 1 at a one-element root).",
        )
    checked: list[tuple[Record, Any]] = []
    for i, (y, v) in enumerate(zip(roots, given, strict=True)):
        try:
            checked.append(_checked_root(i, y, v, create_graph))
        except PullbackError as error:
            error.index = i
            raise
    return checked


def _checked_root(i: int, y: Tensor, v: Any, create_graph: bool) -> tuple[Record, Any]:
    if not isinstance(y, Tensor):
        raise CotangentTypeError(
            f"Root {i} is {type(y).__name__}, not a Tensor.", next_step="Pass Tensors."
        )
    if y.record is None:
        raise NoGradPathError(
            f"Root {i} neither requires grad nor was made from a tensor that does.",
            next_step="Set requires_grad=True on a leaf it is computed from, outside no_grad.",
        )
    if v is None:
        if y._data.size != 1:
            raise NonscalarRootError(
                f"Root {i} has shape {y.shape}: its gradient is a whole Jacobian, so a "
                f"cotangent of shape {y.shape} is needed to say which combination of rows.",
                next_step="Give a cotangent of that shape, or reduce the root to one number "
                "first, e.g. with sum.",
            )
        one = y.dtype.type(1) if not y.shape else np.ones(y.shape, y.dtype)
        return y.record, make_tensor(one) if create_graph else one
    if not isinstance(v, Tensor | np.ndarray | np.generic):
        raise CotangentTypeError(
            f"The cotangent of root {i} is {type(v).__name__}, not a Tensor or an array.",
            next_step="Wrap it: Tensor(...).",
        )
    if v.shape != y.shape:
        raise CotangentShapeError(
            f"The cotangent of root {i} has shape {v.shape}, the root has shape {y.shape}.",
            next_step="They must be exactly equal; cotangents are not broadcast.",
        )
    if create_graph:
        v = v if isinstance(v, Tensor) else make_tensor(v)
        return y.record, v if v.dtype == y.dtype else v.astype(y.dtype)
    raw = v._data if isinstance(v, Tensor) else v
    return y.record, raw if raw.dtype == y.dtype else CAST(raw, dtype=y.dtype.name)


def check_inputs(inputs: Sequence[Tensor]) -> None:
    """Refuse inputs that no gradient can reach.

    Raises:
        CotangentTypeError: one is no Tensor.
        InputNoGradError: one does not require grad.
    """
    for i, x in enumerate(inputs):
        if not isinstance(x, Tensor):
            raise CotangentTypeError(
                f"inputs[{i}] is {type(x).__name__}, not a Tensor.", next_step="Pass Tensors."
            )
        if x.record is None:
            raise InputNoGradError(
                f"inputs[{i}] does not require grad.",
                next_step="Set requires_grad on it before the forward pass.",
            )
