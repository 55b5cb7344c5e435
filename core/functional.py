"""Transforms of functions: vjp, jvp, jacobian, hessian, hvp, vhp (as torch.autograd.functional's).

A function takes Tensors and returns one Tensor or a tuple of them. Its inputs ``xs`` are one Tensor
or a tuple of Tensors, and need not require grad; ``v`` is nested like what it multiplies. Results
are nested like the inputs (of ``jvp``, like the outputs): a tuple for a tuple even of length 1.
They have no history unless ``create_graph=True``. Where an output does not depend on an input the
result is zeros, or an error with ``strict=True``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core.batched import batched_rows
from core.calling import (
    Call,
    Function,
    Tensors,
    Vectors,
    filled,
    gradients,
    is_nested,
    ones,
    refuse_unused,
    vectors,
)
from core.check import gradcheck, gradgradcheck
from core.errors import UnsupportedError
from core.hidden_axis import NotBatchableError
from core.modes import enable_grad
from core.tensor import Tensor, make_tensor

__all__ = [
    "gradcheck",
    "gradgradcheck",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "vhp",
    "vjp",
]


@enable_grad()
def vjp(
    f: Function, xs: Tensors, v: Vectors = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The vector-Jacobian product of ``f`` at ``xs``.

    Args:
        f: maps inputs of shapes S_i to outputs of shapes T_j.
        v: arrays or Tensors of shapes T_j; None stands for 1 if there is one output of one element.

    Returns:
        The outputs, and per input a Tensor of shape S_i: Σ_j v_jᵀ ∂y_j/∂x_i.

    Raises:
        NonscalarRootError, CotangentCountError, CotangentShapeError, CotangentTypeError: ``v``
            does not fit.
        UnusedInputError: with ``strict``, no output depends on an input.
    """
    call = Call(f, xs, create_graph)
    found = gradients(call.ys, call.xs, vectors(v, call.ys, "output"), create_graph)
    if strict:
        refuse_unused(found, "The function")
    return call.outputs(), call.like_inputs(filled(found, call.xs))


@enable_grad()
def jvp(
    f: Function, xs: Tensors, v: Vectors = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The Jacobian-vector product of ``f`` at ``xs``, by reverse over reverse.

    A VJP is linear in its cotangent, so that the VJP *of the VJP*, at any cotangent, is the JVP.

    Args:
        f: maps inputs of shapes S_i to outputs of shapes T_j.
        v: arrays or Tensors of shapes S_i; None stands for 1 if there is one input of one element.

    Returns:
        The outputs, and per output a Tensor of shape T_j: Σ_i ∂y_j/∂x_i v_i.

    Raises:
        As ``vjp``; with ``strict``, if an output does not depend on the inputs.
    """
    call = Call(f, xs, create_graph)
    v = vectors(v, call.xs, "input")
    cotangents = [Tensor(np.zeros(y.shape, y.dtype), requires_grad=True) for y in call.ys]
    products = gradients(call.ys, call.xs, cotangents, create_graph=True)
    found = gradients(products, cotangents, v, create_graph)
    if strict:
        refuse_unused(found, "The transposed function")
    return call.outputs(), call.like_outputs(filled(found, call.ys))


@enable_grad()
def jacobian(f: Function, xs: Tensors, create_graph: bool = False, strict: bool = False) -> Any:
    """All partial derivatives of ``f`` at ``xs``.

    The rows are computed together, by one backward with a hidden batch axis; one by one with
    ``create_graph``, or if a VJP rule cannot be read so.

    Args:
        f: maps inputs of shapes S_i to outputs of shapes T_j.

    Returns:
        result[j][i], a Tensor of shape T_j + S_i. Without [j] if f returns one Tensor, without [i]
        if xs is one Tensor.

    Raises:
        UnsupportedError: an output is complex.
        UnusedInputError: with ``strict``, an output does not depend on an input.
    """
    call = Call(f, xs, create_graph)
    return call.like_outputs(
        [call.like_inputs(_jacobian_of(j, call, create_graph, strict)) for j in range(len(call.ys))]
    )


def _jacobian_of(j: int, call: Call, create_graph: bool, strict: bool) -> list[Tensor]:
    """The derivatives of output j by every input."""
    y = call.ys[j]
    if y.dtype.kind == "c":
        raise UnsupportedError(
            f"Output {j} of the function is complex; jacobian is for real outputs.",
            next_step="Return np.real(y) and np.imag(y) as two outputs.",
        )
    found = _rows(y, call.xs, create_graph)
    if strict:
        refuse_unused(found, f"Output {j} of the function")
    made: list[Tensor] = []
    for rows, x in zip(found, call.xs, strict=True):
        shape = (*y.shape, *x.shape)
        if rows is None:
            made.append(make_tensor(np.zeros(shape, x.dtype)))
        else:
            made.append(rows if rows.shape == shape else rows.reshape(shape))
    return made


def _rows(y: Tensor, xs: tuple[Tensor, ...], create_graph: bool) -> list[Tensor | None]:
    """Per input a Tensor (y.size, *its shape) of one VJP a row; None if y does not depend on it."""
    if not y.requires_grad or not y.size:
        return [None] * len(xs)
    if not create_graph:
        try:
            return batched_rows(y, xs)
        except NotBatchableError:
            pass
    one_hots = np.eye(y.size, dtype=y.dtype).reshape((y.size, *y.shape))
    rows = [gradients([y], xs, [make_tensor(v)], create_graph) for v in one_hots]
    columns = list(zip(*rows, strict=True))
    return [None if c[0] is None else np.stack(c) for c in columns]  # type: ignore[misc]


@enable_grad()
def hessian(f: Function, xs: Tensors, create_graph: bool = False, strict: bool = False) -> Any:
    """All second derivatives of a scalar function at ``xs``: the Jacobian of its gradient.

    Args:
        f: maps inputs of shapes S_i to one element.

    Returns:
        result[i][k], a Tensor of shape S_i + S_k; without [i][k] if xs is one Tensor.

    Raises:
        NotScalarError: f returns more than one element.
        UnusedInputError: with ``strict``, f or its gradient does not depend on an input.
    """

    def gradient(*inner: Tensor) -> Any:
        call = Call(f, inner if is_nested(xs) else inner[0], connected=True)
        found = gradients([call.scalar()], call.xs, [ones(call.ys[0])], create_graph=True)
        if strict:
            refuse_unused(found, "The function")
        return call.like_inputs(filled(found, call.xs))

    return jacobian(gradient, xs, create_graph, strict)


@enable_grad()
def vhp(
    f: Function, xs: Tensors, v: Vectors = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The vector-Hessian product of a scalar function, by reverse over reverse.

    Args:
        f: maps inputs of shapes S_i to one element.
        v: arrays or Tensors of shapes S_i; None stands for 1 if there is one input of one element.

    Returns:
        The output, and per input a Tensor of shape S_i: Σ_k v_kᵀ ∂²y/∂x_k∂x_i.

    Raises:
        NotScalarError: f returns more than one element.
        UnusedInputError: with ``strict``, the gradient does not depend on an input.
        As ``vjp`` otherwise.
    """
    call = Call(f, xs, create_graph)
    v = vectors(v, call.xs, "input")
    slope = gradients([call.scalar()], call.xs, [ones(call.ys[0])], create_graph=True)
    found = gradients(slope, call.xs, v, create_graph)
    if strict:
        refuse_unused(found, "The gradient of the function")
    return call.outputs(), call.like_inputs(filled(found, call.xs))


def hvp(
    f: Function, xs: Tensors, v: Vectors = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The Hessian-vector product of a scalar function: per input, Σ_k ∂²y/∂x_i∂x_k v_k.

    Hessians are symmetric wherever second derivatives are continuous, so it is ``vhp``, the
    cheaper of the two. Arguments, results and errors are those of ``vhp``.
    """
    return vhp(f, xs, v, create_graph, strict)
