"""The 84 programs of real users' troubles: each gives what torch gave, or fails as torch failed."""

import json
import math
from pathlib import Path

import pytest

from core.importers.python import load_program

FILE = Path(__file__).parents[2] / "data/programs/user_questions.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
#: torch's wording, and the kind of our error.
KINDS = {
    "implicitly created only for scalar": "nonscalar_root",
    "does not have a grad_fn": "no_grad_path",
    "through the graph a second time": "graph_freed",
    "Mismatch in shape": "shape",
    "not have been used in the graph": "unused_input",
    "modified by an inplace operation": "modified_saved",
    "used in an in-place operation": "inplace_leaf",
    "nly Tensors of floating point": "int_requires_grad",
}


def same(got, want):
    if isinstance(want, dict):
        return got.keys() == want.keys() and all(same(got[k], want[k]) for k in want)
    if isinstance(want, list):
        return len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, int | float) and not isinstance(want, bool):
        return math.isclose(got, want, rel_tol=1e-5, abs_tol=1e-9)
    return got == want


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_program_gives_what_torch_gives(row):
    program = load_program(row["torch_code"], layout=False)
    if row["expected_kind"] != "error":
        assert program.error is None
        assert same(program.plain, row["expected"])
        return
    assert program.error is not None
    said = row["expected"]["message"]
    kinds = [kind for words, kind in KINDS.items() if words in said]
    if kinds:
        assert program.error.kind == kinds[0]
    lines = row["torch_code"].splitlines()
    assert row["expected"]["at"] in lines[program.error.line - 1]
