"""What editing a table does to an array, as plain functions; each returns a new array.

A vector is a table of one column, a scalar one of one cell, and of an array of more axes the table
shows the last two, at one place along the others.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.errors import EditRefusedError
from core.making import MOST_ELEMENTS

Array = np.ndarray[Any, Any]
Place = tuple[int, ...]


def grid(array: Array, place: Place = ()) -> Array:
    """The table of an array as a view with two axes.

    Args:
        place: an index for each axis but the last two.
    """
    if array.ndim < 2:
        return array.reshape(-1, 1)
    table: Array = array[place]
    return table


def pasted(array: Array, place: Place, row: int, column: int, block: Array) -> Array:
    """The array with a block of numbers (rows, columns) written over it, grown to hold it.

    What is wider than a vector makes a matrix of it, if it begins at the first element and covers
    all of it.

    Raises:
        EditRefusedError: if the block does not fit, or holds what the dtype cannot.
    """
    values = converted(block, array.dtype)
    if array.ndim < 2:
        return _pasted_to_vector(array, row, values)
    height, width = row + block.shape[0], column + block.shape[1]
    rows, columns = array.shape[-2:]
    if (height > rows or width > columns) and array.ndim > 2:
        raise EditRefusedError(
            f"What is pasted reaches to row {height - 1}, column {width - 1}.",
            next_step="Make the array larger first, or paste it further up or left.",
        )
    changed = (
        resized(array, (max(rows, height), max(columns, width))) if not place else array.copy()
    )
    grid(changed, place)[row:height, column:width] = values
    return changed


def _pasted_to_vector(array: Array, row: int, values: Array) -> Array:
    if min(values.shape) > 1:
        if row == 0 and len(values) >= array.size:
            return values
        raise EditRefusedError(
            "A matrix cannot be pasted into a part of a vector.",
            next_step="Paste it at the first element, to replace all of it, or make it a matrix.",
        )
    line = values.reshape(-1)
    if array.ndim == 0 and line.size == 1:
        return line.reshape(())
    changed = resized(np.atleast_1d(array), (max(array.size, row + line.size),))
    changed[row : row + line.size] = line
    return changed


def with_cell(array: Array, place: Place, row: int, column: int, value: Any) -> Array:
    """The array with one element changed."""
    changed = array.copy()
    grid(changed, place)[row, column] = value
    return changed


def cleared(array: Array, place: Place, cells: list[tuple[int, int]]) -> Array:
    """The array with zeros in some cells of its table."""
    changed = array.copy()
    rows, columns = zip(*cells, strict=True)
    grid(changed, place)[list(rows), list(columns)] = 0
    return changed


def resized(array: Array, shape: tuple[int, ...]) -> Array:
    """The array in another shape; what is new is 0.

    With as many axes as before elements keep their indices; with as many elements, their order;
    otherwise they fill the new array in order as far as they go.

    Raises:
        EditRefusedError: if there cannot be such an array.
    """
    if any(length < 0 for length in shape) or math.prod(map(float, shape)) > MOST_ELEMENTS:
        raise EditRefusedError(
            "There is no table of this shape.",
            next_step=f"Give lengths of 0 or more, {MOST_ELEMENTS:,} elements at most.",
        )
    if math.prod(shape) == array.size and len(shape) != array.ndim:
        return array.reshape(shape).copy()
    changed = np.zeros(shape, array.dtype)
    if len(shape) == array.ndim:
        both = tuple(slice(min(pair)) for pair in zip(shape, array.shape, strict=True))
        changed[both] = array[both]
    else:
        count = min(changed.size, array.size)
        changed.reshape(-1)[:count] = array.reshape(-1)[:count]
    return changed


def converted(values: Array, dtype: np.dtype[Any]) -> Array:
    """Numbers as another dtype, none of them changed in value (but for rounding of floats).

    Raises:
        EditRefusedError: if one cannot be kept.
    """
    if dtype.kind in "fc":
        return values.astype(dtype)
    with np.errstate(invalid="ignore"):
        kept = values.astype(dtype)
    wrong = kept.astype(np.float64) != values
    if wrong.any():
        kinds = {"b": "true or false", "i": "whole numbers", "u": "whole numbers from 0 on"}
        raise EditRefusedError(
            f"{values[wrong][0]:g} cannot be kept: this array holds {kinds[dtype.kind]} ({dtype}).",
            next_step="Choose the dtype float64 first.",
        )
    return kept
