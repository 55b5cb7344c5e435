"""torch.nn.utils: gradients clipped in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from core.importers.python.machine import Machine, settle
from core.importers.python.torch.gradmode import no_grad
from core.importers.python.torch.grads import _several
from core.tensor import Tensor


def clip_grad_norm(
    m: Machine, parameters: Any, max_norm: float, norm_type: float = 2.0, **_: Any
) -> Tensor:
    """torch.nn.utils.clip_grad_norm_"""
    leaves = _several(parameters) if isinstance(parameters, Tensor) else list(parameters)
    grads = [g for x in leaves if (g := getattr(x, "_grad", None)) is not None]
    if not grads:
        return m.constant(np.asarray(0.0, m.default))
    norms = [np.linalg.norm(np.ravel(g._data), norm_type) for g in grads]
    total = float(np.linalg.norm(norms, norm_type))
    factor = min(max_norm / (total + 1e-6), 1.0)
    with no_grad():
        for g in grads:
            settle(g)
            g._data *= np.asarray(factor, g._data.dtype)
    m.recorder.note("gradients are clipped, which is not in the graph")
    return m.constant(np.asarray(total, grads[0].dtype))


def clip_grad_value(m: Machine, parameters: Any, clip_value: float, **_: Any) -> None:
    """torch.nn.utils.clip_grad_value_"""
    leaves: Iterable[Any] = [parameters] if isinstance(parameters, Tensor) else parameters
    for x in leaves:
        g = getattr(x, "_grad", None)
        if g is not None:
            settle(g)
            np.clip(g._data, -clip_value, clip_value, out=g._data)
    m.recorder.note("gradients are clipped, which is not in the graph")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "clip_grad_norm_": clip_grad_norm, "clip_grad_value_": clip_grad_value,
}  # fmt: skip
