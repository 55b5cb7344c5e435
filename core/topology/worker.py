"""A layout in a process of its own: graphlay holds the interpreter's lock while it works.

``python -m core.topology.worker`` reads one Task as JSON from standard input and writes the Layout
to standard output. Nothing here, or below, imports Qt.
"""

from __future__ import annotations

import sys

import msgspec
from msgspec import Struct

from core.topology.layout import Layout, layout
from core.topology.measures import Point

_LAYOUT = msgspec.json.Decoder(Layout)


class Task(Struct, frozen=True):
    """The arguments of ``layout``."""

    sizes: dict[str, Point]
    edges: list[tuple[str, str]]
    groups: dict[str, str] = {}

    def solve(self) -> Layout:
        """The layout, found here and now."""
        return layout(self.sizes, self.edges, self.groups)


def encode_task(task: Task) -> bytes:
    """What the process reads."""
    return msgspec.json.encode(task)


def decode_layout(answer: bytes) -> Layout:
    """What the process wrote.

    Raises:
        msgspec.DecodeError: if that is no answer.
    """
    return _LAYOUT.decode(answer)


def main() -> None:
    """Read, lay out, write."""
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=Task)
    sys.stdout.buffer.write(msgspec.json.encode(task.solve()))


if __name__ == "__main__":
    main()
