"""Random graphs that have values, each with a random run."""

import numpy as np
from hypothesis import strategies as st

from core.graph import INPUT, Assign, Backward, Forward, Grad, Graph, Run, ZeroGrad
from core.session import Session

_SHAPES = [(), (3,), (2, 3), (2, 1), (3, 2)]
_UNARY = ["tanh", "exp", "square", "sigmoid", "sin", "relu", "negative", "ravel", "sum", "copy"]
_BINARY = ["add", "multiply", "subtract", "maximum", "matmul", "divide", "outer", "mse_loss"]
_PARAMS = {"sum": {"axis": 0}, "outer": {}}


@st.composite
def random_graphs(draw):
    """(graph, run): leaves and constants, operations on what is there, backward from some of it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    graph, nodes = Graph(), []
    for k in range(draw(st.integers(1, 4))):
        shape = draw(st.sampled_from(_SHAPES))
        params = {
            "value": np.round(rng.uniform(-2, 2, shape), 3),
            "requires_grad": k == 0 or draw(st.booleans()),
        }
        graph, node = graph.with_node(INPUT, (0.0, 100.0 * k), params=params)
        nodes.append(node)
    for k in range(draw(st.integers(1, 8))):
        op = draw(st.sampled_from(_UNARY + _BINARY))
        ports = graph_ports(op)
        name = draw(st.sampled_from([None, f"w·{k}", f"a b {k}"]))
        grown, made = graph.with_node(op, (200.0 * (k + 1), 0.0), name=name)
        for port in ports:
            if draw(st.integers(0, 4)) or port == ports[0]:
                grown, _ = grown.with_wire(draw(st.sampled_from(nodes)), "y", made, port)
            else:
                grown = grown.with_inline(made, port, np.round(rng.uniform(0.5, 2), 3))
        if made in Session(grown).snapshot().values:
            graph = grown
            nodes.append(made)
    return graph, draw(runs(graph, rng))


def graph_ports(op):
    if op in _UNARY:
        return ("x",)
    return ("input", "target") if op == "mse_loss" else ("a", "b")


@st.composite
def runs(draw, graph, rng):
    """A backward or two, perhaps gradients cleared and a leaf changed between; None if nothing
    needs a gradient."""
    snapshot = Session(graph).snapshot()
    roots = sorted(snapshot.needs_grad)
    leaves = [n for n in roots if graph.nodes[n].op == INPUT]
    if not leaves:
        return None

    def backward(retain):
        root = draw(st.sampled_from(roots))
        cotangent = rng.normal(size=snapshot.values[root][0].shape)
        if draw(st.booleans()):
            return Backward(((root, "y"),), (cotangent,), retain_graph=retain)
        return Grad(
            ((root, "y"),), tuple(leaves), (cotangent,), retain_graph=retain, allow_unused=True
        )

    actions = [backward(True)]
    if draw(st.booleans()):
        actions.append(ZeroGrad(None, draw(st.booleans())))
    used = [leaf for leaf in leaves if graph.wires_from(leaf)]
    if used and draw(st.booleans()):
        leaf = draw(st.sampled_from(used))
        value = np.round(rng.uniform(-2, 2, graph.nodes[leaf].params["value"].shape), 3)
        actions += [Assign(leaf, value), Forward()]
    actions.append(backward(None))
    return Run("random", tuple(actions))
