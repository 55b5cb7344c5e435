"""What one gesture or key does to the frames and comments of a graph, as plain functions."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from app import edits
from app.edits import Edit, Point, corner, verb_phrase
from core.graph import Frame, Graph
from core.topology import FRAME_ROOM, FRAME_TITLE

#: Least width of a frame or a comment, and what a new comment measures.
SMALLEST_FRAME = 60.0
_COMMENT_SIZE = (220.0, 88.0)


def frame(graph: Graph, nodes: Collection[str], sizes: Mapping[str, Point]) -> Edit:
    """Put a frame around nodes. ``sizes``: width and height of each."""
    chosen = [graph.nodes[i] for i in nodes]
    left, top = corner(chosen)
    right = max(node.pos[0] + sizes[node.id][0] for node in chosen)
    bottom = max(node.pos[1] + sizes[node.id][1] for node in chosen)
    rect = (
        left - FRAME_ROOM,
        top - FRAME_ROOM - FRAME_TITLE,
        right - left + 2 * FRAME_ROOM,
        bottom - top + 2 * FRAME_ROOM + FRAME_TITLE,
    )
    after, _ = graph.with_frame("Frame", rect)
    return Edit(verb_phrase("Frame", graph, nodes), after)


def comment(graph: Graph, place: Point) -> tuple[Edit, str]:
    """A comment with its upper left corner at ``place``, and its id."""
    rect = (*place, *_COMMENT_SIZE)
    after, frame_id = graph.with_frame("", rect, color="grey", comment=True)
    return Edit("Add a comment", after), frame_id


def frame_words(frame: Frame) -> str:
    """What to call a frame or a comment in a sentence."""
    return "a comment" if frame.comment else frame.title or "a frame"


def unframe(graph: Graph, nodes: Collection[str], frames: Collection[str] = ()) -> Edit | None:
    """Dissolve frames, and those that hold one of some nodes; None when there is none."""
    around = [
        frame.id
        for frame in graph.frames.values()
        if (frame.id in frames and not frame.comment)
        or any(frame.holds(graph.nodes[i]) for i in nodes)
    ]
    if not around:
        return None
    return Edit("Dissolve the frame", graph.without(frames=around))


def move_frame(graph: Graph, frame: str, by: Point) -> Edit:
    """Move a frame with everything in it: nodes, and frames that lie in it as a whole."""
    moving = graph.frames[frame]
    after = edits.move(
        graph, [node.id for node in graph.nodes.values() if moving.holds(node)], by
    ).graph
    for other in graph.frames.values():
        if _lies_in(other, moving):
            x, y, width, height = other.rect
            after = after.with_frame_changed(other.id, rect=(x + by[0], y + by[1], width, height))
    return Edit(f"Move {frame_words(moving)}", after)


def _lies_in(inner: Frame, outer: Frame) -> bool:
    (x, y, width, height), (left, top, wide, high) = inner.rect, outer.rect
    across = left <= x and x + width <= left + wide
    return across and top <= y and y + height <= top + high
