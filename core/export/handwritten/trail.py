"""The local values of a rule: written in their place, or on lines of their own."""

from __future__ import annotations

import ast
from dataclasses import replace

from core.export.handwritten.known import Known, copied, simple, written

#: What would make longer lines keeps a line of its own.
_WIDEST = 72
Step = tuple[str, ast.expr]  # a hint for a name, and what it stands for


class Trail:
    """The values of local names, in the order in which they are computed."""

    def __init__(self) -> None:
        self._steps: dict[str, Step] = {}

    def keep(self, hint: str, value: Known) -> Known:
        """The value under a name, unless it may be written wherever it is used."""
        if value.static or value.parts is not None or value.node is None or simple(value.node):
            return value
        name = f"${len(self._steps)}"
        self._steps[name] = (hint.strip("_"), value.node)
        return replace(value, node=ast.Name(name, ast.Load()))

    def finished(self, result: ast.expr) -> tuple[list[tuple[str, ast.expr]], ast.expr]:
        """What is used once in its place, what is never used left out, the rest as steps."""
        kept: dict[str, Step] = {}
        for name, (hint, node) in reversed(self._steps.items()):
            uses = sum(_uses(name, tree) for tree in (result, *(n for _, n in kept.values())))
            if not uses:
                continue
            if uses > 1:
                kept[name] = (hint, node)
                continue
            grown = copied(result, {name: node})
            others = {key: (h, copied(n, {name: node})) for key, (h, n) in kept.items()}
            if max(len(written(n)) for n in (grown, *(n for _, n in others.values()))) > _WIDEST:
                kept[name] = (hint, node)
            else:
                result, kept = grown, others
        ordered = list(reversed(kept.items()))
        names: dict[str, ast.expr] = {
            name: ast.Name(f"${k}", ast.Load()) for k, (name, _) in enumerate(ordered)
        }
        return [(hint, copied(n, names)) for _, (hint, n) in ordered], copied(result, names)


def _uses(name: str, tree: ast.expr) -> int:
    return sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(tree))
