"""What semantics programs in tests/data do not cover: identities, types, depth, order, failure."""

import gc
import weakref

import numpy as np
import pytest

from core import (
    Tensor,
    backward,
    detect_anomaly,
    enable_grad,
    grad,
    no_grad,
    observe,
    ops,
)
from core.errors import KINDS, PullbackError


def leaf(*values, dtype=float):
    data = np.array(values, dtype) if len(values) != 1 else np.array(values[0], dtype)
    return Tensor(data, requires_grad=True)


def raises(kind, match=None):
    return pytest.raises(KINDS[kind], match=match)


# -- depth -----------------------------------------------------------------------------------------


def test_a_chain_of_200_000_nodes_runs_backward_and_is_freed():
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = (y + 0.5) * 1.0
    record = weakref.ref(y.record)
    y.backward()
    assert x.grad.item() == 1.0
    del y
    gc.collect()
    assert record() is None


def test_records_form_no_cycles():
    gc.collect()
    gc.disable()
    try:
        x = leaf(2.0, 3.0)
        y = (x * x).sum()
        record = weakref.ref(y.record)
        y.backward(create_graph=False)
        del y
        assert record() is None
    finally:
        gc.enable()


# -- cotangents ------------------------------------------------------------------------------------


def test_a_cotangent_is_neither_modified_nor_kept():
    x = leaf(1.0, 2.0)
    v = np.array([3.0, 4.0])
    backward(x + 0.0, v)
    backward(x + 0.0, v)
    np.testing.assert_array_equal(v, [3, 4])
    np.testing.assert_array_equal(x.grad.data, [6, 8])
    v[:] = 0
    np.testing.assert_array_equal(x.grad.data, [6, 8])


def test_gradients_of_two_leaves_are_never_one_array():
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    backward(a + b, np.ones(2))
    a.grad.data[:] = 9.0
    np.testing.assert_array_equal(b.grad.data, [1, 1])


def test_a_root_that_is_a_leaf_gets_a_copy_with_a_graph_too():
    x = leaf(1.0, 2.0)
    v = Tensor([3.0, 4.0])
    backward(x, v, create_graph=True)
    assert x.grad is not v
    v.data[:] = 0
    np.testing.assert_array_equal(x.grad.data, [3, 4])


def test_a_float64_cotangent_of_a_float32_root_gives_float32():
    x = Tensor(np.array([1, 2], np.float32), requires_grad=True)
    backward(x * x, np.array([1.0, 1.0]))
    assert x.grad.dtype == np.float32


def test_mixed_dtypes_give_each_leaf_its_own():
    a = Tensor(np.array([1, 2], np.float32), requires_grad=True)
    b = leaf(3.0, 4.0)
    (a * b).sum().backward()
    assert (a.grad.dtype, b.grad.dtype) == (np.float32, np.float64)


@pytest.mark.parametrize("v", [1.0, [1.0], 1])
def test_python_numbers_are_no_cotangents(v):
    y = leaf(1.0, 2.0) * 1.0
    with pytest.raises(TypeError):
        backward([y], v)


@pytest.mark.parametrize("shape", [(), (1,), (2, 1), (1, 2), (3,)])
def test_cotangents_are_not_broadcast(shape):
    y = leaf(1.0, 2.0) * 1.0
    with raises("shape", match=r"\(2,\)"):
        backward(y, np.ones(shape))


@pytest.mark.parametrize("count", [1, 3])
def test_there_are_as_many_cotangents_as_roots(count):
    x = leaf(1.0)
    with raises("length"):
        backward([x * 1.0, x * 2.0], [np.array(1.0)] * count)


def test_grad_variables_is_the_old_name():
    x = leaf(1.0, 2.0)
    with pytest.warns(DeprecationWarning, match="grad_tensors"):
        backward(x * x, grad_variables=np.ones(2))
    np.testing.assert_array_equal(x.grad.data, [2, 4])
    with (
        pytest.warns(DeprecationWarning, match="grad_tensors"),
        raises("operand", match="grad_variables"),
    ):
        backward(x * x, np.ones(2), grad_variables=np.ones(2))


def test_nothing_to_do_does_nothing():
    backward([])


def test_the_absolute_value_of_a_complex_scalar_is_not_conjugated():
    """|z| is real although z is not: dL/dz is z / |z|, of scalars and of arrays alike."""
    z = 3 + 4j
    for data in (np.complex128(z), np.array(z), np.array([z])):
        x = Tensor(data, requires_grad=True)
        abs(x).sum().backward()
        np.testing.assert_allclose(x.grad.data, np.reshape(z / 5, np.shape(data)))


# -- accumulating ----------------------------------------------------------------------------------


def test_a_second_gradient_is_added_into_the_same_array():
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    held, array = x.grad, x.grad.data
    (x * x).sum().backward()
    assert x.grad is held
    assert x.grad.data is array
    np.testing.assert_array_equal(array, [4, 8])


def test_with_create_graph_the_gradient_is_a_new_tensor_with_a_history():
    x = leaf(2.0)
    (x * x * x).backward(create_graph=True)
    first = x.grad
    assert first.requires_grad
    (x * x * x).backward(create_graph=True)
    assert x.grad is not first
    assert first.item() == 12.0


def test_sums_are_made_in_the_same_order_every_time():
    rng = np.random.default_rng(1)
    values = rng.normal(size=100) * 10.0 ** rng.integers(-8, 8, 100)

    def run():
        x = Tensor(values, requires_grad=True)
        total = x.sin()
        for k in range(1, 30):
            total = total + (x * k).cos() * x
        total.sum().backward()
        return x.grad.data

    assert run().tobytes() == run().tobytes()


def test_an_assigned_gradient_must_fit():
    x = leaf(1.0, 2.0)
    x.grad = Tensor([1.0, 1.0])
    (x * 1.0).sum().backward()
    np.testing.assert_array_equal(x.grad.data, [2, 2])
    with raises("shape"):
        x.grad = Tensor([1.0])
    with raises("operand"):
        x.grad = np.ones(2)
    with raises("operand"):
        x.grad = x
    x.grad = None
    assert x.grad is None


def test_the_gradient_of_an_intermediate_is_none_and_says_why():
    x = leaf(2.0)
    y = x * x
    (y * 1.0).backward()
    with pytest.warns(UserWarning, match="retain_grad"):
        assert y.grad is None


# -- failing ---------------------------------------------------------------------------------------


def test_a_failed_backward_says_how_much_it_had_done():
    x, z = leaf(2.0), leaf(3.0)
    inner = x * x
    inner.backward()
    x.grad = None
    outer = inner + z
    with raises("graph_freed", match="1 leaf had already been updated"):
        outer.backward()
    assert z.grad.item() == 1.0
    assert x.grad is None


def test_a_rules_own_exception_passes_through_and_leaves_the_engine_usable():
    x = leaf(2.0)
    y = x * x

    def hook(g):
        raise ZeroDivisionError("mine")

    handle = y.register_hook(hook)
    with pytest.raises(ZeroDivisionError, match="mine"):
        y.backward(retain_graph=True)
    handle.remove()
    y.backward()
    assert x.grad.item() == 4.0


def test_every_error_is_a_pullback_error_with_its_kind_and_a_next_step():
    for kind, cls in KINDS.items():
        error = cls("What happened.", next_step="Do this.")
        assert isinstance(error, PullbackError)
        assert error.kind == kind
        assert str(error) == "What happened. Do this."


# -- changing in place -----------------------------------------------------------------------------


def test_versions_belong_to_storage_so_a_view_counts():
    x = leaf(1.0, 2.0, 3.0, 4.0)
    y = x * 1.0
    flat = y.reshape(2, 2)
    z = y.exp() * y
    with no_grad():
        flat.add_(1.0)
    with raises("modified_saved", match="version 0.*version 1"):
        z.sum().backward()


def test_a_changed_scalar_is_found_out():
    x = leaf(2.0)
    y = x * 1.0
    z = y * y
    y.add_(1.0)
    with raises("modified_saved"):
        z.backward()


def test_in_place_results_have_a_history():
    x = leaf(1.0, 2.0)
    y = x * 3.0
    y.mul_(2.0)
    y.exp_()
    y.sum().backward()
    np.testing.assert_allclose(x.grad.data, 6 * np.exp([6.0, 12.0]))


def test_taking_over_values_takes_over_their_history():
    x = leaf(1.0, 2.0)
    y = Tensor(np.zeros((3, 2)))
    y.copy_(x * 2.0)
    (y * np.arange(6.0).reshape(3, 2)).sum().backward()
    np.testing.assert_array_equal(x.grad.data, [12, 18])


# -- anomalies -------------------------------------------------------------------------------------


def test_the_node_that_makes_a_nan_is_named_with_its_values():
    x = leaf(0.0, 4.0)
    y = ops.apply("sqrt", x) * 0.0
    with detect_anomaly(), raises("anomaly", match=r"sqrt.*NaN.*\(0,\)"):
        y.sum().backward()


def test_infinities_are_looked_for_when_asked():
    x = leaf(0.0)
    with detect_anomaly():
        ops.apply("log", x).backward()
    with detect_anomaly(check_inf=True), raises("anomaly", match="infinity"):
        ops.apply("log", x).backward()


def test_without_it_a_nan_flows_on():
    x = leaf(0.0, 4.0)
    (ops.apply("sqrt", x) * 0.0).sum().backward()
    assert np.isnan(x.grad.data[0])


# -- modes and types -------------------------------------------------------------------------------


def test_no_grad_and_enable_grad_nest_and_decorate():
    x = leaf(2.0)

    @no_grad()
    def silent():
        return x * x

    assert not silent().requires_grad
    with no_grad():
        with enable_grad():
            assert (x * x).requires_grad
        assert not (x * x).requires_grad
    assert (x * x).requires_grad


def test_integer_results_need_no_grad():
    x = leaf(3.0, 1.0, 2.0)
    for result in (x > 1.0, np.argmax(x), np.argsort(x), x == x):
        assert not result.requires_grad


@pytest.mark.parametrize("convert", [np.asarray, np.array, lambda t: np.array([t, t])])
def test_a_tensor_never_turns_into_an_array_silently(convert):
    with raises("unsupported", match=r"\.data"):
        convert(leaf(1.0, 2.0))


def test_the_data_is_the_array_that_was_given():
    for array in (np.arange(3), np.ones(2, np.float32), np.array([True]), np.array(1.5)):
        assert Tensor(array).data is array
    assert Tensor(2).dtype == np.float64
    assert Tensor([1, 2]).dtype == np.float64


def test_errors_of_operations_name_the_operation_the_shapes_and_what_would_fit():
    with raises("operand", match=r"matmul.*\(3, 2\).*\(3,\)"):
        leaf(1.0) * 1.0 + Tensor(np.ones((3, 2))) @ Tensor(np.ones(3))
    with raises("unknown_op", match="softmax"):
        ops.find("sofmax")
    with raises("operand", match="axis"):
        ops.apply("sum", np.ones(2), axes=0)
    with raises("operand", match="takes 2 inputs"):
        ops.apply("add", 1.0)


# -- seeing ----------------------------------------------------------------------------------------


def test_an_output_nothing_reaches_has_a_null_cotangent():
    x = leaf(1.0, 2.0, 3.0, 4.0)
    first, _ = ops.apply("split", x)
    with observe() as recorder:
        backward(first, np.ones(2))
    step = recorder.traces[0].steps[0]
    np.testing.assert_array_equal(step.cotangents[0], [1, 1])
    assert step.cotangents[1] is None
    np.testing.assert_array_equal(x.grad.data, [1, 1, 0, 0])


def test_grad_of_an_intermediate_frees_nothing_below_it():
    x = leaf(2.0)
    h = x * x
    y = h * h
    (gh,) = grad(y, h)
    assert gh.item() == 8.0
    h.backward()
    assert x.grad.item() == 4.0
