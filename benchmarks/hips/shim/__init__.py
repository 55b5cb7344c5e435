"""HIPS autograd's names on ``core``: what its own tests import, and nothing else.

The tests call NumPy through ``autograd.numpy``, which here is NumPy itself: they pass where plain
NumPy code runs on Tensors.
"""

from autograd.differentials import (
    deriv,
    elementwise_grad,
    grad,
    hessian,
    holomorphic_grad,
    jacobian,
    make_jvp,
    make_vjp,
    value_and_grad,
)

tuple = tuple

__all__ = [
    "deriv",
    "elementwise_grad",
    "grad",
    "hessian",
    "holomorphic_grad",
    "jacobian",
    "make_jvp",
    "make_vjp",
    "tuple",
    "value_and_grad",
]
