"""Views and in-place changes, as torch has them.

In NumPy a view shares memory, and that is all. In torch it also shares history: after
``y = x * 2; y[0].zero_()`` the gradient of ``y`` knows of the zero. Each view is noted here with
what made it, so that a change of one tensor can be told to all that look at the same memory.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable

import numpy as np

from core import versions
from core.errors import InplaceLeafError
from core.importers.python import dtypes
from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, settle
from core.modes import state
from core.records import LEAF
from core.tensor import Tensor


class View:
    """How a tensor came to look at another's memory.

    Attributes:
        parent: the tensor it was made from (kept alive, as torch keeps it).
        make: makes it from the parent anew.
        put: gives the parent's value with this view's part replaced.
    """

    __slots__ = ("make", "parent", "put")

    def __init__(
        self,
        parent: Tensor,
        make: Callable[[Tensor], Tensor],
        put: Callable[[Tensor, Tensor], Tensor] | None,
    ) -> None:
        self.parent = parent
        self.make = make
        self.put = put


class Views:
    """The views of one program's tensors."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._views: dict[int, View] = {}
        self._of_root: dict[int, list[weakref.ref[Tensor]]] = {}
        self._untracked: dict[int, weakref.ref[Tensor]] = {}

    # -- noting -----------------------------------------------------------------------------------

    def view(
        self,
        parent: Tensor,
        make: Callable[[Tensor], Tensor],
        put: Callable[[Tensor, Tensor], Tensor] | None = None,
    ) -> Tensor:
        """The tensor that ``make`` gives, noted as a view if it shares memory."""
        y = make(parent)
        if y is parent or versions.storage(y._data) is not versions.storage(parent._data):
            return y
        self._note(y, View(parent, make, put))
        if id(parent) in self._untracked:
            self.untrack(y)
        return y

    def _note(self, y: Tensor, view: View) -> None:
        key = id(y)
        self._views[key] = view
        root = self.root(y)
        seen = weakref.ref(y, lambda _: self._views.pop(key, None))
        self._of_root.setdefault(id(root), []).append(seen)

    def untrack(self, y: Tensor) -> Tensor:
        """Note a tensor whose changes autograd does not see: ``x.data``."""
        key = id(y)
        self._untracked[key] = weakref.ref(y, lambda _: self._untracked.pop(key, None))
        return y

    def root(self, y: Tensor) -> Tensor:
        """The tensor at the end of a chain of views."""
        view = self._views.get(id(y))
        while view is not None:
            self._machine.budget.step()
            y = view.parent
            view = self._views.get(id(y))
        return y

    def base(self, y: Tensor) -> Tensor | None:
        """What ``y._base`` is: the tensor it is a view of."""
        root = self.root(y)
        return None if root is y else root

    # -- changing ---------------------------------------------------------------------------------

    def change(self, x: Tensor, compute: Callable[[Tensor], Tensor]) -> Tensor:
        """Change ``x`` in place to what ``compute`` makes of it; returns ``x``.

        Raises:
            InplaceLeafError: it, or what it is a view of, is a leaf that requires grad.
            ProgramError: the result does not fit in it.
        """
        root = self.root(x)
        recorder = self._machine.recorder
        if state.grad:
            _refuse_leaf(x, root)
        leaf = root.requires_grad and root.is_leaf
        if leaf or id(x) in self._untracked:
            with recorder.paused():  # an update of a leaf is an action, not a node
                result = self._fitting(x, compute(x))
        else:
            result = self._fitting(x, compute(x))
        tracked = id(x) not in self._untracked
        if not leaf:
            recorder.past_autograd(root)
        if tracked:
            versions.changed(x._data)
        _write(x, result)
        if tracked and state.grad and (result.requires_grad or root.requires_grad):
            self._rebase(x, result)
        elif x is root:
            recorder.changed(x, result)
        else:
            recorder.forget(root, *self._looking_at(root))
        recorder.written(root)
        return x

    def _fitting(self, x: Tensor, result: Tensor) -> Tensor:
        """The result, of the type and shape of ``x``."""
        if dtypes.category(result.dtype) > dtypes.category(x.dtype):
            raise program_error(
                "RuntimeError",
                f"result type {type_name(result)} can't be cast to the desired output type "
                f"{type_name(x)}",
            )
        if result.shape != x.shape:
            raise program_error(
                "RuntimeError",
                f"output with shape {list(x.shape)} doesn't match the broadcast shape "
                f"{list(result.shape)}",
            )
        if isinstance(x._data, np.ndarray) and not x._data.flags.writeable:
            raise program_error(
                "RuntimeError",
                "unsupported operation: more than one element of the written-to tensor refers to "
                "a single memory location. Please clone() the tensor before performing the "
                "operation.",
            )
        return self._machine.cast(result, x.dtype)

    def _rebase(self, x: Tensor, result: Tensor) -> None:
        """Give ``x`` the history of ``result``, and all that look at the same memory theirs."""
        view = self._views.get(id(x))
        while view is not None:
            self._machine.budget.step()
            if view.put is None:
                raise program_error(
                    "RuntimeError", "this view cannot be changed in place; clone() it first"
                )
            result = view.put(view.parent, result)
            x = view.parent
            view = self._views.get(id(x))
        if result._record is not None:
            x._become(result._record, result._data)
        self._machine.recorder.changed(x, result)
        with self._machine.recorder.weakly():
            for y in self._looking_at(x):
                view = self._views[id(y)]
                again = view.make(view.parent)
                y._record = again._record
                self._machine.recorder.changed(y, again)

    def _looking_at(self, root: Tensor) -> list[Tensor]:
        """The views of ``root`` that are alive, oldest first."""
        alive = [y for ref in self._of_root.get(id(root), []) if (y := ref()) is not None]
        return [y for y in alive if id(y) in self._views and self.root(y) is root]


def _write(x: Tensor, result: Tensor) -> None:
    settle(x)
    np.copyto(x._data, result._data, casting="same_kind")


def _refuse_leaf(x: Tensor, root: Tensor) -> None:
    """In place on a leaf that requires grad is an error."""
    if root.requires_grad and root.record is not None and root.record.lane == LEAF:
        what = "A leaf" if root is x else "A view of a leaf"
        raise InplaceLeafError(
            f"{what} that requires grad is changed in place: its history would be lost.",
            next_step="Wrap the change in 'with torch.no_grad():', or write x = x + ... instead.",
        )


_TYPE_NAMES = {
    "float32": "Float", "float64": "Double", "int64": "Long", "int32": "Int", "bool": "Bool",
    "float16": "Half", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
    "uint8": "Byte", "int8": "Char", "int16": "Short",
}  # fmt: skip


def type_name(x: Tensor) -> str:
    """torch's name of a type in messages."""
    return _TYPE_NAMES.get(x.dtype.name, x.dtype.name)
