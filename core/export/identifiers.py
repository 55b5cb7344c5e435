"""Names of nodes as identifiers of a program: unique, no keywords, nothing the program uses."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable

#: Names that every exported program may use for itself.
_OURS = frozenset({"np", "torch", "F", "jax", "jnp", "math", "forward", "unbroadcast", "add_up"})
_RESERVED = frozenset({*keyword.kwlist, *keyword.softkwlist, *dir(builtins)}) | _OURS


class Identifiers:
    """Hands out identifiers, each one once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*_RESERVED, *taken}

    def take(self, name: str, *, exact: bool = False) -> str:
        """``name`` as an identifier: as it is if possible, else the nearest that is free.

        Args:
            exact: it is an identifier already; its underscores mean something.
        """
        stem = name if exact else identifier(name)
        found, number = stem, 2
        while found in self._taken:
            joint = "_" if stem[-1].isdigit() else ""
            found, number = f"{stem}{joint}{number}", number + 1
        self._taken.add(found)
        return found


def identifier(name: str) -> str:
    """``"w·x"`` as ``w_x``, ``"class"`` as ``class_``, ``"2nd"`` as ``_2nd``.

    Python reads identifiers in normal form NFKC, so that is the form they are written in.
    """
    plain = unicodedata.normalize("NFKC", name)
    kept = "".join(c if c.isalnum() and f"_{c}".isidentifier() else "_" for c in plain)
    kept = re.sub(r"__+", "_", kept).strip("_") or "node"
    if not kept.isidentifier():
        kept = f"_{kept}"
    return f"{kept}_" if kept in _RESERVED else kept
