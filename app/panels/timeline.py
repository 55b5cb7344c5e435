"""The transport bar: plays, steps and scrubs through a backward."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QFont,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from app.panels.scrubber import Scrubber
from app.panels.widgets import IconButton, column
from app.playback import Mode, Player
from app.theme import Theme, mix, ui_font
from core.moments import Moment
from core.trace import Trace

K = TypeVar("K")

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0)
_MODES: tuple[tuple[Mode, str], ...] = (
    ("steps", "One step after the other"),
    ("wave", "As a wave"),
)
#: Narrower than this, the jumps to the ends are left to the keyboard.
_COMPACT = 520
#: Narrower than this, there is no room for words.
_WORDLESS = 400


class PlayButton(QToolButton):
    """The round button in the middle of the bar."""

    def __init__(self) -> None:
        super().__init__()
        self._theme: Theme | None = None
        self.is_playing = False
        self.setFixedSize(QSize(36, 36))
        self.setAccessibleName("Play")
        self.setToolTip("Play or pause (Space)")

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self.update()

    def set_playing(self, playing: bool) -> None:
        """Show what a press will do."""
        self.is_playing = playing
        self.setAccessibleName("Pause" if playing else "Play")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._theme
        if theme is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = theme.text if self.isEnabled() else theme.chip
        if self.isEnabled() and self.underMouse():
            ground = mix(ground, theme.accent, 0.25)
        painter.setPen(theme.accent if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawEllipse(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.background if self.isEnabled() else theme.text_faint)
        _paint_pause(painter) if self.is_playing else _paint_play(painter)


def _paint_pause(painter: QPainter) -> None:
    for left in (13.0, 19.5):
        painter.drawRoundedRect(QRectF(left, 12, 3.6, 12), 1.2, 1.2)


def _paint_play(painter: QPainter) -> None:
    from_left, top, width, height = 14.2, 11.5, 10.5, 13.0
    path = QPainterPath()
    path.moveTo(from_left, top)
    path.lineTo(from_left + width, top + height / 2)
    path.lineTo(from_left, top + height)
    path.closeSubpath()
    painter.drawPath(path)


class Timeline(QWidget):
    """A bar over the player: it shows its time and passes on what is pressed.

    Signals:
        backward_asked: play was pressed while there is nothing to play.
    """

    backward_asked = Signal()

    def __init__(self, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player = player
        self._theme: Theme | None = None
        self._to_start = IconButton("skip-back", "To the start (Shift+,)")
        self._back = IconButton("step-back", "Step back (,)")
        self._play = PlayButton()
        self._step = IconButton("step-forward", "Step (.)")
        self._to_end = IconButton("skip-forward", "To the end (Shift+.)")
        self.scrubber = Scrubber()
        self._title = QLabel()
        self._title.setFont(ui_font(12, QFont.Weight.DemiBold))
        self._place = QLabel()
        self._place.setFont(ui_font(11))
        self._place.setProperty("kind", "muted")
        self._options = IconButton("settings", "Speed, mode and loop")
        self._options.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.options_menu = self._make_menu()
        self._options.setMenu(self.options_menu)
        self._lay_out()
        self._connect()
        self._on_loaded(player.trace)
        self._on_moved(player.moment)

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        buttons = (self._to_start, self._back, self._step, self._to_end, self._options)
        for widget in (*buttons, self._play, self.scrubber):
            widget.set_theme(theme)
        self.update()

    def play_or_run(self) -> None:
        """Play or pause; with nothing to play, ask for a backward."""
        if self._player.trace is None:
            self.backward_asked.emit()
        else:
            self._player.toggle()

    def text(self) -> str:
        """What the label says, in one line: "Backward 1 · step 6 of 9 · 0.5×"."""
        return f"{self._title.text()} · {self._place.text()}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        roomy = self.width() >= _COMPACT
        self._to_start.setVisible(roomy)
        self._to_end.setVisible(roomy)
        self._words.setVisible(self.width() >= _WORDLESS)

    def _lay_out(self) -> None:
        self._words = QWidget()
        words = column(self._words, spacing=1)
        words.addWidget(self._title)
        words.addWidget(self._place)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 7, 10, 7)
        layout.setSpacing(5)
        for button in (self._to_start, self._back, self._play, self._step, self._to_end):
            layout.addWidget(button)
        layout.addSpacing(8)
        layout.addWidget(self.scrubber, stretch=1)
        layout.addSpacing(10)
        layout.addWidget(self._words)
        layout.addWidget(self._options)
        self._title.setMinimumWidth(118)

    def _connect(self) -> None:
        player = self._player
        self._to_start.clicked.connect(player.to_start)
        self._back.clicked.connect(player.step_back)
        self._play.clicked.connect(self.play_or_run)
        self._step.clicked.connect(player.step)
        self._to_end.clicked.connect(player.to_end)
        self.scrubber.scrubbed.connect(self._on_scrubbed)
        self.scrubber.stepped.connect(lambda by: player.step() if by > 0 else player.step_back())
        player.loaded.connect(self._on_loaded)
        player.moved.connect(self._on_moved)
        player.playing_changed.connect(self._play.set_playing)
        player.options_changed.connect(self._on_options_changed)

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        self.trace_menu = menu.addMenu("Backward")
        menu.aboutToShow.connect(self._fill_trace_menu)
        menu.addSeparator()
        self._speed_actions = self._exclusive(menu, [(s, f"{s:g}×") for s in SPEEDS])
        for speed, action in self._speed_actions.items():
            action.triggered.connect(lambda _on=False, s=speed: self._player.set_speed(s))
        menu.addSeparator()
        self._mode_actions = self._exclusive(menu, list(_MODES))
        for mode, action in self._mode_actions.items():
            action.triggered.connect(lambda _on=False, m=mode: self._player.set_mode(m))
        menu.addSeparator()
        self._loop_action = menu.addAction("Loop")
        self._loop_action.setCheckable(True)
        self._loop_action.toggled.connect(self._player.set_loop)
        self._reduced_action = menu.addAction("Reduced motion")
        self._reduced_action.setCheckable(True)
        self._reduced_action.toggled.connect(self._player.set_reduced_motion)
        return menu

    def _fill_trace_menu(self) -> None:
        """One entry for every backward since the last restart."""
        self.trace_menu.clear()
        for i, trace in enumerate(self._player.traces):
            entry = self.trace_menu.addAction(f"Backward {trace.number}")
            entry.setCheckable(True)
            entry.setChecked(i == self._player.index)
            entry.triggered.connect(lambda _on=False, index=i: self._player.select(index))
        self.trace_menu.setEnabled(len(self._player.traces) > 1)

    @staticmethod
    def _exclusive(menu: QMenu, entries: list[tuple[K, str]]) -> dict[K, QAction]:
        group = QActionGroup(menu)
        actions = {}
        for key, text in entries:
            action = menu.addAction(text)
            action.setCheckable(True)
            group.addAction(action)
            actions[key] = action
        return actions

    def _on_scrubbed(self, time: float) -> None:
        self._player.pause()
        self._player.seek(time)

    def _on_loaded(self, trace: Trace | None) -> None:
        self.scrubber.set_marks(self._player.boundaries(), self._player.duration)
        for widget in (self._to_start, self._back, self._step, self._to_end):
            widget.setEnabled(trace is not None)
        self._on_options_changed()

    def _on_moved(self, moment: Moment) -> None:
        self.scrubber.set_time(moment.time)
        trace = self._player.trace
        if trace is not None:
            step = f"step {moment.step} of {len(trace.steps)}"
            self._place.setText(f"{step} · {self._player.speed:g}×")

    def _on_options_changed(self) -> None:
        player = self._player
        trace = player.trace
        if trace is None:
            self._title.setText("No backward yet")
            self._place.setText("Play or F5 runs one")
        else:
            state = " stopped" if trace.error else (", outdated" if player.stale else "")
            self._title.setText(f"Backward {trace.number}{state}")
            self._title.setToolTip(str(trace.error or ""))
            self._on_moved(player.moment)
        for speed, action in self._speed_actions.items():
            action.setChecked(speed == player.speed)
        for mode, action in self._mode_actions.items():
            action.setChecked(mode == player.mode)
        self._loop_action.setChecked(player.loop)
        self._reduced_action.setChecked(player.reduced_motion)
