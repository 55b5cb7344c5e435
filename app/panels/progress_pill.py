"""What takes its time, said over the canvas: what it is, how far it is, and a way to stop it."""

from __future__ import annotations

import math

from PySide6.QtCore import QElapsedTimer, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout

from app.theme import Theme

#: Milliseconds between two looks at the clock.
_TICK = 100
_BAR_WIDTH = 210


class ProgressPill(QFrame):
    """Shows progress by the clock: nobody tells how far it is, only about how long it takes.

    Signals:
        cancelled: the button was pressed.
    """

    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("pill")
        self._text = ""
        self._seconds = 1.0
        self._clock = QElapsedTimer()
        self._timer = QTimer(self, interval=_TICK)
        self._timer.timeout.connect(self._show_time)
        self._label = QLabel()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(_BAR_WIDTH)
        self.bar.setAccessibleName("Progress")
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setToolTip("Stop it (Ctrl+.)")
        self.cancel_button.clicked.connect(self.cancelled)
        words = QVBoxLayout()
        words.setSpacing(7)
        words.addWidget(self._label)
        words.addWidget(self.bar)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 10, 12, 10)
        layout.setSpacing(16)
        layout.addLayout(words)
        layout.addWidget(self.cancel_button)
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return self._label.text()

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self.setStyleSheet(
            f"#pill {{ background: {theme.pill.name()}; border: 1px solid {theme.border.name()};"
            " border-radius: 12px; }"
        )

    def begin(self, text: str, seconds: float) -> None:
        """Say what is going on, and that it takes about this long."""
        self._text, self._seconds = text, seconds
        self._clock.start()
        self._timer.start()
        self._show_time()
        self.adjustSize()
        self.show()

    def end(self) -> None:
        """It is over."""
        self._timer.stop()
        self.hide()

    def _show_time(self) -> None:
        passed = self._clock.elapsed() / 1000
        # Near its end at the expected time, and never quite there: the guess may be wrong.
        self.bar.setValue(round(100 * (1 - math.exp(-2.3 * passed / self._seconds))))
        self._label.setText(f"{self._text}  {passed:.0f} s")
