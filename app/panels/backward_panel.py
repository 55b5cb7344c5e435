"""Where a backward is set up: its roots, their cotangents, its options; and the named runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.canvas.format import Array
from app.document import Document
from app.panels.node_head import hairline
from app.panels.root_row import RootRow
from app.panels.runs_list import RunsList
from app.panels.widgets import MARGIN, caption, column, muted
from app.theme import Theme
from core.graph import (
    INPUT,
    Action,
    Backward,
    GradRef,
    Graph,
    GraphDiff,
    Output,
    Run,
    ZeroGrad,
    output_ports,
)
from core.session import ActionResult, Snapshot


class BackwardPanel(QScrollArea):
    """Roots, cotangents, options, buttons and runs.

    As long as the user has not chosen roots, they are the outputs that nothing uses and that
    require grad: what one means in nine cases of ten.

    Signals:
        action_asked: the user wants an action done (Action).
        restart_asked: the user wants a fresh start.
        run_asked: the user wants a named run played (Run).
    """

    action_asked = Signal(object)
    restart_asked = Signal()
    run_asked = Signal(object)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._theme = theme
        self._snapshot: Snapshot | None = None
        self._roots_chosen = False
        self._history: list[Action] = []
        self.rows: list[RootRow] = []
        self.backward_button = QPushButton("Backward")
        self.backward_button.setProperty("kind", "primary")
        self.backward_button.setToolTip("Run backward from these roots (F5)")
        self._restart = QPushButton("Restart")
        self._restart.setToolTip("Forward anew, gradients None (Ctrl+F5)")
        self._zero = QPushButton("zero_grad")
        self._zero.setToolTip("Set the gradient of every leaf to None")
        self.retain_graph = QCheckBox("retain_graph")
        self.retain_graph.setToolTip("Keep the saved values, so that backward can run again")
        self.create_graph = QCheckBox("create_graph")
        self.create_graph.setToolTip("Record backward itself, for gradients of gradients")
        self._inputs = QToolButton()
        self._inputs.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._inputs.setToolTip("Which leaves get a gradient")
        self._inputs_menu = QMenu(self)
        self._inputs.setMenu(self._inputs_menu)
        self._chosen_inputs: set[str] | None = None
        self._add_root = QToolButton()
        self._add_root.setText("Add root")
        self._add_root.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._root_menu = QMenu(self)
        self._add_root.setMenu(self._root_menu)
        self._no_roots = muted(
            "No output requires grad yet. Add a leaf and wire it to an operation."
        )
        self.keep_button = QPushButton("Keep as run")
        self.keep_button.setToolTip(
            "Keep what was done since the restart, or these settings, as a run"
        )
        self.runs = RunsList(document, theme)
        self._lines = [hairline(theme), hairline(theme)]
        self._lay_out()
        self._connect()
        self._refresh_roots()
        self._refresh_inputs()

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        for line in self._lines:
            line.set_theme(theme)
        self.runs.set_theme(theme)
        kept = [(row.output, row.cotangent) for row in self.rows]
        self._show_rows(kept)

    # -- roots ---------------------------------------------------------------------------------

    def set_roots(self, outputs: Iterable[Output]) -> None:
        """Start backward at these outputs from now on."""
        self._roots_chosen = True
        given = {row.output: row.cotangent for row in self.rows}
        self._show_rows([(output, given.get(output)) for output in dict.fromkeys(outputs)])

    def show_run(self, run: Run) -> None:
        """Set roots, cotangents and options as the first backward of ``run`` has them."""
        first = next((a for a in run.actions if isinstance(a, Backward)), None)
        if first is None:
            return
        cotangents = first.cotangents or (None,) * len(first.roots)
        self._roots_chosen = True
        # A reference to a gradient means something only within its run.
        self._show_rows(
            [
                (root, None if isinstance(cotangent, GradRef) else cotangent)
                for root, cotangent in zip(first.roots, cotangents, strict=True)
                if not isinstance(root, GradRef)
            ]
        )
        self.retain_graph.setChecked(bool(first.retain_graph))
        self.create_graph.setChecked(first.create_graph)
        self._chosen_inputs = set(first.inputs) if first.inputs is not None else None
        self._refresh_inputs()

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

    @property
    def is_missing(self) -> bool:
        """Whether a root has no cotangent that fits."""
        return any(row.is_missing for row in self.rows)

    def run_backward(self) -> None:
        """Ask for the backward; go to the cotangent that is missing, if one is."""
        if not self.rows:
            return
        for row in self.rows:
            if row.is_missing:
                row.field.setFocus(Qt.FocusReason.OtherFocusReason)
                break
        self.action_asked.emit(self.action())

    # -- news ----------------------------------------------------------------------------------

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Take new values: which outputs require grad, and the shapes of the roots."""
        self._snapshot = snapshot
        self._refresh_roots()
        self._refresh_inputs()

    def note_performed(self, result: ActionResult) -> None:
        """Remember what was done, so that it can be kept as a run."""
        if result.error is None:
            self._history.append(result.action)

    def forget_history(self) -> None:
        """A fresh start was made."""
        self._history.clear()

    # ------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        inner = QWidget()
        layout = column(inner, spacing=12, margin=MARGIN)
        heading = QHBoxLayout()
        heading.addWidget(caption("Roots and their cotangents"), stretch=1)
        heading.addWidget(self._add_root)
        layout.addLayout(heading)
        layout.addWidget(self._no_roots)
        self._rows_layout = QVBoxLayout()
        self._rows_layout.setSpacing(14)
        layout.addLayout(self._rows_layout)
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
        layout.addWidget(self._lines[0])
        layout.addWidget(self.runs)
        layout.addWidget(self.keep_button)
        layout.addStretch(1)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _connect(self) -> None:
        self.backward_button.clicked.connect(self.run_backward)
        self._restart.clicked.connect(self.restart_asked)
        self._zero.clicked.connect(lambda: self.action_asked.emit(ZeroGrad()))
        self.keep_button.clicked.connect(self._on_keep)
        self.runs.run_asked.connect(self._on_run_asked)
        self._root_menu.aboutToShow.connect(self._fill_root_menu)
        self._inputs_menu.aboutToShow.connect(self._fill_inputs_menu)
        self._document.replaced.connect(self._on_replaced)
        self._document.changed.connect(self._on_changed)

    def _on_replaced(self) -> None:
        self._snapshot = None
        self._roots_chosen = False
        self._chosen_inputs = None
        self._history.clear()
        self._show_rows([])
        if self._document.graph.runs:
            self.show_run(self._document.graph.runs[0])

    def _on_changed(self, diff: GraphDiff) -> None:
        graph = diff.after
        if diff.nodes_removed:
            self._history.clear()
            kept = [(r.output, r.cotangent) for r in self.rows if r.output[0] in graph.nodes]
            if len(kept) != len(self.rows):
                self._roots_chosen = self._roots_chosen and bool(kept)
                self._show_rows(kept)
            if self._chosen_inputs is not None:
                self._chosen_inputs = {i for i in self._chosen_inputs if i in graph.nodes} or None
        if diff.nodes_renamed:
            for row in self.rows:
                row.set_name(_output_name(row.output, graph))
        if diff.runs_changed or diff.nodes_renamed:
            self.runs.refresh()

    def _refresh_roots(self) -> None:
        if self._snapshot is not None and not self._roots_chosen:
            wanted = _loose_ends(self._document.graph, self._snapshot)
            if wanted != [row.output for row in self.rows]:
                given = {row.output: row.cotangent for row in self.rows}
                self._show_rows([(output, given.get(output)) for output in wanted])
        for row in self.rows:
            row.set_value(self._value(row.output))
        self._no_roots.setVisible(not self.rows)
        self.backward_button.setEnabled(bool(self.rows))

    def _show_rows(self, roots: Sequence[tuple[Output, Array | None]]) -> None:
        for row in self.rows:
            self._rows_layout.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = []
        graph = self._document.graph
        for output, cotangent in roots:
            row = RootRow(output, _output_name(output, graph), self._theme)
            row.set_value(self._value(output))
            row.set_cotangent(cotangent)
            row.removed.connect(lambda o=output: self._remove_root(o))
            self._rows_layout.addWidget(row)
            self.rows.append(row)
        self._no_roots.setVisible(not self.rows)
        self.backward_button.setEnabled(bool(self.rows))

    def _remove_root(self, output: Output) -> None:
        self.set_roots(row.output for row in self.rows if row.output != output)

    def _value(self, output: Output) -> Array | None:
        node = self._document.graph.nodes.get(output[0])
        if self._snapshot is None or node is None:
            return None
        values = self._snapshot.values.get(node.id, ())
        ports = output_ports(node, self._document.graph)
        index = ports.index(output[1]) if output[1] in ports else len(values)
        return values[index] if index < len(values) else None

    def _fill_root_menu(self) -> None:
        self._root_menu.clear()
        graph = self._document.graph
        needs = self._snapshot.needs_grad if self._snapshot else frozenset()
        taken = {row.output for row in self.rows}
        for node in graph.nodes.values():
            for port in output_ports(node, graph):
                output = (node.id, port)
                if node.id in needs and output not in taken:
                    entry = self._root_menu.addAction(_output_name(output, graph))
                    entry.triggered.connect(lambda _on=False, o=output: self._append_root(o))
        if not self._root_menu.actions():
            self._root_menu.addAction("No other output requires grad").setEnabled(False)

    def _append_root(self, output: Output) -> None:
        self.set_roots([*(row.output for row in self.rows), output])

    # -- inputs --------------------------------------------------------------------------------

    def _leaves(self) -> list[str]:
        nodes = self._document.graph.nodes.values()
        return [n.id for n in nodes if n.op == INPUT and n.params["requires_grad"]]

    def _fill_inputs_menu(self) -> None:
        self._inputs_menu.clear()
        chosen = self._chosen_inputs
        for node_id in self._leaves():
            entry = self._inputs_menu.addAction(self._document.graph.nodes[node_id].name)
            entry.setCheckable(True)
            entry.setChecked(chosen is None or node_id in chosen)
            entry.toggled.connect(lambda on, i=node_id: self._choose_input(i, on=on))

    def _choose_input(self, node_id: str, *, on: bool) -> None:
        leaves = set(self._leaves())
        chosen = set(leaves if self._chosen_inputs is None else self._chosen_inputs)
        chosen = chosen | {node_id} if on else chosen - {node_id}
        self._chosen_inputs = None if chosen == leaves or not chosen else chosen
        self._refresh_inputs()

    def _refresh_inputs(self) -> None:
        nodes = self._document.graph.nodes
        chosen = self._chosen_inputs
        names = sorted(nodes[i].name for i in chosen if i in nodes) if chosen else []
        self._inputs.setText("inputs: " + (", ".join(names) if names else "all leaves"))

    # -- runs ----------------------------------------------------------------------------------

    def _on_keep(self) -> None:
        done = tuple(self._history)
        if done or self.rows:
            self.runs.keep(done or (self.action(),))

    def _on_run_asked(self, run: Run) -> None:
        self.show_run(run)
        self.run_asked.emit(run)


def _loose_ends(graph: Graph, snapshot: Snapshot) -> list[Output]:
    """The outputs that require grad and that nothing uses."""
    return [
        (node.id, output_ports(node, graph)[0])
        for node in graph.nodes.values()
        if node.id in snapshot.needs_grad and node.op != INPUT and not graph.wires_from(node.id)
    ]


def _output_name(output: Output, graph: Graph) -> str:
    node = graph.nodes[output[0]]
    return node.name if len(output_ports(node, graph)) == 1 else f"{node.name}.{output[1]}"
