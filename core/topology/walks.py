"""Order, loops, ancestors, over plain adjacency.

Nothing here knows what a node is: nodes are strings, and a graph is its nodes and a function that
gives the neighbours of one (a neighbour may come more than once: x·x has two wires). Every walk
visits a node once and keeps its own stack, so a chain of x·x stays linear and a deep graph does
not recurse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

Neighbours = Callable[[str], Iterable[str]]


class LoopError(ValueError):
    """There is no order: ``loop`` are the nodes of one loop, the first repeated at the end."""

    def __init__(self, loop: tuple[str, ...]) -> None:
        super().__init__(" → ".join(loop))
        self.loop = loop


def order(nodes: Iterable[str], successors: Neighbours) -> tuple[str, ...]:
    """The nodes, each after all that feed it; the same for the same input.

    Raises:
        LoopError: if the graph has a loop.
    """
    after = {node: tuple(successors(node)) for node in nodes}
    waiting = dict.fromkeys(after, 0)
    for following in after.values():
        for successor in following:
            waiting[successor] += 1
    ready = [node for node, count in waiting.items() if not count]
    for node in ready:  # grows while it is read
        for successor in after[node]:
            waiting[successor] -= 1
            if not waiting[successor]:
                ready.append(successor)
    if len(ready) < len(waiting):
        raise LoopError(_loop([node for node, count in waiting.items() if count], successors))
    return tuple(ready)


def _loop(left: Sequence[str], successors: Neighbours) -> tuple[str, ...]:
    """One loop among nodes that each have a predecessor in ``left``."""
    before = {successor: node for node in left for successor in successors(node)}
    seen: dict[str, None] = {}
    node = left[0]
    while node not in seen:
        seen[node] = None
        node = before[node]
    trail = list(seen)
    return (node, *reversed(trail[trail.index(node) :]))


def reachable(starts: Iterable[str], neighbours: Neighbours) -> set[str]:
    """``starts`` and everything that can be walked to from them."""
    seen = set(starts)
    pending = list(seen)
    while pending:
        for node in neighbours(pending.pop()):
            if node not in seen:
                seen.add(node)
                pending.append(node)
    return seen


def path(start: str, goal: str, successors: Neighbours) -> tuple[str, ...] | None:
    """A way from ``start`` to ``goal``, both included, or None: the loop check is one such walk."""
    came_from: dict[str, str | None] = {start: None}
    pending = [start]
    while pending:
        node = pending.pop()
        if node == goal:
            return _trail(came_from, goal)
        for successor in successors(node):
            if successor not in came_from:
                came_from[successor] = node
                pending.append(successor)
    return None


def _trail(came_from: Mapping[str, str | None], goal: str) -> tuple[str, ...]:
    trail: list[str] = []
    node: str | None = goal
    while node is not None:
        trail.append(node)
        node = came_from[node]
    return tuple(reversed(trail))
