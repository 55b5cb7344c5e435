"""Old files brought up to date: one frozen function for every version, applied one after another.

A migration takes the plain JSON of its version and returns that of the next. It is never changed
again, and uses nothing of the program that may change. ``tests/files`` keeps a file of every
version. Renamed operations need none: they keep their old name as an alias.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Json = dict[str, Any]


def _with_functions(data: Json) -> Json:
    """Version 2 brought functions. A file without them is as it was."""
    return data


#: Version of a file -> what turns it into the next version.
MIGRATIONS: Mapping[int, Callable[[Json], Json]] = {1: _with_functions}


def migrate(data: Json, version: int, newest: int) -> Json:
    """The JSON of a file of ``version`` as one of version ``newest``."""
    for old in range(version, newest):
        data = MIGRATIONS[old](data)
    return {**data, "version": newest}
