"""Expressions of a program, evaluated node by node."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from core.importers.python import operators
from core.importers.python.attributes import get_attribute
from core.importers.python.containers import keyed, mapping_of, unique
from core.importers.python.failures import outside, program_error
from core.importers.python.iteration import items, iterate
from core.importers.python.limits import ENTRY, LETTER
from core.importers.python.machine import Machine
from core.importers.python.subscripts import get_item
from core.importers.python.text import formatted, representation, string
from core.importers.python.values import Function, Items, Scope

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], str] = {
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not",
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip


class Expressions:
    """The half of the interpreter that gives values.

    Attributes:
        machine: what the program runs on.
        scope: the names that are seen now.
        ours: whether the text that runs is our own (torch.nn), whose lines nobody wants to know.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.scope = Scope()
        self.ours = False
        self._evaluate: dict[type[ast.AST], Callable[[Any], Any]] = {
            ast.Constant: self._constant, ast.Name: self._name, ast.BinOp: self._binary,
            ast.UnaryOp: self._unary, ast.BoolOp: self._bool, ast.Compare: self._compare,
            ast.Call: self._call, ast.Attribute: self._attribute, ast.Subscript: self._subscript,
            ast.List: self._list, ast.Tuple: self._tuple, ast.Dict: self._dict, ast.Set: self._set,
            ast.IfExp: self._choice, ast.Lambda: self._lambda, ast.JoinedStr: self._joined,
            ast.FormattedValue: self._formatted, ast.Slice: self._slice,
            ast.ListComp: self._list_comp, ast.SetComp: self._set_comp,
            ast.DictComp: self._dict_comp, ast.GeneratorExp: self._generator,
            ast.NamedExpr: self._named, ast.Starred: self._starred,
        }  # fmt: skip

    def value(self, node: ast.expr) -> Any:
        """The value of an expression.

        Raises:
            UnsupportedError: it is of a kind that is not read.
        """
        self.machine.budget.step()
        evaluate = self._evaluate.get(type(node))
        if evaluate is None:
            raise outside(
                f"'{ast.unparse(node)[:40]}' is a kind of expression that is not read.",
                "Write it with calls, operators and loops.",
                node.lineno,
            )
        return evaluate(node)

    def at(self, line: int) -> None:
        """The program is at this line now."""
        if not self.ours:
            self.machine.line = line

    # -- plain values -----------------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Any:
        value = node.value
        if isinstance(value, bytes):
            raise outside("Bytes are not read.", "Use text or numbers.", node.lineno)
        if isinstance(value, int):
            self.machine.budget.bits(value.bit_length())
        return value

    def _name(self, node: ast.Name) -> Any:
        return self.named(node.id, node.lineno)

    def named(self, name: str, line: int) -> Any:
        """The value a name is bound to."""
        scope = self.scope.outer.get(name) or self.scope.find(name)
        if scope is None or name not in scope.names:
            self.at(line)
            return self.unknown(name)
        return scope.names[name]

    def unknown(self, name: str) -> Any:
        """What an unknown name gives: an error, or in a formula an input."""
        raise program_error("NameError", f"name '{name}' is not defined")

    def _list(self, node: ast.List) -> list[Any]:
        return self._elements(node.elts)

    def _tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self._elements(node.elts))

    def _set(self, node: ast.Set) -> set[Any]:
        return unique(self.machine, self._elements(node.elts))

    def _elements(self, nodes: list[ast.expr]) -> list[Any]:
        made: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                made.extend(items(self.machine, self.value(node.value)))
            else:
                made.append(self.value(node))
        self.machine.budget.take(len(made))
        return made

    def _starred(self, node: ast.Starred) -> Any:
        raise program_error("TypeError", "can't use starred expression here")

    def _dict(self, node: ast.Dict) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for name, value in zip(node.keys, node.values, strict=True):
            if name is None:
                made.update(mapping_of(self.machine, self.value(value)))
            else:
                found = self.machine.budget.key(self.value(name))
                made[found] = self.value(value)
        self.machine.budget.take(len(made), "dict", ENTRY)
        return made

    def _slice(self, node: ast.Slice) -> slice:
        return slice(*[None if n is None else self.value(n)
                       for n in (node.lower, node.upper, node.step)])  # fmt: skip

    def _joined(self, node: ast.JoinedStr) -> str:
        parts = [str(self.value(part)) for part in node.values]
        self.machine.budget.take(sum(map(len, parts)), "text", LETTER)
        return "".join(parts)

    def _formatted(self, node: ast.FormattedValue) -> str:
        value = self.value(node.value)
        spec = "" if node.format_spec is None else str(self.value(node.format_spec))
        if node.conversion == ord("r"):
            value = representation(self.machine, value)
        elif node.conversion == ord("s"):
            value = string(self.machine, value)
        self.at(node.lineno)
        return formatted(self.machine, value, spec)

    # -- operators --------------------------------------------------------------------------------

    def _binary(self, node: ast.BinOp) -> Any:
        a, b = self.value(node.left), self.value(node.right)
        self.at(node.lineno)
        return operators.binary(self.machine, BINARY[type(node.op)], a, b)

    def _unary(self, node: ast.UnaryOp) -> Any:
        x = self.value(node.operand)
        self.at(node.lineno)
        return operators.unary(self.machine, _UNARY[type(node.op)], x)

    def _bool(self, node: ast.BoolOp) -> Any:
        wanted = isinstance(node.op, ast.Or)
        value: Any = None
        for part in node.values:
            value = self.value(part)
            self.at(part.lineno)
            if operators.truth(self.machine, value) is wanted:
                return value
        return value

    def _compare(self, node: ast.Compare) -> Any:
        left = self.value(node.left)
        made: Any = True
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node)
            self.at(node.lineno)
            made = self._compared(op, left, right)
            if len(node.ops) > 1 and not operators.truth(self.machine, made):
                return made
            left = right
        return made

    def _compared(self, op: ast.cmpop, a: Any, b: Any) -> Any:
        if isinstance(op, ast.Is):
            return a is b
        if isinstance(op, ast.IsNot):
            return a is not b
        if isinstance(op, ast.In | ast.NotIn):
            return operators.contains(self.machine, a, b) is isinstance(op, ast.In)
        return operators.binary(self.machine, _COMPARE[type(op)], a, b)

    def _choice(self, node: ast.IfExp) -> Any:
        test = operators.truth(self.machine, self.value(node.test))
        return self.value(node.body if test else node.orelse)

    # -- parts and calls --------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> Any:
        own = self.value(node.value)
        self.at(node.end_lineno or node.lineno)
        return get_attribute(self.machine, own, node.attr)

    def _subscript(self, node: ast.Subscript) -> Any:
        own, index = self.value(node.value), self.value(node.slice)
        self.at(node.lineno)
        return get_item(self.machine, own, index)

    def _call(self, node: ast.Call) -> Any:
        function = self.value(node.func)
        args = self._elements(node.args)
        kwargs: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                kwargs.update(mapping_of(self.machine, self.value(keyword.value)))
            else:
                kwargs[keyword.arg] = self.value(keyword.value)
        if isinstance(node.func, ast.Attribute):  # a chain over lines: the line of the last name
            self.at(node.func.end_lineno or node.lineno)
        else:
            self.at(node.lineno)
        return self.machine.call(function, args, kwargs)

    def _lambda(self, node: ast.Lambda) -> Function:
        return self.function("<lambda>", node.args, node.body)

    def function(
        self, name: str, arguments: ast.arguments, body: list[ast.stmt] | ast.expr
    ) -> Function:
        """A function made here, with its defaults."""
        defaults = [self.value(d) for d in arguments.defaults]
        keyword_defaults = {
            a.arg: self.value(d)
            for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if d is not None
        }
        scope = self.scope
        if scope.owner is not None and scope.owner.members is scope.names:
            assert scope.above is not None  # a class body stands in a module
            scope = scope.above  # methods do not see the names of their class
        return Function(name, arguments, body, scope, defaults, keyword_defaults, ours=self.ours)

    def _named(self, node: ast.NamedExpr) -> Any:
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def bind(self, target: ast.expr, value: Any) -> None:
        """Bind a value to a target; the statements' half of the interpreter does it."""
        raise program_error("SyntaxError", "nothing to bind to")

    # -- comprehensions ---------------------------------------------------------------------------

    def _list_comp(self, node: ast.ListComp) -> list[Any]:
        return self._collected(self._rows(node.generators, lambda: self.value(node.elt)))

    def _set_comp(self, node: ast.SetComp) -> set[Any]:
        rows = self._rows(node.generators, lambda: self.value(node.elt))
        return unique(self.machine, self._collected(rows))

    def _dict_comp(self, node: ast.DictComp) -> dict[Any, Any]:
        pair = lambda: (self.value(node.key), self.value(node.value))  # noqa: E731
        return keyed(self.machine, self._collected(self._rows(node.generators, pair)))

    def _generator(self, node: ast.GeneratorExp) -> Items:
        made = self._collected(self._rows(node.generators, lambda: self.value(node.elt)))
        return Items(iter(made))

    def _collected(self, rows: Iterator[Any]) -> list[Any]:
        made: list[Any] = []
        outside_scope = self.scope
        self.scope = Scope(outside_scope)
        try:
            for row in rows:
                made.append(row)
                self.machine.budget.grow(len(made))
        finally:
            self.scope = outside_scope
        return made

    def _rows(
        self, generators: list[ast.comprehension], element: Callable[[], Any]
    ) -> Iterator[Any]:
        if not generators:
            yield element()
            return
        first, *rest = generators
        for value in iterate(self.machine, self.value(first.iter)):
            self.bind(first.target, value)
            if all(operators.truth(self.machine, self.value(test)) for test in first.ifs):
                yield from self._rows(rest, element)
