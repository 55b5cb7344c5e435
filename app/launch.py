"""Starts the window, and makes sure that whatever goes wrong is said and logged, not fatal."""

from __future__ import annotations

import faulthandler
import gc
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, Qt, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.garbage import collect_anywhere
from app.main_window import MainWindow
from app.windows import Windows
from app.worker import wait_for_threads
from core.errors import PullbackError

_log = logging.getLogger("pullback")
#: Seconds after the last window for the engine to end what it is at.
LAST_WAIT = 2.0
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def run_window(paths: Sequence[Path] = ()) -> int:
    """Open a window with these files; returns the exit code once the last window is closed."""
    faulthandler.enable()
    qInstallMessageHandler(_log_qt_message)
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
    )
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("Pullback")
    app.setDesktopFileName("pullback")
    windows = Windows()
    window = MainWindow(windows)
    sys.excepthook = report_to(windows)
    window.show()
    QTimer.singleShot(0, lambda: _go_on(window, paths))  # the canvas has its size by then
    code = app.exec()
    if not wait_for_threads(LAST_WAIT):
        # A NumPy call that cannot be interrupted still runs; Qt would abort on its thread.
        logging.shutdown()
        os._exit(code)
    return code


def _go_on(window: MainWindow, paths: Sequence[Path]) -> None:
    """Open what was asked for; from now on garbage is collected, but for what stays anyway."""
    window.start(paths)
    gc.freeze()
    collect_anywhere()


def report_to(
    windows: Windows,
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """An exception hook that shows a message and lets the program go on."""

    def report(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        _log.error("unexpected", exc_info=(kind, error, trace))
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        what = f"Something went wrong inside the program: {kind.__name__}: {error}"
        window = windows.active
        if window is not None:
            next_step = "Your graph is unharmed; save it to be sure."
            window.report(PullbackError(what, next_step=next_step))

    return report


def _log_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    _log.log(_LEVELS.get(kind, logging.WARNING), "Qt %s: %s", context.category, message)
