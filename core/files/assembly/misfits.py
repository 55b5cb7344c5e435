"""What does not fit in a file, and where."""

from __future__ import annotations

from typing import Any

from core.errors import EditRefusedError
from core.files import arrays, params
from core.graph.params import ParamError


class MisfitError(ValueError):
    """What does not fit, and where; what to do, when that is known."""

    def __init__(self, what: str, next_step: str = "", place: str = "") -> None:
        super().__init__(what)
        self.what = what.rstrip(".")
        self.next_step = next_step
        self.place = place

    def at(self, place: str) -> MisfitError:
        """The same, found at a place such as ``wires[5] 'w7'``."""
        return MisfitError(self.what, self.next_step, place)


#: What the parts raise when they are not what they should be.
ERRORS = (MisfitError, ParamError, EditRefusedError, arrays.ArrayError, params.IndexFormatError)


def misfit(error: Exception) -> MisfitError:
    """What a part raised, as a misfit without a place."""
    what, next_step = getattr(error, "what", str(error)), getattr(error, "next_step", "")
    return MisfitError(what, next_step)


def place_of(kind: str, position: int, name: str) -> str:
    """Where a record stands, such as ``wires[5] 'w7'``."""
    return f"{kind}[{position}] {name[:40]!r}"


def refuse_repeated(kind: str, what: str, values: list[Any]) -> None:
    """Refuse the first of ``values``, one a record, that was there before."""
    if len(set(values)) == len(values):  # the walk below is for the few that are wrong
        return
    seen: set[Any] = set()
    for i, value in enumerate(values):
        if value in seen:
            raise MisfitError(what.format(value), place=f"{kind}[{i}]")
        seen.add(value)
