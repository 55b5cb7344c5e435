"""A plan's steps as the source of one Python function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.plan.steps import is_elementwise, outs, places
from core.symbols import Place, Step

#: Arrays of fewer bytes are not worth writing over: making one is as quick.
_REUSED_BYTES = 4096
_INFIX: dict[Callable[..., Any], str] = {
    np.add: "{} + {}", np.subtract: "{} - {}", np.multiply: "{} * {}", np.divide: "{} / {}",
    np.matmul: "{} @ {}", np.negative: "-{}",
}  # fmt: skip


def written(
    steps: list[Step], inputs: list[Place], ends: list[Any], examples: list[Any]
) -> tuple[str, dict[str, Any]]:
    """The source of ``run`` and the names it uses."""
    scope: dict[str, Any] = {}
    names: dict[int, str] = {}

    def name_of(value: Any, letter: str) -> str:
        name = names.get(id(value))
        if name is None:
            name = names[id(value)] = f"{letter}{len(names)}"
            scope[name] = value
        return name

    def words(value: Any) -> str:
        if isinstance(value, Place):
            return f"v{value.index}"
        if type(value) is tuple and any(places(value)):
            return f"({''.join(f'{words(part)}, ' for part in value)})"
        if type(value) is list and any(places(value)):
            return f"[{', '.join(map(words, value))}]"
        if value is None or type(value) in (bool, int):
            return repr(value)
        return name_of(value, "k")

    last = {place: i for i, step in enumerate(steps) for place in places((step.args, step.kwargs))}
    lasting = {*inputs, *(end for end in ends if isinstance(end, Place))}
    fresh = _written_over(steps, examples) - lasting
    lines = [f"def run({', '.join(map(words, inputs))}):"]
    for i, step in enumerate(steps):
        args = [words(value) for value in step.args]
        out = ", ".join(map(words, outs(step)))
        dying = [p for p in dict.fromkeys(places(step.args)) if last[p] == i and p in fresh]
        over = next((p for p in dying if _fits(step, p, examples)), None)
        infix = _INFIX.get(step.function)
        if over is not None:
            call = f"{name_of(step.function, 'f')}({', '.join([*args, words(over)])})"
        elif infix and not step.kwargs:
            call = infix.format(*args)
        else:
            args += [f"{key}={words(value)}" for key, value in step.kwargs.items()]
            call = f"{name_of(step.function, 'f')}({', '.join(args)})"
        lines.append(f"    {out} = {call}")
        dead = [p for p in dict.fromkeys(places((step.args, step.kwargs)))
                if last[p] == i and p not in lasting and _is_large(examples[p.index])]  # fmt: skip
        if dead:
            lines.append(f"    del {', '.join(map(words, dead))}")
    lines.append(f"    return ({''.join(f'{words(end)}, ' for end in ends)})")
    return "\n".join(lines) + "\n", scope


def _is_large(example: Any) -> bool:
    return bool(example.nbytes >= _REUSED_BYTES)


def _written_over(steps: list[Step], examples: list[Any]) -> set[Place]:
    """Places whose memory is theirs alone: made and only used by elementwise functions."""
    fresh = {
        step.out
        for step in steps
        if isinstance(step.out, Place)
        and is_elementwise(step)
        and _is_large(examples[step.out.index])
    }
    for step in steps:
        if not is_elementwise(step):
            fresh -= set(places((step.args, step.kwargs)))
    return fresh


def _fits(step: Step, place: Place, examples: list[Any]) -> bool:
    """Whether the result of an elementwise step can take the memory of one of its operands."""
    if not is_elementwise(step) or not isinstance(step.out, Place):
        return False
    made, given = examples[step.out.index], examples[place.index]
    return bool((made.shape, made.dtype) == (given.shape, given.dtype))
