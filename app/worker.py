"""The thread that runs the engine: requests go in, answers come out.

The worker owns the ``Session`` and all its Tensors; the window gets Snapshots and Traces: read-only
arrays. Every request carries the graph it is about and a generation number.
"""

from __future__ import annotations

import logging
import queue
import threading
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.garbage import collect_anywhere, collect_on_window_thread
from core.graph import Action, Graph, Run
from core.session import ActionResult, RunResult, Session, Snapshot

_log = logging.getLogger("pullback")


class Restart:
    """Asks for a fresh start: forward anew, grads None."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Asks for a run with new values, in which only the newest is of interest."""

    run: Run


#: What is wanted once the values are up to date; None when they are all that is wanted.
Work = Action | Run | Replay | Restart | None


@dataclass(frozen=True, slots=True)
class Request:
    """What the window wants of the worker.

    Attributes:
        generation: counts the requests.
        document: counts the graphs opened; another one needs another session.
        graph: the graph it is about.
        work: what to do then.
    """

    generation: int
    document: int
    graph: Graph
    work: Work = None


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
        session: what it runs. The window's thread may look at what it is working at, and fork it.
        document: the number of the document that the session is of.

    Args:
        session: to go on from; else the first request begins one.
    """

    def __init__(self, newest: int, document: int = 0, session: Session | None = None) -> None:
        super().__init__(name="engine", daemon=True)
        self.post = _Post()
        self.newest = newest
        self.retired = False
        self.session = session
        self.document = document
        self._requests: queue.SimpleQueue[Request | None] = queue.SimpleQueue()

    def ask(self, request: Request) -> None:
        """Queue a request."""
        self.newest = request.generation
        self._requests.put(request)

    def retire(self) -> None:
        """End once the request being served is done."""
        self.retired = True
        self._requests.put(None)

    def start(self) -> None:
        """Begin to serve; to be called on the window's thread."""
        collect_on_window_thread()
        super().start()

    def run(self) -> None:
        """Serve until retired."""
        while (request := self._requests.get()) is not None:
            self._serve(request)
        self.session = None  # its values may be large, and the thread object outlives it

    def _serve(self, request: Request) -> None:
        """Bring the session up to the request's graph, do its work, and answer."""

        def is_overtaken() -> bool:
            """Nobody waits for this any more: a newer edit does not wait for the older one."""
            is_repeated = request.work is None or isinstance(request.work, Replay)
            return self.retired or (is_repeated and request.generation < self.newest)

        if is_overtaken():
            return
        answer = Answer(request)
        try:
            session = self._session_for(request)
            session.update(request.graph, is_overtaken)
            if is_overtaken():
                return
            result = _do(session, request.work)
            answer = Answer(request, session.snapshot(), result)
        except Exception as error:  # noqa: BLE001  (whatever it is, the thread must live on)
            if self.retired:
                return  # its session was taken over half-done
            _log.exception("the engine failed")
            answer = Answer(request, failure=f"{type(error).__name__}: {error}")
            self.session = None  # it may be half-done; the next request begins a new one
        if not self.retired:
            self.post.answered.emit(answer)

    def _session_for(self, request: Request) -> Session:
        if self.session is None or self.document != request.document:
            self.session = Session()
            self.document = request.document
        return self.session


#: Threads that nobody listens to any more and that have not ended yet. Kept, since the last
#: reference to one must not be dropped on its own thread: its post belongs to the window's.
leaving: list[Worker] = []


def wait_for_threads(timeout: float) -> bool:
    """Wait for the threads of closed evaluators to end, ``timeout`` seconds for each.

    Returns:
        False when one is still in a NumPy call that cannot be interrupted.
    """
    for worker in leaving:
        worker.join(timeout)
    forget_ended()
    collect_anywhere()
    return not leaving


def forget_ended() -> None:
    """Let go of the threads that have ended."""
    leaving[:] = [worker for worker in leaving if worker.is_alive()]


def _do(session: Session, work: Work) -> ActionResult | RunResult | None:
    if work is None:
        return None
    if isinstance(work, Restart):
        session.restart()
        return None
    if isinstance(work, Replay):
        return session.replay(work.run)
    if isinstance(work, Run):
        return session.run(work)
    return session.perform(work)
