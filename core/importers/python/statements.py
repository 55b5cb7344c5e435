"""Statements of a program, done one by one: assignments, branches, loops."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from core.errors import PullbackError
from core.importers.python import operators
from core.importers.python.attributes import get_attribute, set_attribute
from core.importers.python.expressions import BINARY, Expressions
from core.importers.python.failures import CLASSES, outside, program_error
from core.importers.python.iteration import items, iterate
from core.importers.python.prelude import parameters_of
from core.importers.python.subscripts import change_item, delete_item, set_item
from core.importers.python.text import string
from core.importers.python.values import Instance, NdArray
from core.tensor import Tensor

#: What a statement ends with, if not by its own end: the loop's or the function's business.
BREAK, CONTINUE = object(), object()


_PYTHONS = (
    TypeError, ValueError, IndexError, KeyError, ZeroDivisionError, OverflowError, AttributeError,
    StopIteration, RuntimeError,
)  # fmt: skip


class Statements(Expressions):
    """The part of the interpreter that does what changes names and goes round in loops.

    Attributes:
        _do: what does each kind of statement; the whole interpreter fills it in.
    """

    _do: dict[type[ast.stmt], Callable[[Any], Any]]

    def run(self, body: Sequence[ast.stmt]) -> Any:
        """Do statements up to the end, or to one that leaves them."""
        for statement in body:
            signal = self.do(statement)
            if signal is not None:
                return signal
        return None

    def do(self, node: ast.stmt) -> Any:
        """Do one statement.

        Raises:
            PullbackError: with the line at which it happened.
        """
        self.machine.budget.step()
        self.at(node.lineno)
        act = self._do.get(type(node))
        try:
            if act is None:
                raise outside(
                    f"A '{type(node).__name__}' statement is not read.",
                    "Use assignments, loops, functions and with torch.no_grad().",
                )
            return self.guarded(act, node)
        except PullbackError as error:
            if error.line is None:
                error.line = self.machine.line or node.lineno
            raise

    def guarded(self, act: Callable[[Any], Any], given: Any) -> Any:
        """``act(given)``; what Python raises at values of the program becomes one of our errors."""
        try:
            return act(given)
        except PullbackError:
            raise
        except RecursionError:
            self.machine.budget.refuse(
                "This is nested too deeply.", "Write the recursion as a loop."
            )
        except MemoryError:
            self.machine.budget.refuse(
                "This needs more memory than there is.", "Make its arrays smaller."
            )
        except _PYTHONS as error:
            raise program_error(_class_of(error), _said(error)) from None

    def _expression(self, node: ast.Expr) -> None:
        self.value(node.value)

    def _pass(self, node: ast.Pass) -> None:
        return None

    def _assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.bind(target, value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        scope = self.scope
        if isinstance(node.target, ast.Name) and scope.owner and scope.names is scope.owner.members:
            scope.names.setdefault("__annotations__", {})[node.target.id] = None  # for dataclasses
        if node.value is not None:
            self.bind(node.target, self.value(node.value))

    def bind(self, target: ast.expr, value: Any) -> None:
        """``target = value``."""
        if isinstance(target, ast.Name):
            self.scope.set(target.id, value)
            self.tell_name(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, value)
        elif isinstance(target, ast.Attribute):
            own = self.value(target.value)
            self.at(target.lineno)
            set_attribute(self.machine, own, target.attr, value)
            self.tell_name(target.attr, value)
        elif isinstance(target, ast.Subscript):
            own, index = self.value(target.value), self.value(target.slice)
            self.at(target.lineno)
            set_item(self.machine, own, index, value)
        else:
            raise program_error("SyntaxError", "cannot assign to this")

    def tell_name(self, name: str, value: Any) -> None:
        """Tell the recorder what the program calls a value."""
        if isinstance(value, NdArray):
            value = value.tensor
        if self.ours:
            return
        if isinstance(value, Tensor):
            self.machine.recorder.named(name, value)
        elif isinstance(value, Instance):
            for path, parameter in parameters_of(self.machine, value):
                self.machine.recorder.named(f"{name}_{path}", parameter)

    def _unpack(self, targets: list[ast.expr], value: Any) -> None:
        values = items(self.machine, value)
        star = next((k for k, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
        if star is None:
            if len(values) != len(targets):
                many = "too many" if len(values) > len(targets) else "not enough"
                raise program_error(
                    "ValueError", f"{many} values to unpack (expected {len(targets)})"
                )
            for target, one in zip(targets, values, strict=True):
                self.bind(target, one)
            return
        after = len(targets) - star - 1
        if len(values) < len(targets) - 1:
            raise program_error("ValueError", "not enough values to unpack")
        middle = values[star : len(values) - after]
        starred = targets[star]
        assert isinstance(starred, ast.Starred)
        rest = [*targets[:star], starred.value, *targets[star + 1 :]]
        whole = [*values[:star], middle, *values[len(values) - after :]]
        for target, one in zip(rest, whole, strict=True):
            self.bind(target, one)

    def _augmented(self, node: ast.AugAssign) -> None:
        sign, target = BINARY[type(node.op)], node.target
        if isinstance(target, ast.Subscript):
            own, index = self.value(target.value), self.value(target.slice)
            value = self.value(node.value)
            self.at(node.lineno)
            change_item(self.machine, own, index, sign, value)
            return
        if isinstance(target, ast.Attribute):
            own = self.value(target.value)
            before = get_attribute(self.machine, own, target.attr)
            value = self.value(node.value)
            self.at(node.lineno)
            after = operators.in_place(self.machine, sign, before, value)
            if not (isinstance(own, Tensor) and after is before):
                set_attribute(self.machine, own, target.attr, after)
            return
        before = self.named(target.id, node.lineno)
        value = self.value(node.value)
        self.at(node.lineno)
        after = operators.in_place(self.machine, sign, before, value)
        self.scope.set(target.id, after)
        if after is not before:
            self.tell_name(target.id, after)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                scope = self.scope.outer.get(target.id, self.scope)
                if target.id not in scope.names:
                    raise program_error("NameError", f"name '{target.id}' is not defined")
                del scope.names[target.id]
            elif isinstance(target, ast.Subscript):
                delete_item(self.machine, self.value(target.value), self.value(target.slice))
            elif isinstance(target, ast.Attribute):
                own = self.value(target.value)
                if isinstance(own, Instance) and target.attr in own.attributes:
                    del own.attributes[target.attr]
                else:
                    set_attribute(self.machine, own, target.attr, None)

    def _if(self, node: ast.If) -> Any:
        test = operators.truth(self.machine, self.value(node.test))
        return self.run(node.body if test else node.orelse)

    def _for(self, node: ast.For) -> Any:
        for value in iterate(self.machine, self.value(node.iter)):
            self.bind(node.target, value)
            signal = self.run(node.body)
            if signal is BREAK:
                return None
            if signal is not None and signal is not CONTINUE:
                return signal
        return self.run(node.orelse)

    def _while(self, node: ast.While) -> Any:
        while operators.truth(self.machine, self.value(node.test)):
            signal = self.run(node.body)
            if signal is BREAK:
                return None
            if signal is not None and signal is not CONTINUE:
                return signal
        return self.run(node.orelse)

    def _assert(self, node: ast.Assert) -> None:
        if not operators.truth(self.machine, self.value(node.test)):
            said = "" if node.msg is None else string(self.machine, self.value(node.msg))
            raise program_error("AssertionError", said)

    def _global(self, node: ast.Global) -> None:
        for name in node.names:
            self.scope.outer[name] = self.scope.top

    def _nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            found = None if self.scope.above is None else self.scope.above.find(name)
            if found is not None:
                self.scope.outer[name] = found


def _class_of(error: Exception) -> str:
    """The class that a program knows an exception by: NumPy has some of its own."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__name__ in CLASSES)


def _said(error: Exception) -> str:
    return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
