"""Several nodes at once, as the inspector shows them."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtWidgets import QWidget

from app.panels.widgets import MARGIN, caption, column, muted
from core.graph import Graph


class ManyView(QWidget):
    """What can be said of several nodes at once."""

    def __init__(self, graph: Graph, ids: Collection[str]) -> None:
        super().__init__()
        layout = column(self, spacing=10, margin=MARGIN)
        chosen = frozenset(ids)
        nodes = [graph.nodes[i] for i in chosen]
        inner = sum(wire.source in chosen for i in chosen for wire in graph.wires_into(i).values())
        layout.addWidget(caption(f"{len(nodes)} nodes selected"))
        counts: dict[str, int] = {}
        for node in nodes:
            counts[node.label] = counts.get(node.label, 0) + 1
        listed = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        text = "\n".join(f"{count} × {label}" for label, count in listed[:12])
        layout.addWidget(muted(text + ("\n…" if len(listed) > 12 else "")))
        layout.addWidget(muted(f"{inner} wires between them."))
        layout.addWidget(
            muted("Del deletes them, Ctrl+D duplicates them, Ctrl+G puts a frame around them.")
        )
        layout.addStretch(1)
