"""The wires and frames of a file, and its counter of ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from core.errors import EditRefusedError
from core.files.assembly.misfits import MisfitError, misfit, place_of, refuse_repeated
from core.files.assembly.nodes import ports_hint
from core.files.schema import FrameRecord, WireRecord
from core.graph import Frame, Node, Wire
from core.graph.places import checked_frame, checked_point
from core.graph.ports import fixed_inputs, fixed_outputs, has_input, has_output


def wires_of(records: list[WireRecord], nodes: dict[str, Node]) -> dict[str, Wire]:
    """The wires by id.

    Raises:
        MisfitError: if an end is not there, or two have one id or enter one port.
    """
    wires: dict[str, Wire] = {}
    for i, record in enumerate(records):
        try:
            wires[record.id] = _wire(record, nodes)
        except (MisfitError, EditRefusedError) as error:
            raise misfit(error).at(place_of("wires", i, record.id)) from None
    refuse_repeated("wires", "the id '{}' is used twice", [record.id for record in records])
    ends = [record.target for record in records]
    refuse_repeated("wires", "there is another wire at input '{0[1]}' of node '{0[0]}'", ends)
    return wires


def _wire(record: WireRecord, nodes: Mapping[str, Node]) -> Wire:
    (source_id, output), (target_id, port) = record.source, record.target
    source, target = nodes.get(source_id), nodes.get(target_id)
    if source is None or target is None:
        missing = source_id if source is None else target_id
        raise MisfitError(f"there is no node '{missing}'")
    # Nearly all operations have the same ports always, and those need no closer look.
    if output not in (fixed_outputs(source.op) or ()) and not has_output(source, output):
        raise MisfitError(f"'{source.name}' has no output '{output}'")
    if port not in (fixed_inputs(target.op) or ()) and not has_input(target, port):
        hint = ports_hint(target, port)
        raise MisfitError(f"'{target.name}' has no input '{port}'", hint)
    points = tuple(checked_point(point) for point in record.points) if record.points else ()
    return Wire(record.id, source.id, output, target.id, port, points)


def frames_of(records: list[FrameRecord]) -> dict[str, Frame]:
    """The frames by id.

    Raises:
        MisfitError: if one is no frame, or two have one id.
    """
    frames: dict[str, Frame] = {}
    for i, record in enumerate(records):
        place = f"frames[{i}] {record.title[:40]!r}"
        if record.id in frames:
            raise MisfitError(f"the id '{record.id}' is used twice", place=place)
        try:
            frames[record.id] = checked_frame(Frame(**msgspec.structs.asdict(record)))
        except EditRefusedError as error:
            raise misfit(error).at(place) from None
    return frames


def check_next_id(next_id: int, ids: Iterable[str]) -> None:
    """The counter must be past every id it may have given, or it would give one twice."""
    limit = str(next_id)
    width = 1 + len(limit)
    for used in ids:
        if len(used) < width or (len(used) == width and used[1:] < limit):
            continue  # nearly all: as text, too, the number is smaller
        number = used[1:]
        if number.isdecimal() and len(number) < 18 and int(number) >= next_id:
            what = f"{next_id} is too small: the id '{used}' is in use"
            raise MisfitError(what, place="next_id")
