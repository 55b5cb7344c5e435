"""Are these the parameters of this operation? One check per kind of ``Param``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NoReturn

import numpy as np

from core import ops
from core.errors import did_you_mean
from core.graph.function import Function
from core.graph.naming import encodable
from core.graph.nodes import ARGUMENT, CALL, CAST, DETACH, INPUT, RESULT, UNKNOWN, frozen
from core.library.spec import OpSpec, Param


class ParamError(ValueError):
    """A parameter that does not fit: a sentence on what is wrong, and what to do."""

    def __init__(self, what: str, next_step: str) -> None:
        super().__init__(what)
        self.what = what
        self.next_step = next_step


def checked(op: str, spec: OpSpec | None, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters in their stored form, those equal to the defaults left out.

    Args:
        op, spec: of the node; ``spec`` is None for inputs and the like.
        params: values as an editor, a program or a file gives them: lists may stand for tuples,
            integers for floats, NumPy scalars for numbers.

    Raises:
        ParamError: if a name or a value does not fit.
    """
    if spec is None:
        return _checked_special(op, params)
    if not params:
        return {}
    known = _known(spec)
    kept = {}
    for name, value in params.items():
        if name not in known:
            _refuse_name(op, name, tuple(known))
        param, default = known[name]
        value = checked_value(param, value)
        if not same(value, default):
            kept[name] = value
    return {name: kept[name] for name in known if name in kept}


@cache
def _known(spec: OpSpec) -> Mapping[str, tuple[Param, Any]]:
    """The parameters of an operation by name, with their defaults in stored form."""
    return {param.name: (param, _stored(param, param.default)) for param in spec.params}


def checked_value(param: Param, value: Any) -> Any:
    """One parameter's value in its stored form.

    Raises:
        ParamError: if it is not of the parameter's kind or out of its bounds.
    """
    value = _stored(param, value)
    if value is None and (param.optional or param.default is None):
        return None
    if param.choices and any(same(value, choice) for choice in param.choices):
        return value
    if isinstance(value, str) and value in param.words:
        return value
    fits, wanted = _KINDS[param.kind]
    if not fits(value):
        if param.choices and isinstance(value, str):
            otherwise = f"It is one of {_listed(param.choices)}."
            hint = did_you_mean(value, [str(c) for c in param.choices], otherwise)
        elif param.choices:
            hint = f"It is one of {_listed(param.choices)}."
        else:
            words = f", or {_listed(param.words)}" if param.words else ""
            hint = f"Give {wanted}{words}."
        raise ParamError(f"'{param.name}' cannot be {_shown(value)}.", hint)
    if param.low is not None and value < param.low:
        raise ParamError(f"'{param.name}' is {value}, below {param.low:g}.", "Give a larger one.")
    if param.high is not None and value > param.high:
        raise ParamError(f"'{param.name}' is {value}, above {param.high:g}.", "Give a smaller one.")
    return value


def same(a: Any, b: Any) -> bool:
    """Equality of stored values, arrays and NaN included; 1 and True differ."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return (
            isinstance(a, np.ndarray)
            and isinstance(b, np.ndarray)
            and (
                a is b or (a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
            )
        )
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, slice) and isinstance(b, slice):
        return same((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    if type(a) is not type(b):
        return False
    return bool(a == b) or (isinstance(a, float) and math.isnan(a) and math.isnan(b))


# -- nodes that are not operations ---------------------------------------------------------------


_SPECIAL_PARAMS: Mapping[str, tuple[str, ...]] = {
    INPUT: ("value", "requires_grad", "source"),
    CAST: ("dtype",),
    CALL: ("function",),
    DETACH: (),
    ARGUMENT: (),
    RESULT: (),
}


def _checked_special(op: str, params: Mapping[str, Any]) -> dict[str, Any]:
    if op == UNKNOWN:
        return dict(params)
    known = _SPECIAL_PARAMS[op]
    for name in params:
        if name not in known:
            _refuse_name(op, name, known)
    if op == INPUT:
        return _checked_input(**params)
    if op == CAST:
        param = ops.find(CAST).params[0]
        return {param.name: checked_value(param, params.get(param.name, param.default))}
    if op == CALL and not isinstance(params.get("function"), Function):
        raise ParamError("a call needs its function.", "Choose one of the document's functions.")
    return dict(params)


def _checked_input(
    value: Any = 1.0, requires_grad: Any = False, source: Any = None
) -> dict[str, Any]:
    array = checked_array(value, "value")
    if not isinstance(requires_grad, bool):
        raise ParamError(
            f"'requires_grad' cannot be {_shown(requires_grad)}.", "Give true or false."
        )
    if requires_grad and array.dtype.kind not in "fc":
        raise ParamError(
            f"A value of dtype {array.dtype} cannot require grad.",
            "Give it a floating or complex dtype, or untick 'requires grad'.",
        )
    if source is not None and not (isinstance(source, Mapping) and _is_plain(source)):
        raise ParamError(
            f"'source' cannot be {_shown(source)}.", "Give a mapping of plain numbers and text."
        )
    return {"value": array, "requires_grad": requires_grad, "source": source}


def _is_plain(value: Any) -> bool:
    """Whether JSON can hold it as it is."""
    if isinstance(value, Mapping):
        return all(isinstance(k, str) and encodable(k) and _is_plain(v) for k, v in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, str):
        return encodable(value)
    return value is None or isinstance(value, int) or (_is_float(value) and math.isfinite(value))


def checked_array(value: Any, what: str) -> np.ndarray[Any, Any]:
    """``value`` as a read-only array.

    Raises:
        ParamError: if it is not a box of numbers.
    """
    try:
        return frozen(value)
    except (TypeError, ValueError, OverflowError):
        raise ParamError(
            f"'{what}' cannot be {_shown(value)}.", "Give a number, or rows of equal length."
        ) from None


# -- kinds ---------------------------------------------------------------------------------------


_PLAIN = frozenset({bool, int, float, str, type(None)})


def _tupled(value: Any) -> Any:
    """Lists as tuples and NumPy scalars as Python's, at every depth."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, list | tuple):
        return tuple(_tupled(item) for item in value)
    if isinstance(value, np.generic):
        return value.item()
    return frozen(value) if isinstance(value, np.ndarray) else value


def _stored(param: Param, value: Any) -> Any:
    """The form a value of this kind is kept in; a value of another kind stays odd."""
    if param.kind == "index":
        return _index(value)
    value = _tupled(value)
    if param.kind == "float" and _is_int(value):
        return float(value)
    if param.kind == "text" and param.default is None and type(value) in (int, float):
        return str(value)  # the order of a norm: a number, or a name
    return value


def _is_int(value: Any) -> bool:
    return type(value) is int and abs(value) < 2**63


def _is_float(value: Any) -> bool:
    return type(value) is float


def _is_row(value: Any) -> bool:
    return isinstance(value, tuple) and all(_is_int(item) for item in value)


def _is_nested(value: Any, levels: int = 3) -> bool:
    if isinstance(value, tuple):
        return levels > 0 and all(_is_nested(item, levels - 1) for item in value)
    return _is_int(value)


def _is_shape(value: Any) -> bool:
    return _is_int(value) or _is_row(value)


def _index(value: Any) -> Any:
    """A NumPy index as a tuple of its parts; as in NumPy, a list is one part, of indices."""
    parts = value if isinstance(value, tuple) else (value,)
    return tuple(_index_part(part) for part in parts)


def _index_part(part: Any) -> Any:
    if isinstance(part, slice):
        return slice(_tupled(part.start), _tupled(part.stop), _tupled(part.step))
    if isinstance(part, list | tuple | np.ndarray):
        try:
            return frozen(np.zeros(0, np.int64) if len(part) == 0 else part)
        except (TypeError, ValueError, OverflowError):
            return part
    return _tupled(part)


def _is_index(value: Any) -> bool:
    return all(map(_is_index_part, value))


def _is_index_part(part: Any) -> bool:
    if isinstance(part, slice):
        return all(x is None or _is_int(x) for x in (part.start, part.stop, part.step))
    if isinstance(part, np.ndarray):
        return part.dtype.kind in "biu"
    return part is None or part is Ellipsis or isinstance(part, bool) or _is_int(part)


#: Of each kind: whether a value fits, and what to ask for when it does not.
_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "float": (_is_float, "a number"),
    "int": (_is_int, "a whole number"),
    "bool": (lambda value: isinstance(value, bool), "true or false"),
    "choice": (lambda value: False, "one of the choices"),
    "axis": (_is_int, "the number of an axis"),
    "axes": (lambda value: _is_int(value) or _is_row(value), "the number of an axis, or several"),
    "ints": (_is_nested, "a whole number, or a list of them"),
    "shape": (_is_shape, "a shape such as [2, 3]"),
    "index": (_is_index, "an index such as 0, 1:3, ..."),
    "text": (lambda value: isinstance(value, str) and encodable(value), "text"),
}


def _refuse_name(op: str, name: str, known: tuple[str, ...]) -> NoReturn:
    otherwise = f"It has {_listed(known)}." if known else "It has none."
    raise ParamError(f"'{op}' has no parameter '{name}'.", did_you_mean(name, known, otherwise))


def _listed(names: tuple[Any, ...]) -> str:
    return ", ".join(f"'{name}'" if isinstance(name, str) else str(name) for name in names)


def _shown(value: Any) -> str:
    text = f"'{value}'" if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
