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


@pytest.mark.parametrize(
    "call",
    [
        "F.max_pool1d(x, 2, return_indices=True)",
        "F.avg_pool2d(x, 1, divisor_override=3)",
        "F.instance_norm(x, use_input_stats=False)",
        "F.scaled_dot_product_attention(x, x, x, dropout_p=0.5)",
        "F.mse_loss(x, x, reduce=False)",
        "F.cross_entropy(x[0], torch.tensor([0]), size_average=False)",
        "torch.func.grad(lambda y: (y.sum(), y), has_aux=True)",
        "torch.autograd.detect_anomaly(check_nan=False)",
    ],
)
def test_a_setting_that_is_not_read_is_refused_and_not_passed_over(call):
    text = f"import torch\nimport torch.nn.functional as F\nx = torch.ones(1, 1, 4)\ny = {call}"
    error = load_program(text, layout=False).error
    assert error is not None
    assert error.kind == "unsupported"
    assert error.line == 4
    assert "is not read" in str(error)
