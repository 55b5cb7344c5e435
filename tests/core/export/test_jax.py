"""A graph as a JAX program: what it says. ``make exports ARGS=jax`` runs it where JAX is."""

import ast

import numpy as np
import pytest

from core.export import export_code
from core.graph import INPUT, Assign, Backward, Forward, Grad, GradRef, Graph, Run, ZeroGrad
from tests.core.export.graphs import VISIBLE, op_graph


def square():
    graph, x = Graph().with_node(
        INPUT, (0, 0), name="x", params={"value": np.array([2.0, 3.0]), "requires_grad": True}
    )
    graph, y = graph.with_node("square", (0, 0), name="y")
    graph, _ = graph.with_wire(x, "y", y, "x")
    return graph, x, y


@pytest.mark.parametrize("spec", VISIBLE, ids=lambda spec: spec.name)
def test_every_operation_gives_a_program(spec):
    exported = export_code(op_graph(spec, spec.samples[0]), "jax")
    ast.parse(exported.text)
    assert not any(line.text.lstrip().startswith("made = np.") for line in exported.lines)


def test_a_function_and_its_pullback():
    graph, _x, y = square()
    run = Run("r", (Backward(((y, "y"),), (np.array([1.0, 0.0]),)),))
    exported = export_code(graph, "jax", run)
    assert exported.text == (
        "import jax\n"
        "import jax.numpy as jnp\n"
        "\n"
        'jax.config.update("jax_enable_x64", True)\n'
        "\n"
        "x = jnp.array([2.0, 3.0])\n"
        "\n"
        "\n"
        "def model(x):\n"
        "    y = jnp.square(x)\n"
        "    return y\n"
        "\n"
        "\n"
        "y, pull = jax.vjp(model, x)\n"
        "\n"
        "# r\n"
        "(x_bar,) = pull(jnp.array([1.0, 0.0]))\n"
        "x_grad = x_bar\n"
        'print("x_grad =", x_grad)\n'
    )
    assert exported.nodes_at(9) == (y,)


def test_a_run_of_several_actions():
    graph, x, y = square()
    ones = np.ones(2)
    back = Backward(((y, "y"),), (ones,))
    actions = (back, ZeroGrad(), Assign(x, ones), Forward(), Grad(((y, "y"),), (x,), (ones,)), back)
    text = export_code(graph, "jax", Run("r", actions)).text
    assert text.count("jax.vjp(model, x)") == 2
    assert "x_grad = jnp.zeros_like(x)" in text
    assert "d_x = x_bar2" in text
    assert "x_grad = x_grad + x_bar3" in text


def test_what_jax_says_otherwise_is_left_out_with_its_reason():
    graph, x, y = square()
    run = Run("r", (Grad(((y, "y"),), (x,), create_graph=True), Backward((GradRef(0, x),))))
    assert "# left out: action 2; the gradient of a gradient" in export_code(graph, "jax", run).text
