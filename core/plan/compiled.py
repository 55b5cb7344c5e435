"""Plan: traced, simplified, written and checked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from core.errors import PlanError
from core.modes import state
from core.plan.blocks import in_blocks, works_in_blocks
from core.plan.simplifying import needed, simplified, without_copies
from core.plan.tracing import leaf, traced
from core.plan.writing import written
from core.symbols import Array, Place, Symbol, Tracer


class Plan:
    """``function`` compiled for inputs of the shapes and dtypes of ``examples``.

    Args:
        function: takes a Tensor an example, each requiring grad if it can; returns a Tensor or a
            tuple of Tensors. It may call ``grad`` with create_graph, too. Python decides while it
            is compiled, so nothing in it may depend on values.
        examples: arrays (or numbers); they must be values the function can take.

    Raises:
        PlanError: something depends on values, is written in place, or escapes being noted.

    Attributes:
        source: the compiled function's text.
    """

    def __init__(self, function: Callable[..., Any], *examples: Any) -> None:
        arrays = [np.asarray(x) for x in examples]
        self._likes = [(x.shape, x.dtype) for x in arrays]
        tracer = Tracer()
        symbols = [tracer.symbol(x) for x in arrays]
        results = traced(function, symbols, tracer)
        self._many = isinstance(results, tuple)
        outputs = results if isinstance(results, tuple) else (results,)
        steps, renamed = simplified(tracer)
        ends = [renamed.get(y.noted, y.noted) if isinstance(y, Symbol) else y for y in outputs]
        kept, ends = without_copies(needed(steps, ends), ends)
        self.source, scope = written(kept, [x.noted for x in symbols], ends, tracer.examples)
        exec(self.source, scope)
        self._run: Callable[..., tuple[Any, ...]] = scope["run"]
        dtypes = [tracer.examples[y.index].dtype for y in ends if isinstance(y, Place)]
        if len(dtypes) == len(ends) and works_in_blocks(kept, arrays, tracer.examples):
            self._run = partial(in_blocks, scope["run"], dtypes)
        self._check(function, arrays)

    def __call__(self, *inputs: Any) -> Any:
        """The outputs as arrays (NumPy scalars for shape ()), a tuple if the function gave one.

        Raises:
            PlanError: an input has another shape or dtype than its example.
        """
        for i, (x, like) in enumerate(zip(inputs, self._likes, strict=True)):
            if (np.shape(x), getattr(x, "dtype", None)) != like:
                raise PlanError(
                    f"Input {i} is {getattr(x, 'dtype', type(x).__name__)} {np.shape(x)}; the plan "
                    f"was made for {like[1]} {like[0]}.",
                    next_step="Make a plan for these shapes and dtypes.",
                )
        found = state.mode.quietly(self._run, *inputs)
        return found if self._many else found[0]

    def _check(self, function: Callable[..., Any], arrays: list[Array]) -> None:
        """Compare with the eager engine on other values: nothing may have become a constant."""
        others = [x * x.dtype.type(0.999) if x.dtype.kind in "fc" else x for x in arrays]
        eager = function(*[leaf(x) for x in others])
        planned = self(*[x[()] for x in others])
        pairs = zip(eager, planned, strict=True) if self._many else [(eager, planned)]
        for y, z in pairs:
            if not np.allclose(y._data, z, rtol=1e-7, atol=0.0, equal_nan=True):
                raise PlanError(
                    "The plan does not give the values of the function: something in it depends "
                    "on values, or on something that changes from call to call.",
                    next_step="Compute it without a plan.",
                )
