"""Keys given twice in one object, which JSON readers pass over and so lose what came first.

It happens to files merged or edited by hand. Looking at every object in Python takes as long as
all else, so a count tells first whether the text has more keys than what was read from it.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import msgspec

from core.errors import FileFormatError
from core.files.schema import FileRecord

#: Bytes. Larger files hold packed arrays, and no editor likes them.
MOST_BY_HAND = 8_000_000
_COLON = b'":'


def suspicious(data: bytes, record: FileRecord) -> bool:
    """Whether ``data`` has other keys than this program would write for what was read."""
    written = msgspec.json.encode(record).count(_COLON)
    written += [record.nodes, record.wires, record.frames, record.runs].count([])  # written, too
    for function in record.functions:
        written += [function.nodes, function.wires, function.frames].count([])
    return data.count(_COLON) != written


def check(data: bytes) -> None:
    """Look at every object of a JSON text.

    Raises:
        FileFormatError: if one has a key twice; the message names the key and the object.
    """
    try:
        # Numbers need no reading, and some are too long for it.
        json.loads(data, object_pairs_hook=_once, parse_int=str, parse_float=str)
    except RecursionError:
        raise FileFormatError(
            "Lists or objects are nested too deeply.", next_step="Open a backup of the file."
        ) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        name = next((record[k] for k in ("name", "title", "id") if k in record), "The file")
        raise FileFormatError(
            f"{str(name)[:40]!r}: the key '{key[:40]}' is given twice.",
            next_step="Keep the one you want, in a text editor; nothing was changed.",
        )
    return record
