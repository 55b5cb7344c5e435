"""Formulas: names that nobody has given a value are leaves of a fitting shape."""

import numpy as np
import pytest

from core.importers.python import load_program
from core.session import Session


def leaves(text):
    program = load_program(text, layout=False)
    assert program.error is None
    return {
        node.name: node.params["value"]
        for node in program.graph.nodes.values()
        if node.op == "input" and node.params["requires_grad"]
    }


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("L = sum((W @ x - t)**2) + lam*sum(W**2)",
         {"W": (3, 3), "x": (3,), "t": (3,), "lam": ()}),
        ("y = a*x**2 + b*x + c", {"a": (), "x": (), "b": (), "c": ()}),
        ("h = tanh(W1 @ x + b1)\nL = norm(W2 @ h + b2)",
         {"W1": (3, 3), "x": (3,), "b1": (3,), "W2": (3, 3), "b2": (3,)}),
        ("sigmoid(w.T @ x)", {"w": (3, 3), "x": (3,)}),
    ],
)  # fmt: skip
def test_names_become_leaves(text, shapes):
    assert {name: value.shape for name, value in leaves(text).items()} == shapes


def test_values_are_the_same_every_time_and_no_two_names_share_one():
    first, again = leaves("y = a*b*c"), leaves("y = a*b*c")
    assert {k: float(v) for k, v in first.items()} == {k: float(v) for k, v in again.items()}
    assert len({float(v) for v in first.values()}) == 3


def test_the_gradient_is_that_of_the_formula():
    graph = load_program("L = sum((W @ x - t)**2)", layout=False).graph
    session = Session(graph)
    grads = session.run(graph.runs[0]).grads
    W, x, t = (graph.named(n).params["value"] for n in ("W", "x", "t"))  # noqa: N806
    assert np.allclose(grads[graph.named("W").id], 2 * np.outer(W @ x - t, x))


def test_a_text_with_an_import_is_no_formula():
    assert load_program("import torch\ny = a * 2", layout=False).error.kind == "program"
