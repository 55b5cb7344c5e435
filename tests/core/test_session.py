"""A session is a Python prompt on a graph: incremental forward, actions, runs, named errors."""

import numpy as np
import pytest

from core.graph import (
    INPUT,
    Assign,
    Backward,
    Forward,
    Grad,
    GradRef,
    Graph,
    Run,
    ZeroGrad,
)
from core.session import Session


class Builder:
    """A graph written as code: ``b.op("multiply", x, y)``."""

    def __init__(self):
        self.graph = Graph()

    def input(self, value, requires_grad=True, name=None):
        params = {"value": np.asarray(value, dtype=float), "requires_grad": requires_grad}
        self.graph, node = self.graph.with_node(INPUT, name=name, params=params)
        return node

    def op(self, op, *sources, name=None, **params):
        self.graph, node = self.graph.with_node(op, name=name, params=params)
        spec = self.graph.nodes[node].spec
        for k, source in enumerate(sources):
            port = f"{spec.ports[0]}[{k}]" if spec.variadic else spec.ports[k]
            self.graph, _ = self.graph.with_wire(source, "y", node, port)
        return node


@pytest.fixture
def squares():
    """x = (2, 3), y = x², the first example."""
    b = Builder()
    b.x = b.input([2.0, 3.0], name="x")
    b.y = b.op("square", b.x, name="y")
    b.session = Session(b.graph)
    return b


def of(node):
    return (node, "y")


def with_cotangent(node, *v, **options):
    return Backward((of(node),), (np.array(v),), **options)


@pytest.mark.parametrize(
    ("cotangent", "gradient"), [((1, 1), (4, 6)), ((1, 0), (4, 0)), ((0, 1), (0, 6))]
)
def test_the_first_example(squares, cotangent, gradient):
    result = squares.session.perform(with_cotangent(squares.y, *map(float, cotangent)))
    assert result.error is None
    np.testing.assert_array_equal(result.added[squares.x], gradient)
    np.testing.assert_array_equal(squares.session.snapshot().grads[squares.x], gradient)


def test_gradients_add_up_until_zeroed(squares):
    session = squares.session
    for _ in range(2):
        session.perform(with_cotangent(squares.y, 1.0, 1.0, retain_graph=True))
    np.testing.assert_array_equal(session.snapshot().grads[squares.x], [8, 12])
    session.perform(ZeroGrad())
    assert session.snapshot().grads[squares.x] is None


def test_a_second_backward_stops_at_the_node_that_needs_what_was_freed(squares):
    session = squares.session
    session.perform(with_cotangent(squares.y, 1.0, 1.0))
    (saved,) = session.snapshot().saved[squares.y]
    assert (saved.name, saved.freed_by) == ("x", 1)

    error = session.perform(with_cotangent(squares.y, 1.0, 1.0)).error
    assert error.kind == "graph_freed"
    assert error.node == squares.y
    assert "'y'" in error.what
    assert "backward 1" in error.what
    assert "retain" in error.next_step


def test_forward_again_makes_a_freed_graph_usable(squares):
    session = squares.session
    session.perform(with_cotangent(squares.y, 1.0, 1.0))
    session.perform(Forward())
    assert session.perform(with_cotangent(squares.y, 1.0, 1.0)).error is None
    np.testing.assert_array_equal(session.snapshot().grads[squares.x], [8, 12])


def test_an_edit_computes_what_depends_on_it_and_nothing_else():
    b = Builder()
    x, z = b.input(2.0, name="x"), b.input(5.0, name="z")
    left, right = b.op("square", x), b.op("exp", z)
    both = b.op("add", left, right)
    session = Session(b.graph)
    session.perform(Backward((of(left),), None))

    recomputed = session.update(b.graph.with_params(z, value=np.array(1.0)))
    assert recomputed == {z, right, both}
    snapshot = session.snapshot()
    np.testing.assert_allclose(snapshot.values[both][0], 4 + np.e)
    assert snapshot.saved[left][0].freed_by == 1  # untouched: still freed
    assert snapshot.saved[right][0].freed_by is None
    np.testing.assert_array_equal(snapshot.grads[x], 4.0)  # and its gradient is kept


def test_an_edited_leaf_keeps_its_gradient_unless_its_shape_changed(squares):
    session = squares.session
    session.perform(with_cotangent(squares.y, 1.0, 1.0))
    session.update(squares.graph.with_params(squares.x, value=np.array([5.0, 7.0])))
    np.testing.assert_array_equal(session.snapshot().grads[squares.x], [4, 6])
    session.update(squares.graph.with_params(squares.x, value=np.array([5.0, 7.0, 9.0])))
    assert session.snapshot().grads[squares.x] is None


def test_moving_a_node_computes_nothing(squares):
    assert squares.session.update(squares.graph.moved({squares.x: (50.0, 60.0)})) == frozenset()


def test_an_error_sits_on_its_node_and_leaves_the_rest_alone():
    b = Builder()
    a, c = b.input(np.ones((3, 2)), name="a"), b.input(np.ones(3), name="b")
    product = b.op("matmul", a, c, name="product")
    after = b.op("exp", product)
    other = b.op("exp", a)
    snapshot = Session(b.graph).snapshot()

    error = snapshot.errors[product]
    assert error.kind == "operand"
    assert error.node == product
    assert "(3, 2)" in error.what
    assert after not in snapshot.values
    assert after not in snapshot.errors  # it only waits
    assert other in snapshot.values


def test_a_missing_input_is_named():
    b = Builder()
    x = b.input(1.0)
    add = b.op("add", x, name="add")
    error = Session(b.graph).snapshot().errors[add]
    assert (error.kind, error.port) == ("missing_input", "b")


def test_a_nan_is_noted_where_it_was_born():
    b = Builder()
    x = b.input([1.0, -1.2, 2.0], name="x")
    log = b.op("log", x)
    after = b.op("exp", log)
    notes = Session(b.graph).snapshot().notes
    assert "NaN" in notes[log]
    assert "-1.2" in notes[log]
    assert after not in notes


def test_a_missing_cotangent_names_the_root_and_its_shape(squares):
    error = squares.session.perform(Backward((of(squares.y),), None)).error
    assert (error.kind, error.node) == ("nonscalar_root", squares.y)
    assert "'y'" in error.what
    assert "(2,)" in error.what


def test_two_losses_on_one_trunk():
    b = Builder()
    x = b.input(2.0, name="x")
    trunk = b.op("square", x, name="trunk")
    first, second = b.op("exp", trunk, name="first"), b.op("sin", trunk, name="second")
    session = Session(b.graph)
    kept = session.run(
        Run(
            "kept", (Backward((of(first),), None, retain_graph=True), Backward((of(second),), None))
        )
    )
    assert [r.error for r in kept.results] == [None, None]
    np.testing.assert_allclose(kept.grads[x], np.exp(4) * 4 + np.cos(4) * 4)

    forgot = session.run(
        Run("forgot", (Backward((of(first),), None), Backward((of(second),), None)))
    )
    assert forgot.results[1].error.kind == "graph_freed"
    assert forgot.results[1].error.node == trunk
    np.testing.assert_allclose(forgot.grads[x], np.exp(4) * 4)


def test_a_gradient_can_be_a_root_and_a_cotangent():
    """d(x³)/dx = 3x² = 12 at 2; its own gradient 6x = 12; once more with the first as cotangent."""
    b = Builder()
    x = b.input(2.0, name="x")
    cube = b.op("multiply", b.op("square", x), x)
    session = Session(b.graph)
    first = session.perform(Grad((of(cube),), (x,), create_graph=True))
    np.testing.assert_allclose(first.results[x], 12.0)
    second = session.perform(Backward((GradRef(0, x),), (GradRef(0, x),)))
    assert second.error is None
    np.testing.assert_allclose(second.added[x], 12.0 * 12.0)


def test_a_leaf_changed_in_place_makes_saved_values_stale(squares):
    session = squares.session
    assert session.perform(Assign(squares.x, np.array([1.0, 1.0]))).error is None
    snapshot = session.snapshot()
    np.testing.assert_array_equal(snapshot.values[squares.x][0], [1, 1])
    np.testing.assert_array_equal(snapshot.values[squares.y][0], [4, 9])  # computed before

    error = session.perform(with_cotangent(squares.y, 1.0, 1.0)).error
    assert (error.kind, error.node) == ("modified_saved", squares.y)

    session.perform(Forward())
    np.testing.assert_array_equal(session.snapshot().values[squares.y][0], [1, 1])


def test_restart_forgets_everything_but_the_graph(squares):
    session = squares.session
    session.perform(Assign(squares.x, np.array([1.0, 1.0])))
    session.perform(Forward())
    session.perform(with_cotangent(squares.y, 1.0, 1.0))
    session.restart()
    snapshot = session.snapshot()
    assert snapshot.backwards == 0
    assert snapshot.grads == {squares.x: None}
    np.testing.assert_array_equal(snapshot.values[squares.y][0], [4, 9])


def test_accumulating_into_an_intermediate_only(squares):
    session = squares.session
    session.perform(with_cotangent(squares.y, 1.0, 2.0, inputs=(squares.y,)))
    grads = session.snapshot().grads
    np.testing.assert_array_equal(grads[squares.y], [1, 2])
    assert grads[squares.x] is None


def test_snapshots_cannot_be_written_to(squares):
    snapshot = squares.session.snapshot()
    with pytest.raises(ValueError, match="read-only"):
        snapshot.values[squares.y][0][0] = 9.0


def test_traces_name_the_nodes_and_ports_of_the_graph():
    b = Builder()
    x = b.input([1.0], name="x")
    joined = b.op("concatenate", x, x, name="joined")
    trace = Session(b.graph).perform(Backward((of(joined),), (np.array([1.0, 2.0]),))).trace
    assert [(f.port, f.node) for f in trace.steps[0].flows] == [("xs[0]", x), ("xs[1]", x)]
    assert trace.steps[-1].node == x


# -- replaying ------------------------------------------------------------------------------------


def test_a_replay_computes_what_the_edit_and_the_actions_touched_and_nothing_else(monkeypatch):
    b = Builder()
    x, c = b.input([2.0, 3.0], name="x"), b.input([1.0, 5.0], requires_grad=False, name="c")
    y = b.op("multiply", x, c, name="y")
    aside = b.op("exp", c, name="aside")
    unused = b.op("exp", x, name="unused")
    session, run = Session(b.graph), Run("live", (with_cotangent(y, 1.0, 1.0),))
    session.run(run)
    computed = []
    evaluate = Session._evaluate
    monkeypatch.setattr(
        Session, "_evaluate", lambda s, node: (computed.append(node.id), evaluate(s, node))[1]
    )

    session.replay(run)
    assert computed == [y]

    computed.clear()
    session.update(b.graph.with_params(x, value=[7.0, 1.0]))
    result = session.replay(run)
    assert set(computed) == {x, y, unused}
    assert aside not in computed
    assert result.grads[x].tolist() == [1.0, 5.0]
    assert session.snapshot().values[y][0].tolist() == [7.0, 5.0]


def test_a_replay_undoes_assignments_and_gradients_of_intermediates():
    b = Builder()
    x = b.input([2.0])
    y = b.op("square", x)
    z = b.op("square", y)
    backward = Backward(((z, "y"),), (np.ones(1),))
    run = Run("r", (Backward(((z, "y"),), (np.ones(1),), inputs=(y,)), Assign(x, np.array([5.0])),
                    Forward(), backward))  # fmt: skip
    session = Session(b.graph)
    first, again = session.run(run), session.replay(run)
    assert again.grads.keys() == first.grads.keys()
    for node in first.grads:
        np.testing.assert_array_equal(again.grads[node], first.grads[node])
    only = session.replay(Run("b", (backward,)))
    assert only.grads[x].tolist() == [32.0]
    assert only.grads.keys() == {x}
