"""Stories are dictionaries over time; moments differ in what happened between them."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core import Tensor, backward, observe
from core.moments import differences
from core.schedule import Schedule
from core.story import Story

entries = st.lists(
    st.tuples(st.floats(0, 9), st.sampled_from("abc"), st.integers(0, 99)), max_size=30
).map(lambda told: sorted(told, key=lambda entry: entry[0]))


@given(entries, st.lists(st.floats(0, 9), max_size=12))
def test_a_story_is_what_was_told_so_far_in_whatever_order_it_is_asked(told, times) -> None:
    story = Story({"a": -1}, told)
    for time in times:
        expected = {"a": -1}
        for at, key, value in told:
            if at <= time + 1e-9:
                expected[key] = value
        assert story.after(story.count(time)) == expected


@given(entries, st.floats(0, 9), st.floats(0, 9))
def test_keys_between_two_times_are_those_whose_values_differ(told, one, other) -> None:
    story = Story({}, told)
    first, last = story.count(one), story.count(other)
    before, after = story.after(first), story.after(last)
    changed = {key for key in "abc" if before.get(key) != after.get(key)}
    assert changed <= set(story.keys_between(first, last))


def test_what_it_gave_stays_as_it_was() -> None:
    story = Story({}, [(0.0, "a", 1), (1.0, "b", 2)])
    seen = story.after(1)
    assert story.after(2) == {"a": 1, "b": 2}
    assert seen == {"a": 1}
    assert story.after(2) is story.after(2)


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(["steps", "wave"]))
def test_moments_of_one_schedule_are_compared_by_what_happened_between(one, other, mode) -> None:
    x = Tensor(np.array([2.0, 3.0]), requires_grad=True)
    with observe() as recorder:
        backward((x * x + x).sin() * x, np.ones(2))
    schedule = Schedule(recorder.traces[0], mode)
    before, after = (schedule.at(part * schedule.duration) for part in (one, other))
    nodes, flows = differences(before, after)
    all_nodes, all_flows = differences(replace(before, place=None), replace(after, place=None))

    assert flows == all_flows
    assert nodes >= all_nodes
    assert differences(before, before) == (set(), set())
