"""The lower part of the inspector: what is known of a node now.

Values come from the last snapshot; cotangents, VJPs, gradients and freed marks are those of the
player's moment, so that they change while it plays.
"""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.panels.array_preview import ArrayPreview
from app.panels.numbers import bytes_text
from app.panels.widgets import caption, clear_layout, muted, set_kind
from app.theme import Theme
from core.graph import INPUT, Node, output_ports
from core.moments import Moment
from core.session import Saved, Snapshot
from core.trace import Trace

_ROW_GAP = 8


class NodeState(QWidget):
    """Value, gradient and saved values of one node."""

    def __init__(self, node: Node, theme: Theme) -> None:
        super().__init__()
        self._node = node
        self._theme = theme
        self._snapshot: Snapshot | None = None
        self._trace: Trace | None = None
        self._moment = Moment(0.0, 0)
        self._message = muted()
        self._outputs = output_ports(node)
        self.values = self._previews("value")
        self.cotangents = self._previews("cotangent", gradient=True)
        self.grad = ArrayPreview("grad", theme, gradient=True)
        self._vjps = QVBoxLayout()
        self._vjps.setSpacing(_ROW_GAP)
        self._saved = QVBoxLayout()
        self._saved.setSpacing(_ROW_GAP)
        self.saved_rows: dict[str, ArrayPreview] = {}
        self.vjp_rows: dict[str, ArrayPreview] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_ROW_GAP)
        layout.addWidget(self._message)
        layout.addWidget(caption("Now"))
        for preview in (*self.values, *self.cotangents, self.grad):
            layout.addWidget(preview)
        layout.addLayout(self._vjps)
        layout.addLayout(self._saved)
        self._message.hide()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show other values, gradients and freed marks."""
        self._snapshot = snapshot
        self._refresh_values()
        self._refresh_gradients()
        self._refresh_saved()

    def show_moment(self, trace: Trace | None, moment: Moment) -> None:
        """Show what has arrived by this moment of a trace."""
        self._trace, self._moment = trace, moment
        self._refresh_gradients()
        self._refresh_saved()

    # ------------------------------------------------------------------------------------------

    def _previews(self, name: str, *, gradient: bool = False) -> list[ArrayPreview]:
        names = [name] if len(self._outputs) == 1 else [f"{name} {o}" for o in self._outputs]
        return [ArrayPreview(text, self._theme, gradient=gradient) for text in names]

    def _refresh_values(self) -> None:
        snapshot = self._snapshot
        if snapshot is None:
            return
        error = snapshot.errors.get(self._node.id)
        note = snapshot.notes.get(self._node.id, "")
        self._message.setText(str(error) if error else note)
        self._message.setVisible(bool(error or note))
        set_kind(self._message, "error")
        values = snapshot.values.get(self._node.id, ())
        for preview, value in zip(self.values, values, strict=False):
            preview.show_array(value)
        for preview in self.values[len(values) :]:
            preview.show_nothing("not computed")

    def _refresh_gradients(self) -> None:
        needs = self._snapshot is None or self._node.id in self._snapshot.needs_grad
        is_leaf = self._node.op == INPUT
        arrived = self._moment.cotangents.get(self._node.id, ())
        for i, preview in enumerate(self.cotangents):
            total = arrived[i] if i < len(arrived) else None
            # A leaf keeps its gradient; what has arrived is shown while it is on its way there.
            preview.setVisible(needs and (not is_leaf or total is not None))
            if total is None:
                preview.show_nothing("none yet" if self._trace else "—")
            else:
                preview.show_array(total, _count(self._moment.counts.get(self._node.id, 0)))
        self._refresh_grad(is_leaf, needs)
        self._refresh_vjps()

    def _refresh_grad(self, is_leaf: bool, needs: bool) -> None:
        kept = self._snapshot.grads if self._snapshot else {}
        grad = self._moment.grads.get(self._node.id, kept.get(self._node.id))
        self.grad.setVisible(
            is_leaf or self._node.id in kept or self._node.id in self._moment.grads
        )
        if grad is not None:
            count = self._moment.counts.get(self._node.id, 0)
            self.grad.show_array(grad, _count(count))
        else:
            self.grad.show_nothing("None" if needs else "not tracked")

    def _refresh_vjps(self) -> None:
        sent = {
            port: flow
            for (node, port), flow in self._moment.arrived.items()
            if node == self._node.id
        }
        if sent.keys() != self.vjp_rows.keys():
            clear_layout(self._vjps)
            self.vjp_rows = {
                port: ArrayPreview(f"VJP to {port}", self._theme, gradient=True) for port in sent
            }
            for row in self.vjp_rows.values():
                self._vjps.addWidget(row)
        for port, flow in sent.items():
            self.vjp_rows[port].show_array(flow.contribution)

    def _refresh_saved(self) -> None:
        saved = self._snapshot.saved.get(self._node.id, ()) if self._snapshot else ()
        names = [entry.name for entry in saved]
        if names != list(self.saved_rows):
            clear_layout(self._saved)
            self.saved_rows = {name: ArrayPreview(name, self._theme) for name in names}
            if names:
                self._saved.addWidget(caption("Saved for backward"))
            for row in self.saved_rows.values():
                self._saved.addWidget(row)
        for entry in saved:
            row = self.saved_rows[entry.name]
            freed_by = self._freed_by(entry)
            if freed_by is None:
                row.show_array(entry.value, bytes_text(entry.value.nbytes))
            else:
                row.show_faded(entry.value, f"freed by backward {freed_by}")

    def _freed_by(self, entry: Saved) -> int | None:
        """The backward that has freed this value by now; None while it is kept.

        The snapshot knows the end of the backward that is being played; until the player gets
        there the value is still kept.
        """
        if self._trace is None or entry.freed_by != self._trace.number:
            return entry.freed_by
        freed = entry.name in self._moment.freed.get(self._node.id, ())
        return self._trace.number if freed else None


def _count(arrivals: int) -> str:
    return f"sum of {arrivals} contributions" if arrivals > 1 else ""
