"""What is different between two moments of a trace."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import compress
from operator import is_not
from typing import Any

from core.trace import Moment


def differences(before: Moment, after: Moment) -> tuple[set[str], set[tuple[str, str]]]:
    """Ids of nodes, and (visited node, port) of flows, that may look different.

    Moments of one schedule are told apart by what happened in between; others by all they hold.
    """
    one, other = before.place, after.place
    if one is not None and other is not None and one.schedule is other.schedule:
        flows, *nodes = one.schedule.keys_between(one, other)
    else:
        flows = _changed(before.arrived, after.arrived)
        nodes = [
            _changed(before.cotangents, after.cotangents),
            _changed(before.counts, after.counts),
            _changed(before.grads, after.grads),
            _changed(before.freed, after.freed),
        ]
    if before.active is not after.active:
        nodes.append([*set(before.active).symmetric_difference(after.active)])
    return set().union(*nodes), set(flows)


def _changed(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> list[Any]:
    """Keys of which two mappings hold other objects, or only one of them any."""
    values = compress(new, map(is_not, new.values(), map(old.get, new)))
    return [*values, *(old.keys() ^ new.keys())]
