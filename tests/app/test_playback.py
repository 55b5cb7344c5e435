from dataclasses import replace

import numpy as np
import pytest

from app import playback
from app.playback import Player
from core.graph import Backward
from core.schedule import TRAVEL
from core.session import Session

HALF = TRAVEL / 2


@pytest.fixture
def trace(square):
    session = Session(square)
    return session.perform(Backward((("n2", "y"),), (np.array([1.0, 0.0]),))).trace


@pytest.fixture
def player(qtbot, trace):
    player = Player()
    player.load(trace)
    return player


def test_a_backward_is_replayed_as_time_passes(player):
    player.advance(HALF)
    (flight,) = player.moment.in_flight
    assert (flight.node, flight.flow.port) == ("n2", "a")
    assert flight.progress == pytest.approx(0.5)

    player.advance(100)
    assert player.at_end
    np.testing.assert_array_equal(player.moment.grads["n1"], [4.0, 0.0])


def test_speed_and_pause(qtbot, player):
    player.set_speed(2.0)
    player.advance(HALF)
    assert player.moment.time == pytest.approx(TRAVEL)
    player.set_speed(100.0)
    assert player.speed == 4.0

    with qtbot.waitSignal(player.playing_changed):
        player.play()
    assert player.is_playing
    player.toggle()
    assert not player.is_playing


def test_steps_go_from_boundary_to_boundary_and_back(player):
    times = [player.moment.time]
    while not player.at_end:
        player.step()
        times.append(player.moment.time)
    assert times == pytest.approx(player.boundaries())

    back = [player.moment.time]
    while player.moment.time > 0:
        player.step_back()
        back.append(player.moment.time)
    assert back == times[::-1]


def test_scrubbing_back_shows_what_was(player):
    player.to_end()
    player.to_start()
    assert player.moment.arrived == {}
    assert player.moment.grads["n1"] is None


def test_it_stops_at_the_end_or_begins_again(qtbot, player):
    player.play()
    player.advance(100)
    assert not player.is_playing

    player.set_loop(True)
    player.play()
    assert player.moment.time == 0.0
    player.advance(100)
    assert player.is_playing
    assert player.moment.time == 0.0
    player.pause()


def test_the_backwards_of_a_run_play_one_after_the_other(qtbot, trace):
    player = Player()
    player.load(trace, trace)
    player.advance(100)
    assert player.index == 1
    player.step_back()
    assert (player.index, player.at_end) == (0, True)
    player.step()
    assert player.index == 1


def test_old_traces_are_forgotten_when_they_take_too_much(qtbot, trace):
    large = [replace(trace, number=k, bytes=playback.MOST_BYTES // 3) for k in range(5)]
    player = Player()
    for one in large:
        player.add(one)
    assert [kept.number for kept in player.traces] == [3, 4]
    assert (player.index, player.trace) == (1, large[4])
    huge = replace(trace, number=9, bytes=2 * playback.MOST_BYTES)
    player.add(huge)
    assert player.traces == (huge,)


def test_starting_over_lays_nothing_out_anew(qtbot, player):
    player.set_loop(True)
    schedule, loads = player.schedule, []
    player.loaded.connect(loads.append)
    player.advance(100)
    assert player.moment.time == 0.0
    player.to_end()
    player.play()
    player.pause()
    assert (player.schedule, loads) == (schedule, [])


def test_reduced_motion_jumps_from_step_to_step(player):
    player.set_reduced_motion(True)
    player.advance(HALF)
    assert player.moment.time == 0.0
    for _ in range(3):
        player.advance(HALF)
    assert player.moment.time == pytest.approx(player.boundaries()[1])
    assert all(flight.progress == 0.0 for flight in player.moment.in_flight)


def test_a_wave_shows_the_same_end(player):
    player.to_end()
    steps = player.moment.grads["n1"]
    player.set_mode("wave")
    assert player.at_end
    np.testing.assert_array_equal(player.moment.grads["n1"], steps)


def test_an_edit_makes_the_trace_stale_but_leaves_it_playable(player, trace):
    player.mark_stale()
    assert player.stale
    player.advance(HALF)
    assert player.moment.in_flight
    player.load(trace)
    assert not player.stale


def test_without_a_trace_nothing_moves(qtbot):
    player = Player()
    for act in (player.play, player.step, player.step_back, player.to_end, player.toggle):
        act()
    player.advance(1.0)
    assert not player.is_playing
