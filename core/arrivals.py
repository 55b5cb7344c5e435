"""Where gradients end: at leaves, at tensors that retain theirs, at those that were asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import versions
from core.dispatch import NAMED
from core.errors import HookShapeError
from core.fitting import copy
from core.modes import Observer
from core.records import Extras, Record
from core.tensor import Tensor, make_tensor


class Arrivals:
    """Takes what arrives, through hooks, into ``.grad`` or into ``captured``.

    Args:
        create_graph: whether gradients are Tensors with a history of their own.
        inputs: the tensors gradients are wanted for; None for all leaves.
        keep: accumulate into ``.grad`` (backward) rather than ``captured`` (grad).
        observer: who is told, if anybody.

    Attributes:
        wanted: the records of ``inputs``; None for all leaves.
        captured: gradients found for the records in ``inputs``.
        updated: how many leaves have accumulated so far.
        shared: ids of cotangents that may be held in more than one place.
    """

    def __init__(
        self,
        create_graph: bool,
        inputs: Sequence[Tensor] | None,
        keep: bool,
        observer: Observer | None,
    ) -> None:
        self._create = create_graph
        self._inputs = inputs
        self._keep = keep
        self._observer = observer
        self.wanted = None if inputs is None else {x.record for x in inputs if x.record is not None}
        self.captured: dict[Record | None, Any] = {}
        self.updated = 0
        self.shared: set[int] = set()

    def reach(self, leaf: Record) -> None:
        """All contributions are in: run hooks, then accumulate into ``.grad``."""
        g = leaf.cotangent
        leaf.cotangent = None
        if g is None:
            return
        if leaf.extras is not None:
            g = self.through(leaf, leaf.extras, g)
        if self.wanted is not None:
            if leaf in self.wanted:
                self.capture(leaf, g)
            return
        owner: Tensor | None = leaf.args()
        if owner is None:
            return
        if owner._grad is None and not self._create and self._observer is None:
            owner._grad = make_tensor(g if self._owns(g) else copy(g))
            self.updated += 1
        else:
            self._accumulate(owner, g, leaf)

    def capture(self, record: Record, g: Any) -> None:
        """A gradient that was asked for."""
        if not self._keep:
            self.captured[record] = g if self._create or self._whole(g) else copy(g)
            return
        for x in self._inputs or ():
            if x.record is record:
                self._accumulate(x, g, record)
                return

    def _accumulate(self, x: Tensor, g: Any, record: Record) -> None:
        """Add ``g`` to ``x.grad``: in place, unless the gradient shall have a history."""
        held: Tensor | None = getattr(x, "_grad", None)
        before = None
        if self._observer is not None and held is not None:
            before = held._data.copy()
        if self._create:
            fresh = NAMED["copy"](g) if id(g) in self.shared else g
            x._grad = fresh if held is None else held + fresh
        elif held is None:
            x._grad = make_tensor(g if self._owns(g) else copy(g))
        else:
            data = held._data
            if isinstance(data, np.ndarray) and data.flags.writeable:
                np.add(data, g, out=data, casting="same_kind")
                versions.changed(data)
            else:
                held._data = data + g
        self.updated += 1
        if self._observer is not None:
            grad = x._grad
            assert grad is not None  # it was just set
            # A first gradient is a copy of g already, unless it has a history.
            after = g if held is None and not self._create else grad._data.copy()
            self._observer.accumulated(record, g, before, after)

    def _owns(self, g: Any) -> bool:
        """Whether nobody else holds the array ``g``, so that it may be kept without a copy.

        Rules return new arrays, views, or ``g`` itself: the last were noted on the way.
        """
        if isinstance(g, np.generic):
            return True
        return id(g) not in self.shared and self._whole(g)

    def _whole(self, g: Any) -> bool:
        """Whether ``g`` may be handed out as it is: no view, and not kept in a trace."""
        if isinstance(g, np.generic):
            return True
        return self._observer is None and g.base is None and g.flags.writeable

    def through(self, record: Record, extras: Extras, g: Any) -> Any:
        """Hooks in order of registration, then retain_grad."""
        for hook in list(extras.hooks.values()):
            seen = g if isinstance(g, Tensor) else make_tensor(copy(g))
            made = hook(seen)
            if made is None:
                continue
            if not isinstance(made, Tensor) or (made.shape, made.dtype) != (seen.shape, seen.dtype):
                got = (
                    f"{made.dtype} {made.shape}"
                    if isinstance(made, Tensor)
                    else type(made).__name__
                )
                raise HookShapeError(
                    f"A hook on the result of {record.name} returned {got}; the gradient is "
                    f"{seen.dtype} {seen.shape}.",
                    next_step="Return a Tensor of the same shape and dtype, or None.",
                    node=getattr(record, "tag", None),
                )
            g = made if self._create else made._data
        retained: Tensor | None = extras.retained() if extras.retained is not None else None
        if retained is not None and self.wanted is None:
            self._accumulate(retained, g, record)
        return g
