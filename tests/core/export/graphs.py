"""Graphs to export: one operation each, at the samples of the records."""

import numpy as np

from core.errors import EditRefusedError
from core.graph import Backward, Graph, Run
from core.graph.nodes import INPUT
from core.graph.ports import output_name
from core.library import OPS
from core.session import Session
from tests.core.samples import Application, random_like, takes_grad

VISIBLE = [spec for spec in OPS if not spec.hidden]


def op_graph(spec, sample):
    """A leaf at every port that takes a gradient, a constant at the others, and a backward from
    every output with random cotangents."""
    application = Application(spec, sample)
    graph = Graph()
    graph, node = graph.with_node(spec.name, (300.0, 0.0), name="made", params=sample.params)
    for k, x in enumerate(application.arrays):
        if x is None:
            continue
        port = f"{spec.ports[0]}[{k}]" if spec.variadic else spec.ports[k]
        params = {"value": x, "requires_grad": k in application.wanted and takes_grad(x)}
        graph, leaf = graph.with_node(INPUT, (0.0, 100.0 * k), name=f"in_{k}", params=params)
        graph, _ = graph.with_wire(leaf, "y", node, port)
    return with_backward(graph, node, application.rng)


def with_backward(graph, node, rng):
    """The graph with a run: backward from every output of a node that has a gradient."""
    snapshot = Session(graph).snapshot()
    assert not snapshot.errors, snapshot.errors
    if node not in snapshot.needs_grad:
        return graph

    roots, cotangents = [], []
    for k, y in enumerate(snapshot.values[node]):
        if y.dtype.kind in "fc" and y.size:
            roots.append((node, output_name(graph.nodes[node], k)))
            cotangents.append(random_like(rng, y))
    if not roots:
        return graph
    return graph.with_run(Run("check", (Backward(tuple(roots), tuple(cotangents)),)))


def grads_by_name(graph, run):
    """(.grad of every leaf by its name, gradients of grad actions in order, the error's kind)."""
    result = Session(graph).run(run)
    error = next((a.error for a in result.results if a.error is not None), None)
    grads = {graph.nodes[n].name: g for n, g in result.grads.items()}
    made = [g for a in result.results for g in a.results.values()]
    return grads, made, None if error is None else error.kind


def same(got, want, symmetric=False, tolerance=1e-9):
    """Whether two arrays are equal up to rounding, NaN included."""
    if got is None or want is None:
        return got is want
    got, want = np.asarray(got), np.asarray(want)
    if symmetric:
        got = got + np.conj(np.swapaxes(got, -1, -2))
        want = want + np.conj(np.swapaxes(want, -1, -2))
    return got.shape == want.shape and np.allclose(
        got, want, rtol=tolerance, atol=tolerance, equal_nan=True
    )


def storable(spec, sample):
    """Whether a graph can hold the parameters of a sample: text such as padding="same" stands for
    numbers in the operations only."""
    try:
        Graph().with_node(spec.name, (0.0, 0.0), params=sample.params)
    except EditRefusedError:
        return False
    return True
