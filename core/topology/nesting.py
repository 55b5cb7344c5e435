"""Groups in groups: what is directly in what, as a mapping from inner to outer."""

from __future__ import annotations

from core.topology.measures import Groups


def chain(item: str, groups: Groups) -> list[str]:
    """An item, the group it is in, the group that one is in, and so on."""
    found = [item]
    while found[-1] in groups:
        found.append(groups[found[-1]])
    return found


def outer_first(groups: Groups) -> list[str]:
    """Every group once, after the one it is in."""
    known: dict[str, None] = {}
    for group in groups.values():
        known |= dict.fromkeys(reversed(chain(group, groups)))
    return list(known)
