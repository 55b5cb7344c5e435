"""A trace through functions, seen from the top and from inside an instance."""

import numpy as np
import pytest

from core.folding import seen
from core.graph import CALL, INPUT, Backward, Graph, flatten, gather
from core.schedule import Schedule
from core.session import Session


class Chain:
    """z = x², a = f(z, w) = z·w, b = f(a, w): w is read by two instances of one function."""

    def __init__(self):
        graph = Graph()
        leaf = {"value": [2.0, 3.0], "requires_grad": True}
        graph, self.x = graph.with_node(INPUT, name="x", params=leaf)
        graph, self.w = graph.with_node(INPUT, name="w", params={**leaf, "value": [5.0, 7.0]})
        graph, self.z = graph.with_node("square", (100, 0), name="z")
        graph, self.product = graph.with_node("multiply", (200, 0), name="product")
        for source, target, port in (
            (self.x, self.z, "x"),
            (self.z, self.product, "a"),
            (self.w, self.product, "b"),
        ):
            graph, _ = graph.with_wire(source, "y", target, port)
        graph, self.a = gather(graph, [self.product], "f")
        function = graph.nodes[self.a].params["function"]
        graph, self.b = graph.with_node(CALL, (400, 0), params={"function": function})
        graph, _ = graph.with_wire(self.a, "y", self.b, "z")
        self.graph, _ = graph.with_wire(self.w, "y", self.b, "w")
        self.ends = {node.name: node.id for node in function.body.nodes.values()}

    def trace(self, graph=None, root=None):
        action = Backward(((root or self.b, "y"),), (np.ones(2),))
        return Session(graph or self.graph).perform(action).trace


@pytest.fixture
def chain():
    return Chain()


def test_from_the_top_an_instance_is_one_step(chain):
    trace = seen(chain.trace())

    assert [step.node for step in trace.steps] == [chain.b, chain.a, chain.w, chain.z, chain.x]
    first, second = trace.steps[:2]
    assert first.op == second.op == "call"
    np.testing.assert_array_equal(first.cotangents[0], [1, 1])
    flows = {flow.port: (flow.node, flow.contribution.tolist()) for flow in first.flows}
    assert flows == {"z": (chain.a, [5.0, 7.0]), "w": (chain.w, [20.0, 63.0])}
    np.testing.assert_array_equal(second.cotangents[0], [5.0, 7.0])
    assert trace.roots[0][:2] == (chain.b, 0)
    assert set(first.freed) == {"product.a", "product.b"}


def test_the_sums_so_far_end_at_the_gradients(chain):
    session = Session(chain.graph)
    trace = seen(session.perform(Backward(((chain.b, "y"),), (np.ones(2),))).trace)
    last = Schedule(trace).at(1e9)

    assert last.counts[chain.w] == 2
    for leaf in (chain.x, chain.w):
        np.testing.assert_allclose(last.grads[leaf], session.snapshot().grads[leaf])
        np.testing.assert_allclose(last.cotangents[leaf][0], session.snapshot().grads[leaf])


def test_leaves_come_after_the_instances_that_feed_them(chain):
    steps = [step.node for step in seen(chain.trace()).steps]

    for step in seen(chain.trace()).steps:
        for flow in step.flows:
            assert steps.index(step.node) < steps.index(flow.node)


def test_from_inside_there_is_only_what_happens_inside(chain):
    trace = seen(chain.trace(), chain.a)
    ends = chain.ends

    assert {step.node for step in trace.steps} == set(ends.values())
    assert trace.steps[0].node == ends["y"]
    ((root, _, cotangent),) = trace.roots
    assert root == ends["y"]
    np.testing.assert_array_equal(cotangent, [5.0, 7.0])
    by_node = {step.node: step for step in trace.steps}
    assert not by_node[ends["z"]].flows
    np.testing.assert_array_equal(by_node[ends["z"]].cotangents[0], [25.0, 49.0])
    flows = by_node[ends["product"]].flows
    assert {(flow.port, flow.node) for flow in flows} == {("a", ends["z"]), ("b", ends["w"])}


def test_the_contributions_of_an_instance_are_those_of_its_arguments(chain):
    trace = chain.trace()
    (step,) = [step for step in seen(trace).steps if step.node == chain.a]
    inside = {step.node: step for step in seen(trace, chain.a).steps}

    for flow in step.flows:
        np.testing.assert_array_equal(
            flow.contribution, inside[chain.ends[flow.port]].cotangents[0]
        )


def test_functions_in_functions(chain):
    graph, net = gather(chain.graph, [chain.a, chain.b], "net")
    trace = chain.trace(graph, net)

    top, net_inside = seen(trace), seen(trace, net)
    assert [step.node for step in top.steps] == [net, chain.w, chain.z, chain.x]
    assert set(top.steps[0].freed) == {f"{f}.product.{p}" for f in ("f", "f2") for p in "ab"}
    ends = {n.name: n.id for n in graph.nodes[net].params["function"].body.nodes.values()}
    nodes = [step.node for step in net_inside.steps]
    assert nodes[:3] == [ends["y"], chain.b, chain.a]
    assert set(nodes[3:]) == {ends["z"], ends["w"]}
    deepest = seen(trace, f"{net}/{chain.a}")
    assert {step.node for step in deepest.steps} == set(chain.ends.values())


def test_a_trace_without_functions_is_as_it_was(chain):
    flat, _ = flatten(flatten(chain.graph, chain.a)[0], chain.b)
    root = next(i for i in flat.nodes if flat.nodes[i].name == "product2")
    trace = chain.trace(flat, root)

    assert seen(trace) is trace
    assert seen(trace, "n99").steps == ()


def test_an_instance_that_took_no_part_has_no_steps(chain):
    graph, _ = chain.graph.with_node(
        CALL, params={"function": chain.graph.nodes[chain.a].params["function"]}
    )
    other = f"n{graph.next_id - 1}"

    assert seen(chain.trace(graph), other).steps == ()
    assert seen(chain.trace(graph), other).roots == ()


def test_two_halves_of_one_instance_are_brought_together():
    """f(p, q) = (p², exp q): what feeds q is visited before p², but stands after f."""
    graph = Graph()
    leaf = {"value": 2.0, "requires_grad": True}
    graph, x = graph.with_node(INPUT, name="x", params=leaf)
    graph, p = graph.with_node("sin", name="p")
    graph, square = graph.with_node("square", name="square")
    graph, q = graph.with_node("cos", name="q")
    graph, exp = graph.with_node("exp", name="exp")
    graph, add = graph.with_node("add", name="sum")
    for source, target, port in (
        (x, p, "x"), (p, square, "x"), (x, q, "x"), (q, exp, "x"), (square, add, "a"),
        (exp, add, "b"),
    ):  # fmt: skip
        graph, _ = graph.with_wire(source, "y", target, port)
    after, call = gather(graph, [square, exp], "f")
    session = Session(after)
    session.update(after.with_params(x, value=3.0))  # all anew
    trace = seen(session.perform(Backward(((add, "y"),))).trace)
    steps = [step.node for step in trace.steps]

    assert steps.count(call) == 1
    assert steps.index(add) < steps.index(call) < min(steps.index(p), steps.index(q))
    last = Schedule(trace, "wave").at(1e9)
    np.testing.assert_allclose(last.grads[x], session.snapshot().grads[x])
