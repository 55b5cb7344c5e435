"""A layout in another process: graphlay holds this one's lock, and the window must live."""

from __future__ import annotations

import sys

import msgspec
from PySide6.QtCore import QObject, QProcess, Signal

from app.child import LAST_WAIT_MS, child_environment
from core.topology.worker import Task, decode_layout, encode_task


class LayoutProcess(QObject):
    """One task, one process.

    Signals:
        solved: where everything goes (a ``Layout``).
        failed: the process broke down; what it said (str).
    """

    solved = Signal(object)
    failed = Signal(str)

    def __init__(self, task: Task, parent: QObject) -> None:
        super().__init__(parent)
        self._process = QProcess(self)
        self._process.setProgram(sys.executable)
        # -P: a file in the working directory must not pass for a module.
        self._process.setArguments(["-P", "-m", "core.topology.worker"])
        self._process.setProcessEnvironment(child_environment())
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)
        self._process.start()
        self._process.write(encode_task(task))
        self._process.closeWriteChannel()

    @property
    def number(self) -> int:
        """The system's number of the process; 0 while there is none."""
        return int(self._process.processId())

    def stop(self) -> None:
        """Kill it; nothing is heard of it any more."""
        self._process.finished.disconnect(self._on_finished)
        self._process.errorOccurred.disconnect(self._on_error)
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.kill()
            self._process.waitForFinished(LAST_WAIT_MS)
        self.deleteLater()

    def _on_finished(self, code: int, _status: QProcess.ExitStatus) -> None:
        answer = self._process.readAllStandardOutput().data()
        try:
            found = decode_layout(bytes(answer))
        except msgspec.DecodeError:
            words = bytes(self._process.readAllStandardError().data()).decode(errors="replace")
            self.failed.emit(words.strip().rpartition("\n")[2] or f"exit code {code}")
        else:
            self.solved.emit(found)

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:  # no other comes without `finished`
            self.failed.emit(self._process.errorString())
