"""What the rules of a step are given: operands, parameters and shapes, as far as known."""

from __future__ import annotations

from typing import Any

from core.export.handwritten.known import Known, operand, setting, several, written
from core.export.literals import number
from core.export.outline import Operand, Step


def known_input(step: Step, x: Operand | None) -> Known:
    if x is None:
        return setting(None)
    assert step.spec is not None
    plain_number = x.literal and not x.ndim and len({o.dtype for o in step.given}) == 1
    if plain_number and step.spec.elementwise:
        return operand(number(x.value[()]), x.value)
    return operand(x.text, x.value)


def argument(step: Step, name: str, k: int) -> Known:
    spec = step.spec
    assert spec is not None
    if name in step.params:
        return setting(step.params[name])
    if name in spec.outputs:
        y = step.outputs[spec.outputs.index(name)]
        return operand(y.text, y.value)
    if spec.variadic and name == "k":
        return setting(k)
    if spec.variadic and name == spec.ports[0]:
        return several([operand(x.text, x.value) for x in step.given])
    if spec.variadic and name == f"{spec.ports[0]}_shapes":
        return setting(tuple(x.shape for x in step.given))
    if name in spec.ports:
        return known_input(step, step.inputs[spec.ports.index(name)])
    x = _shaped(step, name)
    if x is None:
        return setting(())
    return setting(x.shape, None if x.literal else f"{x.text}.shape")


def _shaped(step: Step, name: str) -> Operand | None:
    """The input or output whose shape a rule names."""
    assert step.spec is not None
    base = name.removesuffix("_shape")
    if base in step.spec.outputs:
        return step.outputs[step.spec.outputs.index(base)]
    return step.inputs[step.spec.ports.index(base)]


def argument_value(step: Step, name: str, k: int) -> Any:
    """What ``_argument`` stands for."""
    known = argument(step, name, k)
    return known.value


def text_of(known: Known) -> str:
    return written(known.written())
