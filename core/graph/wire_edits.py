"""The edits of a graph's wires."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Self

from msgspec import structs

from core.graph import wiring
from core.graph.index import WireIndex
from core.graph.nodes import Point, Wire
from core.graph.parts import Parts
from core.graph.places import checked_point


class WireEdits(Parts):
    """Each returns a new graph, or raises."""

    def with_wire(
        self, source: str, output: str, target: str, port: str, points: Iterable[Point] = ()
    ) -> tuple[Self, str]:
        """A wire more, in place of any wire at that port, and its id.

        Raises:
            WireRefusedError: if it would close a loop or there is no such port.
        """
        refusal = wiring.refusal(self, source, output, target, port)
        if refusal:
            raise refusal
        through = tuple(checked_point(point) for point in points)
        old = self.wires_into(target).get(port)
        if old is not None and (old.source, old.output, old.points) == (source, output, through):
            return self, old.id
        wire = Wire(f"w{self.next_id}", source, output, target, port, through)
        graph = self._rewired([old] if old else [], [wire])
        return replace(graph, next_id=self.next_id + 1), wire.id

    def with_points(self, wire_id: str, points: Iterable[Point]) -> Self:
        """With a wire led through other reroute points."""
        return self.rerouted({wire_id: points})

    def rerouted(self, points: Mapping[str, Iterable[Point]]) -> Self:
        """With some wires led through other reroute points, by id."""
        led = {
            wire_id: wire
            for wire_id, through in points.items()
            if (wire := _led(self.wires[wire_id], through)) is not self.wires[wire_id]
        }
        if not led:
            return self
        into, out = {**self.index.into}, {**self.index.out}
        for wire in led.values():
            into[wire.target] = {**into[wire.target], wire.port: wire}
            out[wire.source] = tuple(wire if w.id == wire.id else w for w in out[wire.source])
        return replace(self, wires={**self.wires, **led}, index=WireIndex(into, out))

    def _rewired(self, removed: Iterable[Wire], added: Iterable[Wire]) -> Self:
        removed, added = list(removed), list(added)
        wires = dict(self.wires)
        for wire in removed:
            del wires[wire.id]
        wires.update((wire.id, wire) for wire in added)
        return replace(self, wires=wires, index=self.index.with_wires(removed, added))


def _led(wire: Wire, points: Iterable[Point]) -> Wire:
    """The wire through other points; itself when they are the same."""
    through = tuple(checked_point(point) for point in points)
    return wire if through == wire.points else structs.replace(wire, points=through)
