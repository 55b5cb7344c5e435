"""Plans that run piece by piece, so that all intermediate results stay in the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.plan.steps import is_elementwise, outs
from core.symbols import Array, Place, Step

#: Elements of a block: a few of float64 fit in a processor's second cache.
_SIZE = 8192


def works_in_blocks(steps: list[Step], inputs: list[Array], examples: list[Any]) -> bool:
    """Whether every step works element by element on large arrays of one shape and numbers."""
    shape = inputs[0].shape
    if inputs[0].size <= _SIZE or any(x.shape != shape for x in inputs):
        return False
    return all(
        is_elementwise(step)
        and all(np.ndim(x) == 0 for x in step.args if not isinstance(x, Place))
        and all(examples[out.index].shape == shape for out in outs(step))
        for step in steps
    )


def in_blocks(
    run: Callable[..., tuple[Any, ...]], dtypes: list[np.dtype[Any]], *inputs: Array
) -> tuple[Array, ...]:
    """What ``run`` gives for arrays of one shape, outputs of that shape and these dtypes."""
    shape = inputs[0].shape
    flat = [x.reshape(-1) for x in inputs]
    outputs = [np.empty(flat[0].size, dtype) for dtype in dtypes]
    for start in range(0, flat[0].size, _SIZE):
        block = slice(start, start + _SIZE)
        for output, piece in zip(outputs, run(*[x[block] for x in flat]), strict=True):
            output[block] = piece
    return tuple(output.reshape(shape) for output in outputs)
