"""How fast files are read and written, as multiples of what plain JSON and NumPy take.

``python -m benchmarks.files [--json] [--nodes 10000]``. Reading is reading and checking all of it.
"""

from __future__ import annotations

import argparse
import base64
import gc
import io
import json
import os
import sys
import tempfile
from pathlib import Path

import msgspec
import numpy as np

from benchmarks.graphs import written
from benchmarks.report import Row, publish
from benchmarks.timing import machine, seconds
from core.files import dumps, load, loads, save
from core.graph import INPUT, Graph

#: The array of the last rows: 26 MB of float64.
SHAPE = (1300, 2500)


def many_nodes(count: int) -> list[Row]:
    """A file of ``count`` nodes, against the json module on the same text."""
    graph = written(count, count * 8 // 5)
    text = dumps(graph)
    data, plain = text.encode(), json.loads(text)
    about = f"{len(graph.nodes):,} nodes, {len(graph.wires):,} wires, {len(data) / 1e6:.1f} MB"
    gc.collect()
    gc.freeze()  # or json.loads would be slowed by whatever else is in memory
    reading, reading_json = seconds(lambda: loads(data), lambda: json.loads(text))
    writing, writing_json = seconds(lambda: dumps(graph), lambda: json.dumps(plain))
    return [
        Row(
            f"load and validate {about}", reading / reading_json, "x json.loads", 3.0,
            {"pullback ms": reading * 1e3, "json.loads ms": reading_json * 1e3},
        ),
        Row(
            f"write {about}", writing / writing_json, "x json.dumps", 3.0,
            {"pullback ms": writing * 1e3, "json.dumps ms": writing_json * 1e3},
        ),
    ]  # fmt: skip


def large_array(folder: Path) -> list[Row]:
    """A file of one large array, against np.save and against the same text made by hand."""
    array = np.random.default_rng(0).normal(size=SHAPE)
    graph, _ = Graph().with_node(INPUT, params={"value": array})
    ours, npy, text = folder / "graph.pullback", folder / "array.npy", folder / "text.json"

    def np_save_safely() -> None:
        """As safely as ours: on the disk before it counts as saved."""
        with open(npy, "wb") as file:
            np.save(file, array)
            file.flush()
            os.fsync(file.fileno())

    def by_hand() -> None:
        file = io.BytesIO()
        np.save(file, array)
        with open(text, "w", encoding="ascii") as out:
            json.dump({"npy": base64.b64encode(file.getvalue()).decode()}, out)
            out.flush()
            os.fsync(out.fileno())

    def read_by_hand() -> None:
        raw = base64.b64decode(json.loads(text.read_bytes())["npy"])
        np.load(io.BytesIO(raw))

    raw = array.tobytes()
    quoted = b'"%b"' % base64.b64encode(raw)
    saving, safely, bare, hand, encoding = seconds(
        lambda: save(graph, ours), np_save_safely, lambda: np.save(npy, array), by_hand,
        lambda: base64.b64encode(raw),
    )  # fmt: skip
    loading, np_loading, hand_loading, decoding, reading = seconds(
        lambda: load(ours), lambda: np.load(npy), read_by_hand,
        lambda: msgspec.json.decode(quoted, type=bytes), ours.read_bytes,
    )  # fmt: skip
    about = f"an array of {array.nbytes / 1e6:.0f} MB"
    return [
        Row(
            f"save {about}", saving / safely, "x np.save and fsync", 2.0,
            {"pullback ms": saving * 1e3, "np.save and fsync ms": safely * 1e3,
             "np.save ms": bare * 1e3, "base64 and json ms": hand * 1e3},
            "The file is JSON, so numbers are written in base64. Encoding alone takes "
            f"{encoding / safely:.1f} times np.save and fsync, {encoding / bare:.0f} times np.save "
            "alone; then there is a third more to write.",
        ),
        Row(
            f"load {about}", loading / np_loading, "x np.load", 2.0,
            {"pullback ms": loading * 1e3, "np.load ms": np_loading * 1e3,
             "base64 and json ms": hand_loading * 1e3},
            "The file is JSON, so numbers are read from base64. Decoding alone, by msgspec, takes "
            f"{decoding / np_loading:.0f} times np.load, and reading the bytes of the file "
            f"{reading / np_loading:.0f} times.",
        ),
    ]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--nodes", type=int, default=10_000)
    given = parser.parse_args()
    rows = many_nodes(given.nodes)
    with tempfile.TemporaryDirectory() as folder:
        rows += large_array(Path(folder))
    publish(rows, machine(), given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
