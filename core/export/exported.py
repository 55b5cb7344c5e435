"""What an export gives: lines of text, each of which knows the nodes it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

#: Longer lines are broken where the target's language allows it.
WIDTH = 96
INDENT = "    "


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text, without its end.

    Attributes:
        nodes: ids of the nodes that it is about, the first one foremost.
    """

    text: str
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exported:
    """A graph as text.

    Attributes:
        target: the language: a key of ``core.export.TARGETS``.
        lines: the text, line by line.
        identifiers: what each node is called in it, by node id.
        arrays: values too large to be written out, by the name of the file the text loads.
        left_out: ids of the nodes that the text does not compute; a comment says why.
        places: the node and output that each name of a value stands for.
        run_begins: the line, counted from 0, at which what the run does begins.
        written_out: whether functions were written out, so that the text is not the graph's own.
    """

    target: str
    lines: tuple[Line, ...]
    identifiers: Mapping[str, str] = field(default_factory=dict)
    arrays: Mapping[str, Array] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    places: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    run_begins: int | None = None
    written_out: bool = False

    @cached_property
    def text(self) -> str:
        """The whole text; it ends with a line break."""
        return "".join(f"{line.text}\n" for line in self.lines)

    def statements(self) -> dict[str, str]:
        """The lines that compute each node, up to where the run begins, by node id."""
        found: dict[str, list[str]] = {}
        for line in self.lines[: self.run_begins]:
            if line.nodes:
                found.setdefault(line.nodes[0], []).append(line.text)
        return {node: "\n".join(lines) for node, lines in found.items()}

    def ending(self) -> str:
        """The lines of what the run does."""
        return "".join(f"{line.text}\n" for line in self.lines[self.run_begins :])

    def nodes_at(self, line: int) -> tuple[str, ...]:
        """Ids of the nodes that a line, counted from 0, is about."""
        return self.lines[line].nodes if 0 <= line < len(self.lines) else ()

    def lines_of(self, nodes: Iterable[str]) -> tuple[int, ...]:
        """The lines, counted from 0, that are about any of these nodes."""
        wanted = set(nodes)
        return tuple(k for k, line in enumerate(self.lines) if not wanted.isdisjoint(line.nodes))


class Writer:
    """Collects lines, indented as deep as the open blocks."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._depth = 0

    def add(self, text: str = "", *nodes: str) -> None:
        """One line, or several that belong together."""
        for part in text.split("\n"):
            indented = INDENT * self._depth + part if part else ""
            self.lines.append(Line(indented, nodes))

    def blank(self, count: int = 1) -> None:
        """Empty lines, beside those that there are already."""
        there = 0
        while self.lines and there < len(self.lines) and not self.lines[-1 - there].text:
            there += 1
        if there < len(self.lines):
            self.lines += [Line("")] * (count - there)

    @contextmanager
    def block(self, head: str, *nodes: str) -> Iterator[None]:
        """Lines under a head that ends with a colon."""
        self.add(head, *nodes)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
