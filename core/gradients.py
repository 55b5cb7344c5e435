"""What a Tensor knows of gradients: whether it wants one, the one it has, and who else sees it."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, cast

from core.errors import (
    CotangentShapeError,
    HookNoGradError,
    IntRequiresGradError,
    NotLeafFlagError,
    OperandError,
    RetainNoGradError,
)
from core.records import LEAF, Record, extras_of
from core.tensor_base import TensorBase
from core.versions import tick

_new = object.__new__


class Above:
    """Where ``core.autograd``, which stands above this module, puts its ``backward``."""

    backward: Callable[..., None]


class Gradients(TensorBase):
    """The part of a Tensor that backward is about."""

    __slots__ = ()

    if TYPE_CHECKING:
        shape: Any
        dtype: Any

    @property
    def is_leaf(self) -> bool:
        """Whether it was made by the user, or needs no grad."""
        return self._record is None or self._record.lane == LEAF

    @property
    def record(self) -> Record | None:
        """The record that made it; a leaf's own; None if it needs no grad."""
        return cast("Record | None", self._record)

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow into it. Settable on leaves."""
        return self._record is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if bool(value) == self.requires_grad:
            return
        if not self.is_leaf:
            raise NotLeafFlagError(
                f"requires_grad cannot be changed on the result of {self._record.name}: "
                "only on leaves.",
                next_step="Use detach() for a copy that needs no grad.",
            )
        if not value:
            self._record = None
            return
        if self._data.dtype.kind not in "fc":
            raise IntRequiresGradError(
                f"A tensor of dtype {self._data.dtype} cannot require grad: only floating and "
                "complex ones can.",
                next_step="Make it float64 first, e.g. Tensor(x.data.astype(float), True).",
            )
        self._grad = getattr(self, "_grad", None)
        record = _new(Record)
        record.edges = ()
        record.args = weakref.ref(self)
        record.lane = LEAF
        record.extras = None
        record.pending = None
        record.seq = tick()
        self._record = record

    def requires_grad_(self, value: bool = True) -> Self:
        """Set ``requires_grad``; returns self."""
        self.requires_grad = value
        return self

    @property
    def grad(self) -> Self | None:
        """The accumulated gradient, or None. Assignable: a Tensor of this shape and dtype."""
        grad = getattr(self, "_grad", None)
        if grad is None and not self.is_leaf and not self._retains():
            warnings.warn(
                f".grad of the result of {self._record.name} is None: backward keeps gradients "
                "of leaves only. Call retain_grad() on it before backward.",
                UserWarning,
                stacklevel=2,
            )
        return grad

    @grad.setter
    def grad(self, value: Self | None) -> None:
        if value is None:
            self._grad = None
            return
        if not isinstance(value, TensorBase):
            raise OperandError(
                f".grad must be a Tensor or None, not {type(value).__name__}.",
                next_step="Wrap it: x.grad = Tensor(array).",
            )
        if value is self:
            raise OperandError(
                "A tensor cannot be its own gradient.",
                next_step="Assign another Tensor, e.g. Tensor(x.data.copy()).",
            )
        if value.shape != self.shape or value.dtype != self.dtype:
            raise CotangentShapeError(
                f".grad must be {self.dtype} {self.shape} like its tensor, "
                f"not {value.dtype} {value.shape}.",
                next_step="Reshape or cast it first.",
            )
        self._grad = value

    def _retains(self) -> bool:
        extras = None if self._record is None else self._record.extras
        return extras is not None and extras.retained is not None

    def retain_grad(self) -> None:
        """Keep this non-leaf's gradient in ``.grad`` as well. Does nothing on a leaf.

        Raises:
            RetainNoGradError: if it does not require grad.
        """
        if self._record is None:
            raise RetainNoGradError(
                "retain_grad() on a tensor that does not require grad.",
                next_step="Set requires_grad on the leaves it is computed from.",
            )
        if self._record.lane != LEAF:
            extras_of(self._record).retained = weakref.ref(self)

    def register_hook(self, hook: Callable[[Self], Self | None]) -> HookHandle:
        """Have ``hook`` see this tensor's summed gradient, once a backward; it may replace it.

        Args:
            hook: gets the gradient as a Tensor; returns a Tensor of the same shape and dtype, or
                None to leave it.

        Raises:
            HookNoGradError: if the tensor does not require grad.
        """
        if self._record is None:
            raise HookNoGradError(
                "A hook was put on a tensor that does not require grad.",
                next_step="Set requires_grad on the leaves it is computed from.",
            )
        extras = extras_of(self._record)
        key = extras.next_key
        extras.next_key += 1
        extras.hooks[key] = hook
        return HookHandle(extras.hooks, key)

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """``core.backward`` from this tensor alone; ``gradient`` is its cotangent."""
        cotangents = None if gradient is None else [gradient]
        Above.backward(self, cotangents, retain_graph, create_graph, None, inputs)


class HookHandle:
    """Returned by ``register_hook``; ``remove()`` takes the hook away."""

    def __init__(self, hooks: dict[int, Callable[[Any], Any]], key: int) -> None:
        self._hooks = hooks
        self._key = key

    def remove(self) -> None:
        """Take the hook away; doing it twice is harmless."""
        self._hooks.pop(self._key, None)
