"""Transforms of functions: meaning, nesting, strictness and further differentiation."""

import numpy as np
import pytest

from core import Tensor, functional, grad, no_grad
from core.errors import (
    CotangentCountError,
    CotangentShapeError,
    CotangentTypeError,
    IntRequiresGradError,
    NonscalarRootError,
    NotScalarError,
    OperandError,
    UnsupportedError,
    UnusedInputError,
)

W = np.arange(6.0).reshape(2, 3) / 5 - 0.4
X = np.array([0.3, -0.7, 1.1])
Z = np.array([0.5, -0.2])


def net(x, z):
    return np.tanh(W @ x) * z, np.sum(x * x) * z[0]


def scalar(x, z):
    return np.sum(np.sin(W @ x) * z * z)


def slope(f, x, v, h=1e-5):
    return (f(x + h * v) - f(x - h * v)) / (2 * h)


# -- values ----------------------------------------------------------------------------------------


def test_vjp_sums_over_outputs():
    v = (np.array([1.0, -2.0]), np.array(0.5))
    outputs, found = functional.vjp(net, (Tensor(X), Tensor(Z)), v)

    jacobian = functional.jacobian(net, (Tensor(X), Tensor(Z)))
    for i, g in enumerate(found):
        want = v[0] @ jacobian[0][i].data + v[1] * jacobian[1][i].data
        np.testing.assert_allclose(g.data, want, rtol=1e-12)
    np.testing.assert_allclose(outputs[0].data, np.tanh(W @ X) * Z)


def test_jvp_is_the_directional_derivative():
    u, w = np.array([0.2, 0.3, -1.0]), np.array([1.0, 0.5])
    _, found = functional.jvp(net, (Tensor(X), Tensor(Z)), (u, w))

    for j, got in enumerate(found):
        want = slope(lambda t, j=j: net(X + t * u, Z + t * w)[j], 0.0, 1.0)
        np.testing.assert_allclose(got.data, want, rtol=1e-8)


def test_jacobian_has_the_shapes_of_output_and_input():
    made = functional.jacobian(net, (Tensor(X), Tensor(Z)))

    assert [[one.shape for one in row] for row in made] == [[(2, 3), (2, 2)], [(3,), (2,)]]
    columns = [slope(lambda x: net(x, Z)[0], X, e) for e in np.eye(3)]
    np.testing.assert_allclose(made[0][0].data, np.stack(columns, 1), rtol=1e-8)


def test_hessian_is_the_jacobian_of_the_gradient():
    made = functional.hessian(scalar, (Tensor(X), Tensor(Z)))

    def gradient(x):
        return functional.vjp(scalar, (Tensor(x), Tensor(Z)))[1][0].data

    columns = [slope(gradient, X, e) for e in np.eye(3)]
    np.testing.assert_allclose(made[0][0].data, np.stack(columns, 1), rtol=1e-7)
    np.testing.assert_allclose(made[0][1].data, made[1][0].data.T, rtol=1e-12)


@pytest.mark.parametrize("product", [functional.hvp, functional.vhp])
def test_hessian_products_agree_with_the_hessian(product):
    hessian = functional.hessian(scalar, (Tensor(X), Tensor(Z)))
    v = (np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5]))
    output, found = product(scalar, (Tensor(X), Tensor(Z)), v)

    assert output.data == pytest.approx(scalar(X, Z))
    for i in range(2):
        want = sum(hessian[i][k].data @ v[k] for k in range(2))
        np.testing.assert_allclose(found[i].data, want, rtol=1e-12)


def test_complex_vjps_are_conjugate_transposes():
    z = np.array([1.0 + 2.0j, -0.5j])
    v = np.array([0.3 - 1.0j, 2.0])
    _, found = functional.vjp(lambda x: x * x, Tensor(z), v)
    np.testing.assert_allclose(found.data, np.conj(2 * z) * v)


# -- nesting ---------------------------------------------------------------------------------------


def test_a_single_tensor_gives_a_single_result():
    output, found = functional.vjp(np.exp, Tensor(X), np.ones(3))
    assert isinstance(output, Tensor)
    assert isinstance(found, Tensor)
    assert isinstance(functional.jacobian(np.exp, Tensor(X)), Tensor)
    assert isinstance(functional.hessian(np.sum, Tensor(X)), Tensor)


def test_a_tuple_gives_a_tuple_even_of_length_one():
    def f(x):
        return (np.exp(x),)

    outputs, found = functional.vjp(f, (Tensor(X),), (np.ones(3),))
    assert isinstance(outputs, tuple)
    assert isinstance(found, tuple)
    assert functional.jacobian(f, (Tensor(X),))[0][0].shape == (3, 3)
    assert functional.jvp(f, (Tensor(X),), (X,))[1][0].shape == (3,)
    assert functional.hessian(lambda x: np.sum(x * x), (Tensor(X),))[0][0].shape == (3, 3)


def test_numbers_and_arrays_are_inputs_too():
    assert functional.vjp(lambda x: x * x, 3.0)[1].item() == 6.0
    assert functional.hvp(lambda x: x**3.0, 2.0, 1.0)[1].item() == 12.0


# -- v ---------------------------------------------------------------------------------------------


def test_v_may_be_left_out_for_one_element_only():
    assert functional.vjp(np.sum, Tensor(X))[1].tolist() == [1, 1, 1]
    with pytest.raises(NonscalarRootError, match=r"one output of one element.*\(3,\)"):
        functional.vjp(np.exp, Tensor(X))
    with pytest.raises(NonscalarRootError, match="input"):
        functional.jvp(np.exp, Tensor(X))


def test_v_must_fit():
    with pytest.raises(CotangentShapeError, match=r"v\[0\] has shape \(2,\), output 0"):
        functional.vjp(np.exp, Tensor(X), np.ones(2))
    with pytest.raises(CotangentCountError, match="2 entries, but there are 1 outputs"):
        functional.vjp(np.exp, Tensor(X), (np.ones(3), np.ones(3)))
    with pytest.raises(CotangentTypeError, match=r"v\[0\] is str"):
        functional.vjp(np.exp, Tensor(X), "ones")


def test_v_takes_the_dtype_of_its_partner():
    x = Tensor(X.astype(np.float32))
    assert functional.vjp(np.exp, x, np.ones(3))[1].dtype == np.float32
    assert functional.jacobian(np.exp, x).dtype == np.float32


# -- no dependence ---------------------------------------------------------------------------------


def test_without_dependence_the_result_is_zeros():
    x, z = Tensor(X), Tensor(Z)
    _, found = functional.vjp(lambda x, z: np.exp(x), (x, z), np.ones(3))
    assert found[1].tolist() == [0, 0]
    assert functional.jacobian(lambda x: Tensor(Z), x).data.tolist() == np.zeros((2, 3)).tolist()
    assert functional.jvp(lambda x: Tensor(Z), x, X)[1].tolist() == [0, 0]
    assert functional.hvp(lambda x: np.sum(2.0 * x), x, X)[1].tolist() == [0, 0, 0]
    assert not functional.hessian(lambda x: np.sum(2.0 * x), x).data.any()


def test_strict_refuses_it():
    x, z = Tensor(X), Tensor(Z)
    with pytest.raises(UnusedInputError, match="input 1"):
        functional.vjp(lambda x, z: np.exp(x), (x, z), np.ones(3), strict=True)
    with pytest.raises(UnusedInputError, match="Output 0"):
        functional.jacobian(lambda x: Tensor(Z), x, strict=True)
    with pytest.raises(UnusedInputError, match="gradient"):
        functional.hvp(lambda x: np.sum(2.0 * x), x, X, strict=True)
    with pytest.raises(UnusedInputError):
        functional.jvp(lambda x: Tensor(Z), x, X, strict=True)
    with pytest.raises(UnusedInputError):
        functional.hessian(lambda x, z: np.sum(x * x), (x, z), strict=True)


# -- histories -------------------------------------------------------------------------------------


def test_results_have_no_history_and_leave_no_gradients():
    x = Tensor(X, requires_grad=True)
    output, found = functional.vjp(np.exp, x, np.ones(3))
    assert not output.requires_grad
    assert not found.requires_grad
    assert x.grad is None


def test_create_graph_lets_results_be_differentiated():
    x = Tensor(X, requires_grad=True)
    _, g = functional.vjp(lambda t: np.sum(t**3.0), x, create_graph=True)
    (second,) = grad(np.sum(g), x)
    np.testing.assert_allclose(second.data, 6 * X)

    jacobian = functional.jacobian(lambda t: t**3.0, x, create_graph=True)
    (third,) = grad(np.sum(jacobian), x)
    np.testing.assert_allclose(third.data, 6 * X)


def test_transforms_nest():
    def inner(t):
        return functional.jvp(lambda s: s**4.0, t, Tensor(np.ones(3)), create_graph=True)[1]

    np.testing.assert_allclose(functional.jacobian(inner, Tensor(X)).data, np.diag(12 * X**2))


def test_they_record_within_no_grad():
    with no_grad():
        assert functional.vjp(lambda x: x * x, 3.0)[1].item() == 6.0


def test_closures_are_constants():
    x = Tensor(X, requires_grad=True)
    _, g = functional.vjp(lambda t: np.sum(t * x), Tensor(X))
    assert g.tolist() == X.tolist()
    assert x.grad is None


# -- what makes no sense ---------------------------------------------------------------------------


def test_second_derivatives_need_one_element():
    with pytest.raises(NotScalarError, match=r"\(3,\)"):
        functional.hvp(np.exp, Tensor(X), X)
    with pytest.raises(NotScalarError, match="jacobian"):
        functional.hessian(lambda x: (np.sum(x), np.sum(x)), Tensor(X))


def test_integers_and_other_results_are_refused():
    with pytest.raises(IntRequiresGradError):
        functional.vjp(np.sum, Tensor(np.array([1, 2])))
    with pytest.raises(OperandError, match="returned float"):
        functional.vjp(lambda x: 1.0, Tensor(X))
    with pytest.raises(UnsupportedError, match="Output 0 of the function is complex"):
        functional.jacobian(lambda x: x * 1j, Tensor(X))
