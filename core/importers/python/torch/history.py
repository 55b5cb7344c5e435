"""A tensor's history: whether it has one, is cut off from it, and the gradient it got."""

from __future__ import annotations

from typing import Any

from core.errors import IntRequiresGradError
from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, need, settle
from core.importers.python.values import NdArray
from core.tensor import Tensor


def get_grad(m: Machine, x: Tensor) -> Tensor | None:
    """.grad"""
    held: Tensor | None = getattr(x, "_grad", None)
    if held is None:
        if not x.is_leaf and not x._retains():
            m.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its "
                ".grad attribute won't be populated during autograd.backward(). If you indeed want "
                "the .grad field to be populated for a non-leaf Tensor, use .retain_grad() on the "
                "non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you "
                "access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for "
                "more informations."
            )
        return None
    settle(held)
    m.recorder.grad_read(x, held)
    return held


def set_grad(m: Machine, x: Tensor, value: Any) -> None:
    """x.grad = value"""
    if value is None:
        x._grad = None
        m.recorder.grad_cleared(x, True)
        return
    if isinstance(value, NdArray):
        value = value.tensor
    if not isinstance(value, Tensor):
        raise program_error(
            "TypeError",
            f"assigned grad expected to be a Tensor or None but got grad of type "
            f"'{type(value).__name__}'",
        )
    if value.shape != x.shape:
        raise program_error("RuntimeError", "assigned grad has data of a different size")
    if value.dtype != x.dtype:
        raise program_error("RuntimeError", "assigned grad has data of a different type")
    x.grad = value
    m.recorder.note("a gradient is assigned, which is not in the graph")


def detach(m: Machine, input: Any) -> Tensor:
    """the same values without history"""
    x = need(input, "detach")
    y = x.detach()
    m.recorder.detached(x, y)
    return y


def detach_(m: Machine, input: Any) -> Tensor:
    """without history from now on"""
    x = need(input, "detach_")
    if m.views.base(x) is not None:
        raise program_error(
            "RuntimeError",
            "Can't detach views in-place. Use detach() instead.",
        )
    x._record = None
    m.recorder.detached(x, x)
    return x


def get_data(m: Machine, x: Tensor) -> Tensor:
    """.data"""
    y = m.views.untrack(x.detach())
    m.recorder.detached(x, y)
    return y


def set_data(m: Machine, x: Tensor, value: Any) -> None:
    """x.data = value"""
    v = need(value, "data")
    x.data = v.data
    m.recorder.written(x)


def requires_grad_(m: Machine, input: Any, requires_grad: bool = True) -> Tensor:
    """set requires_grad"""
    x = need(input, "requires_grad_")
    if requires_grad and x.dtype.kind not in "fc":
        raise IntRequiresGradError(
            f"A tensor of dtype {x.dtype} cannot require grad: only floating and complex ones can.",
            next_step="Write its numbers with a point, or cast it with .float() first.",
        )
    if bool(requires_grad) != x.requires_grad:
        x.requires_grad = bool(requires_grad)
        if requires_grad:
            m.recorder.leaf(x)
        else:
            m.recorder.forget(x)
    return x


def retain_grad(m: Machine, input: Any) -> None:
    """keep the gradient of what is no leaf"""
    need(input, "retain_grad").retain_grad()
