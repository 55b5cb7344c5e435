"""Statements of a program, done one by one, and calls of its functions and classes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from core.errors import PullbackError
from core.importers.python import operators
from core.importers.python.arguments import bound_arguments
from core.importers.python.attributes import get_attribute, set_attribute
from core.importers.python.expressions import BINARY, Expressions
from core.importers.python.failures import (
    CLASSES,
    catchable,
    outside,
    program_error,
    raised,
    seen_by_program,
)
from core.importers.python.formulas import Inputs
from core.importers.python.machine import Machine
from core.importers.python.numpy_library import array as numpy_array
from core.importers.python.prelude import parameters_of
from core.importers.python.pybuiltins import NAMES, items, iterate, kind_of
from core.importers.python.stdlib import find_module
from core.importers.python.subscripts import change_item, delete_item, get_item, set_item
from core.importers.python.text import string
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
    NdArray,
    Scope,
    UserClass,
)
from core.importers.python.words import type_name
from core.tensor import Tensor

#: What a statement ends with, if not by its own end: the loop's or the function's business.
BREAK, CONTINUE = object(), object()
_MOST_BASES = 100
_PYTHONS = (
    TypeError, ValueError, IndexError, KeyError, ZeroDivisionError, OverflowError, AttributeError,
    StopIteration, RuntimeError,
)  # fmt: skip


class Returned:
    """A function's result on its way out."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Interpreter(Expressions):
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

    # -- statements -------------------------------------------------------------------------------

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

    def _return(self, node: ast.Return) -> Returned:
        return Returned(None if node.value is None else self.value(node.value))

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

    # -- errors and contexts ----------------------------------------------------------------------

    def _try(self, node: ast.Try) -> Any:
        scope, ours = self.scope, self.ours
        signal: Any = None
        try:
            try:
                signal = self.run(node.body)
                if signal is None:
                    signal = self.run(node.orelse)
            except PullbackError as error:
                self.scope, self.ours = scope, ours
                if not catchable(error):
                    raise
                signal = self._handle(node, error)
        finally:
            self.scope, self.ours = scope, ours
            last = self.run(node.finalbody)
        return signal if last is None else last

    def _handle(self, node: ast.Try, error: PullbackError) -> Any:
        failure = seen_by_program(error)
        for handler in node.handlers:
            kinds = CLASSES["Exception"] if handler.type is None else self.value(handler.type)
            wanted = kinds if isinstance(kinds, tuple) else (kinds,)
            if not any(isinstance(k, UserClass) and failure.cls.derives(k) for k in wanted):
                continue
            self.machine.recorder.caught()
            if handler.name:
                self.scope.set(handler.name, failure)
            handled = self.machine.extras.setdefault("handling", [])
            handled.append(error)
            try:
                return self.run(handler.body)
            finally:
                handled.pop()
        raise error

    def _raise(self, node: ast.Raise) -> None:
        if node.exc is None:
            handled = self.machine.extras.get("handling", [])
            if not handled:
                raise program_error("RuntimeError", "No active exception to reraise")
            raise handled[-1]
        value = self.value(node.exc)
        if isinstance(value, UserClass):
            value = self.call(value, [], {})
        if not isinstance(value, Failure):
            raise program_error("TypeError", "exceptions must derive from BaseException")
        raise value.cause if isinstance(value.cause, PullbackError) else raised(value)

    def _with(self, node: ast.With) -> Any:
        return self._within(node.items, node.body)

    def _within(self, contexts: list[ast.withitem], body: list[ast.stmt]) -> Any:
        if not contexts:
            return self.run(body)
        first, *rest = contexts
        context = self.value(first.context_expr)
        entered, leave = self._enter(context)
        if first.optional_vars is not None:
            self.bind(first.optional_vars, entered)
        failure: PullbackError | None = None
        signal: Any = None
        try:
            signal = self._within(rest, body)
        except PullbackError as error:
            failure = error
        if leave(failure) or failure is None:
            return signal
        raise failure

    def _enter(self, context: Any) -> tuple[Any, Callable[[PullbackError | None], bool]]:
        """Enter a context: what ``as`` binds, and how to leave (true: the error is swallowed)."""
        if isinstance(context, Context):

            def left(_: PullbackError | None) -> bool:
                context.leave()
                return False

            return context.enter(), left
        if isinstance(context, Instance):
            entered = self.call(get_attribute(self.machine, context, "__enter__"), [], {})

            def leave(error: PullbackError | None) -> bool:
                way = get_attribute(self.machine, context, "__exit__")
                if error is not None and not catchable(error):
                    return False
                failure = None if error is None else seen_by_program(error)
                kind = None if failure is None else failure.cls
                return operators.truth(self.machine, self.call(way, [kind, failure, None], {}))

            return entered, leave
        raise outside(
            f"'with' a {type_name(context)} is not read.", "Use with torch.no_grad() and the like."
        )

    # -- modules ----------------------------------------------------------------------------------

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

    # -- functions and classes --------------------------------------------------------------------

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
        return Namespace("super", _Above(self, rest, own))


def _title(function: Function) -> str:
    """What the frame of a function's call is called: a module's is called as its class."""
    if function.owner is not None and function.name == "forward":
        return function.owner.name
    return function.name


class _Above(dict[str, Any]):
    """The members that ``super()`` finds: looked up when asked for."""

    def __init__(
        self, interpreter: Interpreter, classes: tuple[UserClass, ...], own: Instance
    ) -> None:
        super().__init__()
        self._classes = classes
        self._own = own
        self._interpreter = interpreter

    def __contains__(self, name: object) -> bool:
        return True

    def __getitem__(self, name: str) -> Any:
        for cls in self._classes:
            if name in cls.members:
                member = cls.members[name]
                function = member.function if isinstance(member, Decorated) else member
                return Bound(function, self._own)
        if name == "__init__":
            return Builtin("__init__", self._init)
        if name == "__setattr__":
            return Builtin("__setattr__", self._set)
        raise program_error("AttributeError", f"'super' object has no attribute '{name}'")

    def _init(self, m: Machine, *args: Any, **_: Any) -> None:
        if isinstance(self._own, Failure):
            self._own.args = args

    def _set(self, m: Machine, name: str, value: Any) -> None:
        self._own.attributes[name] = value


def _super_function(m: Machine, *args: Any) -> Any:
    """``super(Class, self)``."""
    cls, own = args
    lineage = own.cls.lineage
    interpreter: Interpreter = m.extras["interpreter"]
    return Namespace("super", _Above(interpreter, lineage[lineage.index(cls) + 1 :], own))


SUPER = Builtin("super", _super_function)
NAMES["super"] = SUPER
NUMPY_ARRAY = Builtin("array", numpy_array)


def _decorated(m: Machine, context: Context, function: Any) -> Builtin:
    """A function within a context at every call."""

    def called(m: Machine, *args: Any, **kwargs: Any) -> Any:
        context.enter()
        try:
            return m.call(function, list(args), kwargs)
        finally:
            context.leave()

    return Builtin(getattr(function, "name", "decorated"), called)


def _plain(m: Machine, value: Any) -> Any:
    """A value as ``%`` formats it: numbers of one-element tensors, else text."""
    if isinstance(value, NdArray):
        value = value.tensor
    if isinstance(value, Tensor) and value._data.size == 1:
        return value._data.item()
    return value if isinstance(value, str | int | float) else string(m, value)


def _class_of(error: Exception) -> str:
    """The class that a program knows an exception by: NumPy has some of its own."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__name__ in CLASSES)


def _said(error: Exception) -> str:
    return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
