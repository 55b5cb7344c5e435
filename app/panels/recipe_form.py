"""How a value is made: a choice of recipes, and a field for each thing the chosen one asks for."""

from __future__ import annotations

import random
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QPushButton, QWidget

from app.panels.array_text import format_element, parse_array
from app.panels.node_head import name_label
from app.panels.param_editors import parse_shape
from app.panels.widgets import Field, clear_layout, set_invalid
from app.theme import mono_font
from core.errors import EditRefusedError
from core.making import RECIPES, SEEDS, Ingredient, Source, default_source, is_recipe

#: What the choice shows for values that no recipe made.
TYPED = "typed"
_LABEL_COLUMN = 92


class RecipeForm(QWidget):
    """Shows a source, and says what it is to be.

    Signals:
        edited: another source was chosen or typed (a mapping, or None for a typed value).
    """

    edited = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._source: Source | None = None
        self._shape: tuple[int, ...] = ()
        self.kind_box = QComboBox()
        self.kind_box.setAccessibleName("Made")
        # The name of a file may be long; the panel stays as narrow as it is.
        policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.kind_box.setSizeAdjustPolicy(policy)
        self.kind_box.setMinimumContentsLength(6)
        self.kind_box.addItem(TYPED, None)
        for recipe in RECIPES.values():
            self.kind_box.addItem(recipe.label, recipe.kind)
        self.fields: dict[str, Field] = {}
        self.redraw_button: QPushButton | None = None
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(7)
        self._grid.setColumnMinimumWidth(0, _LABEL_COLUMN)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(name_label("made"), 0, 0)
        self._grid.addWidget(self.kind_box, 0, 1)
        self._rows = QGridLayout()
        self._rows.setHorizontalSpacing(10)
        self._rows.setVerticalSpacing(7)
        self._rows.setColumnMinimumWidth(0, _LABEL_COLUMN)
        self._rows.setColumnStretch(1, 1)
        self._grid.addLayout(self._rows, 1, 0, 1, 2)
        self.kind_box.activated.connect(self._on_kind_chosen)

    @property
    def source(self) -> Source | None:
        """The source shown; None for a typed value."""
        return self._source

    def show_source(self, source: Source | None, shape: tuple[int, ...]) -> None:
        """Show how a value of this shape was made."""
        shown = source if is_recipe(source) else None
        rebuild = _kind(shown) != _kind(self._source)
        self._source, self._shape = shown, shape
        is_file = source is not None and source.get("kind") == "file"
        self.kind_box.setToolTip(f"from {source['file']}" if source and is_file else "")
        self.kind_box.setItemText(0, f"from {source['file']}" if source and is_file else TYPED)
        self.kind_box.setCurrentIndex(max(0, self.kind_box.findData(_kind(shown))))
        if rebuild:
            self._build()
        for name, field in self.fields.items():
            field.setText(_text(self._item(name), self._value(name)))
            field.setModified(False)
            field.setCursorPosition(0)
            set_invalid(field, "")

    def refuse(self, reason: str) -> None:
        """Say why the value cannot be made."""
        for field in self.fields.values():
            set_invalid(field, reason)

    # ------------------------------------------------------------------------------------------

    def _build(self) -> None:
        clear_layout(self._rows)
        self.fields = {}
        self.redraw_button = None
        items = RECIPES[self._source["kind"]].ingredients if self._source is not None else ()
        for row, item in enumerate(items):
            field = Field()
            field.setFont(mono_font(12))
            field.setAccessibleName(item.label)
            if item.kind == "shape":
                field.setPlaceholderText("scalar")
            field.editingFinished.connect(lambda name=item.name: self._on_entered(name))
            self.fields[item.name] = field
            line = QHBoxLayout()
            line.setSpacing(6)
            line.addWidget(field, stretch=1)
            if item.kind == "seed":
                self.redraw_button = QPushButton("Redraw")
                self.redraw_button.setToolTip("Other random numbers of the same kind")
                self.redraw_button.clicked.connect(self._redraw)
                line.addWidget(self.redraw_button)
            self._rows.addWidget(name_label(item.label), row, 0)
            self._rows.addLayout(line, row, 1)
            field.show()  # now, not after the next events

    def _item(self, name: str) -> Ingredient:
        assert self._source is not None
        recipe = RECIPES[self._source["kind"]]
        return next(item for item in recipe.ingredients if item.name == name)

    def _value(self, name: str) -> Any:
        assert self._source is not None
        return self._source.get(name, self._item(name).default)

    def _on_kind_chosen(self) -> None:
        kind = self.kind_box.currentData()
        if kind == _kind(self._source):
            return
        if kind is None:
            self.edited.emit(None)
            return
        # What both recipes ask for is taken over, and the shape of what was there.
        known: dict[str, Any] = {"shape": list(self._shape), **(self._source or {})}
        if len(self._shape) == 2:
            known = {"rows": self._shape[0], "columns": self._shape[1], **known}
        source = default_source(kind)
        self.edited.emit(source | {k: v for k, v in known.items() if k in source and k != "kind"})

    def _on_entered(self, name: str) -> None:
        field = self.fields.get(name)
        if field is None or not field.isModified() or self._source is None:
            return
        field.setModified(False)
        try:
            value = _parsed(self._item(name), field.text())
        except EditRefusedError as error:
            set_invalid(field, str(error))
            return
        set_invalid(field, "")
        self.edited.emit({**self._source, name: value})

    def _redraw(self) -> None:
        if self._source is not None:
            self.edited.emit({**self._source, "seed": random.randrange(SEEDS)})


def _kind(source: Source | None) -> str | None:
    return None if source is None else str(source["kind"])


def _text(item: Ingredient, value: Any) -> str:
    return ", ".join(map(str, value)) if item.kind == "shape" else format_element(value)


def _parsed(item: Ingredient, text: str) -> Any:
    if item.kind == "shape":
        return list(parse_shape(text))
    dtype = "float64" if item.kind == "number" else "int64"
    array = parse_array(text, dtype)
    if array.ndim:
        raise EditRefusedError(f"'{text}' is not one number.", next_step="Type one number.")
    return array.item()
