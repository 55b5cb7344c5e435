"""How long arranging takes, and whether the window lives meanwhile: offscreen, the whole program.

``python -m benchmarks.layout [--json] [--nodes 10000]``. The longest gap is the longest time that
the window heard of no event while another process laid out its nodes.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import QEventLoop, QSettings, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.arranging import Plan
from app.main_window import MainWindow
from app.windows import Windows
from benchmarks.graphs import layered
from benchmarks.report import Row, publish

#: Seconds.
_REACH_SMALL, _REACH_CANCEL = 0.5, 0.2
_SMALL = 500
#: Milliseconds after which the layout is given up, and between two heartbeats of the window.
_PATIENCE, _BEAT = 1500, 2
_CONTROL = Qt.KeyboardModifier.ControlModifier


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--nodes", type=int, default=10_000)
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as place:
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, place)
        app = QApplication([])
        window = MainWindow(Windows())
        window.resize(1600, 1000)
        window.show()
        app.processEvents()  # or it would not be active, and deaf to keys
        rows = measure(window, options.nodes)
        window.current.document.undo_stack.setClean()
        window.close()
        app.processEvents()
    machine = {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()}
    publish(rows, machine, options.json)


def measure(window: MainWindow, nodes: int) -> list[Row]:
    """The rows of the table."""
    window.current.document.set_graph(layered(_SMALL))
    plan = Plan.of(window.current.document.graph, window.current.editor.sizes())
    plan.task.solve()  # the library is loaded
    small = _timed(lambda: QTest.keyClick(window.current.canvas, Qt.Key.Key_L, _CONTROL))

    assert window.current.document.undo_stack.count() == 1

    window.current.document.set_graph(layered(nodes))
    QApplication.processEvents()
    loop = QEventLoop()
    window.current.arranger.ended.connect(loop.quit)
    beats: list[float] = []
    heart = QTimer(interval=_BEAT, timerType=Qt.TimerType.PreciseTimer)
    heart.timeout.connect(lambda: beats.append(time.perf_counter()))

    QTest.keyClick(window.current.canvas, Qt.Key.Key_L, _CONTROL)
    heart.start()
    QTimer.singleShot(_PATIENCE, loop.quit)
    loop.exec()
    given_up = _timed(
        lambda: QTest.mouseClick(
            window.current.layout_progress.cancel_button, Qt.MouseButton.LeftButton
        )
    )
    beats[:] = [time.perf_counter()]
    whole = _timed(
        lambda: (QTest.keyClick(window.current.canvas, Qt.Key.Key_L, _CONTROL), loop.exec())
    )
    beats.append(time.perf_counter())
    gap = max(after - before for before, after in pairwise(beats))
    assert window.current.document.undo_stack.count() == 1
    return [
        Row(f"arrange {_SMALL} nodes", small, "seconds", _REACH_SMALL),
        Row(f"arrange {nodes:,} nodes in another process", whole, "seconds", None),
        Row("longest gap of the window meanwhile", gap, "seconds", None),
        Row(f"give up arranging {nodes:,} nodes", given_up, "seconds", _REACH_CANCEL),
    ]


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
