"""The source of the library's rules, as syntax trees without what only checks and explains.

A rule is written down by quoting it. What a reader of an exported program has no use for is left
out: annotations, refusals of operands that do not fit (these did), words of errors.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections import ChainMap
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from core.export.handwritten.known import copied

Definition = ast.FunctionDef | ast.Lambda


def scope(function: FunctionType) -> Mapping[str, Any]:
    """What the names mean that a function does not define: closure, module, builtins."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    closed = {name: cell.cell_contents for name, cell in cells}
    return ChainMap(closed, function.__globals__, vars(builtins))


@cache
def definition(function: FunctionType) -> Definition:
    """A function's own syntax tree, cleaned. It is shared: copy it to change it."""
    code = function.__code__
    path = inspect.getsourcefile(function)
    assert path is not None
    nodes = [n for n in _by_line(path)[code.co_firstlineno] if _is_of(n, code)]
    made: Definition = _Cleaner(scope(function)).visit(copied(nodes[0]))
    return made


def module_assignment(module: Any, name: str) -> ast.expr | None:
    """What a module assigns to one of its names, if it does so in one plain statement."""
    path = inspect.getsourcefile(module)
    assert path is not None
    for statement in _tree(path).body:
        if isinstance(statement, ast.Assign):
            (target, *more) = statement.targets
            if not more and isinstance(target, ast.Name) and target.id == name:
                made: ast.expr = copied(statement.value)
                return made
    return None


def parameters(node: Definition) -> tuple[str, ...]:
    """Names of the parameters, in order."""
    return tuple(a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))


@cache
def _tree(path: str) -> ast.Module:
    return ast.parse(Path(path).read_text("utf-8"))


@cache
def _by_line(path: str) -> Mapping[int, list[Definition]]:
    """Functions by the line that their code says they begin in."""
    found: dict[int, list[Definition]] = {}
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            decorators = getattr(node, "decorator_list", [])
            line = min([node.lineno, *(d.lineno for d in decorators)])
            found.setdefault(line, []).append(node)
    return found


def _is_of(node: Definition, code: CodeType) -> bool:
    """Whether the code was made of the node: several lambdas may begin in one line."""
    count = code.co_argcount + code.co_kwonlyargcount
    if parameters(node) != code.co_varnames[:count]:
        return False
    if isinstance(node, ast.FunctionDef):
        return node.name == code.co_name
    start = (node.body.lineno, node.body.col_offset)
    end = (node.body.end_lineno, node.body.end_col_offset)
    places = [(p[0], p[2]) for p in code.co_positions() if p[0] and p[2] and p[1] == p[0]]
    return all(start <= place < end for place in places)


class _Cleaner(ast.NodeTransformer):
    """Takes away what only checks and explains."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.returns, node.decorator_list = None, []
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
        for rest in (node.args.vararg, node.args.kwarg):
            if rest:
                rest.annotation = None
        node.body = node.body or [ast.Pass()]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt | None:
        self.generic_visit(node)
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Try(self, node: ast.Try) -> Any:
        self.generic_visit(node)
        refuses = all(isinstance(h.body[-1], ast.Raise) for h in node.handlers if h.body)
        return node.body if refuses else node

    def visit_For(self, node: ast.For) -> ast.stmt | None:
        self.generic_visit(node)
        return node if node.body else None

    def visit_If(self, node: ast.If) -> ast.stmt | None:
        ends = node.body and isinstance(node.body[-1], ast.Raise)
        if ends and not node.orelse:
            return None
        self.generic_visit(node)
        if ends:  # the other branch is the one that is taken
            node.test = ast.UnaryOp(ast.Not(), node.test)
            node.body, node.orelse = node.orelse, []
        node.body = node.body or [ast.Pass()]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | None:
        """Docstrings, and calls of functions that give nothing back: those only refuse."""
        if isinstance(node.value, ast.Constant):
            return None
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
            called = self._names.get(node.value.func.id)
            if getattr(called, "__annotations__", {}).get("return", 0) in (None, "None"):
                return None
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        return ast.Raise(ast.Name("ValueError", ast.Load()), None)
