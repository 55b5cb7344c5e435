"""What forward functions say when operands do not fit, where NumPy would say it badly."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.errors import OperandError


def misfit(
    op: str, rule: str, next_step: str, port: str | None = None, **ports: Any
) -> OperandError:
    """The error for operands whose shapes do not fit together.

    Args:
        op: name of the operation.
        rule: what would have fitted.
        next_step: what to try.
        port: the port to highlight.
        ports: the operands, by port.
    """
    given = ", ".join(f"{name} is {np.shape(x)}" for name, x in ports.items() if x is not None)
    return OperandError(f"{op}: {given}: {rule}.", next_step=next_step, port=port)


def not_broadcastable(op: str, **ports: Any) -> OperandError:
    """The error for operands that NumPy cannot broadcast against each other."""
    return misfit(
        op,
        "counted from the last axis, sizes must be equal or 1",
        "Reshape one of them, or insert an axis of size 1.",
        port=list(ports)[-1],
        **ports,
    )


def require_square(op: str, **ports: Any) -> None:
    """Refuse anything but square matrices, or stacks of them."""
    for port, x in ports.items():
        if np.ndim(x) < 2 or x.shape[-1] != x.shape[-2]:
            raise misfit(
                op,
                "the last two axes must have the same size",
                "Give it a square matrix, or a stack of square matrices.",
                port=port,
                **ports,
            )


def require_matrix(op: str, x: Any, port: str = "x") -> None:
    """Refuse vectors and numbers."""
    if np.ndim(x) < 2:
        raise misfit(
            op,
            "it needs a matrix, or a stack of matrices",
            "Reshape it to two axes, or insert an axis.",
            port=port,
            **{port: x},
        )


def require_real(op: str, x: Any, port: str = "x") -> None:
    """Refuse complex values where only the real derivative is known."""
    if np.iscomplexobj(x):
        raise OperandError(
            f"{op}: {port} is complex; this operation is for real values.",
            next_step="Take its real part, imaginary part or absolute value first.",
            port=port,
        )
