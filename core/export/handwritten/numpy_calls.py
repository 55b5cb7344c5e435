"""Operations that NumPy has a function for, as calls of it."""

from __future__ import annotations

import inspect
import math
from typing import Any

from core.export.handwritten.arguments import known_input, text_of
from core.export.literals import plain
from core.export.outline import Step
from core.export.spelling import listed
from core.library.spec import OpSpec


def named_call(name: str, spec: OpSpec, step: Step) -> str:
    """A call of NumPy's function; parameters that have NumPy's default are left out."""
    if spec.name == "einsum":
        return f"np.einsum({', '.join([repr(step.params['subscripts']), *_texts(step)])})"
    words = [listed(step.given)] if spec.variadic else _texts(step)
    for key, value in step.params.items():
        if key == "ord" and isinstance(value, str) and value not in ("fro", "nuc"):
            value = float(value)
        if plain(value) != plain(_default(spec, key)):
            words.append(f"{key}={plain(value)}")
    return f"{name}({', '.join(words)})"


def differs(step: Step) -> bool:
    """Where NumPy means another thing: np.cross reads its axis in each operand, we in their
    common shape; np.extract flattens."""
    return step.node.op in ("cross", "extract") and len({x.ndim for x in step.given}) > 1


def _texts(step: Step) -> list[str]:
    return [text_of(known_input(step, x)) for x in step.inputs]


def _default(spec: OpSpec, key: str) -> Any:
    """NumPy's default of a parameter; ours where its signature does not say."""
    try:
        found = inspect.signature(spec.numpy[0]).parameters.get(key)
    except (TypeError, ValueError):
        found = None
    if found is None:
        return spec.defaults[key]
    missing = found.default is inspect.Parameter.empty or "no value" in repr(found.default)
    if missing:
        return spec.defaults[key] if key == "keepdims" else math.nan
    return found.default
