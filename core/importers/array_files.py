"""Files of numbers: .npy, .npz, and tables as text. Nothing in them is ever run: no pickle.

An array's header is checked against the file's length before room is made for it, because a few
bytes may claim to be terabytes.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from core.errors import EditRefusedError, FileFormatError
from core.graph.nodes import DTYPES, MOST_AXES
from core.importers.tables import Array, read_table, squeezed

#: File name endings that can be read.
ENDINGS = (".npy", ".npz", ".csv", ".tsv", ".txt")
#: Bytes an array may have.
MOST_BYTES = 2_000_000_000

_KEPT = frozenset(map(np.dtype, DTYPES))
_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


@dataclass(frozen=True, slots=True)
class ArrayHeader:
    """What an array file says of an array before it is read.

    Attributes:
        shape, dtype: as NumPy has them; a table of text has none yet.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def is_array_file(path: Path) -> bool:
    """Whether its name says that it has numbers to read."""
    return path.suffix.lower() in ENDINGS


def archived(path: Path) -> dict[str, ArrayHeader] | None:
    """The arrays in an .npz file by name, none of them read; None for the other files.

    Raises:
        FileFormatError: if the file cannot be read.
    """
    if path.suffix.lower() != ".npz":
        return None
    with _complaining(path), zipfile.ZipFile(path) as archive:
        found = {}
        for entry in archive.infolist():
            name = entry.filename.removesuffix(".npy")
            with archive.open(entry) as file:
                found[name] = _header(file, path.name, name, entry.file_size)
    if not found:
        raise FileFormatError(f"{path.name} is empty.", next_step="Choose another file.")
    return found


def read_array(path: Path, name: str | None = None) -> Array:
    """The array in a file, or the one of this name in an .npz file.

    Raises:
        FileFormatError: if it cannot be read or is no array of numbers; says what it is instead.
    """
    ending = path.suffix.lower()
    with _complaining(path):
        if ending == ".npy":
            with open(path, "rb") as file:
                return _read_npy(file, path.name, "", path.stat().st_size)
        if ending == ".npz":
            with zipfile.ZipFile(path) as archive, archive.open(f"{name}.npy") as inner:
                size = archive.getinfo(f"{name}.npy").file_size
                return _read_npy(inner, path.name, name or "", size)
        if ending in ENDINGS:
            return _read_text(path)
    raise FileFormatError(
        f"{path.name} is not a file of numbers.",
        next_step=f"Give one of {', '.join(ENDINGS)}.",
    )


def source_of(path: Path, name: str | None = None) -> Mapping[str, Any]:
    """What an input node remembers of where its value came from."""
    source = {"kind": "file", "file": path.name}
    return source if name is None else {**source, "array": name}


def _read_text(path: Path) -> Array:
    raw = path.read_bytes()
    is_wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))  # what Excel calls Unicode text
    try:
        text = raw.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise FileFormatError(
            f"{path.name} is not text.", next_step="Save the table as CSV in UTF-8."
        ) from None
    try:
        return squeezed(read_table(text.splitlines()))
    except EditRefusedError as error:
        raise FileFormatError(
            f"{path.name}: {error.what}", next_step=error.next_step, line=error.line
        ) from None


def _read_npy(file: IO[bytes], file_name: str, name: str, size: int) -> Array:
    """The array of an .npy file of ``size`` bytes, read-only."""
    header, order = _header_and_order(file, file_name, name, size)
    array = np.empty(header.shape[::-1] if order == "F" else header.shape, header.dtype)
    buffer = array.reshape(-1).view(np.uint8).data
    filled = 0
    while filled < len(buffer):
        got = file.readinto(buffer[filled:])  # type: ignore[attr-defined]
        if not got:
            raise _cut_short(file_name, name)
        filled += got
    array = np.ascontiguousarray(array.T) if order == "F" else array
    array = array.astype(header.dtype.newbyteorder("="), copy=False)
    array.flags.writeable = False
    return array


def _header(file: IO[bytes], file_name: str, name: str, size: int) -> ArrayHeader:
    return _header_and_order(file, file_name, name, size)[0]


def _header_and_order(
    file: IO[bytes], file_name: str, name: str, size: int
) -> tuple[ArrayHeader, str]:
    """What the header says, if it is one of an array that can be kept."""
    called = f"'{name}' in {file_name}" if name else file_name
    try:
        version = np.lib.format.read_magic(file)
        shape, is_fortran, dtype = _READERS[version](file)
        if any(length < 0 for length in shape):
            raise ValueError
    except (ValueError, KeyError):
        raise FileFormatError(
            f"{called} is not an .npy array.", next_step="Save it with numpy.save."
        ) from None
    if dtype.newbyteorder("=") not in _KEPT:
        if dtype.hasobject:
            what, step = "holds Python objects, which could run code when read", "as numbers"
        elif dtype.names:
            what, step = f"is a table of records ({', '.join(dtype.names)})", "column by column"
        else:
            what, step = f"has the dtype {dtype}, which has no gradients", "as float64"
        raise FileFormatError(f"{called} {what}.", next_step=f"Save it {step}.")
    bytes_said = math.prod(shape) * dtype.itemsize
    if len(shape) > MOST_AXES or bytes_said > MOST_BYTES:
        raise FileFormatError(
            f"{called} is too large: {_dims(shape)}.",
            next_step=f"Give a part of it, {MOST_BYTES // 10**9} GB at most.",
        )
    if bytes_said > size - file.tell():
        raise _cut_short(file_name, name)
    return ArrayHeader(shape, dtype), "F" if is_fortran else "C"


def _cut_short(file_name: str, name: str) -> FileFormatError:
    called = f"'{name}' in {file_name}" if name else file_name
    return FileFormatError(f"{called} is cut short.", next_step="Copy or save it again.")


def _dims(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))


@contextmanager
def _complaining(path: Path) -> Iterator[None]:
    """Turns what reading a file may raise into a FileFormatError."""
    try:
        yield
    except OSError as error:
        raise FileFormatError(
            f"{path.name} could not be read: {error.strerror or error}.",
            next_step="Check that it is there and that you may read it.",
        ) from None
    except (zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError, RuntimeError):
        raise FileFormatError(
            f"{path.name} is not an .npz archive that can be read.",
            next_step="Save it with numpy.savez.",
        ) from None
    except MemoryError:
        raise FileFormatError(
            f"{path.name} needs more memory than there is.", next_step="Give a part of it."
        ) from None
