"""What editing one value costs in a large graph, beside the operations that depend on it.

``python -m benchmarks.edits [--json] [--nodes 10000]``. Milliseconds, not ratios: the limit is what
a hand feels while it drags a slider.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from app.document import Document
from app.main_window import MainWindow
from app.settings import Settings
from app.windows import Windows
from benchmarks.graphs import written
from benchmarks.report import Row, publish
from benchmarks.timing import machine
from core.graph import INPUT, Graph, diff
from core.session import Session

_ROUNDS = 60


def quiet_input(graph: Graph) -> str:
    """An input with a value that few nodes depend on: so the edit is measured, not they."""
    inputs = [node.id for node in graph.nodes.values() if node.op == INPUT]
    return min(inputs, key=lambda node_id: len(graph.descendants(node_id)))


def edited(graph: Graph, node_id: str) -> Iterator[Graph]:
    """Graph after graph, each with another value at the node."""
    shape = graph.nodes[node_id].params["value"].shape
    value = 0.0
    while True:
        value += 1.0
        graph = graph.with_params(node_id, value=np.full(shape, value))
        yield graph


def milliseconds(work: Callable[[Graph], object], graphs: Iterator[Graph]) -> float:
    """The median time of ``work``, each time on the next graph."""
    times = []
    for _ in range(_ROUNDS):
        graph = next(graphs)
        start = time.perf_counter()
        work(graph)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def rows(count: int) -> list[Row]:
    """The parts of an edit, and all of them together."""
    graph = written(count, count * 8 // 5)
    node_id = quiet_input(graph)
    session = Session(graph)
    document = Document(graph)
    about = f"in {len(graph.nodes):,} nodes, {len(graph.wires):,} wires"

    def follow(after: Graph) -> None:
        """What the worker does."""
        session.update(after)
        session.snapshot()

    making = milliseconds(
        lambda after: after.with_params(node_id, requires_grad=not _tracked(after, node_id)),
        edited(graph, node_id),
    )
    comparing = milliseconds(lambda after: diff.__wrapped__(graph, after), edited(graph, node_id))
    editing = milliseconds(lambda after: document.edit("Set x", after), edited(graph, node_id))
    following = milliseconds(follow, edited(graph, node_id))

    def everything(after: Graph) -> None:
        again = after.with_params(node_id, value=after.nodes[node_id].params["value"] + 0.5)
        document.edit("Set x", again)
        follow(again)

    total = milliseconds(everything, edited(graph, node_id))
    parts: dict[str, float | None] = {
        "new graph": making,
        "diff": comparing,
        "document.edit": editing,
        "Session.update and snapshot": following,
    }
    return [
        Row(f"set one value {about}", total, "ms", 2.0, parts),
        Row(f"the same {about}, until every part of the window followed", in_window(graph, node_id),
            "ms", 8.0),
    ]  # fmt: skip


def in_window(graph: Graph, node_id: str) -> float:
    """Milliseconds that the window's own thread needs to follow an edit, painting apart."""
    window = MainWindow(Windows())
    window.show()
    tab = window.current
    tab.document.set_graph(graph)
    tab.canvas.select([node_id])
    application = QApplication.instance()
    assert application is not None

    def settle() -> None:
        while not tab.evaluator.is_idle:
            application.processEvents()
        application.processEvents()

    settle()
    graphs = edited(graph, node_id)
    times = []
    for _ in range(_ROUNDS):
        after = next(graphs)
        start = time.perf_counter()
        tab.document.edit("Set x", after)
        times.append(time.perf_counter() - start)
        settle()
    tab.document.undo_stack.setClean()
    window.close()
    return statistics.median(times) * 1e3


def _tracked(graph: Graph, node_id: str) -> bool:
    return bool(graph.nodes[node_id].params["requires_grad"])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--nodes", type=int, default=10_000)
    given = parser.parse_args()
    application = QApplication([])
    with tempfile.TemporaryDirectory() as folder:
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, folder)
        Settings().is_first_start()
        found = rows(given.nodes)
    application.processEvents()
    publish(found, machine(), given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
