"""Reading the reference data in tests/data/golden, made with torch 2.13 in float64.

Arrays are ``{"dtype", "shape", "data", "layout"?}``; ``layout`` asks for non-contiguous memory.
"""

import json
from pathlib import Path

import numpy as np

from core import Tensor

DATA = Path(__file__).parents[1] / "data" / "golden"
RTOL, ATOL, RTOL_SECOND = 1e-8, 1e-10, 1e-7
NUMBERS = {"NaN": np.nan, "Infinity": np.inf, "-Infinity": -np.inf, "inf": np.inf, "-inf": -np.inf}


def read(path):
    return json.loads((DATA / path).read_text("utf-8"))


def array_of(record):
    """The array a record describes, laid out in memory as it asks; None stays None."""
    if record is None:
        return None
    number = complex_of if record["dtype"] == "complex128" else lambda v: NUMBERS.get(v, v)
    flat = [number(v) for v in flattened(record["data"], len(record["shape"]))]
    array = np.array(flat, dtype=record["dtype"]).reshape(record["shape"])
    return laid_out(array, record.get("layout"))


def flattened(data, depth):
    return [data] if depth == 0 else [x for row in data for x in flattened(row, depth - 1)]


def complex_of(pair):
    return complex(*(float(NUMBERS.get(v, v)) for v in pair))


def laid_out(array, layout):
    if layout is None:
        return array
    if layout["kind"] == "transpose":
        return np.ascontiguousarray(array.T).T
    axis = layout["axis"] % array.ndim
    if layout["kind"] == "reverse":
        return np.flip(np.flip(array, axis).copy(), axis)
    step = layout["step"]
    shape = [n * step if i == axis else n for i, n in enumerate(array.shape)]
    every = tuple(slice(None, None, step if i == axis else None) for i in range(array.ndim))
    wide = np.zeros(shape, array.dtype)
    wide[every] = array
    return wide[every]


def params_of(params):
    """Parameters as Python values: infinities, and the notation for indices."""
    read = {k: NUMBERS.get(v, v) if isinstance(v, str) else v for k, v in params.items()}
    if "index" in read:
        parts = read["index"] if isinstance(read["index"], list) else [read["index"]]
        read["index"] = tuple(index_part(p) for p in parts)
    return read


def index_part(part):
    match part:
        case "newaxis":
            return None
        case "ellipsis":
            return ...
        case {"slice": ends}:
            return slice(*ends)
        case {"ints": ints}:
            return np.array(ints, dtype=np.int64)
        case {"mask": mask}:
            return np.array(mask, dtype=bool)
        case _:
            return part


def assert_same(got, want, what, *, nan_is_free=False, rtol=RTOL, atol=ATOL):
    """Equal shapes and |got - want| <= atol + rtol |want|; NaN where NaN is wanted."""
    got = np.asarray(got.data if isinstance(got, Tensor) else got)
    assert got.shape == want.shape, f"{what}: shape {got.shape}, expected {want.shape}"
    if nan_is_free:
        keep = ~np.isnan(want)
        got, want = got[keep], want[keep]
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol, err_msg=what)
