import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.actions import ACTIONS
from app.fuzzy import match

TEXTS = [spec.text for spec in ACTIONS]


def found(query):
    scored = [(m.score, text) for text in TEXTS if (m := match(query, text)) is not None]
    return [text for _, text in sorted(scored, key=lambda pair: -pair[0])]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("undo", "Undo"),
        ("frame", "Frame the selection"),
        ("fsel", "Frame the selection"),
        ("nw", "New window"),
        ("zero", "zero_grad"),
        ("zg", "zero_grad"),
        ("selection frame", "Frame the selection"),
        ("SAVE AS", "Save as…"),
        ("pant", "Paste with its inputs"),
    ],
)
def test_a_few_letters_find_it(query, text):
    assert text in found(query)[:2]


def test_the_beginnings_of_words_come_before_letters_anywhere():
    assert found("step")[:2] == ["Step", "Step back"]
    assert found("close")[0] == "Close"


def test_letters_that_are_there_by_chance_find_nothing():
    assert match("sel", "Show or hide Values") is None
    assert match("xyz", "Zoom in") is None
    assert match("undoo", "Undo") is None


def test_every_word_must_be_there():
    assert match("frame window", "Frame the selection") is None


def test_the_letters_are_those_that_were_typed():
    text = "Frame the selection"
    letters = match("fsel", text).letters
    assert [text[i].lower() for i in letters] == list("fsel")
    assert letters == (0, 10, 11, 12)


@given(st.text(max_size=12), st.text(max_size=40))
def test_any_text_is_matched_or_not(query, text):
    result = match(query, text)
    if result is not None:
        assert all(0 <= place < len(text.lower()) for place in result.letters)


@given(st.sampled_from(TEXTS), st.data())
def test_any_beginning_finds_its_text(text, data):
    length = data.draw(st.integers(1, len(text)))
    assert match(text[:length], text) is not None


def test_a_long_text_of_one_letter_takes_no_time():
    start = time.perf_counter()
    match("a" * 40, "a" * 200)
    assert time.perf_counter() - start < 2
