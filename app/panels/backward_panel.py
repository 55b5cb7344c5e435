"""Where a backward is set up: its roots, their cotangents, its options; and the named runs."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QScrollArea,
    QToolButton,
    QWidget,
)

from app.document import Document
from app.panels.node_head import hairline
from app.panels.root_row import RootRow
from app.panels.roots_list import RootsList
from app.panels.runs_list import RunsList
from app.panels.widgets import MARGIN, column
from app.theme import Theme
from core.graph import INPUT, Action, Backward, GradRef, GraphDiff, Output, Run, ZeroGrad
from core.session import ActionResult, Snapshot


class BackwardPanel(QScrollArea):
    """Roots, cotangents, options, buttons and runs.

    Signals:
        action_asked: the user wants an action done (Action).
        restart_asked: the user wants a fresh start.
        run_asked: the user wants a named run played (Run).
        starts_changed: by node id where the button would start, and with what; see
            ``RootsList.starts``.
        action_changed: the button would do something else from now on.
    """

    action_asked = Signal(object)
    restart_asked = Signal()
    run_asked = Signal(object)
    starts_changed = Signal(object)
    action_changed = Signal()

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._history: list[Action] = []
        self._chosen_inputs: set[str] | None = None
        self.roots = RootsList(document, theme)
        self.retain_graph = QCheckBox("retain_graph")
        self.retain_graph.setToolTip("Keep the saved values, so that backward can run again")
        self.create_graph = QCheckBox("create_graph")
        self.create_graph.setToolTip("Record backward itself, for gradients of gradients")
        self._inputs = QToolButton()
        self._inputs.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._inputs.setToolTip("Which leaves get a gradient")
        self.inputs_menu = QMenu(self)
        self._inputs.setMenu(self.inputs_menu)
        self.backward_button = QPushButton("Backward")
        self.backward_button.setProperty("kind", "primary")
        self.backward_button.setToolTip("Run backward from these roots (F5)")
        self._restart = QPushButton("Restart")
        self._restart.setToolTip("Forward anew, gradients None (Ctrl+F5)")
        self._zero = QPushButton("zero_grad")
        self._zero.setToolTip("Set the gradient of every leaf to None")
        self.keep_button = QPushButton("Keep as run")
        self.keep_button.setToolTip("Keep what was done since the restart, else these settings")
        self.runs = RunsList(document, theme)
        self._line = hairline(theme)
        self._inner = QWidget()
        self._lay_out()
        self._connect()
        self._show_inputs()
        self._on_roots_changed()

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self.roots.set_theme(theme)
        self.runs.set_theme(theme)
        self._line.set_theme(theme)

    @property
    def rows(self) -> list[RootRow]:
        """One a root."""
        return self.roots.rows

    def set_roots(self, outputs: Iterable[Output]) -> None:
        """Start backward at these outputs from now on."""
        self.roots.set_roots(outputs)

    def show_run(self, run: Run) -> None:
        """Set roots, cotangents and options as the first backward of ``run`` has them."""
        first = next((a for a in run.actions if isinstance(a, Backward)), None)
        if first is None:
            return
        cotangents = first.cotangents or (None,) * len(first.roots)
        # A reference to a gradient means something only within its run.
        self.roots.choose(
            (root, None if isinstance(cotangent, GradRef) else cotangent)
            for root, cotangent in zip(first.roots, cotangents, strict=True)
            if not isinstance(root, GradRef)
        )
        self.retain_graph.setChecked(bool(first.retain_graph))
        self.create_graph.setChecked(first.create_graph)
        self._chosen_inputs = set(first.inputs) if first.inputs is not None else None
        self._show_inputs()

    def action(self) -> Backward:
        """The backward that the button would run."""
        given = [row.cotangent for row in self.rows]
        return Backward(
            roots=tuple(row.output for row in self.rows),
            cotangents=tuple(given) if any(c is not None for c in given) else None,
            retain_graph=True if self.retain_graph.isChecked() else None,
            create_graph=self.create_graph.isChecked(),
            inputs=None if self._chosen_inputs is None else tuple(sorted(self._chosen_inputs)),
        )

    def action_if_any(self) -> Backward | None:
        """The backward that the button would run; None while it would be refused."""
        return self.action() if self.rows and not self.roots.is_missing else None

    def run_backward(self) -> None:
        """Ask for the backward; go to the cotangent that is missing, if one is."""
        if self.rows:
            self.roots.focus_missing()
            self.action_asked.emit(self.action())

    # -- news ----------------------------------------------------------------------------------

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Take new values."""
        self.roots.show_snapshot(snapshot)
        self._show_inputs()

    def note_performed(self, result: ActionResult) -> None:
        """Remember what was done, so that it can be kept as a run."""
        if result.error is None:
            self._history.append(result.action)

    def forget_history(self) -> None:
        """A fresh start was made."""
        self._history.clear()

    def _on_replaced(self) -> None:
        self._chosen_inputs = None
        self._history.clear()
        self.roots.forget()
        if self._document.graph.runs:
            self.show_run(self._document.graph.runs[0])

    def _on_changed(self, diff: GraphDiff) -> None:
        self.roots.follow(diff)
        if diff.nodes_removed:
            self._history.clear()
            if self._chosen_inputs is not None:
                self._chosen_inputs = self._chosen_inputs & diff.after.nodes.keys() or None
        if diff.runs_changed or diff.nodes_renamed:
            self.runs.refresh()

    def _on_roots_changed(self) -> None:
        self.backward_button.setEnabled(bool(self.rows))
        self.starts_changed.emit(self.roots.starts())
        self.action_changed.emit()

    def _on_keep(self) -> None:
        done = tuple(self._history)
        if done or self.rows:
            self.runs.keep(done or (self.action(),))

    def _on_run_asked(self, run: Run) -> None:
        self.show_run(run)
        self.run_asked.emit(run)

    def minimumSizeHint(self) -> QSize:
        """Wide enough for its fields: it scrolls up and down only."""
        inner, bar = self._inner.minimumSizeHint(), self.verticalScrollBar().sizeHint()
        return QSize(inner.width() + bar.width(), super().minimumSizeHint().height())

    # -- inputs --------------------------------------------------------------------------------

    def _leaves(self) -> list[str]:
        nodes = self._document.graph.nodes.values()
        return [n.id for n in nodes if n.op == INPUT and n.params["requires_grad"]]

    def _fill_inputs_menu(self) -> None:
        self.inputs_menu.clear()
        chosen = self._chosen_inputs
        for node_id in self._leaves():
            entry = self.inputs_menu.addAction(self._document.graph.nodes[node_id].name)
            entry.setCheckable(True)
            entry.setChecked(chosen is None or node_id in chosen)
            entry.toggled.connect(lambda on, i=node_id: self._choose_input(i, on=on))

    def _choose_input(self, node_id: str, *, on: bool) -> None:
        leaves = set(self._leaves())
        chosen = set(leaves if self._chosen_inputs is None else self._chosen_inputs)
        chosen = chosen | {node_id} if on else chosen - {node_id}
        self._chosen_inputs = None if chosen == leaves or not chosen else chosen
        self._show_inputs()
        self.action_changed.emit()

    def _show_inputs(self) -> None:
        nodes = self._document.graph.nodes
        chosen = self._chosen_inputs or ()
        names = sorted(nodes[i].name for i in chosen if i in nodes)
        self._inputs.setText("inputs: " + (", ".join(names) if names else "all leaves"))

    # ------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        layout = column(self._inner, spacing=12, margin=MARGIN)
        layout.addWidget(self.roots)
        options = QHBoxLayout()
        options.setSpacing(14)
        options.addWidget(self.retain_graph)
        options.addWidget(self.create_graph)
        options.addStretch(1)
        layout.addLayout(options)
        layout.addWidget(self._inputs, alignment=Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.backward_button)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self._restart)
        buttons.addWidget(self._zero)
        layout.addLayout(buttons)
        layout.addWidget(self._line)
        layout.addWidget(self.runs)
        layout.addWidget(self.keep_button)
        layout.addStretch(1)
        self.setWidget(self._inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _connect(self) -> None:
        self.roots.changed.connect(self._on_roots_changed)
        for box in (self.retain_graph, self.create_graph):
            box.toggled.connect(lambda _: self.action_changed.emit())
        self.backward_button.clicked.connect(self.run_backward)
        self._restart.clicked.connect(self.restart_asked)
        self._zero.clicked.connect(lambda: self.action_asked.emit(ZeroGrad()))
        self.keep_button.clicked.connect(self._on_keep)
        self.runs.run_asked.connect(self._on_run_asked)
        self.inputs_menu.aboutToShow.connect(self._fill_inputs_menu)
        self._document.replaced.connect(self._on_replaced)
        self._document.changed.connect(self._on_changed)
