"""Programs of the kinds that people paste, written for this, with what torch 2.13 gave for each."""

import pytest

from core.importers.python import load_program
from tests.core.importers.programs import PATIENT, rows, same

ROWS = rows("pasted.jsonl")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_program_gives_and_prints_what_it_does_in_torch(row):
    program = load_program(row["code"], PATIENT, layout=False)
    assert program.printed == row["printed"]
    if row["error"] is None:
        assert program.error is None
        assert same(program.plain, row["result"])
    else:
        assert program.error is not None
        assert program.error.kind != "unsupported"
        assert program.error.line == row["error"]["line"]


def test_a_generator_is_outside_and_named_with_its_line():
    program = load_program("def f():\n    yield 1\nfor x in f(): print(x)", layout=False)
    assert program.error.kind == "unsupported"
    assert program.error.line == 2
    assert "list" in program.error.next_step
