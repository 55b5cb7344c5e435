"""Frames while nodes are laid out: who is in which, frames put around their nodes again.

A node is in a frame when its corner is, and a no_grad frame changes what is computed: a layout must
take no node into a frame, or out of one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.errors import EditRefusedError
from core.graph import Frame, Graph
from core.topology import FRAME_ROOM, FRAME_TITLE

Box = tuple[float, float, float, float]
Members = Mapping[str, frozenset[str]]


def members(graph: Graph) -> dict[str, frozenset[str]]:
    """The nodes in every frame, by the frame's id; nothing is in a comment."""
    ids = np.array(list(graph.nodes), dtype=object)
    places = np.array([node.pos for node in graph.nodes.values()]).reshape(-1, 2)
    return {i: frozenset(ids[_held(frame, places)]) for i, frame in graph.frames.items()}


def _held(frame: Frame, places: np.ndarray) -> np.ndarray:
    if frame.comment:
        return np.zeros(len(places), dtype=bool)
    low = np.array(frame.rect[:2])
    high = low + frame.rect[2:]
    return np.asarray(((places >= low) & (places <= high)).all(axis=1))


def groups(inside: Members) -> dict[str, str]:
    """For every node and frame the smallest frame it is in."""
    found: dict[str, str] = {}
    smallest_last = sorted(inside, key=lambda i: -len(inside[i]))
    for k, frame in enumerate(smallest_last):
        found |= dict.fromkeys(inside[frame], frame)
        around = [outer for outer in smallest_last[:k] if inside[frame] <= inside[outer]]
        if around:
            found[frame] = around[-1]
    return found


def outermost(inside: Members) -> dict[str, frozenset[str]]:
    """What moves as one: the nodes of every frame that is in no other, each node once."""
    left = frozenset().union(*inside.values())
    found: dict[str, frozenset[str]] = {}
    for i in sorted(inside, key=lambda i: -len(inside[i])):
        if inside[i] & left:
            found[i] = inside[i] & left
            left -= inside[i]
    return found


def fitted(inside: Members, boxes: Mapping[str, Box]) -> dict[str, Box]:
    """Every frame as a box around its nodes and the frames in it, with room for its title.

    Args:
        boxes: of the nodes.
    """
    found: dict[str, Box] = {}
    for i in sorted(inside, key=lambda i: len(inside[i])):
        parts = [boxes[node] for node in inside[i]]
        parts += [found[inner] for inner in found if inside[inner] <= inside[i]]
        ends = np.array(parts)
        left, top = (ends[:, :2].min(axis=0) - FRAME_ROOM).tolist()
        right, bottom = (ends[:, 2:].max(axis=0) + FRAME_ROOM).tolist()
        found[i] = (left, top - FRAME_TITLE, right, bottom)
    return found


def check_frames(before: Graph, after: Graph) -> None:
    """Let every node stay in the frames it is in.

    Raises:
        EditRefusedError: naming a node that would not.
    """
    was, now = members(before), members(after)
    for i, frame in after.frames.items():
        strays = was[i] ^ now[i]
        if strays:
            node = min(strays)
            way = "into" if node in now[i] else "out of"
            raise EditRefusedError(
                f"Arranging would move '{after.nodes[node].name}' {way} the frame '{frame.title}'.",
                next_step="Arrange all nodes of the frame, or move the frame aside first.",
                node=node,
            )
