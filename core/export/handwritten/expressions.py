"""Expressions of the library: their values, and the expressions right under them."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from core.export.handwritten.known import UNKNOWN, CannotFoldError, copied

Place = tuple[ast.AST, str, int | None]  # a node, its field, and where in it if it is a list


def evaluated(node: ast.expr, values: Mapping[str, Any], *, lenient: bool = False) -> Any:
    """The value of an expression of the library.

    Args:
        lenient: UNKNOWN where there is none; otherwise that ends the folding.
    """
    known = not any(v is UNKNOWN for v in values.values())
    try:
        if known:
            code = compile(ast.fix_missing_locations(ast.Expression(copied(node))), "", "eval")
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return eval(code, dict(values))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        pass
    if not lenient:
        raise CannotFoldError
    return UNKNOWN


def children(node: ast.AST) -> list[Place]:
    """Where they are; slices and starred parts are looked into."""
    found: list[Place] = []
    for field, value in ast.iter_fields(node):
        for index, item in enumerate(value if isinstance(value, list) else [value]):
            sliced = isinstance(item, ast.Tuple) and any(
                isinstance(e, ast.Slice) for e in item.elts
            )
            if sliced or isinstance(item, ast.Slice | ast.Starred | ast.keyword):
                found += children(item)
            elif isinstance(item, ast.expr):
                found.append((node, field, index if isinstance(value, list) else None))
    return found


def at(node: ast.AST, field: str, index: int | None) -> ast.expr:
    value = getattr(node, field)
    return value if index is None else value[index]  # type: ignore[no-any-return]


def put(place: Place, new: ast.expr) -> None:
    node, field, index = place
    if index is None:
        setattr(node, field, new)
    else:
        getattr(node, field)[index] = new
