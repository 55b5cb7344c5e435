"""Tables of numbers as text: what spreadsheets copy, and .csv, .tsv and .txt files.

Read by a parser of its own: text from a file or the clipboard is never evaluated as code. Cells are
parted by tabs, semicolons, commas or spaces, whichever the text uses first in that order; where
commas do not part cells, a comma may stand for the decimal point, as half of the world writes it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np

from core.errors import EditRefusedError

Array = np.ndarray[Any, Any]

#: Numbers that a table may have: 400 MB of float64.
MOST_NUMBERS = 50_000_000
#: Lines looked at to see how the text is written.
_LOOKED_AT = 50
#: Lines read in one go. Short, so that other threads get their turns in between.
_BLOCK = 2000
_WORDS = {"true": "1", "false": "0"}
_THOUSANDS = re.compile(r"[-+−]?[1-9]\d{0,2}(,\d{3})+")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a table is written.

    Attributes:
        separator: what parts the cells; "" for spaces.
        point: the decimal point, "." or ",".
        grouping: what groups the digits by thousands and stands for nothing; "" for none.
    """

    separator: str
    point: str = "."
    grouping: str = ""

    def plain(self, cell: str) -> str:
        """A cell as Python writes numbers; the real minus sign comes with text from formulas."""
        plain = cell.strip().replace("−", "-").replace("\u00a0", "")
        if self.grouping:
            plain = plain.replace(self.grouping, "")
        if self.point == ",":
            plain = plain.replace(",", ".")
        return _WORDS.get(plain.lower(), plain)

    @property
    def is_usual(self) -> bool:
        """Whether Python reads the cells as they are."""
        return self.point == "." and not self.grouping

    def is_number(self, cell: str) -> bool:
        """Whether a cell is a number."""
        try:
            float(self.plain(cell))
        except ValueError:
            return False
        return True


def parse_table(text: str) -> Array:
    """The numbers of a table, as float64; see ``read_table``.

    Raises:
        EditRefusedError: if the text is no table of numbers; ``line`` says where.
    """
    return read_table(text.splitlines())


def read_table(lines: Iterable[str]) -> Array:
    """The numbers of a table, as float64 of shape (rows, columns).

    Empty lines and what follows a ``#`` are passed over, and so is a first line in which no cell
    is a number: the names of the columns. nan, inf, true and false count as numbers.

    Raises:
        EditRefusedError: if a cell is no number, a row has another length, or there is nothing;
            ``line`` says where.
    """
    stream = _numbered(lines)
    first = list(islice(stream, _LOOKED_AT))
    if not first:
        raise EditRefusedError("There are no numbers here.", next_step="Give rows of numbers.")
    spelling = _spelling([line for _, line in first])
    rows = _cells(chain(first, stream), spelling.separator)
    number, cells = next(rows)
    cells = cells if cells[-1].strip() else cells[:-1]  # a separator at the end of every line
    is_header = not any(map(spelling.is_number, cells))
    width = len(cells)
    if not is_header:
        rows = chain([(number, cells)], rows)
    blocks: list[Array] = []
    count = 0
    while block := list(islice(rows, _BLOCK)):
        blocks.append(_numbers(block, width, spelling))
        count += blocks[-1].size
        if count > MOST_NUMBERS:
            raise EditRefusedError(
                f"This table has more than {MOST_NUMBERS:,} numbers.",
                next_step="Save it as .npy, or give a part of it.",
            )
    if not blocks:
        raise EditRefusedError(
            f"Line {number} has no number, and there is no line after it.",
            next_step="Give rows of numbers.",
            line=number,
        )
    return np.concatenate(blocks)


def squeezed(table: Array) -> Array:
    """A single row or column as a vector, a single cell as a scalar, as NumPy's loadtxt does."""
    return table.reshape([length for length in table.shape if length != 1])


def _numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, counted from 1, without comments."""
    for number, line in enumerate(lines, start=1):
        kept = line.partition("#")[0].rstrip("\r\n ")
        if kept.strip():
            yield number, kept


def _spelling(lines: list[str]) -> Spelling:
    """How these lines are written.

    Raises:
        EditRefusedError: if 1,234 may be a thousand and some, or one and some.
    """
    text = "\n".join(lines)
    separator = next((mark for mark in "\t;," if mark in text), "")
    if separator == "," or "," not in text:
        return Spelling(separator)
    if "." in text:
        # In 1.234,5 the points stand for nothing; in 1,234.5 the commas do.
        mixed = next((w for w in re.split(r"[\s;]+", text) if "," in w and "." in w), "")
        if mixed:
            is_comma = mixed.rindex(",") > mixed.rindex(".")
            return Spelling(separator, ",", ".") if is_comma else Spelling(separator, ".", ",")
        return Spelling(separator, ",")
    words = [word for word in re.split(r"[\s;]+", text) if "," in word]
    if separator != ";" and all(map(_THOUSANDS.fullmatch, words)):
        raise EditRefusedError(
            f"'{words[0]}' may be {words[0].replace(',', '')} or {words[0].replace(',', '.')}.",
            next_step="Write numbers with a decimal point, and without groups of thousands.",
        )
    return Spelling(separator, ",")


def _cells(lines: Iterator[tuple[int, str]], separator: str) -> Iterator[tuple[int, list[str]]]:
    if not separator:
        for number, line in lines:
            yield number, line.split()
        return
    for number, line in lines:
        # A quote may stand around a cell with a separator in it, as spreadsheets write.
        cells = next(csv.reader([line], delimiter=separator)) if '"' in line else None
        yield number, cells or line.split(separator)


def _numbers(block: list[tuple[int, list[str]]], width: int, spelling: Spelling) -> Array:
    """The numbers of some rows of ``width`` cells; an empty one after them is passed over."""
    rows = []
    for number, cells in block:
        if len(cells) == width + 1 and not cells[-1].strip():
            cells = cells[:-1]
        if len(cells) != width:
            raise EditRefusedError(
                f"Line {number} has {_count(len(cells))}, the first has {width}.",
                next_step="Give every line as many numbers as the first.",
                line=number,
            )
        rows.append(cells)
    if spelling.is_usual:
        try:
            return np.array([list(map(float, cells)) for cells in rows], np.float64)
        except ValueError:
            pass  # the slow way says which cell it was
    found = [_row(number, cells, spelling) for (number, _), cells in zip(block, rows, strict=True)]
    return np.array(found, np.float64)


def _row(number: int, cells: list[str], spelling: Spelling) -> list[float]:
    """The numbers of one row, cell by cell."""
    found = []
    for column, cell in enumerate(cells, start=1):
        try:
            found.append(float(spelling.plain(cell)))
        except ValueError:
            shown = cell.strip()[:40]
            what = f"'{shown}' is not a number" if shown else "There is no number"
            raise EditRefusedError(
                f"{what} (line {number}, column {column}).",
                next_step="Give every cell a number; write nan where there is none.",
                line=number,
            ) from None
    return found


def _count(n: int) -> str:
    return "1 number" if n == 1 else f"{n} numbers"
