"""One editor for each kind of parameter. A new kind is one row of ``EDITORS``.

Every editor shows a value with ``set_value`` and emits ``edited`` with a new one; text that cannot
be read is marked and says why, and changes nothing.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QWidget

from app.panels.array_text import format_element
from app.panels.index_text import format_index, parse_index
from app.panels.widgets import set_invalid
from app.theme import mono_font
from core.errors import EditRefusedError, PullbackError
from core.library.spec import Param


class ParamEditor(QWidget):
    """Base of all editors.

    Signals:
        edited: a new value was entered; and a word that merges it with its neighbours in the undo
            history, or "" (object, str).
    """

    edited = Signal(object, str)

    def __init__(self, param: Param, field: QWidget) -> None:
        super().__init__()
        self.param = param
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(field)
        self.setFocusProxy(field)
        field.setAccessibleName(param.name)
        field.setToolTip(param.doc)

    @abstractmethod
    def set_value(self, value: Any) -> None:
        """Show ``value`` without announcing it."""

    def refuse(self, error: PullbackError) -> None:
        """Say that the graph did not take the value."""
        self.setToolTip(str(error))


class TextEditor(ParamEditor):
    """A line of text that is parsed. Empty means None where the parameter may be None.

    Args:
        parse: the value of a text; raises ``EditRefusedError``.
        show: the text of a value.
        nudge: the value one step up (+1) or down (−1), for the arrow keys; None: they do nothing.
    """

    def __init__(
        self,
        param: Param,
        parse: Callable[[str], Any],
        show: Callable[[Any], str],
        nudge: Callable[[Any, int], Any] | None = None,
    ) -> None:
        self._field = QLineEdit()
        super().__init__(param, self._field)
        self._parse = parse
        self._words = param.words
        self._show = show
        self._nudge = nudge
        self._value: Any = None
        self._may_be_none = param.optional or param.default is None
        self._field.setFont(mono_font(12))
        if self._may_be_none:
            self._field.setPlaceholderText("none")
        self._field.editingFinished.connect(self._on_finished)
        self._field.installEventFilter(self)

    def set_value(self, value: Any) -> None:
        self._value = value
        self._field.setText("" if value is None else self._show(value))
        set_invalid(self._field, "")
        self._field.setToolTip(self.param.doc)

    def refuse(self, error: PullbackError) -> None:
        set_invalid(self._field, str(error))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and Down nudge a number; Esc takes the typed text back."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
            if event.key() in steps and self._nudge is not None and self._value is not None:
                value = self._nudge(self._value, steps[Qt.Key(event.key())])
                self.set_value(value)
                self.edited.emit(value, "nudge")
                return True
            if event.key() == Qt.Key.Key_Escape and self._field.isModified():
                self.set_value(self._value)
                return True
        return super().eventFilter(watched, event)

    def _read(self, text: str) -> Any:
        if text in self._words:
            return text
        return None if not text and self._may_be_none else self._parse(text)

    def _on_finished(self) -> None:
        if not self._field.isModified():
            return
        text = self._field.text().strip()
        try:
            value = self._read(text)
        except EditRefusedError as error:
            set_invalid(self._field, str(error))
            return
        self.set_value(value)
        self._field.setModified(False)
        self.edited.emit(value, "")


class BoolEditor(ParamEditor):
    """A check box."""

    def __init__(self, param: Param) -> None:
        self._box = QCheckBox()
        super().__init__(param, self._box)
        self._box.toggled.connect(lambda on: self.edited.emit(on, ""))

    def set_value(self, value: Any) -> None:
        with QSignalBlocker(self._box):
            self._box.setChecked(bool(value))


class ChoiceEditor(ParamEditor):
    """A list to choose from."""

    def __init__(self, param: Param) -> None:
        self._box = QComboBox()
        super().__init__(param, self._box)
        self._choices = list(param.choices)
        if param.optional and None not in self._choices:
            self._choices.insert(0, None)
        for choice in self._choices:
            self._box.addItem("none" if choice is None else _plain(choice))
        self._box.activated.connect(lambda row: self.edited.emit(self._choices[row], ""))

    def set_value(self, value: Any) -> None:
        self._box.setCurrentIndex(self._choices.index(value) if value in self._choices else -1)


# -- what the kinds mean as text -----------------------------------------------------------------


def _parse_float(text: str) -> float:
    try:
        return float(text.replace("−", "-"))
    except ValueError:
        raise EditRefusedError(
            f"'{text}' is not a number.", next_step="Type one such as 0.5, 1e-8 or inf."
        ) from None


def _parse_int(text: str) -> int:
    try:
        return int(text.replace("−", "-"))
    except ValueError:
        raise EditRefusedError(
            f"'{text}' is not a whole number.", next_step="Type one such as 0, 2 or -1."
        ) from None


def _parse_ints(text: str) -> Any:
    """``2``, ``2, 3``, ``(2, 3)``, ``()`` or nested ``[[1, 2], [3, 4]]`` as ints and tuples."""
    inner = _without_brackets(text)
    if inner is None:
        parts = [part for part in re.split(r"[,\s×]+", text) if part]
        numbers = tuple(_parse_int(part) for part in parts)
        return numbers[0] if len(numbers) == 1 and "," not in text else numbers
    return tuple(_parse_ints(part) for part in _split_outside_brackets(inner))


def _without_brackets(text: str) -> str | None:
    text = text.strip()
    if text[:1] not in ("(", "["):
        return None
    if text[-1:] != {"(": ")", "[": "]"}[text[0]]:
        raise EditRefusedError("A bracket is not closed.", next_step="Close every bracket.")
    return text[1:-1]


def _split_outside_brackets(text: str) -> list[str]:
    parts, depth = [""], 0
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part for part in parts if part.strip()]


def parse_shape(text: str) -> tuple[int, ...]:
    """A shape such as ``2, 3`` or ``(2, 3)``; empty text is a scalar's.

    Raises:
        EditRefusedError: naming the part that is not a whole number.
    """
    value = _parse_ints(text)
    return (value,) if isinstance(value, int) else value


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        if not value or any(isinstance(part, list | tuple) for part in value):
            return _bracketed(value)
        return ", ".join(_plain(part) for part in value) + ("," if len(value) == 1 else "")
    return value if isinstance(value, str) else format_element(value)


def _bracketed(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_bracketed(part) for part in value) + "]"
    return _plain(value)


def _add(value: Any, step: int) -> Any:
    return value + step


def _text_editor(
    parse: Callable[[str], Any],
    show: Callable[[Any], str] = _plain,
    nudge: Callable[[Any, int], Any] | None = None,
) -> Callable[[Param], ParamEditor]:
    return lambda param: TextEditor(param, parse, show, nudge)


#: The editor of every ``Param.kind``.
EDITORS: dict[str, Callable[[Param], ParamEditor]] = {
    "float": _text_editor(_parse_float),
    "int": _text_editor(_parse_int, nudge=_add),
    "bool": BoolEditor,
    "choice": ChoiceEditor,
    "axis": _text_editor(_parse_int, nudge=_add),
    "axes": _text_editor(_parse_ints),
    "ints": _text_editor(_parse_ints),
    "shape": _text_editor(parse_shape),
    "index": _text_editor(parse_index, format_index),
    "text": _text_editor(str),
}


def make_editor(param: Param) -> ParamEditor:
    """The editor for a parameter: a choice wherever there are choices, else by its kind."""
    return ChoiceEditor(param) if param.choices else EDITORS[param.kind](param)
