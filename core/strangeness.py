"""Where a NaN or an infinity was born: in the output of a node, but in none of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def strange(
    label: str,
    outputs: Iterable[tuple[str, Array]],
    inputs: Callable[[], Iterable[tuple[str, Array]]],
) -> str | None:
    """A remark on the first output that is not finite though the inputs are.

    Args:
        label: what the operation is called.
        outputs: by port.
        inputs: gives the same of the inputs; asked only when an output is not finite.
    """
    for name, y in outputs:
        if y.dtype.kind not in "fc" or np.isfinite(y).all():
            continue
        given = list(inputs())
        for word, test in (("NaN", np.isnan), ("infinity", np.isinf)):
            if not np.any(test(y)) or any(np.any(test(x)) for _, x in given):
                continue
            where = tuple(int(i) for i in np.argwhere(test(y))[0])
            at = f" at {list(where)}" if where else ""
            causes = ", ".join(
                f"{port} = {np.asarray(x)[where]:.4g}"
                for port, x in given
                if np.shape(x) == y.shape
            )
            born = f"{word} in {name}{at}"
            return f"{born}: {label} of {causes}" if causes else born
    return None
