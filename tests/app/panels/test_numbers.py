import numpy as np
import pytest

from app.panels.numbers import bytes_text, grid_text, inline_text


def test_arrays_show_their_first_elements():
    assert inline_text(np.array(-2.5)) == "−2.5"
    assert inline_text(np.array([4.0, 0.0]), signed=True) == "[+4, 0]"
    assert inline_text(np.arange(9), 3) == "[0, 1, 2, …]"


def test_the_columns_of_a_matrix_are_aligned():
    assert grid_text(np.array([[1.0, 10.0], [100.0, 2.0]])) == "  1  10\n100   2"


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (96, "96 B"), (1500, "1.5 kB"), (12_000_000, "12 MB"), (3 * 10**9, "3 GB")],
)
def test_sizes_are_readable(count, text):
    assert bytes_text(count) == text
