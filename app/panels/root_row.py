"""One root of a backward: which output it starts at, and the cotangent it starts with."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.canvas.format import Array, shape_text
from app.panels.array_editor import ArrayField
from app.panels.widgets import FlowLayout, IconButton, column, set_invalid, set_kind
from app.theme import Theme, mono_font, ui_font
from core.graph import Output

#: One-hot buttons are offered for roots of at most this many elements.
_MOST_ONE_HOTS = 8
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class RootRow(QWidget):
    """A root, its cotangent, and buttons for the cotangents people ask for.

    Attributes:
        output: (node id, output port).
        cotangent: what was given; None for none: a scalar then starts with 1.

    Signals:
        changed: another cotangent was given.
        removed: it is no longer wanted as a root.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, output: Output, name: str, theme: Theme) -> None:
        super().__init__()
        self.output = output
        self.cotangent: Array | None = None
        self._value: Array | None = None
        self._name = QLabel(name)
        self._name.setFont(ui_font(13, QFont.Weight.DemiBold))
        self._type = QLabel()
        self._type.setFont(mono_font(10))
        self._type.setProperty("kind", "muted")
        remove = IconButton("x", f"Do not start at {name}", 13)
        remove.set_theme(theme)
        remove.clicked.connect(self.removed)
        self.field = ArrayField()
        self.field.setAccessibleName(f"Cotangent of {name}")
        self.field.array_edited.connect(self.set_cotangent)
        self.field.textEdited.connect(self._on_text_edited)
        self.missing = QLabel()
        self.missing.setFont(ui_font(11))
        self.missing.setWordWrap(True)
        self._buttons = FlowLayout()
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._name)
        heading.addWidget(self._type)
        heading.addStretch(1)
        heading.addWidget(remove)
        layout = column(self, spacing=5)
        layout.addLayout(heading)
        layout.addWidget(self.field)
        layout.addWidget(self.missing)
        layout.addLayout(self._buttons)
        self._refresh()

    @property
    def is_missing(self) -> bool:
        """Whether backward could not start: more than one element and no fitting cotangent."""
        if self._value is None:
            return False
        if self.cotangent is None:
            return int(self._value.size) != 1
        return tuple(self.cotangent.shape) != tuple(self._value.shape)

    def set_name(self, name: str) -> None:
        """Follow a rename."""
        self._name.setText(name)

    def set_value(self, value: Array | None) -> None:
        """Take the root's value, whose shape and dtype the cotangent must have."""
        before, self._value = self._value, value
        if value is None or before is None or before.shape != value.shape:
            self._make_buttons()
        self._refresh()

    def set_cotangent(self, cotangent: Array | None) -> None:
        """Start with another cotangent."""
        if cotangent is not None and self._value is not None and self._value.dtype.kind in "fc":
            cotangent = cotangent.astype(self._value.dtype)
        self.cotangent = cotangent
        self.field.set_array(cotangent)
        self._refresh()
        self.changed.emit()

    def one_hot(self, index: int) -> Array:
        """1 at one element of the root, 0 elsewhere: the row ``index`` of the Jacobian."""
        assert self._value is not None
        result = np.zeros(self._value.shape)
        result.reshape(-1)[index] = 1.0
        return result

    def buttons(self) -> list[QPushButton]:
        """The buttons that fill in a cotangent: e₁, e₂, …, ones."""
        return self.findChildren(QPushButton)

    def _make_buttons(self) -> None:
        while (item := self._buttons.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.setParent(None)
                widget.deleteLater()
        if self._value is None or self._value.size <= 1:
            return
        if self._value.size <= _MOST_ONE_HOTS:
            for i in range(self._value.size):
                text = f"e{str(i + 1).translate(_SUBSCRIPTS)}"
                where = ", ".join(map(str, np.unravel_index(i, self._value.shape)))
                self._add_button(text, f"1 at [{where}], 0 elsewhere", self.one_hot(i))
        self._add_button(
            "ones", "1 everywhere: the gradient of the sum", np.ones(self._value.shape)
        )

    def _add_button(self, text: str, tip: str, cotangent: Array) -> None:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.setStyleSheet("padding: 3px 9px;")
        button.clicked.connect(lambda: self.set_cotangent(cotangent))
        self._buttons.addWidget(button)

    def _on_text_edited(self, text: str) -> None:
        if not text.strip():
            self.field.setModified(False)
            self.set_cotangent(None)

    def _refresh(self) -> None:
        value = self._value
        self._type.setText("" if value is None else shape_text(value))
        self.field.setPlaceholderText("1" if value is None or value.size == 1 else "missing")
        message = self._problem()
        set_invalid(self.field, message)
        self.missing.setText(message)
        self.missing.setVisible(bool(message))
        set_kind(self.missing, "error")

    def _problem(self) -> str:
        if self._value is None or not self.is_missing:
            return ""
        shape = " × ".join(map(str, self._value.shape))
        if self.cotangent is None:
            return f"A root of shape {shape} needs a cotangent of that shape."
        given = " × ".join(map(str, self.cotangent.shape)) or "scalar"
        return f"This cotangent is {given}, the root is {shape or 'scalar'}."
