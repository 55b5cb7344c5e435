"""Finding by a few letters: "fsel" finds "Frame the selection"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: What a letter is worth: any, the first of a word, one that follows the letter before it; and what
#: a gap before it costs.
_LETTER, _WORD_START, _IN_A_ROW, _GAP = 1.0, 3.0, 2.0, 1.0
#: Less than this a letter, and the letters are there by chance.
_LEAST = 1.5


@dataclass(frozen=True, slots=True)
class Match:
    """How a query lies in a text.

    Attributes:
        score: higher is better; comparable between texts for the same query.
        letters: places in the text that match, increasing.
    """

    score: float
    letters: tuple[int, ...]


def match(query: str, text: str) -> Match | None:
    """The best way to find every word of ``query`` in ``text``; None if one is not there."""
    score, letters = 0.0, set[int]()
    for word in query.lower().split():
        found = _match_word(word, text.lower())
        if found is None:
            return None
        score += found.score
        letters.update(found.letters)
    return Match(score - 0.01 * len(text), tuple(sorted(letters)))


def _match_word(word: str, text: str) -> Match | None:
    """The letters in order, gaps allowed, in the best of all ways."""
    ends = {place: _extended({}, place, text) for place in _places(word[0], text)}
    for letter in word[1:]:
        ends = {
            place: _extended(ends, place, text)
            for place in _places(letter, text)
            if any(end < place for end in ends)
        }
    best = max(ends.values(), key=_score, default=None)
    return best if best is not None and best.score >= _LEAST * len(word) else None


def _extended(ends: Mapping[int, Match], place: int, text: str) -> Match:
    """The best of the ways that end before ``place``, with the letter there; or that alone."""
    starts_word = place == 0 or not text[place - 1].isalnum()
    worth = _LETTER + _WORD_START * starts_word
    ways = [
        Match(way.score + worth + (_IN_A_ROW if end == place - 1 else -_GAP), (*way.letters, place))
        for end, way in ends.items()
        if end < place
    ]
    return max(ways, key=_score, default=Match(worth, (place,)))


def _places(letter: str, text: str) -> list[int]:
    return [place for place, here in enumerate(text) if here == letter]


def _score(way: Match) -> float:
    return way.score
