"""A rule as the formula it is for one node: what is known of its operands decides what is left.

Shapes, types and parameters are known when a graph is written down. Where they decide a branch,
only that branch is written; where they are all that an expression needs, its value is. The rule
for every shape thus becomes the one for this shape: ``_matmul_a`` becomes ``g @ b.T``.

A rule is followed with the values of the graph at hand, but of these nothing is relied on except
shape and type: no branch is ever decided by an element.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from core.export.handwritten.expressions import at, children, evaluated, put
from core.export.handwritten.facts import Facts, attribute, is_array, is_plain
from core.export.handwritten.helpers import numpy_name
from core.export.handwritten.known import (
    UNKNOWN,
    CannotFoldError,
    Known,
    copied,
    mark,
    setting,
    several,
)
from core.export.handwritten.source import definition, parameters, scope
from core.export.handwritten.trail import Step, Trail
from core.library.spec import OpSpec

_DEEPEST = 8


def fold(
    function: Any, arguments: Sequence[Known], named: Mapping[str, Known]
) -> tuple[list[Step], ast.expr]:
    """A call of the function: steps (a hint for a name, an expression), and what it gives.

    A step's value is used more than once; its place is taken by names that begin with ``$``.

    Raises:
        CannotFoldError: it has loops, or branches on what is not known.
    """
    trail = Trail()
    made = Folding(trail, 0).call(function, list(arguments), dict(named)).written()
    return trail.finished(made)


class Folding:
    """Folds one function; the functions it calls get foldings of their own."""

    def __init__(self, trail: Trail, depth: int) -> None:
        self._trail = trail
        self._depth = depth
        self._names: Mapping[str, Any] = {}
        self._closed: Mapping[str, Any] = {}
        self._local: dict[str, Known] = {}

    # -- functions --------------------------------------------------------------------------------

    def call(self, function: Any, arguments: list[Known], named: dict[str, Known]) -> Known:
        """The value of a call of the library's own function."""
        if not isinstance(function, FunctionType) or self._depth > _DEEPEST:
            raise CannotFoldError
        node = definition(function)
        self._names = scope(function)
        self._closed = self._names.maps[0]  # type: ignore[attr-defined]
        names = parameters(node)
        further = arguments[len(names) - len(node.args.kwonlyargs) :]
        if node.args.vararg:
            self._local[node.args.vararg.arg] = several(further)
        elif further:
            raise CannotFoldError
        given = {**dict(zip(names, arguments, strict=False)), **named}
        positional = names[: len(names) - len(node.args.kwonlyargs)]
        defaults = function.__defaults__ or ()
        late = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
        late.update(function.__kwdefaults__ or {})
        for name in names:
            if name not in given and name not in late:
                raise CannotFoldError
            value = given[name] if name in given else setting(late[name])
            self._local[name] = self._trail.keep(name, value)
        return self.fold(node.body) if isinstance(node, ast.Lambda) else self._run(node.body)

    def _run(self, statements: list[ast.stmt]) -> Known:
        for place, statement in enumerate(statements):
            match statement:
                case ast.Return(value=ast.expr() as value):
                    return self.fold(value)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._local[name] = self._trail.keep(name, self.fold(value))
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                    self._unpack(targets, self.fold(value))
                case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                    changed = ast.BinOp(ast.Name(name, ast.Load()), op, value)
                    self._local[name] = self._trail.keep(name, self.fold(changed))
                case ast.If(test=test, body=body, orelse=orelse):
                    taken = body if self._decided(test) else orelse
                    return self._run([*taken, *statements[place + 1 :]])
                case ast.Expr(value=ast.Call(keywords=[*_, ast.keyword("out", ast.Name(id=name))])):
                    self._local[name] = self._trail.keep(name, self.fold(statement.value))
                case ast.Pass():
                    pass
                case _:
                    raise CannotFoldError
        raise CannotFoldError

    def _unpack(self, targets: list[ast.expr], value: Known) -> None:
        parts = value.parts
        if parts is None and isinstance(value.value, tuple | list):
            if value.static:
                parts = tuple(setting(v) for v in value.value)
            else:
                value = self._trail.keep("parts", value)
                parts = tuple(
                    Known(ast.Subscript(value.written(), ast.Constant(k), ast.Load()), v)
                    for k, v in enumerate(value.value)
                )
        if parts is None or len(parts) != len(targets):
            raise CannotFoldError
        for target, part in zip(targets, parts, strict=True):
            if not isinstance(target, ast.Name):
                raise CannotFoldError
            self._local[target.id] = self._trail.keep(target.id, part)

    def _decided(self, test: ast.expr) -> bool:
        found = self.fold(test)
        if not found.static:
            raise CannotFoldError
        return bool(found.value)

    # -- expressions ------------------------------------------------------------------------------

    def fold(self, node: ast.expr) -> Known:
        """What is known of an expression."""
        match node:
            case ast.Constant(value=value):
                return Known(node, value, static=True, bound=False)
            case ast.Name(id=name):
                return self._name(name)
            case ast.Attribute(value=value, attr=attr):
                return attribute(self.fold(value), attr)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return replace(self.fold(body if self._decided(test) else orelse), bound=True)
            case ast.BoolOp():
                return self._bool(node)
            case ast.Call():
                return self._call(node)
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot()], comparators=[_]):
                found = self.fold(left)
                return self._generic(node) if found.value is UNKNOWN else self._is(node, found)
            case ast.Tuple(elts=elts) if not any(isinstance(e, ast.Slice) for e in elts):
                return several(self._arguments(elts))
            case ast.Subscript(value=value, slice=ast.Constant(value=int() as k)):
                base = self.fold(value)
                if base.parts is not None and -len(base.parts) <= k < len(base.parts):
                    return base.parts[k]
                return self._generic(node)
            case ast.ListComp() | ast.GeneratorExp():
                return self._comprehension(node)
            case ast.Lambda() | ast.SetComp() | ast.DictComp() | ast.JoinedStr():
                raise CannotFoldError
            case _:
                return self._generic(node)

    def _name(self, name: str) -> Known:
        if name in self._local:
            return self._local[name]
        if name not in self._names:
            raise CannotFoldError
        thing = self._names[name]
        if name in self._closed and isinstance(thing, int | float | str):
            return setting(thing)
        return Known(mark(name, thing), thing, static=True, bound=False)

    def _is(self, node: ast.Compare, left: Known) -> Known:
        """What something is does not hang on its elements."""
        right = self.fold(node.comparators[0])
        if not right.static:
            raise CannotFoldError
        return setting((left.value is right.value) == isinstance(node.ops[0], ast.Is))

    def _bool(self, node: ast.BoolOp) -> Known:
        """What is decided is left out; a part that decides the whole ends it."""
        stops = isinstance(node.op, ast.Or)
        left: list[Known] = []
        for value in node.values:
            part = self.fold(value)
            if part.static and bool(part.value) == stops:
                if not left:
                    return part
                break
            if not part.static:
                left.append(part)
        if not left:
            return setting(not stops)
        if len(left) == 1:
            return left[0]
        return Known(ast.BoolOp(node.op, [p.written() for p in left]))

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> Known:
        """Its value if that is known, else as it stands."""
        facts = Facts(self._local)
        node = facts.visit(copied(node))
        used = {n.id: n for n in ast.walk(node) if isinstance(n, ast.Name)}
        own = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _stores(n)}
        outer = {
            name: facts.found[name] if name in facts.found else self._name(name)
            for name in used
            if name not in own
        }
        values = {name: k.value for name, k in outer.items()}
        static = all(k.static for k in outer.values())
        if static:
            as_list = ast.ListComp(node.elt, node.generators)
            made = evaluated(as_list, values)
            return setting(made if isinstance(node, ast.ListComp) else tuple(made))
        nodes = {name: k.written() for name, k in outer.items()}
        return Known(copied(node, nodes), evaluated(node, values, lenient=True))

    def _generic(self, node: ast.expr) -> Known:
        """Any other expression, by its parts."""
        blank, made = copied(node), copied(node)
        parts = [self.fold(at(*place)) for place in children(node)]
        for k, place in enumerate(children(blank)):
            put(place, ast.Name(f"_{k}", ast.Load()))
        values = {f"_{k}": part.value for k, part in enumerate(parts)}
        bound = any(p.bound for p in parts)
        if all(p.static for p in parts):
            found = evaluated(blank, values)
            if bound:
                return setting(found)
            for part, place in zip(parts, children(made), strict=True):
                put(place, part.written())
            return Known(made, found, static=True, bound=False)
        for part, place in zip(parts, children(made), strict=True):
            put(place, part.written())
        return Known(made, evaluated(blank, values, lenient=True))

    # -- calls ------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Known:
        function = self.fold(node.func)
        arguments = self._arguments(node.args)
        named: dict[str, Known] = {}
        for k in node.keywords:
            if k.arg == "out" and isinstance(k.value, ast.Name) and k.value.id in self._local:
                continue  # in place of a local value: a new one serves
            value = self.fold(k.value)
            if k.arg is not None:
                named[k.arg] = value
            elif value.static and isinstance(value.value, dict):
                named.update((key, setting(v)) for key, v in value.value.items())
            else:
                raise CannotFoldError
        return self._applied(function, arguments, named)

    def _arguments(self, nodes: list[ast.expr]) -> list[Known]:
        """Expressions in a row, those with a star taken apart."""
        found: list[Known] = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                found.append(self.fold(node))
                continue
            inner = self.fold(node.value)
            if inner.parts is not None:
                found += inner.parts
            elif inner.static:
                found += [setting(v) for v in inner.value]
            else:
                raise CannotFoldError
        return found

    def _applied(self, function: Known, args: list[Known], named: dict[str, Known]) -> Known:
        thing = function.value
        if thing is isinstance and is_array(args[0]):
            return setting(args[1].value is np.ndarray)
        if thing is type and is_array(args[0]):
            return Known(mark("np", np), np.ndarray, static=True)
        if thing is len and args[0].value is not UNKNOWN:
            return setting(len(args[0].value))
        if thing in (tuple, list) and args[0].parts is not None:
            return args[0]
        everything = [*args, *named.values()]
        if function.static and all(a.static for a in everything) and is_plain(thing):
            made = thing(*[a.value for a in args], **{k: a.value for k, a in named.items()})
            return setting(made)
        if isinstance(thing, OpSpec):
            named = {**{k: setting(v) for k, v in thing.defaults.items()}, **named}
            thing = thing.forward
            function = Known(mark(getattr(thing, "__name__", "f"), thing), thing)
        if isinstance(thing, FunctionType) and numpy_name(thing) is None:
            try:
                return Folding(self._trail, self._depth + 1).call(thing, args, named)
            except CannotFoldError:
                pass
        node = ast.Call(
            function.written(),
            [a.written() for a in args],
            [ast.keyword(name, a.written()) for name, a in named.items()],
        )
        values = {f"_{k}": a.value for k, a in enumerate([function, *args, *named.values()])}
        blank = ast.Call(
            ast.Name("_0", ast.Load()),
            [ast.Name(f"_{k}", ast.Load()) for k in range(1, len(args) + 1)],
            [
                ast.keyword(name, ast.Name(f"_{k}", ast.Load()))
                for k, name in enumerate(named, len(args) + 1)
            ],
        )
        return Known(node, evaluated(blank, values, lenient=True))


def _stores(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)
