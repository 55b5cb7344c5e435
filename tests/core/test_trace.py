"""Traces record what a backward did; schedules play them as a pure function of time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from core import Tensor, backward, observe
from core.moments import Flights
from core.observe import Recorder
from core.schedule import TRAVEL, Schedule
from core.trace import Summary


def diamond(values=(2.0, 3.0)):
    """x·x + x: three flows meet at x."""
    x = Tensor(np.array(values), requires_grad=True)
    square = x * x
    return x, square + x


def traced(tensor, cotangent, **kwargs):
    with observe() as recorder:
        backward(tensor, cotangent, **kwargs)
    (trace,) = recorder.traces
    return trace


def test_a_step_a_record_and_one_for_the_leaf_that_accumulates():
    x, y = diamond()
    trace = traced(y, np.array([1.0, 0.5]))

    assert [step.op for step in trace.steps] == ["add", "multiply", ""]
    leaf = trace.steps[-1]
    assert leaf.accumulates
    assert leaf.before is None
    np.testing.assert_array_equal(leaf.after, [5.0, 3.5])
    np.testing.assert_array_equal(x.grad.data, leaf.after)


def test_sums_add_up_flow_by_flow():
    _, y = diamond()
    trace = traced(y, np.array([1.0, 1.0]))
    leaf = trace.steps[-1].node
    flows = [f for step in trace.steps for f in step.flows if f.node == leaf]

    assert [f.count for f in flows] == [1, 2, 3]
    running = np.zeros(2)
    for flow in flows:
        running = running + flow.contribution
        np.testing.assert_array_equal(flow.total, running)


def test_what_was_freed_is_named_and_retained_graphs_free_nothing():
    _, y = diamond()
    assert all(not s.freed for s in traced(y, np.ones(2), retain_graph=True).steps)
    freed = {s.op: s.freed for s in traced(y, np.ones(2)).steps}
    assert freed == {"add": (), "multiply": ("b", "a"), "": ()}


def test_observing_changes_no_bit():
    rng = np.random.default_rng(0)
    values, cotangent = rng.normal(size=50), rng.normal(size=50)
    x, y = diamond(values)
    backward(y, cotangent)
    seen, z = diamond(values)
    traced(z, cotangent)
    np.testing.assert_array_equal(x.grad.data, seen.grad.data)


def test_a_trace_outlives_changes_to_what_it_recorded():
    x, y = diamond()
    cotangent = np.array([1.0, 1.0])
    trace = traced(y, cotangent, retain_graph=True)
    cotangent[:] = 7.0
    backward(y, np.array([1.0, 1.0]))  # adds to x.grad in place

    np.testing.assert_array_equal(trace.roots[0][2], [1.0, 1.0])
    np.testing.assert_array_equal(trace.steps[-1].after, [5.0, 7.0])
    np.testing.assert_array_equal(x.grad.data, [10.0, 14.0])


def test_large_traces_keep_summaries_and_say_so():
    x = Tensor(np.linspace(-1, 1, 1000), requires_grad=True)
    y = (x * x * x).sum()
    with observe(Recorder(limit=20_000)) as recorder:
        y.backward()
    (trace,) = recorder.traces

    assert trace.summarised
    summary = trace.steps[-1].after
    assert isinstance(summary, Summary)
    gradient = 3 * np.linspace(-1, 1, 1000) ** 2
    assert summary.shape == (1000,)
    assert summary.high == pytest.approx(gradient.max())
    assert summary.rms == pytest.approx(np.sqrt(np.mean(gradient**2)))
    np.testing.assert_allclose(summary.sample, gradient[:16])


def test_a_trace_keeps_no_more_bytes_of_arrays_than_its_limit():
    x = Tensor(np.ones(1000), requires_grad=True)
    y = x
    for _ in range(20):
        y = y * 1.5
    with observe(Recorder(limit=50_000)) as recorder:
        backward(y, np.ones(1000))
    (trace,) = recorder.traces
    kept = [a for step in trace.steps for a in (*step.cotangents, step.before, step.after)]
    kept += [a for step in trace.steps for f in step.flows for a in (f.contribution, f.total)]
    arrays = [a for a in kept if isinstance(a, np.ndarray)]
    memory = {a.__array_interface__["data"][0]: a.nbytes for a in arrays}  # many share theirs

    assert 0 < sum(memory.values()) <= 50_000
    assert trace.bytes == 50_000


def test_a_failed_backward_leaves_the_steps_it_took():
    x = Tensor([1.0, 2.0], requires_grad=True)
    inner = x * x
    backward(inner, np.ones(2))
    with observe() as recorder, pytest.raises(Exception, match="freed"):
        backward(inner + x, np.ones(2))
    (trace,) = recorder.traces
    assert [s.op for s in trace.steps] == ["add"]
    assert trace.error is not None


# -- schedules -------------------------------------------------------------------------------------


@pytest.fixture
def trace():
    _, y = diamond()
    return traced(y, np.array([1.0, 1.0]))


def test_steps_play_one_vjp_at_a_time(trace):
    schedule = Schedule(trace)
    np.testing.assert_allclose(schedule.flow_starts, np.arange(4) * TRAVEL)
    moment = schedule.at(1.5 * TRAVEL)
    assert moment.step == 1
    (moving,) = moment.in_flight
    assert moving.flow.port == "b"
    assert moving.progress == pytest.approx(0.5)


def test_flights_are_seen_one_by_one_or_some_at_a_time(trace):
    moving = Schedule(trace, "wave").at(0.5 * TRAVEL).in_flight
    assert [flight.flow.port for flight in moving] == ["a", "b"]
    assert [flight.flow.port for flight in moving[1:]] == ["b"]
    assert [flight.flow.port for flight in moving[np.array([1, 0])]] == ["b", "a"]
    assert list(Flights.of(tuple(moving))) == list(moving)


def test_a_wave_moves_independent_branches_at_once():
    x = Tensor(2.0, requires_grad=True)
    trace = traced(x.sin() + x.cos(), None)
    wave = Schedule(trace, "wave")
    sin, cos = (i for i, s in enumerate(trace.steps) if s.op in ("sin", "cos"))
    assert wave.step_starts[sin] == wave.step_starts[cos]
    assert wave.duration < Schedule(trace).duration


def test_the_end_shows_every_total_gradient_and_freed_value(trace):
    schedule = Schedule(trace)
    end = schedule.at(schedule.duration)
    multiply, leaf = trace.steps[1], trace.steps[2]
    assert not end.in_flight
    assert end.step == 3
    assert len(end.arrived) == 4
    np.testing.assert_array_equal(end.grads[leaf.node], [5.0, 7.0])
    assert end.freed == {multiply.node: ("b", "a")}
    np.testing.assert_array_equal(end.cotangents[leaf.node][0], [5.0, 7.0])


def test_the_start_shows_the_given_cotangent_only(trace):
    start = Schedule(trace).at(0.0)
    root = trace.roots[0][0]
    assert set(start.cotangents) == {root}
    assert start.grads == {trace.steps[-1].node: None}
    assert not start.arrived


@given(st.lists(st.floats(0, 3), min_size=1, max_size=20), st.sampled_from(["steps", "wave"]))
def test_seeking_anywhere_is_a_pure_function_of_time(times, mode):
    _, y = diamond()
    trace = traced(y, np.array([1.0, 1.0]))
    wandering = Schedule(trace, mode)
    for time in times:
        there, fresh = wandering.at(time), Schedule(trace, mode).at(time)
        assert (there.step, there.active, there.counts) == (fresh.step, fresh.active, fresh.counts)
        assert there.arrived == fresh.arrived
        assert there.freed == fresh.freed
        assert there.cotangents.keys() == fresh.cotangents.keys()
        for node, arrays in there.cotangents.items():
            np.testing.assert_array_equal(arrays[0], fresh.cotangents[node][0])


def test_a_trace_is_what_happened_whatever_is_changed_later() -> None:
    x = Tensor(np.array([2.0, 3.0]), requires_grad=True)
    cotangent = np.array([1.0, 10.0])
    with observe() as recorder:
        (x + 1.0).backward(cotangent)
        cotangent[:] = 0.0
        x.grad.zero_()
    (trace,) = recorder.traces
    assert_array_equal(trace.roots[0][2], [1.0, 10.0])
    assert_array_equal(trace.steps[0].cotangents[0], [1.0, 10.0])
    assert_array_equal(trace.steps[-1].after, [1.0, 10.0])


def test_traces_are_read_as_often_as_one_likes_and_in_the_order_of_the_backwards() -> None:
    x = Tensor(np.array(2.0), requires_grad=True)
    with observe() as recorder:
        (x * x).backward()
        first = recorder.traces[0]
        (x * x).backward()
    assert [trace.number for trace in recorder.traces] == [first.number, first.number + 1]
    assert recorder.traces[0] is first
