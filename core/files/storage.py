"""Files on disk: read whole or not at all, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from core.errors import FileFormatError
from core.files.decoding import loads
from core.files.encoding import encode
from core.graph import Graph


def load(path: str | os.PathLike[str]) -> Graph:
    """The graph in a file.

    Raises:
        OSError: if the file cannot be read.
        FileFormatError: if it is not a graph this program knows; nothing of it is used then.
    """
    try:
        return loads(Path(path).read_bytes())
    except FileFormatError as error:
        raise FileFormatError(
            f"{Path(path).name}: {error.what}", next_step=error.next_step, line=error.line
        ) from None


def save(graph: Graph, path: str | os.PathLike[str]) -> None:
    """Write a graph to a file, which keeps its old content until the new one is safely there.

    Raises:
        OSError: if it cannot be written; the old file is whole then.
    """
    replace_file(path, encode(graph))


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file, which keeps its old content until the new one is safely there.

    Raises:
        OSError: if it cannot be written; the old file is whole then.
    """
    path = Path(path).resolve()  # through links, so that they stay links
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(path))
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced, or those of any new file."""
    if path.exists():
        return path.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
