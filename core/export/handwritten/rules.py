"""The forward and the VJPs of one step as NumPy expressions.

An operation with a NumPy name is a call of it. Everything else, and every VJP, is quoted from the
operation's record: folded into one expression where it becomes one, else as a function of its own.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.export.handwritten.arguments import argument, argument_value, known_input, text_of
from core.export.handwritten.folding import fold
from core.export.handwritten.helpers import Helpers, numpy_name
from core.export.handwritten.known import (
    UNKNOWN,
    CannotFoldError,
    Known,
    copied,
    meaning,
    operand,
    setting,
    several,
    written,
)
from core.export.handwritten.numpy_calls import differs, named_call
from core.export.identifiers import Identifiers
from core.export.outline import Operand, Step

_OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "power": "**", "matmul": "@",
}  # fmt: skip
#: Longer formulas are functions of their own.
_LONGEST, _MOST_STEPS = 150, 24


@dataclass(frozen=True)
class Formula:
    """An expression, and the values it needs first: (name, expression), in order."""

    text: str
    before: tuple[tuple[str, str], ...] = ()


class Rules:
    """Writes formulas; the functions they call go to ``helpers``."""

    def __init__(self, helpers: Helpers, names: Identifiers) -> None:
        self._helpers = helpers
        self.names = names

    def forward(self, step: Step) -> Formula:
        """The value of a step."""
        spec = step.spec
        assert spec is not None
        if spec.name in _OPERATORS:
            a, b = step.given
            return Formula(f"{a.beside(b)} {_OPERATORS[spec.name]} {b.beside(a)}")
        named = spec.numpy and numpy_name(spec.numpy[0])
        if named and not differs(step):
            return Formula(named_call(named, spec, step))
        arguments = [known_input(step, x) for x in step.inputs]
        params = {name: setting(value) for name, value in step.params.items()}
        return self._expression(spec.forward, arguments, params, spec.name.rpartition(".")[2], {})

    def vjp(self, step: Step, k: int, g: Sequence[Operand], known: dict[str, str]) -> Formula:
        """What the k-th input of a step gets, before it is fitted to it.

        Args:
            known: names of what the rules of this step have computed so far, by its text.
        """
        spec = step.spec
        assert spec is not None
        port = spec.ports[0 if spec.variadic else k]
        conjugate = is_complex(step)
        cotangents = [operand(f"np.conj({y.text})" if conjugate else y.text, y.value) for y in g]
        first = several(cotangents) if spec.multi_output else cotangents[0]
        arguments = [first, *(argument(step, name, k) for name in spec.rule_names(port))]
        hint = f"{spec.name}_{port}_vjp"
        made = self._expression(spec.vjps[port].rule, arguments, {}, hint, known)
        return replace(made, text=f"np.conj({made.text})") if conjugate else made

    def _expression(
        self,
        function: Any,
        arguments: list[Known],
        named: Mapping[str, Known],
        hint: str,
        known: dict[str, str],
    ) -> Formula:
        try:
            steps, result = fold(function, arguments, named)
        except CannotFoldError:
            return Formula(self._quoted(function, arguments, named, hint))
        longest = max(len(written(n)) for n in (result, *(n for _, n in steps)))
        if len(steps) > _MOST_STEPS or longest > _LONGEST:
            return Formula(self._quoted(function, arguments, named, hint))
        nodes: dict[str, ast.expr] = {}
        before: list[tuple[str, str]] = []
        for k, (step_hint, node) in enumerate(steps):
            text = self._finished(copied(node, nodes))
            if text not in known:
                known[text] = self.names.take(step_hint)
                before.append((known[text], text))
            nodes[f"${k}"] = ast.Name(known[text], ast.Load())
        return Formula(self._finished(copied(result, nodes)), tuple(before))

    def _quoted(
        self, function: Any, arguments: list[Known], named: Mapping[str, Known], hint: str
    ) -> str:
        """A call of the function, which is quoted at the head of the program."""
        name = self._helpers.name(function, hint.replace(".", "_"))
        words = [text_of(a) for a in arguments]
        words += [f"{key}={text_of(value)}" for key, value in named.items()]
        return f"{name}({', '.join(words)})"

    def _finished(self, node: ast.expr) -> str:
        """The text of a folded expression, its marked names as the program has them."""
        return written(_Named(self._helpers).visit(node))


class _Named(ast.NodeTransformer):
    """Names of the library become those they have in the program."""

    def __init__(self, helpers: Helpers) -> None:
        self._helpers = helpers

    def visit_Name(self, node: ast.Name) -> ast.expr:
        thing = meaning(node)
        if thing is UNKNOWN:
            return node
        return ast.Name(self._helpers.name(thing, node.id), ast.Load())

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """``x[slice(1, 3, None)]`` is ``x[1:3]``."""
        self.generic_visit(node)
        if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 1:
            node.slice = node.slice.elts[0]
        if isinstance(node.slice, ast.Tuple) and node.slice.elts:
            node.slice.elts = [_slice(e) for e in node.slice.elts]
        else:
            node.slice = _slice(node.slice)
        return node


def _slice(node: ast.expr) -> ast.expr:
    match node:
        case ast.Call(func=ast.Name(id="slice"), args=[start, stop, step]):
            return ast.Slice(*map(_end, (start, stop, step)))
        case _:
            return node


def _end(node: ast.expr) -> ast.expr | None:
    return None if isinstance(node, ast.Constant) and node.value is None else node


def is_complex(step: Step) -> bool:
    """Whether the rule of a step, a plain transpose, needs conjugates around it."""
    return any(x.dtype.kind == "c" for x in (*step.given, *step.outputs))


def result_like(step: Step, k: int) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of what the rule of the k-th input gives: it is tried out."""
    spec = step.spec
    assert spec is not None
    x = step.inputs[k]
    assert x is not None
    if spec.elementwise:
        return step.outputs[0].shape, np.result_type(step.outputs[0].dtype, x.dtype)
    port = spec.ports[0 if spec.variadic else k]
    ones = tuple(np.ones_like(y.value) for y in step.outputs)
    arguments = [argument_value(step, name, k) for name in spec.rule_names(port)]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        made = spec.vjps[port].rule(ones if spec.multi_output else ones[0], *arguments)
    return np.shape(made), np.asarray(made).dtype
