"""torch.autograd: backward, grad and hooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core import autograd
from core.errors import PullbackError
from core.importers.python.failures import outside, program_error
from core.importers.python.machine import Machine, need, settle
from core.importers.python.torch import joining
from core.importers.python.values import NdArray
from core.tensor import Tensor


def _several(x: Any) -> list[Any]:
    """One or several tensors, as a list."""
    if isinstance(x, Tensor | NdArray):
        return [need(x, "backward")]
    if x is None or isinstance(x, int | float):
        raise program_error("TypeError", f"'{type(x).__name__}' is given where tensors are wanted")
    return list(x)


def _cotangents(given: Any) -> Any:
    if given is None or isinstance(given, Tensor):
        return None if given is None else [given]
    if isinstance(given, NdArray):
        return [given.tensor]
    if isinstance(given, list | tuple):
        for g in given:
            if isinstance(g, list | tuple | str | dict):
                raise program_error(
                    "TypeError",
                    f"gradients can be either Tensors or None, but got {type(g).__name__}",
                )
        return [g.tensor if isinstance(g, NdArray) else g for g in given]
    return [given]


def backward(
    m: Machine,
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """torch.autograd.backward, and Tensor.backward"""
    roots = _several(tensors)
    given = _cotangents(grad_tensors if grad_tensors is not None else grad_variables)
    wanted = None if inputs is None else _several(inputs)
    if create_graph:
        m.warn(
            "Using backward() with create_graph=True will create a reference cycle between the "
            "parameter and its gradient which can cause a memory leak. We recommend using "
            "autograd.grad when creating the graph to avoid this. If you have to use this "
            "function, make sure to reset the .grad fields of your parameters to None after use "
            "to break the cycle and avoid the leak."
        )
    m.budget.check_time()

    def note(failed: PullbackError | None) -> None:
        m.recorder.backward(
            roots,
            given,
            retain_graph=retain_graph,
            create_graph=bool(create_graph),
            inputs=wanted,
            failed=failed,
        )

    before = _hooked(m)
    try:
        autograd.backward(
            roots,
            given,
            retain_graph=retain_graph,
            create_graph=bool(create_graph),
            inputs=wanted,
        )
    except PullbackError as error:
        note(error)
        raise
    note(None)
    for leaf, hooks, held in before:
        now = getattr(leaf, "_grad", None)
        if now is not None and (held is None or not np.array_equal(now._data, held)):
            for hook in hooks:
                m.call(hook, [leaf], {})


def _hooked(m: Machine) -> list[tuple[Tensor, list[Any], Any]]:
    """Leaves with hooks to call after they accumulated, and their gradients before."""
    found = []
    for leaf, hooks in m.extras.get("post_hooks", {}).values():
        held = getattr(leaf, "_grad", None)
        found.append((leaf, hooks, None if held is None else np.array(held._data)))
    return found


def method_backward(
    m: Machine,
    input: Any,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Tensor.backward"""
    backward(m, [input], gradient, retain_graph, create_graph, None, inputs)


def grad(
    m: Machine,
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """torch.autograd.grad"""
    roots, wanted = _several(outputs), _several(inputs)
    given = _cotangents(grad_outputs)
    if is_grads_batched:
        return _batched(m, roots, wanted, given, allow_unused)
    if materialize_grads and allow_unused is False:
        raise program_error(
            "ValueError",
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False.",
        )
    m.budget.check_time()
    options: dict[str, Any] = {
        "retain_graph": retain_graph,
        "create_graph": bool(create_graph),
        "allow_unused": allow_unused,
        "materialize_grads": bool(materialize_grads),
    }
    try:
        found = autograd.grad(roots, wanted, given, **options)
    except PullbackError as error:
        m.recorder.grad(roots, wanted, given, None, failed=error, **options)
        raise
    for g in found:
        if g is not None:
            settle(g)
            m.budget.hold(g._data)
    m.recorder.grad(roots, wanted, given, found, failed=None, **options)
    return found


def _batched(
    m: Machine, roots: list[Any], wanted: list[Any], given: Any, allow_unused: bool | None
) -> tuple[Tensor | None, ...]:
    """grad for every cotangent along a leading axis."""
    rows = [
        grad(m, roots, wanted, [m.constant(v.data[k]) for v in given], True, False, True,
             allow_unused)
        for k in range(given[0].shape[0])
    ]  # fmt: skip
    return tuple(
        None if column[0] is None else joining.stack(m, list(column))
        for column in zip(*rows, strict=True)
    )


def register_hook(m: Machine, input: Any, hook: Any) -> Any:
    """Tensor.register_hook"""
    x = need(input, "register_hook")

    def seen(g: Tensor) -> Any:
        settle(g)
        made = m.call(hook, [g], {})
        return made if made is None or isinstance(made, Tensor) else _refuse_hook(made)

    m.recorder.note("hooks are not in the graph")
    return x.register_hook(seen)


def _refuse_hook(made: Any) -> Any:
    raise program_error(
        "TypeError", f"expected Variable, but hook returned '{type(made).__name__}'"
    )


def register_post_accumulate_grad_hook(m: Machine, input: Any, hook: Any) -> Any:
    """called with the leaf after its gradient was added"""
    x = need(input, "register_post_accumulate_grad_hook")
    if not x.is_leaf or not x.requires_grad:
        raise program_error(
            "RuntimeError", "post accumulate grad hooks cannot be registered on non-leaf tensors"
        )
    hooks = m.extras.setdefault("post_hooks", {})
    entry = hooks.setdefault(id(x), (x, []))
    entry[1].append(hook)
    m.recorder.note("hooks are not in the graph")
    return Removal(entry[1], hook)


class Removal:
    """What takes a hook away again."""

    def __init__(self, hooks: list[Any], hook: Any) -> None:
        self._hooks = hooks
        self._hook = hook

    def remove(self) -> None:
        """Take it away; twice is harmless."""
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)


def unsupported_saved_hooks(m: Machine, *_: Any) -> Any:
    """torch.autograd.graph.saved_tensors_hooks"""
    raise outside(
        "saved_tensors_hooks are not read.",
        "Leave them out: the saved values are shown on each node.",
    )


AUTOGRAD: dict[str, Callable[..., Any]] = {
    "backward": backward,
    "grad": grad,
}


METHODS: dict[str, Callable[..., Any]] = {
    "backward": method_backward,
    "register_hook": register_hook,
    "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
}
