"""The same source makes the same array, and nonsense is refused in words."""

from pathlib import Path

import numpy as np
import pytest

from core.errors import EditRefusedError
from core.making import RECIPES, described, is_recipe, make


@pytest.mark.parametrize(
    ("source", "array"),
    [
        ({"kind": "zeros", "shape": [2]}, [0.0, 0.0]),
        ({"kind": "ones", "shape": []}, 1.0),
        ({"kind": "full", "shape": [2], "value": -3}, [-3.0, -3.0]),
        ({"kind": "eye", "rows": 2, "columns": 3}, [[1, 0, 0], [0, 1, 0]]),
        ({"kind": "range", "start": 0, "stop": 3.0, "step": 1.0}, [0.0, 1.0, 2.0]),
        ({"kind": "range", "start": 3.0, "stop": 0.0, "step": -1.5}, [3.0, 1.5]),
        ({"kind": "linspace", "start": 0.0, "stop": 1.0, "count": 3}, [0.0, 0.5, 1.0]),
    ],
)
def test_constants_and_ranges(source, array):
    assert make(source).tolist() == array


@pytest.mark.parametrize("kind", ["normal", "uniform"])
def test_random_numbers_come_out_the_same_with_the_same_seed(kind):
    source = {"kind": kind, "shape": [50, 4], "seed": 7}
    np.testing.assert_array_equal(make(source), make(dict(source)))
    assert (make({**source, "seed": 8}) != make(source)).all()


def test_random_numbers_are_of_their_distribution():
    normal = make({"kind": "normal", "shape": [20_000], "mean": 3.0, "deviation": 0.5, "seed": 1})
    assert normal.mean() == pytest.approx(3.0, abs=0.02)
    assert normal.std() == pytest.approx(0.5, abs=0.02)
    uniform = make({"kind": "uniform", "shape": [20_000], "low": -2.0, "high": 4.0, "seed": 1})
    assert -2.0 <= uniform.min() < -1.99 < 3.99 < uniform.max() <= 4.0


@pytest.mark.parametrize("kind", RECIPES)
def test_every_recipe_makes_something_of_its_defaults_and_says_what(kind):
    array = make({"kind": kind}, "float32")
    assert array.size
    assert array.dtype == np.float32
    assert is_recipe({"kind": kind})
    assert described({"kind": kind}).startswith(RECIPES[kind].label)


@pytest.mark.parametrize(
    "source",
    [
        {"kind": "file", "file": "a.npy"},
        {},
        {"kind": ["zeros"]},
        {"kind": "zeros", "shape": "2, 3"},
        {"kind": "zeros", "shape": [-1]},
        {"kind": "zeros", "shape": [10_000, 10_000]},
        {"kind": "ones", "shape": [1.5]},
        {"kind": "range", "start": 0.0, "stop": 3.0, "step": 0.0},
        {"kind": "range", "start": 0.0, "stop": float("inf"), "step": 1.0},
        {"kind": "range", "start": 0.0, "stop": 1e12, "step": 1.0},
        {"kind": "linspace", "count": 10**9},
        {"kind": "eye", "rows": 10**6, "columns": 10**6},
        {"kind": "normal", "seed": -1},
        {"kind": "normal", "mean": "zero"},
    ],
    ids=str,
)
def test_what_cannot_be_made_is_refused(source):
    with pytest.raises(EditRefusedError):
        make(source)


def test_descriptions_name_what_matters():
    source = {"kind": "normal", "shape": [2, 3], "seed": 5, "deviation": 0.1}
    assert described(source) == "random, normal: shape 2 × 3, deviation 0.1, seed 5"


@pytest.mark.parametrize("kind", RECIPES)
def test_the_file_format_names_every_recipe_and_what_it_asks_for(kind):
    text = (Path(__file__).parents[2] / "docs" / "file_format.md").read_text("utf-8")
    (line,) = [line for line in text.splitlines() if f"`{kind}`" in line.split(" | ")[0]]
    for item in RECIPES[kind].ingredients:
        assert f"`{item.name}`" in line
