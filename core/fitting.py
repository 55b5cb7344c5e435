"""Making what a VJP rule returned fit the input it is for: broadcast sums, casts, conjugates."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.errors import RuleError
from core.library.casting import CAST
from core.library.reduction import SUM
from core.records import Record
from core.tensor import make_tensor, tensor_of_record


def fit(h: Any, shape: tuple[int, ...], dtype: np.dtype[Any], record: Record, k: int) -> Any:
    """``h`` summed over broadcast axes to ``shape``, and cast to ``dtype``.

    Raises:
        RuleError: it has other axes than those of a broadcast of ``shape``.
    """
    if h.shape != shape:
        extra = h.ndim - len(shape)
        if extra == 1 and h.shape[1:] == shape:  # a bias: the most frequent case by far
            h = np.add.reduce(h) if type(h) is np.ndarray else SUM(h, axis=0)
            return h if h.dtype == dtype else cast_to(h, dtype)
        if extra < 0 or any(
            n not in (1, m) for n, m in zip(shape, h.shape[max(extra, 0) :], strict=False)
        ):
            port = record.op.spec.ports[0 if record.op.variadic else k]
            raise RuleError(
                f"The VJP rule of {record.name} for {port} returned shape {h.shape}; its input "
                f"has shape {shape}, and these do not fit by summing over broadcast axes.",
                next_step="Mend the rule: it must return the input's shape or a broadcast of it.",
                port=port,
            )
        axes = tuple(range(extra)) + tuple(
            extra + i for i, n in enumerate(shape) if n == 1 and h.shape[extra + i] != 1
        )
        h = np.reshape(np.sum(h, axis=axes, keepdims=True), shape)
    return h if h.dtype == dtype else cast_to(h, dtype)


def cast_to(h: Any, dtype: np.dtype[Any]) -> Any:
    """``h`` as another dtype, recorded if it is a Tensor."""
    return CAST(h, dtype=dtype.name)


def as_tensors(record: Record, k: int, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of the k-th rule with the saved values as Tensors that know their history."""
    op, edges = record.op, record.edges
    made: list[Any] = []
    for source, value in zip(op.sources_of(k), args, strict=True):
        if source is None or value is None:
            made.append(value)
        elif source < 0:
            made.append(tensor_of_record(value, record, -1 - source))
        elif op.variadic:
            made.append(tuple(make_tensor(v, e) for v, e in zip(value, edges, strict=True)))
        else:
            edge = edges[source]
            made.append(value if edge is None else make_tensor(value, edge))
    return tuple(made)


def is_complex(g: Any) -> bool:
    """Whether a cotangent, or one of a tuple of them, is complex."""
    if isinstance(g, tuple):
        return any(is_complex(one) for one in g)
    return bool(g.dtype.kind == "c")


def conj(g: Any) -> Any:
    """The complex conjugate of a cotangent or of a tuple of them; real ones as they are."""
    if isinstance(g, tuple):
        return tuple(conj(one) for one in g)
    return np.conj(g) if g.dtype.kind == "c" else g


def copy(g: Any) -> Any:
    """An array of its own with the values of ``g``; NumPy scalars are never shared."""
    return g.copy() if isinstance(g, np.ndarray) else g
