"""Runs the engine on a thread of its own, so that the window never waits for it.

The worker owns the ``Session`` and all its Tensors; the window gets Snapshots and Traces: read-only
arrays. Every request carries the graph it is about and a generation number. An edit overtakes the
edits queued before it, and what answers an older graph than the one shown is dropped.
"""

from __future__ import annotations

import logging
import queue
import threading
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from app.document import Document
from core.errors import PullbackError
from core.graph import Action, Graph, GraphDiff, Run
from core.session import ActionResult, RunResult, Session, Snapshot

_log = logging.getLogger("pullback")

#: Work shorter than this is not worth a spinner.
BUSY_AFTER_MS = 150
#: Threads that nobody listens to any more and that have not ended yet. Kept, since the last
#: reference to one must not be dropped on its own thread: its post belongs to the window's.
_leaving: list[Worker] = []


def wait_for_threads(timeout: float) -> bool:
    """Wait for the threads of closed evaluators to end, ``timeout`` seconds for each.

    Returns:
        False when one is still in a NumPy call that cannot be interrupted.
    """
    for worker in _leaving:
        worker.join(timeout)
    _forget_ended()
    return not _leaving


def _forget_ended() -> None:
    _leaving[:] = [worker for worker in _leaving if worker.is_alive()]


class Restart:
    """Asks for a fresh start: forward anew, grads None."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the window wants of the worker.

    Attributes:
        generation: counts the requests.
        document: counts the graphs opened; another one needs another session.
        graph: the graph it is about.
        work: what to do once the values are up to date; None when they are all that is wanted.
    """

    generation: int
    document: int
    graph: Graph
    work: Action | Run | Restart | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a request; ``failure`` says why there is no snapshot."""

    request: Request
    snapshot: Snapshot | None = None
    result: ActionResult | RunResult | None = None
    failure: str | None = None


class _Post(QObject):
    """Carries answers to the window's thread. It lives there; the worker only emits its signal."""

    answered = Signal(object)


class Worker(threading.Thread):
    """A thread that serves one request after the other.

    A Python thread, not a QThread: nothing of Qt is made, moved or deleted on it, so however late a
    retired one ends, it takes nothing of Qt's with it.

    Attributes:
        post: emits ``answered`` for each Answer.
        newest: generation of the last request sent. The window's thread writes it.
        retired: nobody listens any more. The window's thread writes it.
    """

    def __init__(self, newest: int) -> None:
        super().__init__(name="engine", daemon=True)
        self.post = _Post()
        self.newest = newest
        self.retired = False
        self._requests: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._session: Session | None = None
        self._document = 0

    def ask(self, request: Request) -> None:
        """Queue a request."""
        self.newest = request.generation
        self._requests.put(request)

    def retire(self) -> None:
        """End once the request being served is done."""
        self.retired = True
        self._requests.put(None)

    def run(self) -> None:
        """Serve until retired."""
        while (request := self._requests.get()) is not None:
            self._serve(request)

    def _serve(self, request: Request) -> None:
        """Bring the session up to the request's graph, do its work, and answer."""
        overtaken = request.work is None and request.generation < self.newest
        if self.retired or overtaken:
            return
        answer = Answer(request)
        try:
            session = self._session_for(request)
            result = _do(session, request.work)
            answer = Answer(request, session.snapshot(), result)
        except Exception as error:  # noqa: BLE001  (whatever it is, the thread must live on)
            _log.exception("the engine failed")
            answer = Answer(request, failure=f"{type(error).__name__}: {error}")
            self._session = None  # it may be half-done; the next request begins a new one
        if not self.retired:
            self.post.answered.emit(answer)

    def _session_for(self, request: Request) -> Session:
        if self._session is None or self._document != request.document:
            self._session = Session(request.graph)
            self._document = request.document
        else:
            self._session.update(request.graph)
        return self._session


def _do(session: Session, work: Action | Run | Restart | None) -> ActionResult | RunResult | None:
    if work is None:
        return None
    if isinstance(work, Restart):
        session.restart()
        return None
    if isinstance(work, Run):
        return session.run(work)
    return session.perform(work)


class Evaluator(QObject):
    """The window's end of the worker thread.

    Attributes:
        snapshot: the last values, gradients and freed marks; None before the first.

    Signals:
        evaluated: new values, grads and freed marks (Snapshot).
        traced: a backward was recorded (Trace).
        performed: an action ended, well or not (ActionResult).
        ran: a named run ended (RunResult).
        restarted: grads and freed marks are gone.
        failed: an action could not be done (PullbackError).
        busy: work takes long enough to say so (bool).
    """

    evaluated = Signal(object)
    traced = Signal(object)
    performed = Signal(object)
    ran = Signal(object)
    restarted = Signal()
    failed = Signal(object)
    busy = Signal(bool)

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.snapshot: Snapshot | None = None
        self._document = document
        self._documents = 0
        self._newest = 0
        self._edited = 0  # generation of the last edit: answers to older ones are outdated
        self._idle = True
        self._shown_busy = False
        self._busy_timer = QTimer(self)
        self._busy_timer.setSingleShot(True)
        self._busy_timer.setInterval(BUSY_AFTER_MS)
        self._busy_timer.timeout.connect(self._on_still_busy)
        self._start_worker()
        document.replaced.connect(self._on_replaced)
        document.changed.connect(self.follow)

    @property
    def is_idle(self) -> bool:
        """Whether everything asked for has been answered."""
        return self._idle

    # -- requests ------------------------------------------------------------------------------

    @Slot(object)
    def follow(self, diff: GraphDiff) -> None:
        """Compute what an edit changed. Layout edits change nothing."""
        if diff.affects_values or diff.nodes_renamed:
            self.evaluate()

    def evaluate(self) -> None:
        """Bring the values up to the document's graph."""
        self._request(None)
        self._edited = self._newest

    def perform(self, action: Action) -> None:
        """Do one action in the current session: grads add up, freed stays freed."""
        self._request(action)

    def restart(self) -> None:
        """Start fresh: forward anew, grads None."""
        self._request(Restart())

    def run(self, run: Run) -> None:
        """Start fresh and do all actions of a named run."""
        self._request(run)

    def cancel(self) -> None:
        """Stop waiting. A NumPy call cannot be interrupted, so its thread is left to finish alone.

        The session is lost with it; the next request begins a new one.
        """
        if self._idle:
            return
        self._retire_worker()
        # An answer that is already on its way counts as outdated.
        self._newest += 1
        self._edited = self._newest
        self._start_worker()
        self._set_idle()

    def close(self) -> None:
        """Ask nothing more, listen to nothing more, and let the thread end."""
        self._set_idle()
        self._document.replaced.disconnect(self._on_replaced)
        self._document.changed.disconnect(self.follow)
        self._retire_worker()

    # ------------------------------------------------------------------------------------------

    def _request(self, work: Action | Run | Restart | None) -> None:
        self._newest += 1
        self._idle = False
        if not self._busy_timer.isActive() and not self._shown_busy:
            self._busy_timer.start()
        self._worker.ask(Request(self._newest, self._documents, self._document.graph, work))

    @Slot(object)
    def _on_answered(self, answer: Answer) -> None:
        if answer.request.generation == self._newest:
            self._set_idle()
        if answer.failure is not None:
            what = f"Something went wrong inside the engine: {answer.failure}"
            self.failed.emit(PullbackError(what, next_step="Your graph is unharmed; save it."))
        if answer.request.generation < self._edited or answer.snapshot is None:
            return
        self.snapshot = answer.snapshot
        if isinstance(answer.request.work, Restart):
            self.restarted.emit()
        self.evaluated.emit(answer.snapshot)
        if isinstance(answer.result, ActionResult):
            self._announce(answer.result)
        elif isinstance(answer.result, RunResult):
            self.ran.emit(answer.result)
            for result in answer.result.results:
                if result.error is not None:
                    self.failed.emit(result.error)

    def _announce(self, result: ActionResult) -> None:
        if result.trace is not None:
            self.traced.emit(result.trace)
        self.performed.emit(result)
        if result.error is not None:
            self.failed.emit(result.error)

    def _on_replaced(self) -> None:
        self._documents += 1
        self.snapshot = None
        self.evaluate()

    def _on_still_busy(self) -> None:
        self._shown_busy = True
        self.busy.emit(True)

    def _set_idle(self) -> None:
        self._idle = True
        self._busy_timer.stop()
        if self._shown_busy:
            self._shown_busy = False
            self.busy.emit(False)

    # -- the thread ----------------------------------------------------------------------------

    def _start_worker(self) -> None:
        self._worker = Worker(self._newest)
        self._worker.post.answered.connect(self._on_answered, Qt.ConnectionType.QueuedConnection)
        self._worker.start()

    def _retire_worker(self) -> None:
        self._worker.post.answered.disconnect(self._on_answered)
        self._worker.retire()
        _forget_ended()
        _leaving.append(self._worker)
