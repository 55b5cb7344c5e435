"""Where things may be: near enough to be drawn, and made of finite numbers."""

from __future__ import annotations

from dataclasses import replace

from core.errors import EditRefusedError
from core.graph import naming
from core.graph.nodes import Frame, Point

#: Scene units from the middle that nodes, frames and reroute points keep within.
FARTHEST = 1e7


def checked_point(point: Point) -> Point:
    """``point`` in floats.

    Raises:
        EditRefusedError: if it is no place near the others.
    """
    x, y = float(point[0]), float(point[1])
    if not (-FARTHEST <= x <= FARTHEST and -FARTHEST <= y <= FARTHEST):  # false for NaN too
        raise EditRefusedError(
            f"({x}, {y}) is too far away to be shown.", next_step="Keep nodes nearer together."
        )
    return (x, y)


def checked_frame(frame: Frame) -> Frame:
    """``frame`` with its rectangle in floats.

    Raises:
        EditRefusedError: if it is empty or far away, or has text that no file can hold.
    """
    x, y, width, height = frame.rect
    if not (width > 0 and height > 0):
        raise EditRefusedError(
            f"A frame cannot be {width} by {height}.", next_step="Draw it around some nodes."
        )
    if not all(map(naming.encodable, (frame.title, frame.note, frame.color))):
        raise EditRefusedError(
            "The text has characters that no file can hold.", next_step="Type it anew."
        )
    checked_point((x + width, y + height))
    return replace(frame, rect=(*checked_point((x, y)), float(width), float(height)))
