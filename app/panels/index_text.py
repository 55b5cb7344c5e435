"""NumPy indices as a hand types them, and back: ``0``, ``:, ::2``, ``..., None``, ``[0, 2]``.

The text is read by a small parser and never evaluated: it may come from a file.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from core.errors import EditRefusedError

_HOW = "Type an index such as 0, or 1:3, or :, ::2, or ..., or [0, 2]."


def parse_index(text: str) -> Any:
    """The Python index that ``text`` means: a single one as it is, several as a tuple.

    No text is ``()``, which takes everything.

    Raises:
        EditRefusedError: naming the part that is no index.
    """
    parts = [part.strip() for part in _split(text.strip())]
    if parts == [""]:
        return ()
    if parts[-1] == "":  # a trailing comma, as in Python's (0,)
        return tuple(_part(part) for part in parts[:-1])
    return _part(parts[0]) if len(parts) == 1 else tuple(_part(part) for part in parts)


def format_index(index: Any) -> str:
    """Text that ``parse_index`` reads back to an equal index."""
    if isinstance(index, tuple):
        comma = "," if len(index) == 1 else ""
        return ", ".join(_format_part(part) for part in index) + comma
    return _format_part(index)


def _split(text: str) -> list[str]:
    """``text`` at its commas outside brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "[") - (char == "]")
        if depth < 0:
            raise EditRefusedError("There is a ] without its [.", next_step=_HOW)
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    if depth:
        raise EditRefusedError("A [ is not closed.", next_step="Close every bracket with a ].")
    return parts


def _part(text: str) -> Any:
    if text == "...":
        return Ellipsis
    if text in ("None", "newaxis"):
        return None
    if text in ("True", "False"):
        return text == "True"
    if text.startswith("["):
        return _list(text)
    if ":" in text:
        bounds = [_whole(bound) if bound.strip() else None for bound in text.split(":")]
        if len(bounds) > 3:
            raise EditRefusedError(f"'{text}' has too many colons.", next_step=_HOW)
        return slice(*bounds)
    return _whole(text)


def _list(text: str) -> np.ndarray[Any, Any]:
    """A list of positions, or a mask; an array, since a tuple would be several indices."""
    try:
        nested = _nested(text)
        return np.array(nested, dtype=np.int64 if nested == [] else None)
    except ValueError:
        raise EditRefusedError(
            f"The lists in '{text}' differ in length.", next_step="Give them the same length."
        ) from None


def _nested(text: str) -> list[Any]:
    if not text.endswith("]"):
        raise EditRefusedError(f"'{text}' is no index.", next_step=_HOW)
    inner = text[1:-1].strip()
    entries = [entry.strip() for entry in _split(inner)] if inner else []
    if all(entry in ("True", "False") for entry in entries):
        return [entry == "True" for entry in entries]
    return [_nested(entry) if entry.startswith("[") else _whole(entry) for entry in entries]


def _whole(text: str) -> int:
    plain = text.strip().replace("−", "-")
    if not re.fullmatch(r"[+-]?\d+", plain):
        raise EditRefusedError(f"'{text.strip()}' is not a whole number.", next_step=_HOW)
    return int(plain)


def _format_part(part: Any) -> str:
    if part is Ellipsis:
        return "..."
    if part is None:
        return "None"
    if isinstance(part, slice):
        bounds = ["" if bound is None else str(bound) for bound in (part.start, part.stop)]
        return ":".join(bounds) + ("" if part.step is None else f":{part.step}")
    if isinstance(part, np.ndarray):
        return str(part.tolist())
    if isinstance(part, tuple | list):
        return "[" + ", ".join(_format_part(inner) for inner in part) + "]"
    return str(part)
