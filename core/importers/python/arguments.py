"""Which parameter of a function gets which argument of a call."""

from __future__ import annotations

from typing import Any

from core.importers.python.failures import program_error
from core.importers.python.values import Function


def bound_arguments(function: Function, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Parameters by name, with their values.

    Raises:
        ProgramError: the call does not fit, in Python's words.
    """
    spec = function.arguments
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    keyword_only = [a.arg for a in spec.kwonlyargs]
    bound: dict[str, Any] = dict(zip(positional, args, strict=False))
    extra = args[len(positional) :]
    if extra and spec.vararg is None:
        many = f"{len(positional)} positional argument{'' if len(positional) == 1 else 's'}"
        verb = "was" if len(args) == 1 else "were"
        raise program_error(
            "TypeError", f"{function.name}() takes {many} but {len(args)} {verb} given"
        )
    rest: dict[str, Any] = {}
    for name, value in kwargs.items():
        if name in bound:
            raise program_error(
                "TypeError", f"{function.name}() got multiple values for argument '{name}'"
            )
        if name in positional or name in keyword_only:
            bound[name] = value
        elif spec.kwarg is not None:
            rest[name] = value
        else:
            raise program_error(
                "TypeError", f"{function.name}() got an unexpected keyword argument '{name}'"
            )
    defaults = dict(
        zip(positional[len(positional) - len(function.defaults) :], function.defaults, strict=True)
    )
    for name, value in {**defaults, **function.keyword_defaults}.items():
        bound.setdefault(name, value)
    missing = [name for name in (*positional, *keyword_only) if name not in bound]
    if missing:
        many = f"{len(missing)} required positional argument{'' if len(missing) == 1 else 's'}"
        names = " and ".join(f"'{name}'" for name in missing)
        raise program_error("TypeError", f"{function.name}() missing {many}: {names}")
    if spec.vararg is not None:
        bound[spec.vararg.arg] = tuple(extra)
    if spec.kwarg is not None:
        bound[spec.kwarg.arg] = rest
    return bound
