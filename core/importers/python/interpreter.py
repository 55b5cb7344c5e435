"""The interpreter, all together; imports."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from core.importers.python import operators
from core.importers.python.contexts import Contexts
from core.importers.python.failures import outside
from core.importers.python.formulas import Inputs
from core.importers.python.iteration import iterate
from core.importers.python.machine import Machine
from core.importers.python.modules import find_module
from core.importers.python.pybuiltins import NAMES, kind_of
from core.importers.python.statements import BREAK, CONTINUE
from core.importers.python.subscripts import get_item
from core.importers.python.text import string
from core.importers.python.values import NdArray, Scope
from core.tensor import Tensor


class Interpreter(Contexts):
    """Reads a program, statement by statement; see the package's docstring."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        machine.call = self.call
        machine.extras.update({
            "iterate": iterate, "get_item": get_item, "kind_of": kind_of,
            "in_place": operators.in_place, "plain": _plain, "interpreter": self,
        })  # fmt: skip
        self.scope = Scope(Scope())
        assert self.scope.above is not None
        self.scope.above.names.update(NAMES)
        self._do: dict[type[ast.stmt], Callable[[Any], Any]] = {
            ast.Expr: self._expression, ast.Assign: self._assign, ast.AugAssign: self._augmented,
            ast.AnnAssign: self._annotated, ast.Delete: self._delete, ast.Pass: self._pass,
            ast.If: self._if, ast.For: self._for, ast.While: self._while,
            ast.Break: lambda node: BREAK, ast.Continue: lambda node: CONTINUE,
            ast.FunctionDef: self._define, ast.ClassDef: self._class, ast.Return: self._return,
            ast.Try: self._try, ast.Raise: self._raise, ast.With: self._with,
            ast.Import: self._import, ast.ImportFrom: self._import_from,
            ast.Global: self._global, ast.Nonlocal: self._nonlocal, ast.Assert: self._assert,
        }  # fmt: skip

    def read_as_formula(self, names: dict[str, Any], inputs: Inputs) -> None:
        """Read unknown names as inputs from now on, and ``names`` as functions."""
        top = self.scope

        def unknown(name: str) -> Any:
            if name in names:
                return names[name]
            value = inputs.make(self.machine, name)
            top.names[name] = value
            return value

        assert top.above is not None
        for name in names.keys() & top.above.names.keys():
            top.above.names[name] = names[name]
        self.unknown = unknown  # type: ignore[method-assign]

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            module = find_module(self.machine, alias.name)
            if alias.asname:
                self.scope.set(alias.asname, module)
            else:
                top = alias.name.partition(".")[0]
                self.scope.set(top, find_module(self.machine, top))

    def _import_from(self, node: ast.ImportFrom) -> None:
        if node.module == "__future__":
            return
        if node.level or node.module is None:
            raise outside("Imports of other files are not followed.", "Paste their text here.")
        module = find_module(self.machine, node.module)
        for alias in node.names:
            if alias.name == "*":
                for name, value in module.members.items():
                    if not name.startswith("_"):
                        self.scope.set(name, value)
                continue
            if alias.name in module.members:
                value = module.members[alias.name]
            else:
                value = find_module(self.machine, f"{node.module}.{alias.name}")
            self.scope.set(alias.asname or alias.name, value)


def _plain(m: Machine, value: Any) -> Any:
    """A value as ``%`` formats it: numbers of one-element tensors, else text."""
    if isinstance(value, NdArray):
        value = value.tensor
    if isinstance(value, Tensor) and value._data.size == 1:
        return value._data.item()
    return value if isinstance(value, str | int | float) else string(m, value)
