"""torch.fft."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.importers.python.machine import Machine, need
from core.tensor import Tensor


def _one_axis(op: str) -> Callable[..., Tensor]:
    def function(
        m: Machine, input: Any, n: int | None = None, dim: int = -1, norm: str | None = None
    ) -> Tensor:
        x = need(input, op)
        if n is not None:
            m.budget.shape((int(n),))
        made: Tensor = m.op(op, x, n=n, axis=int(dim), norm=norm or "backward")
        return made

    return function


def fft2(
    m: Machine, input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None
) -> Any:
    """the transform over two axes"""
    x = need(input, "fft2")
    if s is not None:
        for axis, n in zip(dim, s, strict=True):
            x = _one_axis("fft.fft")(m, x, n, axis, norm)
        return x
    return m.op("fft.fft2", x, axes=tuple(dim), norm=norm or "backward")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _one_axis(f"fft.{name}") for name in ("fft", "ifft", "rfft", "irfft")},
    "fft2": fft2,
}
