"""How one operation is written: small functions from its operands to an expression.

The tables of a target map names of operations to spellings. Most are one of the two made here:
``call("torch.softmax", "axis:dim")`` and ``infix("+")``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.export.literals import plain
from core.export.outline import Operand, Step

Spelling = Callable[[Step], str]


def call(function: str, *params: str, ports: str | None = None, after: str = "") -> Spelling:
    """A call of a function or, beginning with a dot, of a method of the first input.

    Args:
        params: parameters passed by name where they differ from their default; ``axis:dim`` is
            the operation's ``axis`` under the name ``dim``, ``axis!`` is written always.
        ports: the inputs in the order in which they are passed, if not that of the operation.
        after: what follows the call, e.g. ``".values"``.
    """

    def spelled(step: Step) -> str:
        assert step.spec is not None
        inputs = step.inputs
        if ports is not None:
            inputs = tuple(step.inputs[step.spec.ports.index(p)] for p in ports.split())
        words = ["None" if x is None else x.text for x in inputs]
        while words and words[-1] == "None":
            words.pop()
        named = [option(step, param) for param in params]
        if function.startswith("."):
            return f"{words[0]}{function}({', '.join([*words[1:], *filter(None, named)])}){after}"
        return f"{function}({', '.join([*words, *filter(None, named)])}){after}"

    return spelled


def option(step: Step, param: str) -> str:
    """``dim=1`` for ``axis:dim``; nothing where the parameter has its default."""
    assert step.spec is not None
    always = param.endswith("!")
    ours, _, theirs = param.rstrip("!").partition(":")
    value, default = step.params[ours], step.spec.defaults[ours]
    if not always and plain(value) == plain(default):
        return ""
    return f"{theirs or ours}={plain(value)}"


def infix(operator: str) -> Spelling:
    """``a + b``; a number typed at a port is written as such."""

    def spelled(step: Step) -> str:
        a, b = step.given
        return f"{a.beside(b)} {operator} {b.beside(a)}"

    return spelled


def text(template: str) -> Spelling:
    """A template with the ports and parameters of the operation in braces."""

    def spelled(step: Step) -> str:
        return template.format_map(words(step))

    return spelled


def words(step: Step) -> dict[str, Any]:
    """The operands and parameters of a step by name, as text."""
    assert step.spec is not None
    ports = step.spec.ports
    inputs = {p: "None" if x is None else x.text for p, x in zip(ports, step.inputs, strict=False)}
    return {**inputs, **{name: plain(value) for name, value in step.params.items()}}


def listed(operands: tuple[Operand, ...]) -> str:
    """Operands as a list."""
    return f"[{', '.join(x.text for x in operands)}]"
