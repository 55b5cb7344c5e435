"""A program's text from its file."""

from __future__ import annotations

from pathlib import Path

from core.errors import FileFormatError
from core.importers.python.limits import Limits


def read_text(path: Path) -> str:
    """The text of a program file.

    Raises:
        FileFormatError: it is no UTF-8 text, or too long to be one to read.
        OSError: it cannot be read.
    """
    most = 4 * Limits().text  # UTF-8 takes at most four bytes a character
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise FileFormatError(
            f"{path.name} has more than {Limits().text:,} characters.",
            next_step="Cut out the part you want to see.",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FileFormatError(
            f"{path.name} is not UTF-8 text: byte {error.start} is no character.",
            next_step="Save it as UTF-8.",
            line=line,
        ) from None
