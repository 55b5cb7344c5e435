"""Names of nodes: unique, made from the operation, editable."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from itertools import chain, count

from core.graph.nodes import ARGUMENT, INPUT

#: What inputs are called, in the order people reach for them.
_INPUT_NAMES = "xyzwabcdpqrstuv"
LONGEST = 80


def fresh_name(op: str, taken: Container[str]) -> str:
    """A free name for a node: ``x``, ``y``, ... for inputs, else ``square``, ``square2``, ..."""
    return next(name for name in _fresh_names(op) if name not in taken)


def free_name(wanted: str, taken: Container[str]) -> str:
    """``wanted``, or with the next free number in place of its own: ``x2`` becomes ``x3``."""
    if wanted not in taken:
        return wanted
    return next(name for name in _numbered(_stem(wanted)) if name not in taken)


class Namer:
    """Names for many nodes, each the first that is free, without trying the used ones again.

    Args:
        taken: names that are in use already.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._free: dict[str, Iterator[str]] = {}

    def name(self, op: str, wanted: str) -> str:
        """``wanted`` or the next free one like it; one made of the operation if it is ""."""
        name = wanted
        if not wanted or wanted in self._taken:
            key = _stem(wanted) if wanted else f"{op}()"  # no stem ends so
            names = self._free.setdefault(key, _numbered(key) if wanted else _fresh_names(op))
            name = next(name for name in names if name not in self._taken)
        self._taken.add(name)
        return name


def flaw(name: str) -> str | None:
    """Why a string cannot be the name of something, or None."""
    if len(name) <= LONGEST and name.isidentifier():  # nearly all are, and need no more questions
        return None
    if not name.strip():
        return "is empty"
    if name != name.strip():
        return "begins or ends with a space"
    if len(name) > LONGEST:
        return f"is longer than {LONGEST} characters"
    if not name.isprintable():
        return "has characters that cannot be shown"
    return None


def encodable(text: str) -> bool:
    """Whether a file can hold the text: false for halves of surrogate pairs."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _stem(name: str) -> str:
    """A name without its number, short enough for another."""
    return re.sub(r"(?<=\D)[0-9]+$", "", name)[: LONGEST - 8]


def _fresh_names(op: str) -> Iterator[str]:
    return _input_names() if op in (INPUT, ARGUMENT) else _numbered(op.rpartition(".")[2])


def _input_names() -> Iterator[str]:
    return chain(_INPUT_NAMES, (f"x{i}" for i in count(2)))


def _numbered(stem: str) -> Iterator[str]:
    return chain((stem,), (f"{stem}{i}" for i in count(2)))
