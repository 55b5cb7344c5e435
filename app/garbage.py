"""Cyclic garbage is collected on the window's thread only, while others run.

A collection may free a wrapper of a Qt object, which takes a lock of Qt's and then Python's. On
another thread it can meet the window's thread holding Python's lock and waiting for Qt's: both
wait for ever. The engine makes no cycles, so nothing is lost by collecting in one place.
"""

from __future__ import annotations

import gc
import threading

from PySide6.QtCore import QCoreApplication, QObject, QTimer

_EVERY_MS = 200
#: Names of the threads that must not collect.
_THREADS = ("engine", "background")


class _Collector(QObject):
    """Does what Python does by itself, when the event loop comes round to it."""

    def __init__(self, application: QCoreApplication) -> None:
        super().__init__(application)
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._collect)
        self._timer.start()

    def _collect(self) -> None:
        if gc.isenabled():
            return
        counts, limits = gc.get_count(), gc.get_threshold()
        if counts[0] > limits[0]:
            oldest = max(k for k in range(3) if k == 0 or counts[k] > limits[k])
            gc.collect(oldest)
        collect_anywhere()


def collect_on_window_thread() -> None:
    """To be called before a thread is started."""
    gc.disable()
    application = QCoreApplication.instance()
    if application is not None and application.findChild(_Collector) is None:
        _Collector(application)


def collect_anywhere() -> None:
    """Leave it to Python again, once no thread that must not collect is alive."""
    if not any(thread.name in _THREADS for thread in threading.enumerate()):
        gc.enable()
