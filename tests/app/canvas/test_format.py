"""Numbers and arrays in few characters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.canvas import format as fmt


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (-1.5, "−1.5"),
        (1.23456, "1.235"),
        (0.0001234567, "0.0001235"),
        (0.00001234567, "1.235e−5"),
        (1234.0, "1234"),
        (12345.678, "1.235e4"),
        (100000.0, "100000"),
        (-2.5e20, "−2.5e20"),
        (math.nan, "NaN"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (True, "true"),
        (3, "3"),
        (1 + 2j, "1+2i"),
        (np.float32(0.5), "0.5"),
    ],
)
def test_four_significant_digits_and_a_real_minus(value: object, text: str) -> None:
    assert fmt.number(value) == text


def test_signed_numbers_show_a_plus() -> None:
    assert fmt.number(2.0, signed=True) == "+2"
    assert fmt.number(-2.0, signed=True) == "−2"
    assert fmt.number(0.0, signed=True) == "0"


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.zeros(()), "f64"),
        (np.zeros((2, 3), np.float32), "f32[2,3]"),
        (np.zeros(4, np.int64), "i64[4]"),
        (np.zeros(1, bool), "bool[1]"),
        (np.zeros(2, complex), "c128[2]"),
    ],
)
def test_type_and_shape(array: np.ndarray, text: str) -> None:
    assert fmt.shape_text(array) == text


def test_strips_are_small_and_symmetric_about_zero() -> None:
    strip = fmt.strip(np.linspace(-4, 2, 500).reshape(10, 50))
    assert strip.shape == (fmt.STRIP_ROWS, fmt.STRIP_COLUMNS)
    assert strip.min() == -1.0
    assert strip.max() == pytest.approx(0.5)


def test_strips_keep_nan_and_clip_infinities() -> None:
    strip = fmt.strip(np.array([np.nan, np.inf, -np.inf, 1.0]))
    assert np.isnan(strip[0, 0])
    np.testing.assert_array_equal(strip[0, 1:], [1.0, -1.0, 1.0])


@pytest.mark.parametrize("array", [np.zeros(()), np.zeros((0, 3)), np.zeros((2, 2, 2))])
def test_any_shape_makes_a_strip(array: np.ndarray) -> None:
    assert fmt.strip(array).ndim == 2


def test_size_is_root_mean_square_and_mean() -> None:
    size = fmt.size_of(np.array([3.0, -4.0]))
    assert size.rms == pytest.approx(math.sqrt(12.5))
    assert size.mean == pytest.approx(-0.5)
    assert fmt.size_of(np.array(2 - 1j)).rms == pytest.approx(math.sqrt(5))
