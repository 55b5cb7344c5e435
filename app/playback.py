"""Replays traces. Time goes in, a ``Moment`` comes out; nothing here computes or draws.

What is shown is a pure function of (trace, schedule, time), so scrubbing, stepping back and playing
are all ``seek``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

from app.descent import way
from core.folding import seen
from core.moments import Moment
from core.schedule import Schedule
from core.trace import Trace

Mode = Literal["steps", "wave"]

FRAME_MS = 16
#: What the traces of a list may take together; the newest is kept whatever it takes.
MOST_BYTES = 768 * 2**20
#: About what a step takes beside its arrays.
_STEP_BYTES = 1500
MIN_SPEED, MAX_SPEED = 0.25, 4.0
#: Two times closer than this are the same step boundary.
EPSILON = 1e-9


class Player(QObject):
    """A clock over the schedule of one trace of a list (the backwards of a run).

    Attributes:
        traces: what can be played; a run of two backwards has two.
        index: which of them is loaded.
        schedule: its layout in time; None when nothing is loaded.
        moment: what is shown now.
        speed: how much faster than the schedule's own seconds.
        loop: start over at the end.
        reduced_motion: no travel: time jumps from one step's end to the next.
        stale: the graph was edited since; the trace shows what was.
        place: the instance of a function that is looked into (``"n7/n12"``), "" for none: what is
            loaded is the trace as it is seen there.

    Signals:
        loaded: another trace is loaded (Trace, or None).
        moved: the time changed (Moment).
        playing_changed: playing began or ended (bool).
        options_changed: speed, mode, loop, reduced motion or staleness changed.
    """

    loaded = Signal(object)
    moved = Signal(object)
    playing_changed = Signal(bool)
    options_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.traces: tuple[Trace, ...] = ()
        self.index = 0
        self.schedule: Schedule | None = None
        self.moment = Moment(0.0, 0)
        self.speed = 1.0
        self.mode: Mode = "steps"
        self.loop = False
        self.reduced_motion = False
        self.stale = False
        self.place = ""
        self._carry = 0.0  # seconds played since the step that reduced motion stands at
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)  # others may be late by a frame
        self._timer.timeout.connect(self._on_tick)

    @property
    def trace(self) -> Trace | None:
        """The trace that is loaded, as it is seen at ``place``."""
        return self.schedule.trace if self.schedule else None

    @property
    def is_playing(self) -> bool:
        """Whether the clock runs."""
        return self._timer.isActive()

    @property
    def duration(self) -> float:
        """Seconds of the loaded trace, at speed 1."""
        return self.schedule.duration if self.schedule else 0.0

    @property
    def at_end(self) -> bool:
        """Whether the last flow of the loaded trace has arrived."""
        return self.moment.time >= self.duration - EPSILON

    def load(self, *traces: Trace) -> None:
        """Take the traces of one action, or of a whole run, and go to the start of the first."""
        self.pause()
        self.traces = traces
        self._set_stale(False)
        self._select(0)

    def add(self, trace: Trace) -> None:
        """Put ``trace`` after those that are there, and go to its start.

        The oldest are forgotten when all together take more than ``MOST_BYTES``.
        """
        self.pause()
        self.traces = _newest((*self.traces, trace))
        self._set_stale(False)
        self._select(len(self.traces) - 1)

    def refresh(self, *traces: Trace) -> None:
        """Take the traces of the same actions, done again with other values.

        Where it was paused half-way, the same step is shown again; else the end.
        """
        stays = not self.is_playing and not self.at_end and self.index < len(traces)
        share = self.moment.time / self.duration if stays and self.duration else 1.0
        self.pause()
        self.traces = traces
        self._set_stale(False)
        self._select(self.index if stays else len(traces) - 1, share)

    def clear(self) -> None:
        """Forget every trace."""
        self.load()

    def select(self, index: int) -> None:
        """Go to the start of another of ``traces``."""
        if 0 <= index < len(self.traces):
            self._select(index)

    def mark_stale(self) -> None:
        """Say that the graph is no longer the one the trace was made from."""
        if self.schedule is not None:
            self._set_stale(True)

    # -- the clock -----------------------------------------------------------------------------

    def play(self) -> None:
        """Run the clock, from the start when it stands at the end."""
        if self.schedule is None or self.is_playing:
            return
        if self.at_end:
            self._start_over() if self.index == len(self.traces) - 1 else self._select(
                self.index + 1
            )
        self._clock.start()
        self._timer.start()
        self.playing_changed.emit(True)

    def pause(self) -> None:
        """Stop the clock where it is."""
        if self.is_playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def toggle(self) -> None:
        """Play, or pause."""
        self.pause() if self.is_playing else self.play()

    def seek(self, time: float) -> None:
        """Show the trace as it is ``time`` seconds in (kept between the start and the end)."""
        if self.schedule is None:
            return
        self._carry = 0.0
        self.moment = self.schedule.at(min(max(time, 0.0), self.duration))
        self.moved.emit(self.moment)

    def step(self) -> None:
        """Go on to where the next step ends: its VJPs have arrived."""
        self.pause()
        ends = self.boundaries()
        later = bisect_right(ends, self.moment.time + EPSILON)
        if later < len(ends):
            self.seek(ends[later])
        elif self.index + 1 < len(self.traces):
            self._select(self.index + 1)

    def step_back(self) -> None:
        """Go back to where the step before ended."""
        self.pause()
        ends = self.boundaries()
        earlier = bisect_left(ends, self.moment.time - EPSILON) - 1
        if earlier >= 0:
            self.seek(ends[earlier])
        elif self.index > 0:
            self._select(self.index - 1)
            self.seek(self.duration)

    def to_start(self) -> None:
        """Go to the start; nothing has moved yet."""
        self.pause()
        self.seek(0.0)

    def to_end(self) -> None:
        """Go to the end; everything has arrived."""
        self.pause()
        self.seek(self.duration)

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` of real time pass. Tests call this instead of waiting."""
        if self.schedule is None:
            return
        time = self.moment.time + self._carry + seconds * self.speed
        if time < self.duration - EPSILON:
            self._move_on(time)
        elif self.index + 1 < len(self.traces):
            self._select(self.index + 1)
        elif self.loop and self.duration > 0:
            self._start_over()
        else:
            self.pause()
            self.seek(self.duration)

    def boundaries(self) -> Sequence[float]:
        """Seconds at which a step ends, and the start; increasing."""
        return self.schedule.boundaries if self.schedule is not None else ()

    # -- options -------------------------------------------------------------------------------

    def set_speed(self, speed: float) -> None:
        """Set the speed, kept between a quarter and four times."""
        self.speed = min(max(speed, MIN_SPEED), MAX_SPEED)
        self.options_changed.emit()

    def set_mode(self, mode: Mode) -> None:
        """Play step by step or as a wave, staying at the same step."""
        if mode == self.mode:
            return
        self.mode = mode
        if self.schedule is not None:
            share = self.moment.time / self.duration if self.duration else 0.0
            self.schedule = Schedule(self.schedule.trace, mode)  # seen from the same place
            self.loaded.emit(self.schedule.trace)
            self.seek(share * self.duration)
        self.options_changed.emit()

    def set_place(self, place: str) -> None:
        """Look into another instance, or out of it, at the same moment."""
        if place == self.place:
            return
        schedule, time = self.schedule, self.moment.time
        if schedule is not None:
            for step in way(self.place, place):
                other = self._schedule(self.traces[self.index], step.place)
                time = step.time(time, schedule, other)
                schedule = other
        self.place, self.schedule = place, schedule
        if schedule is not None:
            self.loaded.emit(schedule.trace)
            self.seek(time)

    def set_loop(self, loop: bool) -> None:
        """Start over at the end, or stop there."""
        self.loop = loop
        self.options_changed.emit()

    def set_reduced_motion(self, reduced: bool) -> None:
        """Show numbered steps instead of travelling pulses."""
        self.reduced_motion = reduced
        self.options_changed.emit()

    # ------------------------------------------------------------------------------------------

    def _move_on(self, time: float) -> None:
        if not self.reduced_motion:
            self.seek(time)
            return
        ends = self.boundaries()
        stop = ends[bisect_right(ends, time + EPSILON) - 1]
        if stop > self.moment.time + EPSILON:
            self.seek(stop)
        self._carry = time - stop

    def _start_over(self) -> None:
        if self.index == 0:  # it is laid out and shown already
            self.seek(0.0)
        else:
            self._select(0)

    def _select(self, index: int, share: float = 0.0) -> None:
        self.index = index
        trace = self.traces[index] if index < len(self.traces) else None
        self.schedule = self._schedule(trace, self.place) if trace else None
        self.loaded.emit(self.trace)
        self.moment = Moment(0.0, 0)
        if self.schedule is None:
            self.moved.emit(self.moment)
        else:
            self.seek(share * self.duration)

    def _schedule(self, trace: Trace, place: str) -> Schedule:
        return Schedule(seen(trace, place), self.mode)

    def _set_stale(self, stale: bool) -> None:
        if stale != self.stale:
            self.stale = stale
            self.options_changed.emit()

    def _on_tick(self) -> None:
        self.advance(self._clock.restart() / 1000)


def _newest(traces: tuple[Trace, ...]) -> tuple[Trace, ...]:
    """As many of the last traces as ``MOST_BYTES`` hold, at least one."""
    room = MOST_BYTES
    for k, trace in enumerate(reversed(traces)):
        room -= trace.bytes + _STEP_BYTES * len(trace.steps)
        if room < 0 and k:
            return traces[len(traces) - k :]
    return traces
