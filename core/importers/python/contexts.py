"""Errors and contexts of a program: try, raise, with."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from core.errors import PullbackError
from core.importers.python import operators
from core.importers.python.attributes import get_attribute
from core.importers.python.calls import Calls
from core.importers.python.failures import (
    CLASSES,
    catchable,
    outside,
    program_error,
    raised,
    seen_by_program,
)
from core.importers.python.values import Context, Failure, Instance, UserClass
from core.importers.python.words import type_name


class Contexts(Calls):
    """The part of the interpreter that catches errors and enters contexts."""

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
