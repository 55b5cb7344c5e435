"""backward and grad, with torch.autograd's meaning; ``core.engine`` does the work."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from core.engine import Backward
from core.errors import EmptyInputsError, OperandError, UnusedInputError
from core.gradients import Above
from core.roots import Cotangents, check_inputs, checked_roots
from core.tensor import Tensor, make_tensor


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Cotangents = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Cotangents = None,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Sum vᵀJ over all roots into ``.grad`` of the leaves (torch.autograd.backward).

    Args:
        tensors: the roots, of any shapes S_i.
        grad_tensors: their cotangents v_i: Tensors or arrays of exactly the shapes S_i. None
            stands for ones, and is allowed for one-element roots only.
        retain_graph: keep the saved values, so that backward can run again. Default: the value
            of ``create_graph``.
        create_graph: record the backward itself, so that gradients have gradients.
        grad_variables: the deprecated name of ``grad_tensors``.
        inputs: accumulate into these (leaves or not) and nothing else.

    Raises:
        NoGradPathError, NonscalarRootError, CotangentShapeError, CotangentCountError,
        CotangentTypeError, EmptyInputsError, InputNoGradError: the call makes no sense; nothing
            was done.
        GraphFreedError, ModifiedSavedError, AnomalyError, HookShapeError: backward stopped
            midway; leaves reached before keep what they got.
    """
    if grad_variables is not None:
        warnings.warn(
            "grad_variables is the old name of grad_tensors.", DeprecationWarning, stacklevel=2
        )
        if grad_tensors is not None:
            raise OperandError(
                "Both grad_tensors and grad_variables (its old name) were given.",
                next_step="Pass grad_tensors only.",
            )
        grad_tensors = grad_variables
    roots = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    wanted: list[Tensor] | None = None
    if inputs is not None:
        wanted = [inputs] if isinstance(inputs, Tensor) else list(inputs)
        if not wanted:
            raise EmptyInputsError(
                "backward(inputs=[]) has nothing to accumulate into.",
                next_step="Name at least one tensor, or leave inputs out for all leaves.",
            )
        check_inputs(wanted)
    checked = checked_roots(roots, grad_tensors, create_graph=create_graph)
    Backward(checked, retain_graph, create_graph, wanted, keep=True).run()


Above.backward = backward


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Cotangents = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients vᵀ∂(outputs)/∂(inputs), touching no ``.grad`` (torch.autograd.grad).

    Args:
        outputs, grad_outputs, retain_graph, create_graph: as in ``backward``.
        inputs: Tensors (leaves or not) of shapes S_i.
        allow_unused: return None for an input the outputs do not depend on; else that is an error.
        materialize_grads: return zeros for such inputs.

    Returns:
        One Tensor of shape S_i an input (or None, see ``allow_unused``). Where a cotangent is
        passed on as it is (addition does), results share its memory, as in PyTorch.

    Raises:
        UnusedInputError: an input is not reached.
        OperandError: ``materialize_grads`` together with ``allow_unused=False``.
        As ``backward`` otherwise.
    """
    if materialize_grads and allow_unused is False:
        raise OperandError(
            "materialize_grads=True gives zeros for unused inputs, so allow_unused cannot be "
            "False.",
            next_step="Leave allow_unused out.",
        )
    roots = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    wanted = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    check_inputs(wanted)
    checked = checked_roots(roots, grad_outputs, create_graph=create_graph)
    run = Backward(checked, retain_graph, create_graph, wanted, keep=False)
    run.run()
    found: list[Tensor | None] = []
    for i, x in enumerate(wanted):
        g = run.arrivals.captured.get(x.record) if x.record is not None else None
        if g is None and materialize_grads:
            found.append(make_tensor(np.zeros(x.shape, x.dtype)))
        elif g is None and not allow_unused:
            raise UnusedInputError(
                f"inputs[{i}] is not used: the outputs do not depend on it.",
                next_step="Pass allow_unused=True for None, or materialize_grads=True for zeros.",
            )
        else:
            found.append(g if g is None or isinstance(g, Tensor) else make_tensor(g))
    return tuple(found)
