"""Pasting, resizing and clearing, as functions of arrays."""

import numpy as np
import pytest

from app.panels.table_edits import cleared, converted, grid, pasted, resized, with_cell
from core.errors import EditRefusedError

MATRIX = np.arange(6.0).reshape(2, 3)


def test_a_block_is_written_over_the_table():
    block = np.array([[7.0, 8.0]])
    assert pasted(MATRIX, (), 1, 1, block).tolist() == [[0, 1, 2], [3, 7, 8]]
    assert MATRIX[1, 1] == 4.0


def test_a_matrix_grows_to_hold_what_is_pasted():
    grown = pasted(MATRIX, (), 1, 2, np.full((2, 2), 9.0))
    assert grown.tolist() == [[0, 1, 2, 0], [3, 4, 9, 9], [0, 0, 9, 9]]


@pytest.mark.parametrize("block", [np.array([[7.0, 8.0]]), np.array([[7.0], [8.0]])])
def test_a_row_or_a_column_is_written_along_a_vector(block):
    assert pasted(np.zeros(3), (), 1, 0, block).tolist() == [0, 7, 8]
    assert pasted(np.zeros(3), (), 2, 0, block).tolist() == [0, 0, 7, 8]
    assert pasted(np.array(1.0), (), 0, 0, block).tolist() == [7, 8]


def test_a_cell_pasted_on_a_scalar_is_a_scalar():
    assert pasted(np.array(1.0), (), 0, 0, np.array([[5.0]])).shape == ()


def test_a_matrix_takes_the_place_of_a_vector_it_covers():
    assert pasted(np.zeros(2), (), 0, 0, MATRIX).tolist() == MATRIX.tolist()
    with pytest.raises(EditRefusedError, match="part of a vector"):
        pasted(np.zeros(9), (), 0, 0, MATRIX)


def test_in_more_axes_only_the_table_shown_changes_and_nothing_grows():
    array = np.zeros((2, 2, 3))
    changed = pasted(array, (1,), 0, 0, MATRIX)
    assert changed[0].tolist() == np.zeros((2, 3)).tolist()
    assert grid(changed, (1,)).tolist() == MATRIX.tolist()
    with pytest.raises(EditRefusedError, match="reaches to row 2"):
        pasted(array, (1,), 1, 0, MATRIX)


def test_cells():
    assert with_cell(MATRIX, (), 0, 2, -1.0).tolist() == [[0, 1, -1], [3, 4, 5]]
    assert cleared(MATRIX, (), [(0, 1), (1, 0)]).tolist() == [[0, 0, 2], [0, 4, 5]]


@pytest.mark.parametrize(
    ("shape", "array"),
    [
        ((3, 2), [[0, 1], [3, 4], [0, 0]]),
        ((6,), [0, 1, 2, 3, 4, 5]),
        ((2,), [0, 1]),
        ((), 0),
    ],
)
def test_resizing(shape, array):
    assert resized(MATRIX, shape).tolist() == array


@pytest.mark.parametrize("shape", [(-1,), (10**5, 10**5)])
def test_shapes_that_cannot_be(shape):
    with pytest.raises(EditRefusedError):
        resized(MATRIX, shape)


def test_numbers_that_a_dtype_cannot_hold_are_refused():
    assert converted(np.array([[1.0, 2.0]]), np.dtype(np.int64)).dtype == np.int64
    with pytest.raises(EditRefusedError, match=r"1\.5 cannot be kept"):
        converted(np.array([[1.5]]), np.dtype(np.int64))
    with pytest.raises(EditRefusedError, match="true or false"):
        converted(np.array([[2.0]]), np.dtype(bool))
