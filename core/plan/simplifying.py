"""Steps left out of a plan: repetitions, products with 1, unused results, needless copies."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from core.plan.steps import is_elementwise, outs, places, with_places
from core.symbols import METHODS, Place, Step, Tracer

#: The lanes call Python's operators, which the same functions stand behind.
_UFUNCS: dict[Callable[..., Any], np.ufunc] = {
    operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply,
    operator.truediv: np.divide, operator.matmul: np.matmul, operator.neg: np.negative,
}  # fmt: skip


def simplified(tracer: Tracer) -> tuple[list[Step], dict[Place, Place]]:
    """Steps without repetitions and products with 1, and which place stands for which."""
    renamed: dict[Place, Place] = {}
    known: dict[Any, Step] = {}
    kept: list[Step] = []
    for step in tracer.steps:
        args = with_places(step.args, renamed)
        kwargs = with_places(step.kwargs, renamed)
        function = _UFUNCS.get(step.function, step.function)
        step = _with_numbers(Step(function, args, kwargs, step.out), tracer.examples)
        same = _times_one(step, tracer.examples)
        if same is not None:
            renamed[outs(step)[0]] = same
            continue
        key = (step.function, _key(args), _key(kwargs))
        twin = known.setdefault(key, step)
        if twin is step:
            kept.append(step)
        else:
            renamed.update(zip(outs(step), outs(twin), strict=True))
    return kept, renamed


def _key(value: Any) -> Any:
    """Equal for equal arguments: arrays only if they are the same one."""
    if type(value) in (tuple, list):
        return (type(value), *[_key(part) for part in value])
    if type(value) is dict:
        return tuple((name, _key(part)) for name, part in sorted(value.items()))
    if type(value) is slice:
        return (slice, value.start, value.stop, value.step)
    plain = isinstance(value, Place | int | float | str | type(None) | np.dtype | type)
    return (type(value), value) if plain else id(value)


def _with_numbers(step: Step, examples: list[Any]) -> Step:
    """An elementwise step with a number for each constant array that holds but one number."""
    if not is_elementwise(step):
        return step
    shape = examples[outs(step)[0].index].shape
    if not any(isinstance(x, Place) and examples[x.index].shape == shape for x in step.args):
        return step
    args = tuple(
        x.flat[0] if isinstance(x, np.ndarray) and x.size and np.all(x == x.flat[0]) else x
        for x in step.args
    )
    return Step(step.function, args, step.kwargs, step.out)


def _times_one(step: Step, examples: list[Any]) -> Place | None:
    """The factor that a product with 1 equals, shape and dtype and all."""
    if step.function is not np.multiply or step.kwargs:
        return None
    for one, other in (step.args, step.args[::-1]):
        if isinstance(other, Place) and not isinstance(one, Place) and np.all(one == 1):
            assert isinstance(step.out, Place)  # a product has one result
            made, given = examples[step.out.index], examples[other.index]
            if (made.shape, made.dtype) == (given.shape, given.dtype):
                return other
    return None


def needed(steps: list[Step], ends: list[Any]) -> list[Step]:
    """The steps that the outputs depend on."""
    wanted = {end for end in ends if isinstance(end, Place)}
    kept: list[Step] = []
    for step in reversed(steps):
        if any(out in wanted for out in outs(step)):
            kept.append(step)
            wanted.update(places((step.args, step.kwargs)))
    return kept[::-1]


def without_copies(steps: list[Step], ends: list[Any]) -> tuple[list[Step], list[Any]]:
    """Copies of what a ufunc made for them alone are left out: it is theirs already."""
    uses = Counter(places([(step.args, step.kwargs) for step in steps] + ends))
    made = {step.out for step in steps if isinstance(step.function, np.ufunc)}
    same: dict[Place, Place] = {}
    for step in steps:
        source = step.args[0] if step.args else None
        if step.function is METHODS["copy"] and source in made and uses[source] == 1:
            same[outs(step)[0]] = source
    kept = [step for step in steps if step.out not in same]
    renamed = [
        Step(step.function, with_places(step.args, same), with_places(step.kwargs, same), step.out)
        for step in kept
    ]
    return renamed, with_places(ends, same)
