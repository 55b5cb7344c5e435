"""Functions of the library that a program quotes: each once, after those it calls itself."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from collections import ChainMap
from collections.abc import Mapping
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from core.export.handwritten.known import copied
from core.export.handwritten.source import definition, module_assignment, scope
from core.export.identifiers import Identifiers
from core.export.literals import plain
from core.library.spec import OpSpec

_OURS = "core.library."


class Helpers:
    """Collects the definitions and imports that expressions need.

    Attributes:
        imports: statements, in the order of need.
        blocks: definitions as text.
    """

    def __init__(self, names: Identifiers) -> None:
        self._names = names
        self._known: dict[tuple[int, str], str] = {}
        self._kept: list[Any] = []  # what ids stand for must live
        self.imports: dict[str, None] = {}
        self.blocks: list[str] = []

    def name(self, thing: Any, hint: str) -> str:
        """What the program calls a function, class or constant of the library."""
        if isinstance(thing, OpSpec):
            thing, hint = thing.forward, thing.name.rpartition(".")[2]
        if isinstance(thing, ModuleType):
            return self._module(thing, hint)
        module = getattr(thing, "__module__", None) or ""
        if isinstance(thing, np.ufunc) or module.startswith("numpy"):
            return self._of_numpy(thing, hint)
        if vars(builtins).get(hint) is thing:
            return hint
        key = (id(thing), "" if callable(thing) else hint)
        if key not in self._known:
            self._kept.append(thing)
            self._known[key] = self._names.take(_shown(thing, hint), exact=True)
            self._define(thing, hint, self._known[key])
        return self._known[key]

    def _module(self, module: ModuleType, hint: str) -> str:
        if module is not np:
            self.imports[f"import {module.__name__}"] = None
        return "np" if module is np else hint

    def _of_numpy(self, thing: Any, hint: str) -> str:
        """np.name where there is one, else the import that gives it."""
        short = numpy_name(thing)
        if short is not None:
            return short
        self.imports[f"from {thing.__module__} import {thing.__name__}"] = None
        return hint

    def _define(self, thing: Any, hint: str, name: str) -> None:
        if isinstance(thing, FunctionType):
            self.blocks.append(self._function(thing, name))
        elif inspect.isclass(thing):
            self.blocks.append(self._class(thing, name))
        else:
            self.blocks.append(f"{name} = {self._constant(thing, hint)}")

    def _function(self, function: FunctionType, name: str) -> str:
        node = copied(definition(function))
        if isinstance(node, ast.Lambda):
            made = ast.FunctionDef(name, node.args, [ast.Return(node.body)], [])
        else:
            made = node
            made.name = name
        self.rename(made, scope(function))
        return ast.unparse(ast.fix_missing_locations(made))

    def _class(self, cls: type, name: str) -> str:
        """A class of plain data, quoted as it stands."""
        (node,) = ast.parse(inspect.getsource(cls)).body
        assert isinstance(node, ast.ClassDef)
        node.name = name
        node.body = [s for s in node.body if not isinstance(s, ast.Expr)]
        for part in node.body:
            if isinstance(part, ast.AnnAssign):
                part.annotation = ast.Name("object", ast.Load())
            elif isinstance(part, ast.FunctionDef):
                part.returns = None
                part.body = [s for s in part.body if not isinstance(s, ast.Expr)]
                for argument in part.args.args:
                    argument.annotation = None
                self.rename(part, vars(inspect.getmodule(cls)))
        self.imports["from dataclasses import dataclass"] = None
        return ast.unparse(ast.fix_missing_locations(node))

    def _constant(self, thing: Any, hint: str) -> str:
        """As the library writes it, or its value."""
        for module in _modules():
            if vars(module).get(hint) is thing:
                found = module_assignment(module, hint)
                if found is not None:
                    self.rename(found, vars(module))
                    return ast.unparse(found)
        return plain(thing)

    def rename(self, node: ast.AST, names: Mapping[str, Any]) -> None:
        """Give everything a tree takes from outside the name it has in the program."""
        local = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _stored(n)}
        local |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        local |= {
            alias.asname or alias.name
            for n in ast.walk(node)
            if isinstance(n, ast.ImportFrom | ast.Import)
            for alias in n.names
        }
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                thing = None if part.func.id in local else names.get(part.func.id)
                if isinstance(thing, OpSpec):
                    complete(part, thing)
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id not in local and part.id in names:
                thing = names[part.id]
                closed = isinstance(names, ChainMap) and part.id in names.maps[0]
                if closed and isinstance(thing, int | float | str):
                    part.id = plain(thing)
                else:
                    part.id = self.name(thing, part.id)


def complete(call: ast.Call, spec: OpSpec) -> None:
    """Add the parameters to a call of an operation that it leaves at their defaults."""
    given = {k.arg for k in call.keywords}
    if None in given:  # **options: those are all
        return
    call.keywords += [
        ast.keyword(p.name, ast.parse(plain(p.default), mode="eval").body)
        for p in spec.params
        if p.name not in given
    ]


def numpy_name(thing: Any) -> str | None:
    """``np.linalg.svd`` for NumPy's function; None for what has no such name."""
    name = getattr(thing, "__name__", "")
    for prefix, module in (("np.", np), ("np.linalg.", np.linalg), ("np.fft.", np.fft)):
        if getattr(module, name, None) is thing:
            return f"{prefix}{name}"
    return None


def _shown(thing: Any, hint: str) -> str:
    """Its own name: within one module of the library no local name is the same."""
    name = getattr(thing, "__name__", hint)
    made_here = name == "<lambda>" or getattr(thing, "__closure__", None)
    return hint if made_here or not callable(thing) else name


def _stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _modules() -> list[ModuleType]:
    return [m for name, m in list(sys.modules.items()) if name.startswith(_OURS)]
