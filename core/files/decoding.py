"""Text as a graph. Everything is checked before anything is returned, and every fault names where.

Files come from anywhere: a mail, a crash, an editor, an attacker. Whatever the bytes, the outcome
is a graph that holds together or one ``FileFormatError``.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, NoReturn, TypeVar

import msgspec

from core.errors import FileFormatError
from core.files import assembly, keys
from core.files.migrations import migrate
from core.files.schema import FORMAT, VERSION, FileRecord, Header, RawNodes
from core.graph import Fragment, Graph, OutsideWire

T = TypeVar("T")

_NEXT_STEP = "Put it right in a text editor, or open a backup; nothing was changed."
_AT = re.compile(r" - at `\$\.?(.*)`$")
_TYPES = {
    "`str`": "text",
    "`int`": "a whole number",
    "`float`": "a number",
    "`bool`": "true or false",
    "`null`": "null",
    "`array`": "a list",
    "`object`": "an object",
}


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """No garbage collection meanwhile: many objects are made, none of them is garbage.

    It would look through all of them again and again, and take half of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def loads(text: str | bytes) -> Graph:
    """The graph that a file's text describes.

    Raises:
        FileFormatError: if it describes none; the message says where and why.
    """
    with _collector_at_rest():
        return _read(_encoded(text))[0]


def loads_fragment(text: str | bytes) -> Fragment:
    """What was copied to the clipboard; the text of a whole file does as well.

    Raises:
        FileFormatError: if it is something else.
    """
    with _collector_at_rest():
        graph, record = _read(_encoded(text))
    outside = []
    for i, wire in enumerate(record.outside):
        if wire.target[0] not in graph.nodes:
            _refuse(f"outside[{i}]: there is no node '{wire.target[0]}'")
        outside.append(OutsideWire(*wire.source[:1], wire.name, wire.source[1], *wire.target))
    return Fragment(graph, tuple(outside))


def _encoded(text: str | bytes) -> bytes:
    if isinstance(text, bytes):
        return text.removeprefix(b"\xef\xbb\xbf")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        _refuse("The text has characters that no file can hold")


def _read(data: bytes) -> tuple[Graph, FileRecord]:
    record = _newest(data) or _other(data)
    try:
        graph = assembly.graph(record, cache(partial(_raw_nodes, data, record)))
    except RecursionError:
        _refuse("Lists or objects are nested too deeply")
    except assembly.MisfitError as misfit:
        raise FileFormatError(
            f"{misfit.place}: {misfit.what}.", next_step=misfit.next_step or _NEXT_STEP
        ) from None
    return graph, record


def _newest(data: bytes) -> FileRecord | None:
    """The records of a file of this version, as nearly all are; None if it is anything else."""
    try:
        record = msgspec.json.decode(data, type=FileRecord)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if (record.format, record.version) != (FORMAT, VERSION):
        return None
    if len(data) <= keys.MOST_BY_HAND and keys.suspicious(data, record):
        keys.check(data)
    return record


def _other(data: bytes) -> FileRecord:
    """The records of a file of an older version, or what is wrong with the file."""
    header = _decode(data, Header)
    if header.format != FORMAT:
        _refuse(f"This is a file of format '{header.format[:40]}', not of Pullback")
    if header.version > VERSION:
        raise FileFormatError(
            f"The file has version {header.version}; this program reads up to version {VERSION}.",
            next_step="Open it with a newer version of Pullback.",
        )
    if header.version < 1:
        _refuse(f"There is no version {header.version} of the format")
    if header.version == VERSION:
        return _decode(data, FileRecord)
    old = _decode(data, dict[str, Any])
    keys.check(data)
    return _convert(migrate(old, header.version, VERSION))


def _raw_nodes(data: bytes, record: FileRecord, function: int | None) -> list[str]:
    """The text of every node, as it stands in the file or as a migration left it."""
    if _decode(data, Header).version == VERSION:
        raw = _decode(data, RawNodes)
        texts = raw.nodes if function is None else raw.functions[function].nodes
        return [bytes(text).decode("utf-8") for text in texts]
    body = record if function is None else record.functions[function]
    return [msgspec.json.encode(node).decode("utf-8") for node in body.nodes]


def _decode(data: bytes, wanted: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=wanted)
    except msgspec.ValidationError as error:
        _refuse(_translated(str(error), data))
    except msgspec.DecodeError as error:
        _refuse_malformed(str(error), data)
    except RecursionError:
        _refuse("Lists or objects are nested too deeply")


def _convert(data: dict[str, Any]) -> FileRecord:
    try:
        return msgspec.convert(data, FileRecord)
    except msgspec.ValidationError as error:
        _refuse(_translated(str(error), msgspec.json.encode(data)))


def _refuse(what: str) -> NoReturn:
    raise FileFormatError(f"{what}.", next_step=_NEXT_STEP)


def _refuse_malformed(message: str, data: bytes) -> NoReturn:
    """Bytes that are no JSON: what they are instead, as far as can be told."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(
            f"Line {line}: this is not UTF-8 text.",
            next_step="Choose a file that Pullback saved.",
            line=line,
        ) from None
    if not data.strip():
        _refuse("The file is empty")
    at = re.search(r"\(byte (\d+)\)", message)
    if at is None or not data[int(at[1]) :].strip():
        last = data.count(b"\n") + 1
        raise FileFormatError(
            f"Line {last}: the file ends in the middle; the rest of it is missing.",
            next_step=_NEXT_STEP,
            line=last,
        )
    line = data.count(b"\n", 0, int(at[1])) + 1
    column = int(at[1]) - data.rfind(b"\n", 0, int(at[1]))
    raise FileFormatError(
        f"Line {line}, column {column}: this is not JSON.", next_step=_NEXT_STEP, line=line
    )


def _translated(message: str, data: bytes) -> str:
    """msgspec's message in our words: "nodes[3] 'square', op: expected text, got a number"."""
    at = _AT.search(message)
    place = _named(at[1], data) if at else ""
    what = message[: at.start()] if at else message
    for theirs, ours in _TYPES.items():
        what = what.replace(theirs, ours)
    what = what.replace("Object contains unknown field", "There is an unknown key")
    what = what.replace("Object missing required field", "A key is missing:")
    what = what.replace("`", "'")
    return f"{place}: {what[:1].lower()}{what[1:]}" if place else what


def _named(path: str, data: bytes) -> str:
    """A path such as ``nodes[3].op`` with the name of its record: ``nodes[3] 'square', op``."""
    match = re.match(r"(functions|nodes|wires|frames|runs)\[(\d+)\]\.?(.*)", path)
    if not match:
        return path
    kind, position, rest = match.groups()
    try:
        lists = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        record = msgspec.json.decode(lists[kind], type=list[msgspec.Raw])[int(position)]
        name = _name(record)
    except msgspec.DecodeError:  # beyond the place that is wrong, the text is broken as well
        name = None
    place = f"{kind}[{position}]" + (f" {name[:40]!r}" if name else "")
    return f"{place}, {rest}" if rest else place


def _name(record: msgspec.Raw) -> str | None:
    """What a record that may be all wrong is called."""
    try:
        fields = msgspec.json.decode(record, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        return None
    for key in ("name", "title", "op", "id"):
        text = bytes(fields.get(key, b""))
        if text.startswith(b'"'):
            return msgspec.json.decode(text, type=str)
    return None
