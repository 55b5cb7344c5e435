"""Arrays in files: readable while they are small, compact and exact when they are not."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from core.files.schema import ArrayRecord
from core.graph.nodes import DTYPES, MOST_AXES, Array

#: Arrays of more elements are written as base64 of an .npy file.
INLINE_LIMIT = 1000

_DTYPES = {name: np.dtype(name) for name in DTYPES}
_FLOAT64 = _DTYPES["float64"]
#: Of what float64 holds without a look at each number.
_FITTING = {float, int}
_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
#: Magic, version 1.0 and header of an .npy file of plain numbers, as NumPy writes them.
_NPY = re.compile(
    rb"\x93NUMPY\x01\x00.."
    rb"\{'descr': '([<>|][biufc]\d{1,2})', 'fortran_order': (True|False), "
    rb"'shape': \(([\d, ]*)\), \} *\n",
    re.DOTALL,
)


class ArrayError(ValueError):
    """An array record that does not make an array; the message says why."""


def encode(array: Array) -> ArrayRecord:
    """The record of an array."""
    if array.size > INLINE_LIMIT:
        return ArrayRecord(array.dtype.name, shape=list(array.shape), npy=_encode_npy(array))
    shape = None if array.size else list(array.shape)
    return ArrayRecord(array.dtype.name, shape=shape, data=nested(array))


def nested(array: Array) -> Any:
    """The numbers of an array in nested lists, fit for JSON."""
    if array.dtype.kind == "c":
        return nested(np.stack([array.real, array.imag], axis=-1))
    if array.dtype.kind != "f":
        return array.tolist()
    return [nested(row) for row in array] if array.ndim else _number(array[()])


def _number(x: Any) -> float | str:
    """The shortest number that reads back as the same ``x`` (a float16 or float32 too)."""
    if math.isfinite(x):
        return float(x) if x.dtype == np.float64 else float(str(x))
    return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"


def decode(record: ArrayRecord) -> Array:
    """The array of a record, read-only.

    Raises:
        ArrayError: if the record is not that of an array.
    """
    dtype = _DTYPES.get(record.dtype)
    if dtype is None:
        raise ArrayError(f"'{record.dtype}' is not a dtype this program knows")
    if record.npy is not None:
        array = _decode_npy(record.npy)
        if array.dtype != dtype:
            raise ArrayError(f"the dtype is said to be {dtype}, but is {array.dtype}")
    else:
        array = _decode_nested(record.data, dtype)
    if record.shape is not None and list(array.shape) != record.shape:
        if array.size or math.prod(record.shape):
            raise ArrayError(f"the shape is said to be {record.shape}, but is {list(array.shape)}")
        array = array.reshape(record.shape)
    array.flags.writeable = False
    return array


def _decode_nested(data: Any, dtype: np.dtype[Any]) -> Array:
    if dtype is _FLOAT64 and type(data) is float:
        return np.array(data)
    try:
        items, shape = _flattened(data, pairs=dtype.kind == "c")
        if dtype is _FLOAT64 and set(map(type, items)) <= _FITTING:  # nearly all arrays
            return np.array(data, dtype)
        convert = _CONVERT[dtype.kind]
        with np.errstate(over="raise"):
            return np.array([convert(x) for x in items], dtype).reshape(shape)
    except (OverflowError, FloatingPointError):
        raise ArrayError(f"there is a number that {dtype} cannot hold") from None


def _flattened(data: Any, pairs: bool) -> tuple[list[Any], tuple[int, ...]]:
    """The items of nested lists, and their shape; pairs of numbers stay together if asked."""
    if not isinstance(data, list):
        return [data], ()
    items, shape = [data], [1]
    while items and isinstance(items[0], list):
        if pairs and items[0] and not isinstance(items[0][0], list):
            break
        if len(shape) > MOST_AXES:
            raise ArrayError(f"it has more than {MOST_AXES} axes")
        length = len(items[0])
        if set(map(type, items)) != {list} or set(map(len, items)) != {length}:
            raise ArrayError("its rows are not all of the same length")
        items = [x for row in items for x in row]
        shape.append(length)
    return items, tuple(shape[1:])


def _float(x: Any) -> float:
    if type(x) is float:
        return x
    if type(x) is int:
        return float(x)
    if isinstance(x, str) and x in _WORDS:
        return _WORDS[x]
    raise ArrayError(f"{_shown(x)} is not a number")


def _int(x: Any) -> int:
    if type(x) is not int:
        raise ArrayError(f"{_shown(x)} is not a whole number")
    return x


def _bool(x: Any) -> bool:
    if not isinstance(x, bool):
        raise ArrayError(f"{_shown(x)} is neither true nor false")
    return x


def _complex(x: Any) -> complex:
    if not (isinstance(x, list) and len(x) == 2):
        raise ArrayError(f"{_shown(x)} is not a pair [re, im]")
    return complex(_float(x[0]), _float(x[1]))


_CONVERT: dict[str, Callable[[Any], Any]] = {
    "f": _float,
    "i": _int,
    "u": _int,
    "b": _bool,
    "c": _complex,
}


def _shown(x: Any) -> str:
    """What to call an odd element in a message; never long."""
    if isinstance(x, list | dict):
        return "a list" if isinstance(x, list) else "an object"
    return "nothing" if x is None else f"'{str(x)[:20]}'"


def _encode_npy(array: Array) -> bytes:
    """What np.save writes, copied once."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
    return b"".join((file.getvalue(), array.reshape(-1).view(np.uint8).data))


def _decode_npy(raw: bytes) -> Array:
    header = _NPY.match(raw)
    if not header:
        raise ArrayError("it is not an .npy file of numbers")
    shape = [int(length) for length in header[3].replace(b" ", b"").split(b",") if length]
    dtype = np.dtype(header[1].decode("ascii"))
    # Before NumPy makes room for it: a few bytes may claim to be terabytes.
    if len(shape) > MOST_AXES or math.prod(shape) * dtype.itemsize != len(raw) - header.end():
        raise ArrayError("its .npy file is cut short or too long")
    array = np.frombuffer(raw, dtype, offset=header.end())
    array = array.reshape(shape, order="F" if header[2] == b"True" else "C")
    return np.asarray(array, dtype.newbyteorder("="), order="C")  # of ``raw`` itself, mostly
