"""The nodes of the graph that a program becomes, and which of them it makes again.

After a leaf was changed in place the program computes anew; what it computes the same way as before
is the same node again.
"""

from __future__ import annotations

from typing import Any

from core.graph.nodes import DETACH, INPUT
from core.importers.python.drafts import Array, Draft, Place, key_of
from core.importers.python.regions import Regions

#: More nodes than anybody looks at; the rest of the program is run, but not drawn.
MOST_NODES = 3000
#: Bytes of values that a graph may hold; beyond, too, the rest is run, but not drawn.
MOST_BYTES = 48 * 2**20


class Drafting(Regions):
    """The nodes so far.

    Attributes:
        drafts: the nodes by id, in order.
        generation: how often leaves were changed in place so far.
    """

    def __init__(self) -> None:
        super().__init__()
        self.drafts: dict[str, Draft] = {}
        self.generation = 0
        self._changed: dict[str, int] = {}  # leaves, and the generation that begins with them
        self._known: dict[Any, list[Draft]] = {}
        self._detaches: dict[Place, Place] = {}
        self._room = MOST_BYTES
        self._full = False

    @property
    def draws(self) -> bool:
        """Whether what happens now becomes a part of the graph."""
        if len(self.drafts) >= MOST_NODES and not self._full:
            self._full = True
            self.note(f"what comes after {MOST_NODES:,} operations")
        return not (self._pauses or self._full)

    def take(self, size: int) -> None:
        """Count bytes that the graph will hold."""
        self._room -= size
        if self._room < 0 and not self._full:
            self._full = True
            self.note(f"what comes after {MOST_BYTES // 2**20} MB of values")

    def _copy(self, array: Array) -> Array:
        self.take(array.nbytes)
        return array.copy()

    def _again(
        self, op: str, params: dict[str, Any], wired: dict[str, Place | Array], grad: bool
    ) -> Draft:
        """The node that computed this before leaves were changed, or a new one."""
        key = key_of(op, params, wired)
        known = self._known.setdefault(key, [])
        for draft in known:
            if draft.generation < self.generation:
                draft.generation = self.generation
                return draft
        draft = self._new(op, params, wired)
        sources = [self.drafts[x.node] for x in wired.values() if isinstance(x, Place)]
        draft.grad = grad or (self._flows and any(source.grad for source in sources))
        draft.weak = not self._flows or self._weakly > 0
        known.append(draft)
        return draft

    def _constant(self, params: dict[str, Any], name: str) -> Draft:
        """An input for a constant, the same as before if leaves were changed since."""
        key = key_of(INPUT, {"value": params["value"], "name": name}, {})
        known = self._known.setdefault(key, [])
        for draft in known:
            if draft.generation < self.generation:
                draft.generation = self.generation
                return draft
        draft = self._new(INPUT, params, {})
        known.append(draft)
        return draft

    def _outdated(self, place: Place) -> bool:
        """Whether a value was computed from a leaf that was changed since: the graph, going forward
        again, computes it anew."""
        found, left = set[str](), [place.node]
        while left and self._changed:
            draft = self.drafts[left.pop()]
            if draft.id in found or draft.generation == self.generation:
                continue
            found.add(draft.id)
            sources = [x.node for x in draft.inputs.values() if isinstance(x, Place)]
            if any(self._changed.get(n, -1) > draft.generation for n in sources):
                return True
            left.extend(sources)
        return False

    def _cut(self, place: Place) -> Place:
        """The place behind a detach node."""
        if not self.drafts[place.node].grad:
            return place
        known = self._detaches.get(place)
        if known is None:
            port = {"x": place}
            draft = self._new(DETACH, {}, dict(port))
            draft.weak = True
            known = self._detaches[place] = Place(draft.id, 0)
        self.drafts[known.node].generation = self.generation
        return known

    def _new(self, op: str, params: dict[str, Any], wired: dict[str, Place | Array]) -> Draft:
        draft = Draft(f"n{len(self.drafts) + 1}", op, params, wired)
        draft.frames, draft.generation = self._open, self.generation
        self.drafts[draft.id] = draft
        return draft
