"""Many cotangents in one backward, their VJPs read on arrays with a hidden axis.

Where a rule cannot be read so the caller takes one backward a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import batched_numpy as _  # noqa: F401  (fills what arrays with a hidden axis know)
from core.arrivals import Arrivals
from core.engine import Backward
from core.hidden_axis import Array, Batched, NotBatchableError
from core.modes import state
from core.records import Extras, Record
from core.tensor import Tensor, make_tensor

#: Elements of the largest batch of cotangents; more rows go in several backwards.
_ELEMENTS = 2**22


def batched_rows(y: Tensor, xs: Sequence[Tensor]) -> list[Tensor | None]:
    """The Jacobian of ``y`` by every x: (y.size, *x.shape), None if y does not depend on x.

    The graph is kept. Nothing is recorded.

    Raises:
        NotBatchableError: a rule, or a hook on the way, cannot be read so; or somebody observes.
    """
    if state.observer is not None or state.anomaly is not None or y.record is None:
        raise NotBatchableError
    n, widest = y.size, max(x.size for x in xs)
    step = max(1, min(n, _ELEMENTS // max(widest, 1)))
    parts = [_some_rows(y, xs, range(k, min(k + step, n))) for k in range(0, n, step)]
    if len(parts) == 1:
        found = parts[0]
    else:
        found = [None if c[0] is None else np.concatenate(c) for c in zip(*parts, strict=True)]
    return [None if rows is None else make_tensor(rows) for rows in found]


def _some_rows(y: Tensor, xs: Sequence[Tensor], rows: range) -> list[Array | None]:
    one_hots = np.eye(len(rows), y.size, rows.start, y.dtype).reshape((len(rows), *y.shape))
    assert y.record is not None  # checked by the caller
    roots = [(y.record, Batched(one_hots))]
    run = _BatchedBackward(roots, retain_graph=True, create_graph=False, inputs=xs, keep=False)
    run.run()
    return [
        None if g is None else _with_axis(g, len(rows))
        for g in (run.arrivals.captured.get(x.record) for x in xs)
    ]


def _with_axis(g: Any, n: int) -> Array:
    if isinstance(g, Batched):
        return g.array
    return np.broadcast_to(g, (n, *g.shape))  # a rule that ignores its cotangent


class _BatchedArrivals(Arrivals):
    def capture(self, record: Record, g: Any) -> None:
        self.captured[record] = g

    def through(self, record: Record, extras: Extras, g: Any) -> Any:
        if extras.hooks:
            raise NotBatchableError  # hooks see gradients as Tensors, one by one
        return g


class _BatchedBackward(Backward):
    """A backward whose cotangents are ``Batched``."""

    arrivals_type = _BatchedArrivals
