"""The named runs of the graph: kept with the file, played with one click."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.document import Document
from app.panels.name_field import NameField
from app.panels.widgets import IconButton, caption, clear_layout, column, muted
from app.theme import Theme, ui_font
from core.errors import PullbackError
from core.graph import Action, Assign, Backward, Forward, Grad, GradRef, Graph, Run, ZeroGrad

#: Actions of a run told in its row; a program that trains has dozens.
_MOST_ACTIONS = 8
#: And in its tooltip, one a line.
_MOST_LINES = 40


def describe(action: Action, graph: Graph) -> str:
    """An action in a few words: "backward from y, retaining"."""
    match action:
        case Backward():
            words = "backward from " + _roots(action.roots, graph)
            return words + (", retaining" if action.retain_graph else "")
        case Grad():
            return "grad of " + _roots(action.outputs, graph)
        case ZeroGrad():
            return "zero_grad"
        case Assign(node=node):
            return f"change {graph.nodes[node].name}"
        case Forward():
            return "forward again"


def _roots(roots: tuple[tuple[str, str] | GradRef, ...], graph: Graph) -> str:
    ids = [root.node if isinstance(root, GradRef) else root[0] for root in roots]
    return ", ".join(graph.nodes[i].name for i in ids)


class RunRow(QWidget):
    """One run: its name (editable), what it does, and buttons.

    Signals:
        played, deleted: a button was pressed.
        renamed: another name was entered (str).
    """

    played = Signal()
    deleted = Signal()
    renamed = Signal(str)

    def __init__(self, run: Run, graph: Graph, theme: Theme) -> None:
        super().__init__()
        self.name_field = NameField(run.name)
        self.name_field.setAccessibleName("Name of the run")
        self.name_field.renamed.connect(self.renamed)
        self.play = IconButton("play", f"Play {run.name}")
        self.delete = IconButton("trash-2", f"Delete {run.name}")
        for button in (self.play, self.delete):
            button.set_theme(theme)
        self.play.clicked.connect(self.played)
        self.delete.clicked.connect(self.deleted)
        words = [describe(action, graph) for action in run.actions]
        more = len(words) - _MOST_ACTIONS
        does = QLabel("; ".join(words[:_MOST_ACTIONS]) + (f"; {more} more" if more > 0 else ""))
        does.setToolTip("\n".join(words[:_MOST_LINES]) if more > 0 else "")
        does.setFont(ui_font(11))
        does.setProperty("kind", "muted")
        does.setWordWrap(True)
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(self.play)
        line.addWidget(self.name_field, stretch=1)
        line.addWidget(self.delete)
        layout = column(self, spacing=2)
        layout.addLayout(line)
        layout.addWidget(does)
        does.setContentsMargins(34, 0, 0, 0)


class RunsList(QWidget):
    """All runs of the document.

    Signals:
        run_asked: the user wants to play a run (Run).
    """

    run_asked = Signal(object)

    def __init__(self, document: Document, theme: Theme) -> None:
        super().__init__()
        self._document = document
        self._theme = theme
        self.rows: list[RunRow] = []
        self._empty = muted(
            "None yet. Set roots and cotangents, then keep them as a run:"
            " it is saved with the file and played with one click."
        )
        self._rows = QVBoxLayout()
        self._rows.setSpacing(8)
        layout = column(self, spacing=8)
        layout.addWidget(caption("Runs"))
        layout.addWidget(self._empty)
        layout.addLayout(self._rows)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self.refresh()

    def refresh(self) -> None:
        """Show the runs that the document has now."""
        clear_layout(self._rows)
        graph = self._document.graph
        self.rows = []
        for run in graph.runs:
            row = RunRow(run, graph, self._theme)
            row.played.connect(lambda run=run: self.run_asked.emit(run))
            row.deleted.connect(lambda run=run: self._delete(run))
            row.renamed.connect(lambda name, run=run, row=row: self._rename(run, name, row))
            self._rows.addWidget(row)
            self.rows.append(row)
        self._empty.setVisible(not graph.runs)

    def keep(self, actions: tuple[Action, ...]) -> None:
        """Keep actions as another run, with a free name."""
        graph = self._document.graph
        taken = {run.name for run in graph.runs}
        number = next(i for i in range(1, len(taken) + 2) if f"Run {i}" not in taken)
        try:
            after = graph.with_run(Run(f"Run {number}", actions))
        except PullbackError:  # made before a node was deleted: there is nothing to keep
            return
        self._document.edit(f"Keep as Run {number}", after)

    def _delete(self, run: Run) -> None:
        graph = self._document.graph
        after = graph.with_runs(r for r in graph.runs if r is not run)
        self._document.edit(f"Delete {run.name}", after)

    def _rename(self, run: Run, name: str, row: RunRow) -> None:
        graph = self._document.graph
        try:
            after = graph.with_runs(Run(name, r.actions) if r is run else r for r in graph.runs)
        except PullbackError as error:
            row.name_field.refuse(str(error))
            return
        self._document.edit(f"Rename {run.name} to {name}", after)
