"""A graph as a derivation: formulas in the graph's own symbols, with their numbers."""

import re

import numpy as np
import pytest

from core.export import export_code
from core.export.latex.symbols import numbers, substituted, symbol
from core.graph import INPUT, Assign, Backward, Graph, Run, ZeroGrad
from core.library import OPS
from tests.core.export.graphs import VISIBLE, op_graph


def fan_out():
    graph, a = Graph().with_node(
        INPUT, (0, 0), name="a", params={"value": np.array(3.0), "requires_grad": True}
    )
    graph, y = graph.with_node("multiply", (0, 0), name="area")
    graph, _ = graph.with_wire(a, "y", y, "a")
    graph, _ = graph.with_wire(a, "y", y, "b")
    return graph, a, y


def balanced(text):
    environments = re.findall(r"\\(begin|end)\{([^}]*)\}", text)
    open_ = []
    for word, name in environments:
        if word == "begin":
            open_.append(name)
        else:
            assert open_.pop() == name
    braces = re.sub(r"\\[{}]", "", text)
    return not open_ and braces.count("{") == braces.count("}")


@pytest.mark.parametrize("spec", VISIBLE, ids=lambda spec: spec.name)
def test_every_operation_has_a_derivation(spec):
    exported = export_code(op_graph(spec, spec.samples[0]), "latex")
    assert balanced(exported.text)
    assert "\\\\\n\\end{align*}" not in exported.text


def test_each_vjp_stands_with_its_number_and_the_sum():
    graph, a, y = fan_out()
    run = Run("r", (Backward(((y, "y"),)), ZeroGrad(), Assign(a, np.array(5.0))))
    exported = export_code(graph, "latex", run)
    area, bar = r"\mathrm{area}", r"\overline{\mathrm{area}}"
    lines = [line.text.strip().removesuffix(r" \\") for line in exported.lines]
    for line in (
        "a &= 3",
        rf"{area} &= a\,a = 9",
        rf"{bar} &= 1",
        rf"\bar{{a}} &= {bar}\,a = 3",
        rf"\bar{{a}} &\mathrel{{+}}= {bar}\,a = 3\quad\Rightarrow\quad \bar{{a}} = 6",
        r"a.\mathrm{grad} &= 6",
        r"a &\leftarrow 5",
    ):
        assert line in lines, exported.text
    assert exported.nodes_at(lines.index(rf"{area} &= a\,a = 9")) == (y,)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("x", "x"), ("w2", "w_{2}"), ("loss", r"\mathrm{loss}"), ("a_b%", r"\mathrm{a\_b\%}")],
)
def test_symbols(name, wanted):
    assert symbol(name) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (2.0, "2"),
        (1.5e-7, r"1.5\cdot 10^{-7}"),
        (float("nan"), r"\mathrm{NaN}"),
        (np.zeros((9, 9)), r"[9 \times 9]"),
        (np.array([1, 2]), r"\left(1,\; 2\right)"),
        (np.array([[1.0, 2.0]]), r"\begin{pmatrix} 1 & 2 \end{pmatrix}"),
        (np.array(1 - 2j), "1-2i"),
    ],
)
def test_numbers(value, wanted):
    assert numbers(np.asarray(value)) == wanted


def test_commands_are_no_symbols():
    spec = next(spec for spec in OPS if spec.name == "tanh")
    assert substituted(r"y=\tanh x", spec, {"x": "z", "y": "p"}) == r"p=\tanh z"
