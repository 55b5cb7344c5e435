"""What is known of an array before its elements are: shape, number of axes, size and type."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from core.export.handwritten.known import UNKNOWN, Known, literal, setting

_FACTS = ("shape", "ndim", "size", "dtype")


class Facts(ast.NodeTransformer):
    """``x.shape`` in a comprehension, where x is an array: a name for what it is."""

    def __init__(self, local: Mapping[str, Known]) -> None:
        self._local = local
        self.found: dict[str, Known] = {}

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        base = self._local.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if base is None or not is_array(base) or node.attr not in _FACTS:
            return node
        name = f"_fact{len(self.found)}"
        self.found[name] = attribute(base, node.attr)
        return ast.Name(name, ast.Load())


def attribute(base: Known, attr: str) -> Known:
    if is_array(base) and attr in _FACTS:
        found = getattr(base.value, attr)
        symbol = attr in ("shape", "dtype") and isinstance(base.node, ast.Name)
        return Known(
            ast.Attribute(base.written(), attr, ast.Load()) if symbol else literal(found),
            found,
            static=True,
        )
    found = UNKNOWN if base.value is UNKNOWN else getattr(base.value, attr)
    if base.static and base.bound:
        return setting(found)
    node = ast.Attribute(base.written(), attr, ast.Load())
    return Known(node, found, base.static, bound=base.bound)


def is_array(value: Known) -> bool:
    return not value.static and isinstance(value.value, np.ndarray | np.generic)


def is_plain(thing: Any) -> bool:
    """Whether a function may be called now: one of plain numbers and shapes."""
    module = getattr(thing, "__module__", "") or ""
    return module in ("builtins", "math", "itertools") or module.startswith("core.library")
