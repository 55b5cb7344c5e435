"""The upper part of the inspector: what the node is, its formula, its rules, its conventions."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.catalog import HEADINGS
from app.panels.formulas import FormulaView
from app.panels.name_field import NameField
from app.panels.widgets import Chip, Hairline, IconButton, caption, column, muted, set_invalid
from app.theme import Theme, mix, ui_font
from core.graph import ARGUMENT, CALL, CAST, DETACH, INPUT, RESULT, Node

_SPECIAL = {
    DETACH: "The same value, cut off from backward: no gradient passes.",
    CAST: "The same value in another dtype. The gradient is cast back.",
    CALL: "Function: the nodes inside it as one. To each input it sends one VJP, which is that of "
    "all of them together.",
    ARGUMENT: "What comes in at a port of the function. The port is called like this node; ports "
    "stand as these nodes do, top to bottom.",
    RESULT: "What goes out at a port of the function, which is called like this node.",
}


_GLYPHS = {DETACH: "⊣", CAST: "→T", CALL: "ƒ", ARGUMENT: "in", RESULT: "out"}


class NodeHead(QWidget):
    """Name (editable), operation and category.

    Signals:
        renamed: another name was entered (str).
        pin_asked: the node should stay where it is when others are arranged, or not (bool).
    """

    renamed = Signal(str)
    pin_asked = Signal(bool)

    def __init__(self, node: Node, theme: Theme) -> None:
        super().__init__()
        self._node = node
        self._chip = Chip(_glyph(node))
        color = _color(node)
        self._chip.set_colors(theme.header(color)[1], theme.header_text(color))
        self._chip.setFont(ui_font(13, QFont.Weight.DemiBold))
        self.name_field = NameField(node.name)
        self.name_field.setFont(ui_font(15, QFont.Weight.DemiBold))
        self.name_field.setAccessibleName("Name")
        self.name_field.setToolTip("Rename (F2)")
        self.name_field.renamed.connect(self.renamed)
        self.pin_button = IconButton("pin", "Pin: arranging leaves the node where it is (P)")
        self.pin_button.setCheckable(True)
        self.pin_button.setChecked(node.pinned)
        self.pin_button.set_theme(theme)
        self.pin_button.clicked.connect(self.pin_asked)
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._chip)
        heading.addWidget(self.name_field, stretch=1)
        heading.addWidget(self.pin_button)
        layout = column(self, spacing=6)
        layout.addLayout(heading)
        layout.addWidget(muted(_description(node)))

    def show_name(self, name: str) -> None:
        """Follow a rename made elsewhere."""
        if not self.name_field.hasFocus() or not self.name_field.isModified():
            self.name_field.setText(name)
        set_invalid(self.name_field, "")


class NodeFormulas(QWidget):
    """What the operation computes, and what it sends back to each input."""

    def __init__(self, node: Node, theme: Theme) -> None:
        super().__init__()
        layout = column(self, spacing=6)
        spec = node.spec
        if spec is None:
            return
        ground = mix(theme.background, theme.surface, 0.9).name()
        for title, formulas in (
            ("Forward", [spec.formula]),
            ("Backward", [vjp.formula for vjp in spec.vjps.values()]),
        ):
            layout.addWidget(caption(title))
            card = QWidget()
            card.setObjectName("card")
            card.setStyleSheet(
                f"#card {{ background: {ground}; border: 1px solid {theme.border.name()};"
                " border-radius: 8px; }"
            )
            inner = QVBoxLayout(card)
            inner.setContentsMargins(10, 7, 10, 7)
            inner.setSpacing(6)
            for tex in formulas or [r"\text{no gradient}"]:
                view = FormulaView()
                view.set_formula(tex, theme.text)
                inner.addWidget(view)
            layout.addWidget(card)
        remarks = [f"Defined for {spec.domain}."] if spec.domain != "all reals" else []
        for remark in (*remarks, *spec.notes):
            layout.addWidget(muted(remark, px=11))


def hairline(theme: Theme) -> Hairline:
    """A line between two parts of the inspector."""
    line = Hairline()
    line.set_theme(theme)
    return line


def _glyph(node: Node) -> str:
    if node.op == INPUT:
        return node.name[:2]
    spec = node.spec
    return (spec.glyph or spec.label[:2]) if spec else _GLYPHS.get(node.op, "?")


def _color(node: Node) -> str:
    if node.op == INPUT:
        return "parameter" if node.params["requires_grad"] else "data"
    return node.category if node.spec or node.category == "function" else "graph"


def _description(node: Node) -> str:
    if node.op == INPUT:
        return (
            "Leaf: requires grad, and keeps its gradient in .grad."
            if node.params["requires_grad"]
            else "Constant: backward does not reach it."
        )
    spec = node.spec
    if spec is None:
        return _SPECIAL.get(
            node.op, f"This program has no operation '{node.label}'. The node is kept as it is."
        )
    kind = f"{spec.label} · {HEADINGS.get(spec.category, spec.category)}."
    says_more = spec.summary.rstrip(".").lower() != spec.label.lower()
    return f"{kind} {spec.summary}" if says_more else kind


def name_label(text: str) -> QLabel:
    """The name of a field, in front of it."""
    label = QLabel(text)
    label.setFont(ui_font(12))
    label.setProperty("kind", "muted")
    return label
