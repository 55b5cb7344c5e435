import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from app.panels.array_text import DTYPES, format_array, parse_array
from core.errors import EditRefusedError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2.0),
        (" -1.5e-3 ", -0.0015),
        ("−2", -2.0),
        ("2, 3", [2.0, 3.0]),
        ("2 3", [2.0, 3.0]),
        ("2,", [2.0]),
        ("1 2; 3 4", [[1.0, 2.0], [3.0, 4.0]]),
        ("1, 2\n3, 4", [[1.0, 2.0], [3.0, 4.0]]),
        ("1; 2", [[1.0], [2.0]]),
        ("[2]", [2.0]),
        ("[]", []),
        ("[[1, 2], [3, 4]]", [[1.0, 2.0], [3.0, 4.0]]),
        ("[[[1]], [[2]]]", [[[1.0]], [[2.0]]]),
        ("nan, inf, -inf", [np.nan, np.inf, -np.inf]),
    ],
)
def test_what_is_typed_is_what_is_meant(text, value):
    got = parse_array(text)
    assert got.dtype == np.float64
    np.testing.assert_array_equal(got, np.array(value, float))


def test_dtypes_are_kept():
    assert parse_array("1, 2", "int64").dtype == np.int64
    assert parse_array("9007199254740993", "int64") == 9007199254740993
    assert parse_array("true, 0", "bool").tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "dtype", "what"),
    [
        ("", "float64", "no number"),
        ("2, x", "float64", "'x' is not a number"),
        ("1 2; 3", "float64", "Row 2 has 1 number, row 1 has 2"),
        ("[[1, 2], [3]]", "float64", "List 2 has 1 elements, list 1 has 2"),
        ("[[1, 2], 3]", "float64", "no brackets"),
        ("[1, 2", "float64", "not closed"),
        ("[1]]", "float64", "without its ["),
        ("[1] [2]", "float64", "more than one list"),
        ("2.5", "int64", "'2.5' is not a whole number"),
        ("2", "bool", "neither true nor false"),
        ("__import__('os')", "float64", "not a number"),
    ],
)
def test_what_cannot_be_read_is_said(text, dtype, what):
    with pytest.raises(EditRefusedError, match=r".") as caught:
        parse_array(text, dtype)
    assert what in caught.value.what
    assert caught.value.next_step


@given(
    st.sampled_from(DTYPES).flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=3, max_side=4))
    )
)
def test_what_is_shown_reads_back_to_the_same_array(array):
    back = parse_array(format_array(array), str(array.dtype))
    np.testing.assert_array_equal(back, array)
    assert back.shape == array.shape
