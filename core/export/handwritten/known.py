"""What is known of a value while a rule is folded: how it is written, and what it is now."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.export.literals import nested, plain

UNKNOWN: Any = object()


class CannotFoldError(Exception):
    """A rule does not become a formula: it has loops, or branches on elements."""


@dataclass(frozen=True)
class Known:
    """A value on its way through a rule.

    Attributes:
        node: how it is written; None if it has no form of its own.
        value: what it is for the graph at hand.
        static: whether it would be that for all values of the same shapes and types. Of other
            values only shape and type may be relied on.
        parts: of a tuple, one by one.
        bound: whether anything passed in has a part in it.
    """

    node: ast.expr | None
    value: Any = UNKNOWN
    static: bool = False
    parts: tuple[Known, ...] | None = None
    bound: bool = True

    def written(self) -> ast.expr:
        """Its text.

        Raises:
            CannotFoldError: it has none.
        """
        if self.node is None:
            raise CannotFoldError
        made: ast.expr = copied(self.node)
        return made


def mark(name: str, thing: Any) -> ast.Name:
    """A name that stands for something of the library."""
    made = ast.Name(name, ast.Load())
    made.thing = thing  # type: ignore[attr-defined]
    return made


def meaning(node: ast.Name) -> Any:
    """What a marked name stands for; UNKNOWN for any other."""
    return getattr(node, "thing", UNKNOWN)


def copied(node: Any, nodes: Mapping[str, ast.expr] | None = None) -> Any:
    """A tree of its own, with expressions in the place of some names.

    Ten times as fast as ``deepcopy``, which is most of what folding would cost.
    """
    if isinstance(node, ast.Name):
        if nodes and node.id in nodes and isinstance(node.ctx, ast.Load):
            return copied(nodes[node.id])
        thing = meaning(node)
        return ast.Name(node.id, node.ctx) if thing is UNKNOWN else mark(node.id, thing)
    if isinstance(node, list):
        return [copied(item, nodes) for item in node]
    if not isinstance(node, ast.AST):
        return node
    return node.__class__(
        **{field: copied(getattr(node, field, None), nodes) for field in node._fields}
    )


def parsed(text: str) -> ast.expr:
    """The tree of an expression."""
    return ast.parse(text, mode="eval").body


def written(node: ast.expr) -> str:
    """The text of an expression."""
    return ast.unparse(node)


def operand(text: str, value: Any) -> Known:
    """A value that the program computes."""
    return Known(parsed(text), np.asarray(value))


def setting(value: Any, text: str | None = None) -> Known:
    """A parameter or a shape: it is what it is."""
    return Known(literal(value) if text is None else parsed(text), value, static=True)


def several(parts: Sequence[Known]) -> Known:
    """A tuple of values."""
    nodes = [p.node for p in parts]
    node = None if None in nodes else ast.Tuple([n for n in nodes if n], ast.Load())
    values = tuple(p.value for p in parts)
    value = UNKNOWN if any(v is UNKNOWN for v in values) else values
    static = all(p.static for p in parts)
    return Known(node, value, static, tuple(parts), any(p.bound for p in parts))


def literal(value: Any) -> ast.expr | None:
    """A value as an expression, if it is plain enough."""
    if isinstance(value, np.generic):
        if value.dtype.kind not in "biuf":
            return None
        value = value.item()
    if isinstance(value, np.ndarray) and value.size:
        return parsed(f"np.array({nested(value)})")
    if isinstance(value, float):
        return parsed(plain(value)) if math.isfinite(value) else parsed(f'float("{value}")')
    if value is None or value is Ellipsis or isinstance(value, bool | int | str):
        return parsed(plain(value))
    if isinstance(value, tuple | list):
        parts = [literal(v) for v in value]
        return None if None in parts else ast.Tuple([p for p in parts if p], ast.Load())
    if isinstance(value, slice):
        ends = [literal(v) for v in (value.start, value.stop, value.step)]
        return ast.Call(ast.Name("slice", ast.Load()), [e for e in ends if e], [])
    return None


def simple(node: ast.expr | None) -> bool:
    """Whether an expression may be written twice."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=ast.Name()) | ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.Tuple(elts=elts):
            return all(map(simple, elts))
        case _:
            return False
