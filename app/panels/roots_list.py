"""The roots that backward starts at, with a cotangent for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, islice
from operator import not_

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from app.canvas.format import Array
from app.document import Document
from app.panels.root_row import RootRow
from app.panels.widgets import caption, column, muted
from app.theme import Theme
from core.graph import INPUT, Graph, GraphDiff, Output, output_ports
from core.session import Snapshot

#: With more loose ends than this, nobody means them all; more menu entries nobody reads.
_MOST_ROOTS, _MOST_ENTRIES = 12, 40
_NOTHING_YET = "No output requires grad yet. Add a leaf and wire it to an operation."
_TOO_MANY = "Nothing uses {count} outputs. Select those you mean and press R on the canvas."


class RootsList(QWidget):
    """As long as the user has not chosen, the outputs that nothing uses and that require grad.

    That is what one means in nine cases of ten.

    Attributes:
        rows: one a root, in order.

    Signals:
        changed: other roots, or another cotangent.
    """

    changed = Signal()

    def __init__(self, document: Document, theme: Theme) -> None:
        super().__init__()
        self._document = document
        self._theme = theme
        self._snapshot: Snapshot | None = None
        self._is_chosen = False
        self.rows: list[RootRow] = []
        self._add = QToolButton()
        self._add.setText("Add root")
        self._add.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self)
        self.menu.aboutToShow.connect(self._fill_menu)
        self._add.setMenu(self.menu)
        self._none = muted(_NOTHING_YET)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(14)
        heading = QHBoxLayout()
        heading.addWidget(caption("Roots and their cotangents"), stretch=1)
        heading.addWidget(self._add)
        layout = column(self, spacing=12)
        layout.addLayout(heading)
        layout.addWidget(self._none)
        layout.addLayout(self._rows)
        self._show([])

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self._show([(row.output, row.cotangent) for row in self.rows])

    @property
    def is_missing(self) -> bool:
        """Whether a root has no cotangent that fits."""
        return any(row.is_missing for row in self.rows)

    def starts(self) -> dict[str, Array | None]:
        """By node id the cotangent given; None while there is none, or none that fits."""
        return {row.output[0]: None if row.is_missing else row.cotangent for row in self.rows}

    def choose(self, roots: Iterable[tuple[Output, Array | None]]) -> None:
        """Start at these outputs with these cotangents from now on."""
        self._is_chosen = True
        self._show(list(roots))

    def set_roots(self, outputs: Iterable[Output]) -> None:
        """Start at these outputs from now on, keeping the cotangents that were given."""
        given = {row.output: row.cotangent for row in self.rows}
        self.choose((output, given.get(output)) for output in dict.fromkeys(outputs))

    def forget(self) -> None:
        """Another graph was opened."""
        self._snapshot = None
        self._is_chosen = False
        self._show([])

    def focus_missing(self) -> None:
        """Put the cursor where a cotangent is missing."""
        for row in self.rows:
            if row.is_missing:
                row.field.setFocus(Qt.FocusReason.OtherFocusReason)
                break

    # -- news ----------------------------------------------------------------------------------

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Take new values: which outputs require grad, and the shapes of the roots."""
        self._snapshot = snapshot
        wanted = _loose_ends(self._document.graph, snapshot)
        if len(wanted) > _MOST_ROOTS:
            self._none.setText(_TOO_MANY.format(count=len(wanted)))
            wanted = []
        else:
            self._none.setText(_NOTHING_YET)
        if not self._is_chosen and wanted != [row.output for row in self.rows]:
            given = {row.output: row.cotangent for row in self.rows}
            self._show([(output, given.get(output)) for output in wanted])
            return
        for row in self.rows:
            row.set_value(self._value(row.output))

    def follow(self, diff: GraphDiff) -> None:
        """Follow deletions and renames."""
        graph = diff.after
        kept = [(r.output, r.cotangent) for r in self.rows if graph.knows(*r.output)]
        if len(kept) != len(self.rows):
            self._is_chosen = self._is_chosen and bool(kept)
            self._show(kept)
        if diff.nodes_renamed:
            for row in self.rows:
                row.set_name(output_name(row.output, graph))

    # ------------------------------------------------------------------------------------------

    def _show(self, roots: Sequence[tuple[Output, Array | None]]) -> None:
        for row in self.rows:
            self._rows.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = []
        graph = self._document.graph
        for output, cotangent in roots:
            row = RootRow(output, output_name(output, graph), self._theme)
            row.set_value(self._value(output))
            row.set_cotangent(cotangent)
            row.removed.connect(lambda o=output: self._remove(o))
            row.changed.connect(self.changed)
            self._rows.addWidget(row)
            self.rows.append(row)
        self._none.setVisible(not self.rows)
        self.changed.emit()

    def _remove(self, output: Output) -> None:
        self.set_roots(row.output for row in self.rows if row.output != output)

    def _value(self, output: Output) -> Array | None:
        node = self._document.graph.nodes.get(output[0])
        if self._snapshot is None or node is None:
            return None
        values = self._snapshot.values.get(node.id, ())
        ports = output_ports(node, self._document.graph)
        index = ports.index(output[1]) if output[1] in ports else len(values)
        return values[index] if index < len(values) else None

    def _fill_menu(self) -> None:
        self.menu.clear()
        taken = [row.output for row in self.rows]
        for output in islice(self._others(taken), _MOST_ENTRIES):
            entry = self.menu.addAction(output_name(output, self._document.graph))
            entry.triggered.connect(lambda _on=False, o=output: self.set_roots([*taken, o]))
        if not self.menu.actions():
            self.menu.addAction("No other output requires grad").setEnabled(False)

    def _others(self, taken: list[Output]) -> Iterator[Output]:
        """Outputs that could be roots too, the newest first: roots come late in a graph."""
        graph = self._document.graph
        needs = self._snapshot.needs_grad if self._snapshot else frozenset()
        for node in reversed(list(graph.nodes.values())):
            for port in output_ports(node, graph) if node.id in needs else ():
                if (node.id, port) not in taken:
                    yield (node.id, port)


def output_name(output: Output, graph: Graph) -> str:
    """The node's name, with the port where it has several outputs."""
    node = graph.nodes[output[0]]
    return node.name if len(output_ports(node, graph)) == 1 else f"{node.name}.{output[1]}"


def _loose_ends(graph: Graph, snapshot: Snapshot) -> list[Output]:
    """The outputs that require grad and that nothing uses."""
    unused = compress(graph.index.out, map(not_, graph.index.out.values()))
    return [
        (node.id, output_ports(node, graph)[0])
        for node in map(graph.nodes.__getitem__, unused)
        if node.id in snapshot.needs_grad and node.op != INPUT
    ]
