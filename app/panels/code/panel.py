"""The graph as code, kept up with every edit; the PyTorch program can be edited, too."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QTabBar, QVBoxLayout, QWidget

from app.code_jobs import CodeJobs, Reading
from app.document import Document
from app.panels.code.editor import CodeEdit
from app.panels.code.footer import CodeFooter
from app.panels.code.highlighter import CodeHighlighter
from app.panels.widgets import IconButton
from app.theme import Theme
from core.errors import PullbackError
from core.export import TARGETS, Exported
from core.graph import Action, Graph, GraphDiff, Run, diff
from core.session import Snapshot

#: Larger graphs are written only when asked for: nobody reads that much text with every edit.
MOST_NODES = 2000
_WAIT_MS = 250
_EDITABLE = "pytorch"
#: First entry of the choice of runs: what the Backward panel would do now.
_AS_SET = "Backward as set"


class CodePanel(QWidget):
    """Follows the document while it can be seen.

    Args:
        backward: what the Backward panel would do now; None while it has no roots.

    Signals:
        node_asked: a line was clicked; select its node (its id).
        shown: another text is there.
    """

    node_asked = Signal(str)
    shown = Signal()

    def __init__(
        self, document: Document, theme: Theme, backward: Callable[[], Action | None]
    ) -> None:
        super().__init__()
        self._document = document
        self._backward = backward
        self.jobs = CodeJobs(self)
        self.exported: Exported | None = None
        self._graph = Graph()  # what ``exported`` was written from
        self._run: Run | None = None
        self._snapshot: Snapshot | None = None
        self._selected: frozenset[str] = frozenset()
        self._is_stale = True
        self._anyway = False
        self.tabs = QTabBar()
        self.tabs.setObjectName("code-tabs")
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        for target, title in TARGETS.items():
            self.tabs.setTabData(self.tabs.addTab(title), target)
        self.runs = QComboBox()
        self.runs.setToolTip("What the code does after the forward")
        self.copy_button = IconButton("copy", "Copy the code")
        self.editor = CodeEdit(theme)
        self._highlighter = CodeHighlighter(self.editor.document(), theme)
        self.footer = CodeFooter()
        self._timer = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self._fill_runs()
        self._show_state()

    # -- news ----------------------------------------------------------------------------------

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self.editor.set_theme(theme)
        self._highlighter.set_theme(theme)
        self.copy_button.set_theme(theme)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Take new values: only with them is it known how to write a graph."""
        self._snapshot = snapshot
        self.refresh()

    def refresh(self, *_: object) -> None:
        """Write the code anew, soon, if it can be seen."""
        self._is_stale = True
        if self.isVisible():
            self._timer.start()

    def select(self, ids: Collection[str]) -> None:
        """Mark the lines of these nodes."""
        self._selected = frozenset(ids)
        self._light(reveal=not self.editor.hasFocus())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._timer.start()

    def stop(self) -> None:
        """End what is being done."""
        self._timer.stop()
        self.jobs.stop()

    # -- writing -------------------------------------------------------------------------------

    @property
    def target(self) -> str:
        """The language that is chosen."""
        return str(self.tabs.tabData(self.tabs.currentIndex()))

    @property
    def is_edited(self) -> bool:
        """Whether there is text that is not the graph's."""
        return self.editor.document().isModified()

    def _write(self) -> None:
        if not self.isVisible() or self.is_edited:
            self._show_state()
            return
        graph, snapshot = self._document.graph, self._snapshot
        if len(graph.nodes) > MOST_NODES and not self._anyway:
            self._is_stale = False
            self.exported = None
            self.editor.set_code("")
            self._show_state()
            return
        if snapshot is None or diff(snapshot.graph, graph).affects_values:
            return  # the values of this graph are on their way, and bring us here again
        self._is_stale = False
        self._run = self._chosen_run()
        self._graph = graph
        self.jobs.write(graph, self.target, self._run, snapshot)

    def _chosen_run(self) -> Run | None:
        name = self.runs.currentData()
        for run in self._document.graph.runs:
            if run.name == name:
                return run
        action = self._backward()
        return None if action is None else Run("backward", (action,))

    def _on_written(self, made: Exported) -> None:
        if self.is_edited:
            return
        self.exported = made
        self._highlighter.set_language(made.target)
        text = made.text.rstrip("\n")
        if self.editor.toPlainText() != text:
            self.editor.set_code(text)
        self.editor.mark_wrong(None)
        self._light(reveal=False)
        self._show_state()
        self.shown.emit()

    def _on_changed(self, change: GraphDiff) -> None:
        if change.runs_changed:
            self._fill_runs()
        self._anyway = self._anyway and len(change.after.nodes) > MOST_NODES
        if change.affects_values or change.nodes_renamed or change.runs_changed:
            self.refresh()

    def _on_replaced(self) -> None:
        self.editor.document().setModified(False)  # it was another graph's
        self._anyway = False
        self._fill_runs()
        self.refresh()

    def _on_target_changed(self) -> None:
        self.editor.document().setModified(False)
        self.refresh()

    def _fill_runs(self) -> None:
        chosen = self.runs.currentData()
        self.runs.blockSignals(True)
        self.runs.clear()
        self.runs.addItem(_AS_SET, None)
        for run in self._document.graph.runs:
            self.runs.addItem(run.name, run.name)
        self.runs.setCurrentIndex(max(self.runs.findData(chosen), 0) if chosen else 0)
        self.runs.blockSignals(False)

    # -- the selection -------------------------------------------------------------------------

    def _light(self, *, reveal: bool) -> None:
        found = () if self.exported is None else self.exported.lines_of(self._selected)
        if self.is_edited:
            found = ()  # lines have moved
        self.editor.light(found, reveal=reveal)

    def _on_line_clicked(self, line: int) -> None:
        if self.exported is None:
            return
        nodes = self.exported.nodes_at(line)
        if self.is_edited:
            text = self.editor.document().findBlockByNumber(line).text()
            nodes = next((own.nodes for own in self.exported.lines if own.text == text), ())
        if nodes and nodes[0] in self._document.graph.nodes:
            self.node_asked.emit(nodes[0])

    # -- editing -------------------------------------------------------------------------------

    def apply(self) -> None:
        """Make the edited text the graph."""
        if self.is_edited and self.exported is not None and not self.jobs.is_reading:
            self.footer.say("Reading …")
            self.jobs.read_text(
                self._document.graph, self.exported, self.editor.toPlainText(), self._run
            )

    def discard(self) -> None:
        """Show the graph's own code again."""
        self.editor.document().setModified(False)
        self.editor.mark_wrong(None)
        self.refresh()

    def _on_read(self, reading: Reading) -> None:
        if reading.error is not None:
            self._show_error(reading.error)
            return
        assert reading.graph is not None
        self.editor.document().setModified(False)
        self.editor.mark_wrong(None)
        self._document.edit("Edit the code", reading.graph)
        self.refresh()  # also where the text means the same graph as before
        self._show_state()
        if reading.notes:
            self.footer.say(f"Not in the graph: {'; '.join(reading.notes)}.")

    def _show_error(self, error: PullbackError) -> None:
        at = "" if error.line is None else f"Line {error.line}: "
        self.editor.mark_wrong(None if error.line is None else error.line - 1)
        self.footer.say(f"{at}{error}", error=True)

    # -- what is said below --------------------------------------------------------------------

    def _show_state(self) -> None:
        """The note, the buttons and whether the text can be edited, as they should be now."""
        exported, nodes = self.exported, len(self._document.graph.nodes)
        huge = nodes > MOST_NODES and not self._anyway and not self.is_edited
        editable = self.target == _EDITABLE and exported is not None and not exported.written_out
        self.editor.setReadOnly(not editable)
        self.footer.offer(edited=self.is_edited, huge=huge)
        if huge:
            self.footer.say(
                f"This graph has {nodes:,} nodes: its code is not kept up with every edit."
            )
        elif self.is_edited and self._graph is not self._document.graph:
            self.footer.say("The graph was changed meanwhile: Apply changes it again.")
        elif self.is_edited:
            self.footer.say("Edited. Ctrl+Enter makes it the graph.")
        elif exported is not None and exported.written_out and self.target == _EDITABLE:
            self.footer.say("The functions are written out: flatten them to edit the code.")
        elif exported is not None and exported.arrays:
            self.footer.say(f"Large values stand for themselves: {', '.join(exported.arrays)}.")
        else:
            self.footer.say("")

    def _on_modified(self, modified: bool) -> None:
        if modified:
            self.editor.light(())
        else:
            self._light(reveal=False)
        self._show_state()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{self.editor.toPlainText()}\n")

    def _write_anyway(self) -> None:
        self._anyway = True
        self.refresh()

    # ------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        choice = QHBoxLayout()
        choice.setSpacing(6)
        choice.addWidget(self.runs, stretch=1)
        choice.addWidget(self.copy_button)
        body = QVBoxLayout()
        body.setContentsMargins(8, 0, 8, 8)
        body.setSpacing(6)
        body.addLayout(choice)
        body.addWidget(self.editor, stretch=1)
        body.addWidget(self.footer)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.tabs)
        layout.addLayout(body, stretch=1)

    def _connect(self) -> None:
        self._timer.timeout.connect(self._write)
        self._document.changed.connect(self._on_changed)
        self._document.replaced.connect(self._on_replaced)
        self.jobs.written.connect(self._on_written)
        self.jobs.read.connect(self._on_read)
        self.jobs.failed.connect(self._show_error)
        self.tabs.currentChanged.connect(lambda _: self._on_target_changed())
        self.runs.activated.connect(self.discard)
        self.copy_button.clicked.connect(self._copy)
        self.editor.line_clicked.connect(self._on_line_clicked)
        self.editor.apply_asked.connect(self.apply)
        self.editor.document().modificationChanged.connect(self._on_modified)
        self.footer.apply_button.clicked.connect(self.apply)
        self.footer.discard_button.clicked.connect(self.discard)
        self.footer.anyway_button.clicked.connect(self._write_anyway)
