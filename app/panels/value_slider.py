"""Slides a scalar, or one element of an array, between limits that can be changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSpinBox, QWidget

from app.panels.array_text import format_element, parse_array
from app.panels.slider import Slider
from app.panels.widgets import Field, column, set_invalid
from app.sliding import (
    Array,
    Slide,
    SliderRange,
    can_slide,
    is_slider,
    range_of,
    with_element,
)
from app.theme import mono_font, ui_font
from core.errors import EditRefusedError
from core.graph import Node

_LIMITS = {"low": "min", "step": "step", "high": "max"}


class ElementBox(QSpinBox):
    """Chooses an element of an array; shows its index, such as ``[0, 2]``."""

    def __init__(self) -> None:
        super().__init__()
        self._shape: tuple[int, ...] = ()
        self.setFont(mono_font(11))
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAccessibleName("Element")
        self.setToolTip("Which element the slider moves")
        self.setWrapping(True)

    def set_shape(self, shape: tuple[int, ...]) -> None:
        """Take the shape of another array."""
        self._shape = shape
        self.setRange(0, max(0, int(np.prod(shape)) - 1))
        self.lineEdit().setText(self.textFromValue(self.value()))  # the same value, spelt anew

    def textFromValue(self, value: int) -> str:  # noqa: N802 (Qt's name)
        index = np.unravel_index(value, self._shape) if self._shape else ()
        return "[" + ", ".join(str(int(i)) for i in index) + "]"

    def valueFromText(self, text: str) -> int:  # noqa: N802
        try:
            index = [int(word) for word in text.strip("[] ").split(",")]
            return int(np.ravel_multi_index(index, self._shape))
        except ValueError:
            return self.value()


class ValueSlider(QWidget):
    """A slider with its limits, and a choice of element for arrays.

    Signals:
        slid: the value is being dragged, was let go, or was put back (Slide).
        range_edited: other limits were typed (SliderRange).
    """

    slid = Signal(object)
    range_edited = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._node_id = ""
        self._array: Array = np.zeros(())
        self._source: Mapping[str, Any] | None = None
        self._range = SliderRange(0.0, 1.0, 0.01)
        self._ranged: tuple[str, int] | None = None  # node and element that the range is for
        self.slider = Slider()
        self.slider.setAccessibleName("Value slider")
        self.slider.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.element = ElementBox()
        self.fields = {name: self._limit_field(name, shown) for name, shown in _LIMITS.items()}
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.element)
        line.addWidget(self.slider, stretch=1)
        limits = QHBoxLayout()
        limits.setSpacing(5)
        for name, field in self.fields.items():
            label = QLabel(_LIMITS[name])
            label.setFont(ui_font(11))
            label.setProperty("kind", "muted")
            limits.addWidget(label)
            limits.addWidget(field, stretch=1)
        layout = column(self, spacing=4)
        layout.addLayout(line)
        layout.addLayout(limits)
        self.element.valueChanged.connect(lambda _: self._show_range())
        self.slider.slid.connect(lambda position: self._tell("drag", position))
        self.slider.dropped.connect(self._on_dropped)
        self.slider.cancelled.connect(lambda: self.slid.emit(Slide("cancel", self._node_id)))

    def show_node(self, node: Node) -> None:
        """Show an input's value; nothing at all where it cannot be slid."""
        self._node_id = node.id
        self._array, self._source = node.params["value"], node.params["source"]
        fits = can_slide(self._array)
        self.setVisible(fits)
        if not fits or self.slider.is_held:  # the hand knows where it is
            return
        self.element.blockSignals(True)
        self.element.set_shape(self._array.shape)
        self.element.blockSignals(False)
        self.element.setVisible(self._array.size > 1)
        self._show_range()

    @property
    def value(self) -> float:
        """The value of the element."""
        return float(self._array.reshape(-1)[self.element.value()])

    def _show_range(self) -> None:
        element = self.element.value()
        is_out = not self._range.low <= self.value <= self._range.high
        if is_slider(self._source) or is_out or self._ranged != (self._node_id, element):
            self._range = range_of(self._array, element, self._source)
            self._ranged = (self._node_id, element)
        self._show_limits()

    def _show_limits(self) -> None:
        for name, field in self.fields.items():
            field.setText(format_element(getattr(self._range, name)))
            field.setCursorPosition(0)
            set_invalid(field, "")
        self.slider.setRange(0, self._range.steps)
        self.slider.setValue(self._range.position(self.value))

    def _limit_field(self, name: str, shown: str) -> Field:
        field = Field()
        field.setFont(mono_font(11))
        field.setAccessibleName(shown)
        field.setMinimumWidth(34)
        field.editingFinished.connect(lambda: self._on_limit_entered(name))
        return field

    def _on_limit_entered(self, name: str) -> None:
        field = self.fields[name]
        if not field.isModified():
            return
        field.setModified(False)
        limits = {key: getattr(self._range, key) for key in _LIMITS}
        try:
            limits[name] = float(parse_array(field.text()).reshape(-1)[0])
            self._range = SliderRange(**limits)
        except EditRefusedError as error:
            set_invalid(field, str(error))
            return
        self._show_limits()
        self.range_edited.emit(self._range)

    def _on_dropped(self, position: int, by_key: bool) -> None:
        self._tell("drop", position, f"slide {self._node_id}" if by_key else "")

    def _tell(self, phase: str, position: int, merge: str = "") -> None:
        array = with_element(self._array, self.element.value(), self._range.value_at(position))
        self.slid.emit(Slide("drop" if phase == "drop" else "drag", self._node_id, array, merge))
