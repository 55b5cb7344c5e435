"""Runs the engine on a thread of its own, so that the window never waits for it.

An edit overtakes those made before it: they are not begun, the one at work stops before its next
node, and when it is inside a long call whose result the new edit makes useless, that call is left
to finish alone. What answers an older graph than the one shown is dropped.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from app.document import Document
from app.worker import Answer, Replay, Request, Restart, Work, Worker, forget_ended, leaving
from core import topology
from core.errors import PullbackError
from core.forward import outdated
from core.graph import Action, GraphDiff, Run, diff
from core.graph.expansion import outermost
from core.session import ActionResult, RunResult, Session, Snapshot

#: Work shorter than this is not worth a spinner.
BUSY_AFTER_MS = 150
#: How often a look is taken at work that takes longer.
LOOK_EVERY_MS = 100
#: Calls that were left to finish alone, at most: more would only slow each other down.
MOST_LEAVING = 3


class Evaluator(QObject):
    """The window's end of the worker thread.

    Attributes:
        snapshot: the last values, gradients and freed marks; None before the first.

    Signals:
        evaluated: new values, grads and freed marks (Snapshot).
        traced: a backward was recorded (Trace).
        performed: an action ended, well or not (ActionResult).
        ran: a named run ended (RunResult).
        replayed: what was done before was done again (RunResult).
        restarted: grads and freed marks are gone.
        idled: everything asked for has been answered.
        failed: an action could not be done (PullbackError).
        busy: work takes long enough to say so (bool).
        working: the node that has been computed for a while (its id), again and again until it is
            done; then None.
    """

    evaluated = Signal(object)
    traced = Signal(object)
    performed = Signal(object)
    ran = Signal(object)
    replayed = Signal(object)
    restarted = Signal()
    idled = Signal()
    failed = Signal(object)
    busy = Signal(bool)
    working = Signal(object)

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.snapshot: Snapshot | None = None
        self._document = document
        self._documents = 0
        self._newest = 0
        self._edited = 0  # generation of the last edit: answers to older ones are outdated
        self._idle = True
        self._unanswered: list[Request] = []  # those with work to do, the oldest first
        self._shown_busy = False
        self._shown_working: str | None = None
        self._look_timer = QTimer(self)
        self._look_timer.timeout.connect(self._on_look)
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

    def replay(self, run: Run) -> None:
        """Do a run's actions again with the values that are now; a newer replay overtakes it."""
        self._request(Replay(run))

    def cancel(self) -> None:
        """Give up the node that is being computed; all others get their values.

        A NumPy call cannot be interrupted, so its thread is left to finish alone. During an action
        there is nothing to go on from: forward begins anew, and gradients are gone.
        """
        if not self._idle:
            self._replace_worker(give_up=True)
            self.evaluate()

    def close(self) -> None:
        """Ask nothing more, listen to nothing more, and let the thread end."""
        self._set_idle()
        self._document.replaced.disconnect(self._on_replaced)
        self._document.changed.disconnect(self.follow)
        self._retire_worker()

    # ------------------------------------------------------------------------------------------

    def _request(self, work: Work) -> None:
        self._newest += 1
        self._idle = False
        if not self._look_timer.isActive():
            self._look_timer.start(BUSY_AFTER_MS)
        request = Request(self._newest, self._documents, self._document.graph, work)
        if work is not None:
            self._unanswered.append(request)
        self._worker.ask(request)

    @Slot(object)
    def _on_answered(self, answer: Answer) -> None:
        generation = answer.request.generation
        self._unanswered = [r for r in self._unanswered if r.generation > generation]
        if generation == self._newest:
            self._set_idle()
        self._tell(answer)
        if self._idle:
            self.idled.emit()

    def _tell(self, answer: Answer) -> None:
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
        elif isinstance(answer.request.work, Replay):
            self.replayed.emit(answer.result)
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
        if self._shown_busy:  # with what nobody sees any more
            self._replace_worker(give_up=True)
        self.snapshot = None
        self.evaluate()

    def _on_look(self) -> None:
        """It takes long: say so, and where."""
        self._look_timer.setInterval(LOOK_EVERY_MS)
        if not self._shown_busy:
            self._shown_busy = True
            self.busy.emit(True)
        session = self._worker.session
        working = session.working if session is not None else None
        node = outermost(working) if working is not None else None
        if session is not None and node is not None and self._is_useless(session, node):
            wanted = [r.work for r in self._unanswered if r.graph is self._document.graph]
            self._replace_worker(give_up=False)
            for work in wanted or [None]:
                self._request(work)
            node = None
        self._show_working(node)

    def _is_useless(self, session: Session, node: str) -> bool:
        """Whether an edit since makes what ``node`` is computing of no use."""
        graph = self._document.graph
        if session.graph is graph or self._worker.document != self._documents:
            return False
        dirty = outdated(diff(session.graph, graph))
        needed = node in graph.nodes and node not in topology.reachable(
            dirty, graph.index.successors
        )
        return not needed and len(leaving) < MOST_LEAVING

    def _show_working(self, node: str | None) -> None:
        if node is not None or self._shown_working is not None:
            self._shown_working = node
            self.working.emit(node)

    def _set_idle(self) -> None:
        self._idle = True
        self._look_timer.stop()
        self._show_working(None)
        if self._shown_busy:
            self._shown_busy = False
            self.busy.emit(False)

    # -- the thread ----------------------------------------------------------------------------

    def _start_worker(self, session: Session | None = None) -> None:
        self._worker = Worker(self._newest, self._documents, session)
        self._worker.post.answered.connect(self._on_answered, Qt.ConnectionType.QueuedConnection)
        self._worker.start()

    def _replace_worker(self, *, give_up: bool) -> None:
        """Leave the worker to itself, and go on from where it is with another one."""
        session = self._worker.session
        is_current = self._worker.document == self._documents
        fork = session.fork(give_up=give_up) if session is not None and is_current else None
        self._retire_worker()
        self._unanswered = []
        # An answer that is already on its way counts as outdated.
        self._newest += 1
        self._edited = self._newest
        self._start_worker(fork)
        self._set_idle()

    def _retire_worker(self) -> None:
        self._worker.post.answered.disconnect(self._on_answered)
        self._worker.retire()
        forget_ended()
        leaving.append(self._worker)
