"""What the README shows is true: its file opens, its Python runs."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np

from core.files import loads
from core.session import Session

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


def block(language):
    return re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)[1]


def test_the_file_in_the_readme_opens_and_gives_4_0():
    graph = loads(block("json"))
    (run,) = graph.runs
    grads = Session(graph).run(run).grads
    np.testing.assert_array_equal(grads[graph.named("x").id], [4, 0])


def test_the_python_in_the_readme_prints_what_it_says():
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(block("python"), {})
    first, *steps = printed.getvalue().splitlines()
    assert first == "Tensor([4., 0.])"
    assert len(steps) == 2
