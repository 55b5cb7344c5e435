"""What the steps of a plan say about the places they read and fill."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from core.symbols import Place, Step


def outs(step: Step) -> tuple[Place, ...]:
    """The places that a step fills."""
    return (step.out,) if isinstance(step.out, Place) else step.out


def places(value: Any) -> Iterator[Place]:
    """The places in an argument, however deep."""
    if isinstance(value, Place):
        yield value
    elif type(value) in (tuple, list):
        for part in value:
            yield from places(part)
    elif type(value) is dict:
        for part in value.values():
            yield from places(part)


def with_places(value: Any, renamed: Mapping[Place, Place]) -> Any:
    """An argument with other places for some of those in it."""
    if isinstance(value, Place):
        return renamed.get(value, value)
    if type(value) in (tuple, list):
        return type(value)(with_places(part, renamed) for part in value)
    if type(value) is dict:
        return {key: with_places(part, renamed) for key, part in value.items()}
    return value


def is_elementwise(step: Step) -> bool:
    """Whether each element of its result is made of one element of each operand."""
    function = step.function
    return isinstance(function, np.ufunc) and function.signature is None and not step.kwargs
