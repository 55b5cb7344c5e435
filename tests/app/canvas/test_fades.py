"""Values cross over, freed values drain, and what cannot be followed is shown at once."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF

from app.canvas.fades import DRAIN, FADE
from app.canvas.step_numbers import numbered_wires
from core.session import Session


class Clock:
    """Milliseconds, told by hand."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def session(canvas, story) -> Session:
    session = Session(story.graph)
    canvas.show_snapshot(session.snapshot())
    return session


@pytest.fixture
def clock(canvas, session) -> Clock:
    canvas.frame_all(animated=False)
    canvas.zoom_to(1.0, animated=False)
    canvas.settle()
    canvas.grab()  # everything is painted as it is
    canvas.finish_animation()
    clock = canvas.fades.clock = Clock()
    return clock


def set_value(canvas, session, story, name, value) -> str:
    """Set a value and show what comes of it."""
    node = story.ids[name]
    graph = session.graph.with_params(node, value=np.asarray(value, float))
    session.update(graph)
    canvas.show_snapshot(session.snapshot())
    return node


def test_a_new_value_fades_in(canvas, story, session, clock) -> None:
    node = set_value(canvas, session, story, "λ", 0.7)
    assert canvas.fades.opacity(node) == 1.0
    clock.now += FADE / 2
    assert 0.0 < canvas.fades.opacity(node) < 0.5
    clock.now += FADE / 2
    canvas.fades.advance()
    assert not canvas.fades


def test_the_old_picture_is_seen_at_first_and_gone_in_the_end(
    canvas, story, session, clock
) -> None:
    def value_row() -> bytes:
        x, y = session.graph.nodes[story.ids["e"]].pos
        start, end = (
            canvas.to_screen(QPointF(x + 70, y + 82)),
            canvas.to_screen(QPointF(x + 150, y + 103)),
        )
        image = canvas.grab(QRectF(start, end).toRect()).toImage()
        return bytes(image.constBits())

    before = value_row()
    set_value(canvas, session, story, "target", [9.0, -9.0])
    at_first = value_row()
    clock.now += FADE / 2
    half_way = value_row()
    clock.now += FADE / 2
    assert before == at_first
    assert len({before, half_way, value_row()}) == 3


def test_a_value_that_changes_again_and_again_is_shown_at_once(
    canvas, story, session, clock
) -> None:
    node = set_value(canvas, session, story, "λ", 0.7)
    canvas.grab()
    clock.now += 30
    set_value(canvas, session, story, "λ", 0.8)
    assert canvas.fades.opacity(node) == 0.0
    canvas.grab()
    clock.now += FADE
    set_value(canvas, session, story, "λ", 0.9)
    assert canvas.fades.opacity(node) == 1.0


def test_freed_values_drain_slowly(canvas, story, clock) -> None:
    canvas.show_trace(story.trace)
    canvas.show_moment(story.moment(0.3))
    canvas.grab()
    canvas.finish_animation()
    later = next(
        m
        for m in map(story.moment, np.linspace(0.3, 1.0, 60))
        if m.freed.keys() - story.moment(0.3).freed.keys()
    )
    freed = next(iter(later.freed.keys() - story.moment(0.3).freed.keys()))
    canvas.show_moment(later)
    clock.now += FADE
    assert canvas.fades.opacity(freed) > 0.0
    clock.now += DRAIN - FADE
    assert canvas.fades.opacity(freed) == 0.0


def test_with_reduced_motion_nothing_fades(canvas, story, session, clock) -> None:
    canvas.set_reduced_motion(True)
    set_value(canvas, session, story, "λ", 0.7)
    assert not canvas.fades


def test_too_small_to_read_nothing_fades(canvas, story, session, clock) -> None:
    canvas.zoom_to(0.3, animated=False)
    canvas.settle()
    canvas.grab()
    set_value(canvas, session, story, "λ", 0.7)
    assert not canvas.fades


def test_lit_wires_are_numbered_by_their_steps(canvas, story) -> None:
    canvas.show_trace(story.trace)
    canvas.show_moment(story.moment(1.0))
    canvas.frame_all(animated=False)
    canvas.zoom_to(0.6, animated=False)
    view = canvas.view.fitted(canvas.picture.bounds(), 3000, 2000, 0.6)
    found = dict(numbered_wires(canvas.picture, view, (3000, 2000)))

    entry = canvas.geometry_arrays.entry
    wanted = {
        entry[step.node, flow.port]: number
        for number, step in enumerate(story.trace.steps, start=1)
        for flow in step.flows
        if (step.node, flow.port) in entry
    }
    assert found == wanted
    assert numbered_wires(canvas.picture, view.zoomed(0.5, 0, 0), (3000, 2000)) == []


def test_only_without_motion_are_the_numbers_painted(canvas, story, shot) -> None:
    canvas.show_trace(story.trace)
    canvas.show_moment(story.moment(1.0))
    moving = shot(canvas)
    canvas.set_reduced_motion(True)
    assert shot(canvas) != moving
    canvas.set_reduced_motion(False)
    assert shot(canvas) == moving
