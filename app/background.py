"""Work that may take long, on a thread of its own, for a window that does not wait for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from app.garbage import collect_on_window_thread
from core.errors import FileFormatError, PullbackError

_log = logging.getLogger("pullback")
#: Work that takes less is not worth a word.
BUSY_AFTER_MS = 150


class _Post(QObject):
    """Carries what came of it to the window's thread, where it lives."""

    arrived = Signal(object)


class _Worker(threading.Thread):
    """Does it; posts the result, or a PullbackError. Nothing of Qt is made on it."""

    def __init__(self, do: Callable[[], object], about: str) -> None:
        super().__init__(name="background", daemon=True)
        self.post = _Post()
        self._do = do
        self._about = about

    def start(self) -> None:
        """Begin; to be called on the window's thread."""
        collect_on_window_thread()
        super().start()

    def run(self) -> None:
        """Do it, whatever comes of it."""
        result: object
        try:
            result = self._do()
        except PullbackError as error:
            result = error
        except OSError as error:
            result = FileFormatError(
                f"{self._about}: {error.strerror or 'it cannot be read or written'}.",
                next_step="Check that it is there and that you may use it.",
            )
        except Exception:  # noqa: BLE001  (whatever it is, the window must hear of it)
            _log.exception("work on %s failed", self._about)
            result = FileFormatError(
                f"Something went wrong with {self._about}.", next_step="The log has the details."
            )
        self.post.arrived.emit(result)


class Background(QObject):
    """One piece of work at a time; a newer one takes the place of an older.

    Signals:
        busy: it takes long enough to say so (what it is about; "" when it is done).
        failed: it could not be done (PullbackError).
        finished: it was done, failed, or was given up.
    """

    busy = Signal(str)
    failed = Signal(object)
    finished = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._worker: _Worker | None = None
        self._then: Callable[[Any], object] | None = None
        self._about = ""
        self._timer = QTimer(self, singleShot=True, interval=BUSY_AFTER_MS)
        self._timer.timeout.connect(lambda: self.busy.emit(self._about))

    def start(self, about: str, do: Callable[[], object], then: Callable[[Any], object]) -> None:
        """Do something elsewhere, and then something with its result here.

        Args:
            about: the name of the file it is about.
        """
        self.stop()
        self._then, self._about = then, about
        self._timer.start()
        self._worker = _Worker(do, about)
        self._worker.post.arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)
        self._worker.start()

    @Slot()
    def stop(self) -> None:
        """Give up what is being done: its result will be dropped."""
        if self._worker is not None:
            self._worker.post.arrived.disconnect(self._on_arrived)
            self._end()

    @Slot(object)
    def _on_arrived(self, result: object) -> None:
        then = self._then
        self._end(quiet=True)
        if isinstance(result, PullbackError):
            self.failed.emit(result)
        elif then is not None:
            then(result)
        self.finished.emit()

    def _end(self, *, quiet: bool = False) -> None:
        self._worker, self._then = None, None
        self._timer.stop()
        self.busy.emit("")
        if not quiet:
            self.finished.emit()
