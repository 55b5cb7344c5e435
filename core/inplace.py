"""Changing a Tensor in place: ``add_``, ``copy_`` and their like.

The change is noted (``core.versions``), so that a backward that needs the old values says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from core import dispatch, versions
from core.errors import InplaceLeafError, OperandError
from core.gradients import Gradients
from core.library.casting import CAST
from core.library.spec import OpSpec
from core.modes import state
from core.records import LEAF, Record
from core.tensor_base import TensorBase
from core.versions import tick


class InPlace(Gradients):
    """The methods that end in ``_``; each returns self."""

    __slots__ = ()

    if TYPE_CHECKING:

        def astype(self, dtype: Any) -> Self: ...
        @classmethod
        def __pullback_apply__(cls, spec: OpSpec, inputs: Any, params: dict[str, Any]) -> Any: ...

    def add_(self, other: Any) -> Self:
        """``self += other`` in place."""
        return self._in_place(dispatch.NAMED["add"], other)

    def sub_(self, other: Any) -> Self:
        """``self -= other`` in place."""
        return self._in_place(dispatch.NAMED["subtract"], other)

    def mul_(self, other: Any) -> Self:
        """``self *= other`` in place."""
        return self._in_place(dispatch.NAMED["multiply"], other)

    def div_(self, other: Any) -> Self:
        """``self /= other`` in place."""
        return self._in_place(dispatch.NAMED["divide"], other)

    def exp_(self) -> Self:
        """``exp(self)`` in place."""
        return self._in_place(dispatch.NAMED["exp"])

    def copy_(self, other: Any) -> Self:
        """Take over the values (and history) of ``other``, broadcast."""
        source = other if isinstance(other, TensorBase) else type(self)(np.asarray(other))  # type: ignore[call-arg]
        if source._data.shape != self.shape:
            source = self.__pullback_apply__(
                dispatch.NAMED["broadcast_to"], (source,), {"shape": self.shape}
            )
        if source._data.dtype != self.dtype:
            source = self.__pullback_apply__(CAST, (source,), {"dtype": self.dtype.name})
        return self._in_place(dispatch.NAMED["copy"], source, whole=True)

    def zero_(self) -> Self:
        """Set every element to zero."""
        return self.copy_(np.zeros(self.shape, self.dtype))

    def fill_(self, value: float) -> Self:
        """Set every element to ``value``."""
        return self.copy_(np.full(self.shape, value, self.dtype))

    def _in_place(self, spec: OpSpec, *others: Any, whole: bool = False) -> Self:
        if state.grad and self._record is not None and self._record.lane == LEAF:
            raise InplaceLeafError(
                f"{spec.name} in place on a leaf that requires grad: its history would be lost.",
                next_step="Wrap the change in 'with no_grad():', or write x = x + ... instead.",
            )
        result: Self = self.__pullback_apply__(spec, others if whole else (self, *others), {})
        if result.shape != self.shape or not np.can_cast(result.dtype, self.dtype, "same_kind"):
            raise OperandError(
                f"{spec.name} in place on {self.dtype} {self.shape} gives {result.dtype} "
                f"{result.shape}, which does not fit in it.",
                next_step="Use the operation that makes a new tensor.",
            )
        old, made = self._data, result._data
        versions.changed(old)
        if isinstance(old, np.ndarray) and old.flags.writeable:
            np.copyto(old, made, casting="same_kind")
        else:
            self._data = np.array(made, dtype=self.dtype)
        if state.grad and result._record is not None:
            self._become(result._record, made)
        return self

    def _become(self, record: Record, made: Any) -> None:
        """This tensor is now the result of ``record``, which computed ``made``."""
        if any(x is made for args in record.args if args for x in args):
            # What it saved of its output is this tensor's storage from now on.
            record.args = tuple(
                args and tuple(self._data if x is made else x for x in args) for args in record.args
            )
            record.seq = tick()
        if self._record is not None and self._retains():
            self._record.extras.retained = None
            self._record = record
            self.retain_grad()
        self._record = record
