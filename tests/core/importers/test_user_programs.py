"""The 84 programs of real users' troubles: each gives what torch gave, or fails as torch failed."""

import pytest

from core.importers.python import load_program
from tests.core.importers.programs import PATIENT, rows, same

ROWS = rows("user_questions.jsonl")
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


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_program_gives_what_torch_gives(row):
    program = load_program(row["torch_code"], PATIENT, layout=False)
    if row["expected_kind"] != "error":
        assert program.error is None
        assert same(program.plain, row["expected"], 1e-5)
        return
    assert program.error is not None
    said = row["expected"]["message"]
    kinds = [kind for words, kind in KINDS.items() if words in said]
    if kinds:
        assert program.error.kind == kinds[0]
    lines = row["torch_code"].splitlines()
    assert row["expected"]["at"] in lines[program.error.line - 1]
