"""Documents edited at random, outside and inside of functions, keep all that functions promise."""

import random

import numpy as np
import pytest

from core.errors import PullbackError
from core.files import dumps, loads
from core.folding import seen
from core.graph import (
    ARGUMENT,
    CALL,
    INPUT,
    RESULT,
    Backward,
    Graph,
    Run,
    closed,
    cut,
    expand,
    flatten,
    flattened,
    gather,
    input_ports,
    opened,
    output_ports,
    paste,
)
from core.session import Session

STEPS, MOST_NODES = 80, 400
OPS = ["tanh", "exp", "sin", "sum", "add", "multiply", "split", "linalg.qr", "concatenate"]


class Editor:
    """Makes one random edit after the other; some are refused, which changes nothing."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.edits = [
            self.add, self.add, self.add, self.connect, self.connect, self.connect, self.connect,
            self.delete, self.rename, self.move, self.frame, self.gather, self.flatten, self.copy,
            self.call, self.type_in,
        ]  # fmt: skip

    def edit(self, graph):
        """The document after an edit of it, or of one of its functions."""
        inside = bool(graph.functions) and self.rng.random() < 0.4
        shown = opened(graph, self.rng.choice(list(graph.functions))) if inside else graph
        try:
            after = self.rng.choice(self.edits)(shown)
            return closed(graph, after) if inside else after
        except PullbackError:
            return graph

    def value(self):
        return self.numbers.random((2, 2)).round(2)

    def pick(self, graph):
        return self.rng.choice(list(graph.nodes) or ["none"])

    def place(self):
        return (self.rng.random() * 500, self.rng.random() * 500)

    def add(self, graph):
        ends = [ARGUMENT, RESULT] if graph.inside else []
        op = self.rng.choice([*OPS, INPUT, INPUT, INPUT, *ends])
        value = {"value": self.value(), "requires_grad": self.rng.random() < 0.5}
        return graph.with_node(op, self.place(), params=value if op == INPUT else {})[0]

    def connect(self, graph):
        source, target = graph.node(self.pick(graph)), graph.node(self.pick(graph))
        output = self.rng.choice(output_ports(source, graph))
        port = self.rng.choice(input_ports(target, graph) or ("none",))
        return graph.with_wire(source.id, output, target.id, port)[0]

    def type_in(self, graph):
        node = graph.node(self.pick(graph))
        port = self.rng.choice(input_ports(node, graph) or ("none",))
        return graph.with_inline(node.id, port, self.value())

    def delete(self, graph):
        return graph.without([self.pick(graph)])

    def rename(self, graph):
        return graph.with_name(self.pick(graph), f"name{self.rng.randrange(10**6)}")

    def move(self, graph):
        return graph.moved({self.pick(graph): self.place()})

    def frame(self, graph):
        return graph.with_frame("frame", (*self.place(), 150, 150), no_grad=True)[0]

    def some(self, graph):
        return self.rng.sample(list(graph.nodes), min(len(graph.nodes), self.rng.randint(1, 5)))

    def gather(self, graph):
        return gather(graph, self.some(graph))[0]

    def flatten(self, graph):
        calls = [i for i, node in graph.nodes.items() if node.op == CALL]
        return flatten(graph, self.rng.choice(calls))[0] if calls else graph

    def copy(self, graph):
        return paste(graph, cut(graph, self.some(graph)), (10, 10), keep_outside=True)[0]

    def call(self, graph):
        functions = list(graph.functions.values())
        if not functions:
            return graph
        return graph.with_node(CALL, params={"function": self.rng.choice(functions)})[0]


def check_one_definition(graph):
    for body in (graph, *(function.body for function in graph.functions.values())):
        for node in body.nodes.values():
            if node.op == CALL:
                function = node.params["function"]
                assert function is graph.functions[function.id]


def check_values(snapshot, other):
    for node_id, values in other.values.items():
        for mine, theirs in zip(snapshot.values[node_id], values, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def check_backward(graph, output, cotangent):
    """The same gradients flattened; folded, every step comes before those it sends to."""
    graph = graph.with_runs([Run("run", (Backward((output,), (cotangent,)),))])
    flat = flattened(graph)
    result, other = Session(graph).run(graph.runs[0]), Session(flat).run(flat.runs[0])
    assert [r.error is None for r in result.results] == [r.error is None for r in other.results]
    for node_id in result.grads.keys() & graph.nodes.keys():
        mine, theirs = result.grads[node_id], other.grads[node_id]
        assert (mine is None) == (theirs is None)
        if mine is not None:
            np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-12)
    for trace in (r.trace for r in result.results if r.trace is not None):
        for place in ("", *trace.calls):
            steps = seen(trace, place).steps
            last = {step.node: i for i, step in enumerate(steps)}
            for i, step in enumerate(steps):
                assert all(last[flow.node] > i for flow in step.flows)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_edited(seed):
    editor, graph, session = Editor(seed), Graph(), Session()
    for step in range(STEPS):
        graph = editor.edit(graph)
        check_one_definition(graph)
        session.update(graph)
        if step % 10 and step != STEPS - 1:
            continue
        if len(expand(graph).nodes) > MOST_NODES:
            break
        fresh, snapshot = Session(graph).snapshot(), session.snapshot()
        check_values(snapshot, fresh)
        assert snapshot.values.keys() == fresh.values.keys()
        assert snapshot.needs_grad == fresh.needs_grad
        assert {i: str(e) for i, e in snapshot.errors.items()} == {
            i: str(e) for i, e in fresh.errors.items()
        }
        assert dumps(loads(dumps(graph))) == dumps(graph)
        roots = [
            (node.id, output_ports(node, graph)[0])
            for node in graph.nodes.values()
            if node.id in fresh.needs_grad and node.id in fresh.values
        ]
        if roots:
            root = editor.rng.choice(roots)
            check_backward(graph, root, np.ones_like(fresh.values[root[0]][0]))
    assert graph.functions  # else all this says nothing about them
