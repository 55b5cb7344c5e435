"""Formulas: a few assignments with names that stand for themselves.

``L = sum((W @ x - t)**2) + lam*sum(W**2)`` has four inputs. What they hold nobody has said, so each
gets a small value of the kind its place in the formula asks for: what stands left of an @ is a
matrix, what stands right of it, or is added to the product, a vector.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from core.importers.python.machine import Machine
from core.importers.python.torch import library
from core.tensor import Tensor

#: The length of every axis of an input.
_LENGTH = 3
_SHADOWED = ("sum", "abs", "max", "min", "pow", "round", "all", "any")


def is_formula(tree: ast.Module) -> bool:
    """Whether a text is a formula: assignments and expressions, and nothing is imported."""
    return bool(tree.body) and all(isinstance(s, ast.Assign | ast.Expr) for s in tree.body)


def formula_names() -> dict[str, Any]:
    """What names mean in a formula: torch's functions."""
    functional = library.MODULES["torch.nn.functional"]
    torch = library.MODULES["torch"]
    known = {
        name: value
        for name, value in {**functional, **torch}.items()
        if not name.startswith("_") and len(name) > 1
    }
    known.update({name: torch[name] for name in _SHADOWED})
    return {**known, "ln": torch["log"], "norm": torch["norm"], "e": np.e}


class Inputs:
    """The inputs of a formula, made when they are first met."""

    def __init__(self, tree: ast.Module) -> None:
        self._matrices: set[str] = set()
        self._vectors: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
                self._matrices |= _names_of(node.left)
                self._vectors |= _names_of(node.right)
            elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
                for product, other in ((node.left, node.right), (node.right, node.left)):
                    if isinstance(product, ast.BinOp) and isinstance(product.op, ast.MatMult):
                        self._vectors |= _names_of(other)

    def make(self, m: Machine, name: str) -> Tensor:
        """A leaf of that name; its value is the same every time."""
        if name in self._matrices:
            shape: tuple[int, ...] = (_LENGTH, _LENGTH)
        elif name in self._vectors:
            shape = (_LENGTH,)
        else:
            shape = ()
        seed = sum(ord(letter) * (k + 1) for k, letter in enumerate(name))
        drawn = np.random.default_rng(seed).uniform(0.2, 2.0, shape)
        x = m.constant(np.round(drawn, 2), requires_grad=True)
        m.recorder.leaf(x)
        m.recorder.named(name, x)
        return x


def _names_of(node: ast.expr) -> set[str]:
    """The name an operand of @ is, if it is one, transposed or not."""
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        node = node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return _names_of(node.left)
    return {node.id} if isinstance(node, ast.Name) else set()
