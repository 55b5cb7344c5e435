"""What a benchmark prints: rows as a table, or as JSON with the machine they were measured on."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Row:
    """One line of the table.

    Attributes:
        value: our time (or memory) divided by the reference's; None if it is not installed.
        unit: what ``value`` is measured in.
        reach: what it should not exceed; None if the reference is not installed.
        peers: further figures, in the same unit or as their name says.
        limit: where ``reach`` is missed, what the limit is and why.
    """

    work: str
    value: float | None
    unit: str
    reach: float | None
    peers: dict[str, float | None] = field(default_factory=dict)
    limit: str = ""

    @property
    def misses(self) -> bool:
        """Whether the value is beyond its reach."""
        return self.value is not None and self.reach is not None and self.value > self.reach


_LEFT = " " * 48


def table(rows: list[Row]) -> str:
    """The rows as text, a line each, with their further figures below."""
    lines = []
    for row in rows:
        value = "  –  " if row.value is None else f"{row.value:5.2f}"
        reach = "" if row.reach is None else f"(reach {row.reach:g})"
        mark = "!" if row.misses else " "
        lines.append(f"{mark} {value} {row.unit:24} {reach:14} {row.work}")
        figures = [f"{k} {v:.3g}" if v is not None else f"{k} –" for k, v in row.peers.items()]
        lines.extend(f"{_LEFT}{', '.join(figures[k : k + 6])}" for k in range(0, len(figures), 6))
        if row.misses and row.limit:
            lines.extend(
                textwrap.wrap(row.limit, 100, initial_indent=_LEFT, subsequent_indent=_LEFT)
            )
    return "\n".join(lines)


def publish(rows: list[Row], machine: dict[str, Any], as_json: bool) -> None:
    """Print the rows."""
    if as_json:
        print(json.dumps({"machine": machine, "rows": [asdict(row) for row in rows]}, indent=1))
        return
    for name, value in machine.items():
        print(f"{name}: {value}")
    print(table(rows))
