"""A slider that goes where it is clicked, and back with Esc."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QSlider, QWidget

#: Half the width of the handle, as the style sheet has it.
_HANDLE = 8

_KEYS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Down: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Up: 1,
    Qt.Key.Key_PageDown: -10,
    Qt.Key.Key_PageUp: 10,
}


class Slider(QSlider):
    """Tells a drag from what it ends with, by mouse and by keys.

    Signals:
        slid: the handle was moved and is still held (position).
        dropped: it was let go somewhere else than it was taken (position, and whether by a key).
        cancelled: Esc while it was held; it is back where it was.
    """

    slid = Signal(int)
    dropped = Signal(int, bool)
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._start: int | None = None
        self.setMinimumHeight(22)

    @property
    def is_held(self) -> bool:
        """Whether a hand or a key is moving it."""
        return self._start is not None

    def cancel(self) -> bool:
        """Put the handle back; whether it was held."""
        start, self._start = self._start, None
        if start is None:
            return False
        self.setSliderDown(False)
        self.setValue(start)
        self.cancelled.emit()
        return True

    # -- by mouse ------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self._start = self.value()
        self.setSliderDown(True)
        self._move_to(self._position(event))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._move_to(self._position(event))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.isSliderDown():
            self._drop(by_key=False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # scrolling past must not change values

    def _position(self, event: QMouseEvent) -> int:
        room = max(1, self.width() - 2 * _HANDLE)
        share = min(max((event.position().x() - _HANDLE) / room, 0.0), 1.0)
        return self.minimum() + round(share * (self.maximum() - self.minimum()))

    # -- by keys -------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Esc belongs to the slider while it is held."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and (event.key() in _KEYS or (event.key() == Qt.Key.Key_Escape and self.is_held))
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _KEYS and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            if self._start is None:
                self._start = self.value()
            self._move_to(self.value() + _KEYS[Qt.Key(event.key())])
        elif event.key() != Qt.Key.Key_Escape or not self.cancel():
            event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() in _KEYS and not event.isAutoRepeat():
            self._drop(by_key=True)
        else:
            super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if not self.isSliderDown():
            self._drop(by_key=True)
        super().focusOutEvent(event)

    # ------------------------------------------------------------------------------------------

    def _move_to(self, position: int) -> None:
        before = self.value()
        self.setValue(position)
        if self.value() != before:
            self.slid.emit(self.value())

    def _drop(self, *, by_key: bool) -> None:
        start, self._start = self._start, None
        if start is None:
            return
        self.setSliderDown(False)
        if self.value() != start:
            self.dropped.emit(self.value(), by_key)
        else:
            self.cancelled.emit()  # taken back to where it was: as if never touched
