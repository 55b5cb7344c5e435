"""Arrays as a hand types them, and back: ``2``, ``2, 3``, ``1 2; 3 4``, ``[[1, 2], [3, 4]]``.

A parser of its own, because text from a user or a file is never evaluated as code.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from core.errors import EditRefusedError

Array = np.ndarray[Any, Any]

#: What a value may be made of, in the order the editor offers them.
DTYPES = ("float64", "float32", "int64", "bool")
#: Arrays with more elements than this are shown, not typed.
TYPED_LIMIT = 1000

_TOKEN = re.compile(r"[\[\],;]|[^\s\[\],;]+")
_WORDS = {"true": 1.0, "false": 0.0}
_HOW = "Type numbers such as 2 or 2, 3 or 1 2; 3 4 or [[1, 2], [3, 4]]."


def parse_array(text: str, dtype: str = "float64") -> Array:
    """The array that ``text`` means.

    One number is a scalar; numbers between commas or spaces are a vector; semicolons or line
    breaks end the rows of a matrix; brackets nest to any depth. nan, inf, true and false count as
    numbers.

    Raises:
        EditRefusedError: for anything else, saying which word or which row is wrong.
    """
    plain = text.strip()
    if not plain:
        raise EditRefusedError("There is no number here.", next_step=_HOW)
    nested = _parse_brackets(plain, dtype) if plain.startswith("[") else _parse_rows(plain, dtype)
    return np.array(nested, dtype=dtype)


def format_array(array: Array) -> str:
    """Text that ``parse_array`` reads back to the same array."""
    if array.ndim == 0:
        return format_element(array[()])
    if array.ndim == 1 and array.size > 1:
        return ", ".join(format_element(x) for x in array)
    if array.ndim == 2 and array.shape[0] > 1 and array.shape[1] > 0:
        return "; ".join(", ".join(format_element(x) for x in row) for row in array)
    return _format_nested(array)


def format_element(x: Any) -> str:
    """One element in full: every digit that matters, and no other."""
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    text = str(x) if isinstance(x, np.floating) else repr(float(x))
    return text.removesuffix(".0")


def _format_nested(array: Array) -> str:
    if array.ndim == 0:
        return format_element(array[()])
    return "[" + ", ".join(_format_nested(part) for part in array) + "]"


def _parse_rows(text: str, dtype: str) -> Any:
    rows = [row for row in re.split(r"[;\n]", text) if row.strip()]
    parsed = [
        [_number(word, dtype) for word in re.split(r"[,\s]+", row.strip(", ")) if word]
        for row in rows
    ]
    if len(parsed) > 1 or ";" in text:
        _check_rows([len(row) for row in parsed])
        return parsed
    if len(parsed[0]) == 1 and "," not in text:
        return parsed[0][0]
    return parsed[0]


def _check_rows(lengths: list[int]) -> None:
    for i, length in enumerate(lengths[1:], start=2):
        if length != lengths[0]:
            raise EditRefusedError(
                f"Row {i} has {_count(length)}, row 1 has {lengths[0]}.",
                next_step="Give every row the same number of elements.",
            )


def _parse_brackets(text: str, dtype: str) -> Any:
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "[":
            stack.append([])
        elif token == "]":
            if len(stack) == 1:
                raise EditRefusedError(
                    "There is a ] without its [.", next_step="Take it away, or open a bracket."
                )
            done = stack.pop()
            stack[-1].append(done)
        elif token not in ",;":
            stack[-1].append(_number(token, dtype))
    if len(stack) > 1:
        raise EditRefusedError("A [ is not closed.", next_step="Close every bracket with a ].")
    if len(stack[0]) != 1:
        raise EditRefusedError(
            "There is more than one list here.",
            next_step="Put all lists into one: [[1, 2], [3, 4]].",
        )
    _shape(stack[0][0])
    return stack[0][0]


def _shape(nested: Any) -> tuple[int, ...]:
    """The shape of nested lists; refuses ragged ones."""
    if not isinstance(nested, list):
        return ()
    shapes = [_shape(part) for part in nested]
    for i, shape in enumerate(shapes[1:], start=2):
        if shape != shapes[0]:
            raise EditRefusedError(
                f"List {i} has {_dims(shape)}, list 1 has {_dims(shapes[0])}.",
                next_step="Give all lists of one level the same number of elements.",
            )
    return (len(nested), *shapes[0]) if shapes else (0,)


def _dims(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) + " elements" if shape else "no brackets"


def _count(n: int) -> str:
    return "1 number" if n == 1 else f"{n} numbers"


def _number(word: str, dtype: str) -> float | int:
    # The real minus sign comes with text copied from a formula.
    plain = word.lower().replace("−", "-")
    try:
        if dtype == "int64" and plain not in _WORDS:
            return int(plain)
        value = _WORDS[plain] if plain in _WORDS else float(plain)
    except ValueError:
        what = "a whole number" if dtype == "int64" else "a number"
        raise EditRefusedError(f"'{word}' is not {what}.", next_step=_HOW) from None
    if dtype == "bool" and value not in (0.0, 1.0):
        raise EditRefusedError(
            f"'{word}' is neither true nor false.", next_step="Type true, false, 1 or 0."
        )
    return value
