"""Tables of numbers as people write and copy them."""

import pytest

from core.errors import EditRefusedError
from core.importers.tables import parse_table, squeezed


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1,2\n3,4", [[1, 2], [3, 4]]),
        ("1\t2\r\n3\t4\r\n", [[1, 2], [3, 4]]),
        ("1 2  # a remark\n\n 3   4", [[1, 2], [3, 4]]),
        ("width,height\n1,2", [[1, 2]]),
        ("1;2;\n3;4;", [[1, 2], [3, 4]]),
        ("1,5;2\n3;4", [[1.5, 2], [3, 4]]),
        ("0,5\t-3", [[0.5, -3]]),
        ("1.234,5\t2", [[1234.5, 2]]),
        ("1,234.5\t2", [[1234.5, 2]]),
        ('"1","−2"', [[1, -2]]),
        ("true, false, inf", [[1, 0, float("inf")]]),
    ],
)
def test_spellings(text, rows):
    assert parse_table(text).tolist() == rows


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("1,x", 1, "'x' is not a number (line 1, column 2)"),
        ("1,2\n\n3,", 3, "There is no number (line 3, column 2)"),
        ("1,2\n3", 2, "Line 2 has 1 number, the first has 2"),
        ("a,b", 1, "no number"),
        ("# nothing", None, "no numbers"),
        ("1,234\t5,678", None, "may be 1234 or 1.234"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, line, says):
    with pytest.raises(EditRefusedError) as caught:
        parse_table(text)
    assert says in caught.value.what
    assert caught.value.line == line


def test_a_row_or_a_column_is_a_vector_and_a_cell_a_scalar():
    assert squeezed(parse_table("1,2,3")).shape == (3,)
    assert squeezed(parse_table("1\n2\n3")).shape == (3,)
    assert squeezed(parse_table("7")).shape == ()


def test_long_tables_are_read_block_by_block():
    text = "\n".join(f"{i},{-i}" for i in range(5000))
    assert parse_table(text)[4999].tolist() == [4999, -4999]
    with pytest.raises(EditRefusedError, match="line 4500"):
        parse_table(text.replace("4499,", "oops,"))
