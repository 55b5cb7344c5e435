import numpy as np
import pytest

from app.panels.index_text import format_index, parse_index
from core.errors import EditRefusedError

ARRAY = np.arange(24).reshape(4, 6)


def test_no_text_takes_everything():
    assert parse_index("") == ()
    assert format_index(()) == ""


@pytest.mark.parametrize(
    "text",
    ["0", "-1", "0,", "1:3", ":, ::2", "..., 0", "None, 1", "0, 1", "[0, 2]", "[0, 2], 1:",
     "[[0, 1], [2, 3]]", "[True, False, True, False]", "::-1"],
)  # fmt: skip
def test_an_index_means_what_python_means(text):
    index = parse_index(text)
    expected = eval(f"ARRAY[{text}]", {"ARRAY": ARRAY})  # the text is this test's own
    np.testing.assert_array_equal(ARRAY[index], expected)
    np.testing.assert_array_equal(ARRAY[parse_index(format_index(index))], expected)


@pytest.mark.parametrize(
    "text", ["x", "1:2:3:4", "[0", "0]", "1.5", "[[1], [1, 2]]", "__import__('os')", "[0]x"]
)
def test_anything_else_is_refused_in_words(text):
    with pytest.raises(EditRefusedError) as caught:
        parse_index(text)
    assert caught.value.what
    assert caught.value.next_step
