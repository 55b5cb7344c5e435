"""Functions and classes of a program: made, and called."""

from __future__ import annotations

import ast
from typing import Any

from core.importers.python.arguments import bound_arguments
from core.importers.python.failures import CLASSES, outside, program_error
from core.importers.python.machine import Machine
from core.importers.python.numpy_library import array as numpy_array
from core.importers.python.statements import Statements
from core.importers.python.supers import SUPER, Above
from core.importers.python.values import (
    Bound,
    Builtin,
    Context,
    Decorated,
    DType,
    Failure,
    Function,
    Instance,
    Namespace,
    Scope,
    UserClass,
)
from core.importers.python.words import type_name

_MOST_BASES = 100


NUMPY_ARRAY = Builtin("array", numpy_array)


class Returned:
    """A function's result on its way out."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Calls(Statements):
    """The part of the interpreter that makes and calls functions and classes."""

    def _return(self, node: ast.Return) -> Returned:
        return Returned(None if node.value is None else self.value(node.value))

    def _define(self, node: ast.FunctionDef) -> None:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Yield | ast.YieldFrom):
                raise outside(
                    "Generator functions (yield) are not read.",
                    "Collect the values in a list and return it.",
                    inner.lineno,
                )
        function: Any = self.function(node.name, node.args, node.body)
        for decorator in reversed(node.decorator_list):
            function = self.call(self._decorator(decorator), [function], {})
        self.scope.set(node.name, function)

    def _decorator(self, node: ast.expr) -> Any:
        found = self.value(node)
        if isinstance(found, Context):  # @torch.no_grad()
            return Builtin(found.name, lambda m, function: _decorated(m, found, function))
        if isinstance(found, Builtin) and found.name in ("no_grad", "enable_grad"):
            context = self.call(found, [], {})
            return Builtin(found.name, lambda m, function: _decorated(m, context, function))
        return found

    def _class(self, node: ast.ClassDef) -> None:
        bases = tuple(self.value(base) for base in node.bases)
        for base in bases:
            if not isinstance(base, UserClass):
                raise outside(
                    f"A class cannot derive from {type_name(base)} here.",
                    "Derive from nn.Module, torch.autograd.Function, Exception or a class of "
                    "your own.",
                )
        if any(len(base.lineage) >= _MOST_BASES for base in bases):
            self.machine.budget.refuse(
                f"A class derives from more than {_MOST_BASES} others.", "Use fewer classes."
            )
        members: dict[str, Any] = {}
        cls = UserClass(node.name, bases, members, ours=self.ours)
        before = self.scope
        self.scope = Scope(before, cls)
        self.scope.names = members
        try:
            self.run(node.body)
        finally:
            self.scope = before
        for member in members.values():
            function = member.function if isinstance(member, Decorated) else member
            if isinstance(function, Function) and function.owner is None:
                function.owner = cls
        made: Any = cls
        for decorator in reversed(node.decorator_list):
            made = self.call(self._decorator(decorator), [made], {})
        self.scope.set(node.name, made)

    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """``function(*args, **kwargs)``."""
        if isinstance(function, Builtin):
            if function is SUPER and not args:
                return self._super()
            return function.function(self.machine, *args, **kwargs)
        if isinstance(function, Bound):
            return self.call(function.function, [function.owner, *args], kwargs)
        if isinstance(function, Function):
            return self._called(function, args, kwargs)
        if isinstance(function, UserClass):
            return self._instantiated(function, args, kwargs)
        if isinstance(function, Decorated):
            return self.call(function.function, args, kwargs)
        if isinstance(function, Instance):
            found = function.cls.lookup("__call__")
            if found is not None:
                return self.call(found[0], [function, *args], kwargs)
        if isinstance(function, DType) and function.module == "numpy":
            return self.call(NUMPY_ARRAY, args, {"dtype": function})
        raise program_error("TypeError", f"'{type_name(function)}' object is not callable")

    def _called(self, function: Function, args: list[Any], kwargs: dict[str, Any]) -> Any:
        budget = self.machine.budget
        budget.enter()
        scope, ours = self.scope, self.ours
        line = self.machine.line
        inner = Scope(function.scope, function.owner)
        inner.names.update(bound_arguments(function, args, kwargs))
        self.scope, self.ours = inner, function.ours
        try:
            if isinstance(function.body, list):
                with self.machine.recorder.frame(_title(function)):
                    signal = self.run(function.body)
                result = signal.value if isinstance(signal, Returned) else None
            else:
                result = self.value(function.body)
        finally:
            self.scope, self.ours = scope, ours
            budget.leave()
        self.machine.line = line  # only now: an error is told at the innermost line
        return result

    def _instantiated(self, cls: UserClass, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if cls.derives(CLASSES["BaseException"]):
            made: Instance = Failure(cls, {}, tuple(args))
        else:
            made = Instance(cls)
        found = cls.lookup("__init__")
        if found is not None:
            self.call(found[0], [made, *args], kwargs)
        elif (args or kwargs) and not isinstance(made, Failure):
            raise program_error("TypeError", f"{cls.name}() takes no arguments")
        return made

    def _super(self) -> Any:
        """``super()``: the next class's view of the object whose method runs."""
        scope = self.scope
        while scope.above is not None and scope.owner is None:
            scope = scope.above
        cls = scope.owner
        own = next(iter(scope.names.values()), None)
        if cls is None or not isinstance(own, Instance):
            raise program_error("RuntimeError", "super(): no arguments")
        lineage = own.cls.lineage
        rest = lineage[lineage.index(cls) + 1 :]
        return Namespace("super", Above(rest, own))


def _title(function: Function) -> str:
    """What the frame of a function's call is called: a module's is called as its class."""
    if function.owner is not None and function.name == "forward":
        return function.owner.name
    return function.name


def _decorated(m: Machine, context: Context, function: Any) -> Builtin:
    """A function within a context at every call."""

    def called(m: Machine, *args: Any, **kwargs: Any) -> Any:
        context.enter()
        try:
            return m.call(function, list(args), kwargs)
        finally:
            context.leave()

    return Builtin(getattr(function, "name", "decorated"), called)
